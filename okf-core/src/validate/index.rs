//! `index.md` (spec §8, §12).

#[cfg(test)]
pub(in crate::validate) mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use super::places::Places;
use crate::bundle::File;
use crate::document::{Document, Head};
use crate::finding::{Finding, Location, Severity};
use crate::frontmatter::{Entry, Frontmatter, Kind, Schema};
use crate::index::IndexDocument;
use crate::link::{Origin, Resolver};
use crate::markdown::Structure;

/// Most names that a message lists.
const NAMED: usize = 5;

/// Judges the frontmatter of an index alone; nothing else in an index can be an error.
pub(super) fn check_frontmatter(document: &Document, out: &mut Vec<Finding>) {
    if *document.head() != Head::Absent {
        check_head(document, &mut Places::new(document), out);
    }
}

/// Judges the structure and the entries of an index.
///
/// Its structure is reported once per file: at the first line, with a count.
pub(super) fn check_entries(resolver: &Resolver<'_>, document: &Document, out: &mut Vec<Finding>) {
    if let Head::Broken { yaml: None, .. } = document.head() {
        // Unterminated: nobody knows where the body begins.
        return;
    }
    let mut places = Places::new(document);
    let structure = document.structure();
    let index = IndexDocument::read(document.body(), &structure);
    check_structure(&index, &structure, document, &mut places, out);
    check_targets(&index, resolver, document, &mut places, out);
    out.extend(missing_entries(resolver, document, &structure));
}

fn check_head(document: &Document, places: &mut Places<'_>, out: &mut Vec<Finding>) {
    out.extend(places.reserved_head());
    let Head::Parsed(yaml) = document.head() else { return };
    let Some(frontmatter) = document.frontmatter() else { return };
    let is_root = document.path().parent().is_none();
    let misplaced: Vec<&Entry> =
        frontmatter.root.entries.iter().filter(|entry| !is_root || entry.key != "okf_version").collect();
    let id = "okf/invalid-index-frontmatter";
    if is_root {
        if let Some(first) = misplaced.first() {
            let message = format!("the root index takes no key but `okf_version`; remove {}", keys(&misplaced));
            out.push(places.error(id, first.key_span.start, message));
        }
        out.extend(version(&frontmatter, places).into_iter().flatten());
    } else if misplaced.is_empty() {
        out.push(places.error(id, 0, "only the root index may have a frontmatter; remove the empty one".to_owned()));
    } else {
        let message = format!("only the root index may have a frontmatter; remove {}", keys(&misplaced));
        out.push(places.error(id, misplaced.first().map_or(yaml.start, |entry| entry.key_span.start), message));
    }
}

fn keys(entries: &[&Entry]) -> String {
    list(entries.iter().map(|entry| entry.key.as_str()))
}

/// What is odd about the declared version: that it is no string, and that it is not known.
fn version(frontmatter: &Frontmatter, places: &mut Places<'_>) -> [Option<Finding>; 2] {
    let Some(node) = frontmatter.get("okf_version") else { return [None, None] };
    let offset = node.span.start;
    let unquoted = |places: &mut Places<'_>, message| places.advisory("okf/unquoted-okf-version", offset, message);
    let Kind::Scalar(scalar) = &node.kind else {
        return [
            Some(unquoted(places, "`okf_version` is not a string; write `okf_version: \"0.2\"`".to_owned())),
            None,
        ];
    };
    let written = &scalar.text;
    if scalar.schema == Schema::Null {
        let message = "`okf_version` is empty; write `okf_version: \"0.2\"`".to_owned();
        return [Some(unquoted(places, message)), None];
    }
    let is_string = scalar.schema == Schema::Str;
    let is_known = matches!(&**written, "0.1" | "0.2");
    let message = || format!("`okf_version: {written}` is not a string; write `okf_version: \"{written}\"`");
    let unquoted = (!is_string).then(|| unquoted(places, message()));
    let message = || format!("`okf_version` declares `{written}`; known are `0.1` and `0.2`");
    let unsupported = (!is_known).then(|| places.advisory("okf/unsupported-okf-version", offset, message()));
    [unquoted, unsupported]
}

