//! `sources` entries: finding one that is there, writing the target of a new one (contract §8).

use std::fmt::Write as _;

use super::error::Reason;
use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::document::Document;
use crate::frontmatter::Node;
use crate::link::{Origin, Resolution, Resolver};
use crate::metadata::FieldOrigin;

/// Checks a relationship by itself.
///
/// # Errors
///
/// It says nothing.
pub(super) fn check_relationship(relationship: &str) -> Result<(), Reason> {
    if relationship.trim().is_empty() { Err(Reason::BlankRelationship) } else { Ok(()) }
}

/// Whether an entry of `sources` already says that the document has this relationship to the target.
pub(super) fn is_listed(
    bundle: &Bundle,
    document: &Document,
    entries: &[Node],
    target: &BundlePath,
    relationship: &str,
) -> bool {
    let resolver = Resolver::new(bundle);
    let leads_there = |resource: &str| {
        let resolved = resolver.resolve(document.path().as_str(), Origin::Sources, resource);
        resolved.and_then(|resolved| resolved.path).is_some_and(|path| path == target.as_str())
    };
    entries.iter().filter_map(Node::as_mapping).any(|entry| {
        let text = |key: &str| entry.get(key).and_then(Node::as_text);
        text("relationship") == Some(relationship) && text("resource").is_some_and(leads_there)
    })
}

/// The target as it is written into the document: from the root where the document writes its paths so,
/// else from its directory.
pub(super) fn written(bundle: &Bundle, document: &Document, target: &BundlePath) -> String {
    if counts_from_root(bundle, document) {
        return format!("/{}", encode(target.as_str()));
    }
    relative(document.path(), target)
}

/// Whether a document writes its paths from the root. Its `sources` decide; where they hold no path, its
/// other fields and its links do.
fn counts_from_root(bundle: &Bundle, document: &Document) -> bool {
    let resolver = Resolver::new(bundle);
    let is_path = |origin: Origin, target: &str| {
        let resolved = resolver.resolve(document.path().as_str(), origin, target);
        resolved.is_some_and(|resolved| !matches!(resolved.resolution, Resolution::External | Resolution::Descriptor))
    };
    let fields = |of_sources: bool| {
        document
            .metadata()
            .path_fields
            .iter()
            .filter(move |field| (field.origin == FieldOrigin::Sources) == of_sources)
            .map(|field| (field.origin.into(), &*field.value))
    };
    let mut sources = fields(true).filter(|(origin, target)| is_path(*origin, target)).peekable();
    if sources.peek().is_some() {
        return sources.any(|(_, target)| target.starts_with('/'));
    }
    let structure = document.structure();
    let links = structure.links.iter().map(|link| (Origin::Body, &*link.destination));
    fields(false).chain(links).any(|(origin, target)| target.starts_with('/') && is_path(origin, target))
}

/// The way from one document's directory to another document.
fn relative(from: &BundlePath, to: &BundlePath) -> String {
    let mut down: Vec<&str> = to.segments().collect();
    let mut up: Vec<&str> = from.segments().collect();
    // The last segment of either is the file itself.
    up.pop();
    let shared = up.iter().zip(&down[..down.len().saturating_sub(1)]).take_while(|(a, b)| a == b).count();
    let climbs = up.len() - shared;
    down.drain(..shared);
    let way = encode(&down.join("/"));
    // A colon in the first segment would read as a scheme.
    let is_scheme = climbs == 0 && way.split('/').next().is_some_and(|first| first.contains(':'));
    let lead = if is_scheme { "./".to_owned() } else { "../".repeat(climbs) };
    lead + &way
}

/// Percent-encodes what would not read as part of a path: the escapes themselves, query and fragment,
/// and what makes a target a scope rather than a path (white space, backticks).
fn encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '%' | '?' | '#' | '`') || c.is_whitespace() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(encoded, "%{byte:02X}");
            }
        } else {
            encoded.push(c);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> BundlePath {
        BundlePath::new(path).unwrap()
    }

    #[test]
    fn the_way_from_one_document_to_another() {
        for (from, to, way) in [
            ("a.md", "b.md", "b.md"),
            ("a.md", "x/b.md", "x/b.md"),
            ("x/a.md", "b.md", "../b.md"),
            ("x/a.md", "x/b.md", "b.md"),
            ("x/y/a.md", "x/z/b.md", "../z/b.md"),
            ("x/y/a.md", "x/y.md", "../y.md"),
            ("x/a.md", "x/a.md", "a.md"),
            ("a.md", "mailto:b.md", "./mailto:b.md"),
            ("x/a.md", "c:/b.md", "../c:/b.md"),
            ("a.md", "50% off #1?`.md", "50%25%20off%20%231%3F%60.md"),
        ] {
            assert_eq!(relative(&path(from), &path(to)), way, "{from} -> {to}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_written_target_leads_back(
            from in "[ab:%# ]{1,3}(/[ab:?é`]{1,2}){0,2}\\.md",
            to in "[ab:%# ]{1,3}(/[ab:?é`]{1,2}){0,2}\\.md",
            root: bool,
        ) {
            let body = if root { "[x](/x.md)" } else { "" };
            let text = format!("---\ntype: T\n---\n{body}");
            for files in [vec![from.as_str()], vec![from.as_str(), to.as_str()]] {
                let bundle = Bundle::from_files(files.into_iter().map(|path| (path, text.clone()))).unwrap();
                let target = written(&bundle, bundle.document(&from).unwrap(), &path(&to));
                proptest::prop_assert_eq!(target.starts_with('/'), root);
                let resolved = crate::link::resolve(&bundle, &from, Origin::Sources, &target).unwrap();
                proptest::prop_assert_eq!(resolved.path.as_deref(), Some(to.as_str()), "{}", target);
            }
        }
    }
}
