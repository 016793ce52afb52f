//! One concept and its edges, kept small.

use std::slice;
use std::sync::Arc;

use super::spelling::Spelling;
use super::{Edge, GraphNode, Mention};
use crate::document::Document;
use crate::link::{NameKey, Origin, Place, Resolution, Resolver};
use crate::table::Item;

/// A concept that can be read in full, with its edges by origin and raw target.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    document: Arc<Document>,
    edges: Arc<[Stored]>,
}

/// An edge; its source is the concept that holds it, and its target concept follows from the path.
#[derive(Clone, Debug)]
struct Stored {
    raw_target: Spelling,
    resolved_path: Option<Arc<str>>,
    origin: Origin,
    resolution: Resolution,
}

impl Item for Vertex {
    type Key = str;

    fn key(&self) -> &str {
        self.document.id()
    }
}

impl Vertex {
    /// Reads the edges of a concept off its text.
    pub(super) fn read(document: &Arc<Document>, resolver: &Resolver<'_>) -> Self {
        let structure = document.structure();
        let start = document.body_start();
        let body = structure.links.iter().map(|link| {
            let span = start + link.span.start..start + link.span.end;
            (Origin::Body, &*link.destination, span)
        });
        let fields = document.metadata().path_fields.iter().map(|field| {
            // Behind a quote, perhaps.
            let span = field.offset as usize..field.offset as usize + field.value.len() + 1;
            (field.origin.into(), &*field.value, span)
        });
        let mut targets: Vec<_> = body.chain(fields).collect();
        targets.sort_unstable_by_key(|&(origin, target, _)| (origin, target));
        targets.dedup_by_key(|&mut (origin, target, _)| (origin, target));
        let text = document.text().as_str();
        let edges = targets.into_iter().filter_map(|(origin, target, near)| {
            let near = near.start..near.end.min(text.len());
            Stored::resolve(document, resolver, origin, target, || Spelling::find(text, near, target))
        });
        Self { document: Arc::clone(document), edges: edges.collect() }
    }

    /// The same concept in a bundle of other names: the text is not read again.
    pub(super) fn resolved_again(&self, resolver: &Resolver<'_>) -> Self {
        let text = self.document.text().as_str();
        let again = |edge: &Stored| {
            let target = edge.raw_target.get(text);
            Stored::resolve(&self.document, resolver, edge.origin, target, || edge.raw_target.clone())
        };
        Self { document: Arc::clone(&self.document), edges: self.edges.iter().filter_map(again).collect() }
    }

    pub(super) fn node(&self) -> GraphNode<'_> {
        GraphNode::from(self.document.as_ref())
    }

    pub(super) fn edges(&self) -> Edges<'_> {
        Edges { document: Some(&self.document), stored: self.edges.iter() }
    }

    pub(super) fn has_broken_edge(&self) -> bool {
        self.edges.iter().any(|edge| matches!(edge.resolution, Resolution::Unresolved | Resolution::Invalid))
    }

    /// The names that the concept asks for, each once.
    pub(super) fn mentions(&self) -> Vec<Mention> {
        let path = self.document.path();
        let name = |edge: &Stored| match (edge.resolution, &edge.resolved_path) {
            (Resolution::External | Resolution::Invalid, _) => None,
            (_, Some(path)) => Some(NameKey::of_path(path)),
            (_, None) => NameKey::of_target(path.as_str(), edge.raw_target.get(self.document.text().as_str())),
        };
        let mut names: Vec<NameKey> = self.edges.iter().filter_map(name).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| Mention { name, source: path.clone() }).collect()
    }
}

impl Stored {
    fn resolve(
        document: &Document,
        resolver: &Resolver<'_>,
        origin: Origin,
        target: &str,
        spelling: impl FnOnce() -> Spelling,
    ) -> Option<Self> {
        let located = resolver.locate(document.path().as_str(), origin, target)?;
        let resolved_path = match located.place {
            Place::Unnamed => None,
            Place::File(path) => Some(path.shared()),
            Place::Nothing(path) => Some(path.into()),
        };
        Some(Self { raw_target: spelling(), resolved_path, origin, resolution: located.resolution })
    }
}

/// The edges of a concept, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges<'a> {
    /// Absent only where there are no edges.
    document: Option<&'a Document>,
    stored: slice::Iter<'a, Stored>,
}

impl<'a> Iterator for Edges<'a> {
    type Item = Edge<'a>;

    fn next(&mut self) -> Option<Edge<'a>> {
        let (document, stored) = (self.document?, self.stored.next()?);
        let resolved_path = stored.resolved_path.as_deref();
        let concept = resolved_path.filter(|_| stored.resolution == Resolution::Concept);
        Some(Edge {
            source: document.id(),
            origin: stored.origin,
            raw_target: stored.raw_target.get(document.text().as_str()),
            resolution: stored.resolution,
            resolved_path,
            target_concept: concept.and_then(|path| path.strip_suffix(".md")),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stored.size_hint()
    }
}

impl ExactSizeIterator for Edges<'_> {}