fn check_structure(
    index: &IndexDocument,
    structure: &Structure,
    document: &Document,
    places: &mut Places<'_>,
    out: &mut Vec<Finding>,
) {
    let body = document.body();
    let has_title = index.title().is_some();
    let empty = index.sections.iter().enumerate().skip(usize::from(has_title)).filter(|(at, _)| {
        // A section that lists by subsections, a table or in prose is not empty.
        let range = structure.subtree(*at, body.len());
        let first = structure.links.partition_point(|link| link.span.start < range.start);
        structure.links.get(first).is_none_or(|link| link.span.start >= range.end)
    });
    let start = document.body_start();
    let starts = |spans: &[Range<usize>]| spans.iter().map(|span| start + span.start).collect::<Vec<_>>();
    let empty: Vec<_> = empty.map(|(_, section)| start + section.heading_span.start).collect();
    let loose: Vec<_> = index.loose.iter().map(|entry| start + entry.span.start).collect();
    let mut unportable = starts(&index.malformed);
    unportable.extend(
        index
            .entries()
            .filter(|entry| !is_portable_link(&body[entry.link_span.clone()]))
            .map(|entry| start + entry.link_span.start),
    );
    out.extend(places.advisory_once("okf/empty-index-section", &empty, "the section has no entry"));
    out.extend(places.advisory_once("okf/index-entry-before-section", &loose, "the entry stands before any heading"));
    out.extend(places.advisory_once(
        "okf/index-prose",
        &starts(&index.prose),
        "an index lists entries `* [Title](path.md) - description` below headings; this is neither",
    ));
    out.extend(places.advisory_once(
        "okf/non-portable-index-link",
        &unportable,
        "the destination does not read the same everywhere; percent-encode its spaces, parentheses and backslashes",
    ));
}

/// Whether every reader takes the destination of a link as it is written: in angle brackets, or
/// without spaces, parentheses, brackets and backslashes.
fn is_portable_link(link: &str) -> bool {
    let Some((_, rest)) = link.rsplit_once("](") else { return true };
    let rest = rest.strip_suffix(')').unwrap_or(rest).trim_start();
    let destination = rest.split_whitespace().next().unwrap_or_default();
    rest.starts_with('<') || !destination.contains(['(', ')', '<', '>', '\\'])
}

fn check_targets(
    index: &IndexDocument,
    resolver: &Resolver<'_>,
    document: &Document,
    places: &mut Places<'_>,
    out: &mut Vec<Finding>,
) {
    for entry in index.entries() {
        let resolved = resolver.resolve(document.path().as_str(), Origin::Body, &entry.destination);
        let trouble = match &resolved {
            // A fragment of the index itself is there; an empty destination is nothing.
            None if !entry.destination.trim().is_empty() => None,
            None => Some("has no destination".to_owned()),
            Some(resolved) => resolver.trouble(&entry.destination, resolved),
        };
        if let Some(trouble) = trouble {
            let offset = document.body_start() + entry.link_span.start;
            let message = format!("the entry `{}` {trouble}", entry.destination);
            out.push(places.advisory("okf/broken-index-entry", offset, message));
        }
    }
}

/// The concepts and directories beside the index that no link in it leads to. A directory is listed
/// by a link to it or to anything below it, and asks to be when it holds a concept or an index.
fn missing_entries(resolver: &Resolver<'_>, document: &Document, structure: &Structure) -> Option<Finding> {
    let links = structure.links.iter();
    let listed: BTreeSet<String> = links
        .filter_map(|link| resolver.resolve(document.path().as_str(), Origin::Body, &link.destination)?.path)
        .collect();
    let prefix = document.path().parent().map(|parent| format!("{parent}/")).unwrap_or_default();
    let files = resolver.bundle().files();
    let below = files.iter_from(&prefix);
    let mut missing: Vec<&str> = Vec::new();
    let mut last_directory = "";
    for (path, file) in below.take_while(|(path, _)| path.as_str().starts_with(&prefix)) {
        let rest = &path.as_str()[prefix.len()..];
        match rest.find('/') {
            Some(end) if matches!(file, File::Concept(_) | File::Index(_)) => {
                let directory = &rest[..=end];
                if directory != last_directory && !lists_directory(&listed, &path.as_str()[..prefix.len() + end]) {
                    missing.push(directory);
                }
                last_directory = directory;
            }
            None if matches!(file, File::Concept(_)) && !listed.contains(path.as_str()) => missing.push(rest),
            _ => {}
        }
    }
    let first = missing.first()?;
    let message = match missing.len() {
        1 => format!("does not list `{first}`"),
        count => format!("does not list {count} entries beside it: {}", list(missing.iter().copied())),
    };
    let location = Some(Location { path: document.path().as_str().to_owned(), line: None, column: None });
    Some(Finding { location, id: "okf/missing-index-entries", message, severity: Severity::Advisory })
}

fn lists_directory(listed: &BTreeSet<String>, directory: &str) -> bool {
    let below = format!("{directory}/");
    listed.contains(directory) || listed.range(below.clone()..).next().is_some_and(|path| path.starts_with(&below))
}

/// Names in backticks, at most five of them.
fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named: Vec<_> = names.take(NAMED).map(|name| format!("`{name}`")).collect();
    let named = named.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}
