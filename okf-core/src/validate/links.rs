//! Links that lead nowhere (spec §6.1): asked for, and never an error.

#[cfg(test)]
mod tests;

use super::places::Places;
use crate::bundle::File;
use crate::finding::Finding;
use crate::index::IndexDocument;
use crate::link::{Origin, Resolver};

/// Reports the body links and path-valued fields of a file that are unresolved or invalid.
///
/// Of indexes and logs the links of the body; the entries of an index are judged with the index.
pub(super) fn check(resolver: &Resolver<'_>, file: &File, out: &mut Vec<Finding>) {
    let (File::Concept(content) | File::Index(content) | File::Log(content)) = file else { return };
    let Some(document) = content.document().filter(|document| document.error().is_none()) else { return };
    let mut places = Places::new(document);
    let mut report = |origin: Origin, target: &str, offset: usize| {
        let resolved = resolver.resolve(document.path().as_str(), origin, target)?;
        let trouble = resolver.trouble(target, &resolved)?;
        let message = match origin {
            Origin::Body => format!("the link `{target}` {trouble}"),
            field => format!("`{}: {target}` {trouble}", field.as_str()),
        };
        Some(places.advisory("okf/broken-link", offset, message))
    };
    for field in &document.metadata().path_fields {
        out.extend(report(field.origin.into(), &field.value, field.offset as usize));
    }
    let structure = document.structure();
    let entries = matches!(file, File::Index(_)).then(|| IndexDocument::read(document.body(), &structure));
    let mut entries = entries.iter().flat_map(IndexDocument::entries).map(|entry| entry.link_span.start).peekable();
    for link in &structure.links {
        if entries.next_if_eq(&link.span.start).is_none() {
            out.extend(report(Origin::Body, &link.destination, document.body_start() + link.span.start));
        }
    }
}
