//! From the graph of one picture to that of the next.

use std::collections::BTreeSet;

use super::{Graph, Vertex, id_of};
use crate::bundle::{Bundle, Change};
use crate::bundle_path::BundlePath;
use crate::link::{NameKey, Resolver};
use crate::table::Item;

impl Graph {
    /// The graph of the next picture. Reads the concepts that changed, and resolves again the links of those
    /// that ask for a name which a file that came or went may answer to.
    pub(crate) fn updated(&self, changes: &[Change], next: &Bundle) -> Self {
        let resolver = Resolver::new(next);
        let mut graph = self.clone();
        for change in changes {
            if let Some(id) = change.id() {
                let document = change.document().filter(|document| document.error().is_none());
                graph.replace(id, document.map(|document| Vertex::read(document, &resolver)));
            }
        }
        let came_or_went = changes.iter().filter(|change| change.before.is_some() != change.after.is_some());
        let names = came_or_went.map(|change| NameKey::of_path(change.path.as_str()));
        let concerned: BTreeSet<&BundlePath> = names.flat_map(|name| self.that_mention(name)).collect();
        for source in concerned {
            let again = graph.vertices.get(id_of(source)).map(|vertex| vertex.resolved_again(&resolver));
            graph.replace(id_of(source), again);
        }
        graph
    }

    /// Replaces a concept and its edges, or takes them out.
    fn replace(&mut self, id: &str, vertex: Option<Vertex>) {
        let mentions = vertex.as_ref().map(Vertex::mentions).unwrap_or_default();
        self.edges += vertex.as_ref().map_or(0, |vertex| vertex.edges().len());
        let before = match vertex {
            Some(vertex) => self.vertices.insert(vertex),
            None => self.vertices.remove(id),
        };
        self.edges -= before.as_ref().map_or(0, |before| before.edges().len());
        for gone in before.iter().flat_map(Vertex::mentions).filter(|mention| mentions.binary_search(mention).is_err())
        {
            self.mentions.remove(gone.key());
        }
        self.mentions.extend(mentions);
    }
}
