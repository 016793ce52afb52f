//! The graph of a bundle: concepts and what they say about one another (contract §7).

mod select;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::bundle::Bundle;
use crate::document::Document;
use crate::link::{Origin, Resolution, Resolver};
use crate::metadata::{Status, TrustTier};
use crate::parallel;
use crate::timestamp::Timestamp;

/// Nodes by ID; edges by source, origin, raw target.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The concepts.
    pub nodes: Vec<GraphNode>,
    /// The links and path-valued fields.
    pub edges: Vec<Edge>,
    /// The edges that lead to a concept, as indices ordered by that concept; made when first needed.
    incoming: OnceLock<Box<[u32]>>,
}

/// A readable concept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// Concept ID.
    pub id: Box<str>,
    /// Bundle path.
    pub path: Box<str>,
    /// `type`, empty when absent.
    pub concept_type: Box<str>,
    /// Title, else the last segment of the ID.
    pub title: Box<str>,
    /// Lifecycle status.
    pub status: Status,
    /// Trust tier.
    pub trust_tier: TrustTier,
    /// `stale_after`, when readable.
    pub stale_after: Option<Timestamp>,
}

/// A link or path-valued field of a concept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// ID of the concept that holds it.
    pub source: Box<str>,
    /// Where it was written.
    pub origin: Origin,
    /// The target as written.
    pub raw_target: Box<str>,
    /// What it turned out to be.
    pub resolution: Resolution,
    /// The path inside the bundle.
    pub resolved_path: Option<Box<str>>,
    /// The concept it leads to.
    pub target_concept: Option<Box<str>>,
}

/// A question to the graph; the default selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphQuery {
    /// Concept types, any of them.
    pub types: Vec<String>,
    /// Areas, any of them.
    pub path_prefixes: Vec<String>,
    /// Resolutions, any of them.
    pub resolutions: Vec<Resolution>,
    /// The neighbourhood of one concept.
    pub neighbourhood: Option<Neighbourhood>,
}

/// The neighbourhood of a concept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    /// Its ID.
    pub concept: String,
    /// Which way to follow edges.
    pub direction: Direction,
    /// How many edges far, 1 to 5.
    pub depth: u8,
}

/// Which way to follow edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// What the concept links to.
    #[default]
    Out,
    /// What links to the concept.
    In,
    /// Both.
    Both,
}

impl Graph {
    /// Builds the graph of a bundle.
    ///
    /// Nodes are the concepts that can be read in full. Edges are their body links and path-valued
    /// fields; a link to an existing concept that cannot be read leads to no node.
    #[must_use]
    pub fn build(bundle: &Bundle) -> Self {
        let resolver = Resolver::new(bundle);
        let documents: Vec<_> = bundle.concepts().collect();
        // Concepts come by ID, so edges in order within each are in order altogether.
        let edges = parallel::map(&documents, |document| edges_of(document, &resolver)).into_iter().flatten().collect();
        let nodes = documents.into_iter().map(|document| GraphNode::of(document)).collect();
        Self { nodes, edges, incoming: OnceLock::new() }
    }

    /// The node of a concept.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&GraphNode> {
        let at = self.nodes.binary_search_by(|node| (*node.id).cmp(id)).ok()?;
        Some(&self.nodes[at])
    }

    /// The edges that a concept holds, in order.
    #[must_use]
    pub fn outgoing(&self, id: &str) -> &[Edge] {
        let start = self.edges.partition_point(|edge| &*edge.source < id);
        let length = self.edges[start..].partition_point(|edge| &*edge.source == id);
        &self.edges[start..start + length]
    }

    /// The edges that lead to a concept, by source, origin and raw target.
    pub fn incoming(&self, id: &str) -> impl Iterator<Item = &Edge> {
        let target = |&at: &u32| self.edges[at as usize].target_concept.as_deref();
        let incoming = self.incoming.get_or_init(|| {
            // A graph of 2³² edges does not fit into memory.
            let mut incoming: Vec<u32> = (0..u32::try_from(self.edges.len()).unwrap_or(u32::MAX)).collect();
            incoming.retain(|at| target(at).is_some());
            incoming.sort_by(|a, b| target(a).cmp(&target(b)));
            incoming.into_boxed_slice()
        });
        let start = incoming.partition_point(|at| target(at) < Some(id));
        let length = incoming[start..].partition_point(|at| target(at) == Some(id));
        incoming[start..start + length].iter().map(|&at| &self.edges[at as usize])
    }
}

impl PartialEq for Graph {
    /// Equal nodes and edges.
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes && self.edges == other.edges
    }
}

impl Eq for Graph {}

impl GraphNode {
    fn of(document: &Document) -> Self {
        let metadata = document.metadata();
        Self {
            id: document.id().into(),
            path: document.path().as_str().into(),
            concept_type: metadata.concept_type.clone().unwrap_or_default(),
            title: document.display_title().into(),
            status: metadata.status,
            trust_tier: metadata.trust_tier,
            stale_after: metadata.stale_after,
        }
    }
}

/// The edges of a concept by origin and raw target, each once.
fn edges_of(document: &Document, resolver: &Resolver<'_>) -> Vec<Edge> {
    let body = document.structure().links.iter().map(|link| (Origin::Body, &*link.destination));
    let fields = document.metadata().path_fields.iter().map(|field| (field.origin.into(), &*field.value));
    let mut targets: Vec<_> = body.chain(fields).collect();
    targets.sort_unstable();
    targets.dedup();
    let resolve = |(origin, target): (Origin, &str)| {
        let resolved = resolver.resolve(document.path().as_str(), origin, target)?;
        Some(Edge {
            source: document.id().into(),
            origin,
            raw_target: target.into(),
            resolution: resolved.resolution,
            resolved_path: resolved.path.map(Into::into),
            target_concept: resolved.concept.map(Into::into),
        })
    };
    targets.into_iter().filter_map(resolve).collect()
}
