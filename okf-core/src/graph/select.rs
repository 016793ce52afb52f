//! Choosing a part of the graph.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::{Direction, Edge, Graph, GraphNode, GraphQuery, Neighbourhood};
use crate::area::Area;
use crate::metadata::is_same_type;

/// How far a neighbourhood reaches at most, in edges.
const MAX_DEPTH: u8 = 5;

impl Graph {
    /// The part of the graph that a query chooses.
    ///
    /// A neighbourhood comes first. It holds the nodes that are at most `depth` edges away when edges
    /// are followed in its direction, and the edges that were followed on the way; outwards and both
    /// ways also what the followed nodes point at that is no concept, so that it tells all that they
    /// link to. A concept that is no node has an empty neighbourhood, except for what leads to it.
    ///
    /// Types and areas then choose among the nodes. An edge stays when its source and its target
    /// concept, if any, are chosen, and its resolution is among those asked for. A target that cannot
    /// be read is no node: it is chosen when its ID lies in the areas and no types are asked for.
    #[must_use]
    pub fn select(&self, query: &GraphQuery) -> Self {
        let areas: Vec<Area> = query.path_prefixes.iter().map(|prefix| Area::new(prefix)).collect();
        let filter = Filter { query, areas };
        let (mut nodes, mut edges): (Vec<&GraphNode>, Vec<&Edge>) = match &query.neighbourhood {
            None => (self.nodes.iter().collect(), self.edges.iter().collect()),
            Some(neighbourhood) => self.neighbourhood(neighbourhood),
        };
        nodes.retain(|node| filter.keeps_node(node));
        edges.retain(|edge| filter.keeps_edge(edge, self));
        Self {
            nodes: nodes.into_iter().cloned().collect(),
            edges: edges.into_iter().cloned().collect(),
            incoming: OnceLock::new(),
        }
    }

    fn neighbourhood(&self, wanted: &Neighbourhood) -> (Vec<&GraphNode>, Vec<&Edge>) {
        let outwards = wanted.direction != Direction::In;
        let inwards = wanted.direction != Direction::Out;
        let mut reached = HashSet::from([&*wanted.concept]);
        let mut frontier = vec![&*wanted.concept];
        let mut edges = Vec::new();
        for _ in 0..wanted.depth.clamp(1, MAX_DEPTH) {
            let mut next = Vec::new();
            for id in frontier {
                if outwards {
                    edges.extend(self.outgoing(id));
                    next.extend(self.outgoing(id).iter().filter_map(|edge| edge.target_concept.as_deref()));
                }
                if inwards {
                    edges.extend(self.incoming(id));
                    next.extend(self.incoming(id).map(|edge| &*edge.source));
                }
            }
            next.retain(|id| reached.insert(id));
            frontier = next;
        }
        let mut nodes: Vec<_> = reached.into_iter().filter_map(|id| self.node(id)).collect();
        nodes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        edges.sort_unstable();
        edges.dedup();
        (nodes, edges)
    }
}

/// What a query asks of nodes and edges.
struct Filter<'a> {
    query: &'a GraphQuery,
    areas: Vec<Area>,
}

impl Filter<'_> {
    fn keeps_node(&self, node: &GraphNode) -> bool {
        self.lies_in_areas(&node.id)
            && (self.query.types.is_empty()
                || self.query.types.iter().any(|wanted| is_same_type(wanted, &node.concept_type)))
    }

    fn keeps_edge(&self, edge: &Edge, graph: &Graph) -> bool {
        let resolutions = &self.query.resolutions;
        (resolutions.is_empty() || resolutions.contains(&edge.resolution))
            && self.keeps_concept(&edge.source, graph)
            && edge.target_concept.as_deref().is_none_or(|target| self.keeps_concept(target, graph))
    }

    fn keeps_concept(&self, id: &str, graph: &Graph) -> bool {
        if self.query.types.is_empty() {
            return self.lies_in_areas(id);
        }
        graph.node(id).is_some_and(|node| self.keeps_node(node))
    }

    fn lies_in_areas(&self, id: &str) -> bool {
        self.areas.is_empty() || self.areas.iter().any(|area| area.contains(id))
    }
}
