//! The graph of a bundle: concepts and what they say about one another (contract §7).

mod select;
mod spelling;
#[cfg(test)]
mod tests;
mod update;
mod vertex;

use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::document::Document;
use crate::link::{NameKey, Origin, Resolution, Resolver};
use crate::metadata::{Status, TrustTier};
use crate::parallel;
use crate::table::{Item, Table};
use crate::timestamp::Timestamp;

pub use select::Selection;
use vertex::Vertex;

/// The concepts of a bundle and their edges.
///
/// Shared between the pictures of one bundle: a clone and a change cost next to nothing. Keeps about 40 bytes
/// an edge: what can be read off the documents is.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    vertices: Table<Vertex>,
    /// Which concept asks for which name.
    mentions: Table<Mention>,
    edges: usize,
}

/// A readable concept, seen in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphNode<'a> {
    /// Concept ID.
    pub id: &'a str,
    /// Bundle path.
    pub path: &'a str,
    /// `type`, empty when absent.
    pub concept_type: &'a str,
    /// Title, else the last segment of the ID.
    pub title: &'a str,
    /// Lifecycle status.
    pub status: Status,
    /// Trust tier.
    pub trust_tier: TrustTier,
    /// `stale_after`, when readable.
    pub stale_after: Option<Timestamp>,
}

/// A link or path-valued field of a concept, seen in a graph; edges are ordered by their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge<'a> {
    /// ID of the concept that holds it.
    pub source: &'a str,
    /// Where it was written.
    pub origin: Origin,
    /// The target as written.
    pub raw_target: &'a str,
    /// What it turned out to be.
    pub resolution: Resolution,
    /// The path inside the bundle.
    pub resolved_path: Option<&'a str>,
    /// The concept it leads to.
    pub target_concept: Option<&'a str>,
}

/// A concept that asks for a name, readable or not: so a file that comes or goes finds whom it concerns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mention {
    name: NameKey,
    source: BundlePath,
}

impl Item for Mention {
    type Key = Self;

    fn key(&self) -> &Self {
        self
    }
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
        let vertices = parallel::map(&documents, |document| Vertex::read(document, &resolver));
        let mut mentions: Vec<_> = vertices.iter().flat_map(Vertex::mentions).collect();
        mentions.sort_unstable();
        let edges = vertices.iter().map(|vertex| vertex.edges().len()).sum();
        Self { vertices: vertices.into_iter().collect(), mentions: mentions.into_iter().collect(), edges }
    }

    /// The concepts by ID.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = GraphNode<'_>> + Clone {
        self.vertices.iter().map(Vertex::node)
    }

    /// The links and path-valued fields, by source, origin and raw target.
    pub fn edges(&self) -> impl Iterator<Item = Edge<'_>> + Clone {
        self.vertices.iter().flat_map(Vertex::edges)
    }

    /// Number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges
    }

    /// The node of a concept.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<GraphNode<'_>> {
        self.vertices.get(id).map(Vertex::node)
    }

    /// The edges that a concept holds, by origin and raw target.
    pub fn outgoing(&self, id: &str) -> impl ExactSizeIterator<Item = Edge<'_>> + Clone {
        self.vertices.get(id).map(Vertex::edges).unwrap_or_default()
    }

    /// Whether a concept holds an edge that is unresolved or invalid.
    pub(crate) fn has_broken_edge(&self, id: &str) -> bool {
        self.vertices.get(id).is_some_and(Vertex::has_broken_edge)
    }

    /// The edges that lead to a concept, by source, origin and raw target.
    #[must_use]
    pub fn incoming(&self, id: &str) -> Vec<Edge<'_>> {
        let leads_there = |edge: &Edge<'_>| edge.target_concept == Some(id);
        let mut edges: Vec<_> = self
            .that_mention(NameKey::of_path(id))
            .filter_map(|source| self.vertices.get(id_of(source)))
            .flat_map(Vertex::edges)
            .filter(leads_there)
            .collect();
        edges.sort_unstable();
        edges
    }

    /// The concepts that ask for a name.
    fn that_mention(&self, name: NameKey) -> impl Iterator<Item = &BundlePath> {
        let rest = self.mentions.iter_from(&|mention| mention.name < name);
        rest.take_while(move |mention| mention.name == name).map(|mention| &mention.source)
    }
}

impl PartialEq for Graph {
    /// Equal nodes and edges.
    fn eq(&self, other: &Self) -> bool {
        self.edges == other.edges && self.nodes().eq(other.nodes()) && self.edges().eq(other.edges())
    }
}

impl Eq for Graph {}

impl<'a> From<&'a Document> for GraphNode<'a> {
    fn from(document: &'a Document) -> Self {
        let metadata = document.metadata();
        Self {
            id: document.id(),
            path: document.path().as_str(),
            concept_type: metadata.concept_type.as_deref().unwrap_or_default(),
            title: document.display_title(),
            status: metadata.status,
            trust_tier: metadata.trust_tier,
            stale_after: metadata.stale_after,
        }
    }
}

fn id_of(path: &BundlePath) -> &str {
    path.as_str().strip_suffix(".md").unwrap_or(path.as_str())
}
