//! Choosing a part of the graph.

use std::collections::HashSet;

use super::{Direction, Edge, Graph, GraphNode, GraphQuery, Neighbourhood};
use crate::area::Area;
use crate::metadata::is_same_type;

/// How far a neighbourhood reaches at most, in edges.
const MAX_DEPTH: u8 = 5;

/// A part of a graph: looked for while it is gone over, not copied.
#[derive(Debug)]
pub struct Selection<'a> {
    graph: &'a Graph,
    /// Where to look; everywhere when `None`.
    around: Option<Around<'a>>,
    query: &'a GraphQuery,
    areas: Vec<Area>,
}

/// What a neighbourhood holds, in order.
#[derive(Debug)]
struct Around<'a> {
    nodes: Vec<GraphNode<'a>>,
    edges: Vec<Edge<'a>>,
}

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
    ///
    /// A neighbourhood costs its own size, any other part the whole graph each time it is gone over.
    #[must_use]
    pub fn select<'a>(&'a self, query: &'a GraphQuery) -> Selection<'a> {
        let around = query.neighbourhood.as_ref().map(|neighbourhood| self.neighbourhood(neighbourhood));
        let areas = query.path_prefixes.iter().map(|prefix| Area::new(prefix)).collect();
        Selection { graph: self, around, query, areas }
    }

    fn neighbourhood<'a>(&'a self, wanted: &'a Neighbourhood) -> Around<'a> {
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
                    next.extend(self.outgoing(id).filter_map(|edge| edge.target_concept));
                }
                if inwards {
                    let incoming = self.incoming(id);
                    next.extend(incoming.iter().map(|edge| edge.source));
                    edges.extend(incoming);
                }
            }
            next.retain(|id| reached.insert(id));
            frontier = next;
        }
        let mut nodes: Vec<_> = reached.into_iter().filter_map(|id| self.node(id)).collect();
        nodes.sort_unstable_by_key(|node| node.id);
        edges.sort_unstable();
        edges.dedup();
        Around { nodes, edges }
    }
}

impl<'a> Selection<'a> {
    /// The nodes, by ID.
    pub fn nodes(&self) -> impl Iterator<Item = GraphNode<'a>> {
        let (near, all) = match &self.around {
            Some(around) => (Some(around.nodes.iter().copied()), None),
            None => (None, Some(self.graph.nodes())),
        };
        near.into_iter().flatten().chain(all.into_iter().flatten()).filter(|node| self.keeps_node(node))
    }

    /// The edges, by source, origin and raw target.
    pub fn edges(&self) -> impl Iterator<Item = Edge<'a>> {
        let (near, all) = match &self.around {
            Some(around) => (Some(around.edges.iter().copied()), None),
            None => (None, Some(self.graph.edges())),
        };
        near.into_iter().flatten().chain(all.into_iter().flatten()).filter(|edge| self.keeps_edge(edge))
    }

    fn keeps_node(&self, node: &GraphNode<'_>) -> bool {
        let types = &self.query.types;
        self.lies_in_areas(node.id)
            && (types.is_empty() || types.iter().any(|wanted| is_same_type(wanted, node.concept_type)))
    }

    fn keeps_edge(&self, edge: &Edge<'_>) -> bool {
        let resolutions = &self.query.resolutions;
        (resolutions.is_empty() || resolutions.contains(&edge.resolution))
            && self.keeps_concept(edge.source)
            && edge.target_concept.is_none_or(|target| self.keeps_concept(target))
    }

    fn keeps_concept(&self, id: &str) -> bool {
        if self.query.types.is_empty() {
            return self.lies_in_areas(id);
        }
        self.graph.node(id).is_some_and(|node| self.keeps_node(&node))
    }

    fn lies_in_areas(&self, id: &str) -> bool {
        self.areas.is_empty() || self.areas.iter().any(|area| area.contains(id))
    }
}
