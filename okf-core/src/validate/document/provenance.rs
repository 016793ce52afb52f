//! `sources`, `usage_window` and the footnotes that refer to sources (spec §5.1).

use std::collections::{HashMap, HashSet};

use super::fields::{Dates, Field, check_optional_text, check_timestamp, field, kind, present};
use super::recorder::Recorder;
use crate::document::Document;
use crate::frontmatter::{Frontmatter, Kind, Node, Schema, excerpt};
use crate::markdown::Structure;

const SOURCE: &str = "okf/invalid-source";
const WINDOW: &str = "okf/invalid-usage-window";

pub(super) fn check(document: &Document, frontmatter: &Frontmatter, recorder: &mut Recorder<'_>) {
    if let Some(window) = present(&frontmatter.root, "usage_window") {
        check_window(recorder, "usage_window", window);
    }
    let Some(sources) = present(&frontmatter.root, "sources") else { return };
    let Some(entries) = sources.as_sequence() else {
        let message = format!("`sources` is {}, not a list; begin each entry with `- `", kind(sources));
        return recorder.advise("okf/invalid-sources", sources.span.start, message);
    };
    for (index, entry) in entries.iter().enumerate() {
        check_entry(recorder, &format!("sources[{index}]"), entry);
    }
    check_ids(recorder, entries);
    // An empty list claims no attribution, so footnotes are then just footnotes.
    if !entries.is_empty() {
        check_footnotes(recorder, entries, &document.structure(), document.body_start());
    }
}

fn check_entry(recorder: &mut Recorder<'_>, name: &str, entry: &Node) {
    let Some(source) = entry.as_mapping() else {
        let message = format!("`{name}` is {}, not a mapping with a `resource`", kind(entry));
        return recorder.advise(SOURCE, entry.span.start, message);
    };
    match field(source, "resource") {
        Field::Text(..) => {}
        Field::Missing => recorder.advise(SOURCE, entry.span.start, format!("`{name}.resource` is missing")),
        Field::Other(node) => {
            let message = format!("`{name}.resource` is {}, not a path, URL or description", kind(node));
            recorder.advise(SOURCE, node.span.start, message);
        }
    }
    for key in ["id", "title", "author"] {
        check_optional_text(recorder, SOURCE, name, source, key);
    }
    if let Some(count) = present(source, "usage_count").filter(|count| !is_count(count)) {
        let message = format!("`{name}.usage_count` is no whole number of uses");
        recorder.advise(SOURCE, count.span.start, message);
    }
    if let Some(modified) = present(source, "last_modified") {
        check_timestamp(recorder, SOURCE, &format!("{name}.last_modified"), modified, Dates::Accepted);
    }
    if let Some(window) = present(source, "usage_window") {
        check_window(recorder, &format!("{name}.usage_window"), window);
    }
}

fn is_count(node: &Node) -> bool {
    matches!(&node.kind, Kind::Scalar(scalar) if scalar.schema == Schema::Int && !scalar.text.starts_with('-'))
}

fn check_window(recorder: &mut Recorder<'_>, name: &str, node: &Node) {
    let Some(window) = node.as_mapping() else {
        let message = format!("`{name}` is {}, not a mapping `{{ from, to }}`", kind(node));
        return recorder.advise(WINDOW, node.span.start, message);
    };
    let mut end = |key: &str| match present(window, key) {
        Some(value) => check_timestamp(recorder, WINDOW, &format!("{name}.{key}"), value, Dates::Accepted),
        None => {
            recorder.advise(WINDOW, node.span.start, format!("`{name}.{key}` is missing"));
            None
        }
    };
    let (from, to) = (end("from"), end("to"));
    if from.zip(to).is_some_and(|(from, to)| from.instant > to.instant) {
        recorder.advise(WINDOW, node.span.start, format!("`{name}.from` is later than `{name}.to`"));
    }
}

/// The entries' IDs; text only.
fn ids(entries: &[Node]) -> impl Iterator<Item = (usize, &Node, &str)> {
    entries.iter().enumerate().filter_map(|(index, entry)| match field(entry.as_mapping()?, "id") {
        Field::Text(node, id) => Some((index, node, id)),
        Field::Missing | Field::Other(_) => None,
    })
}

fn check_ids(recorder: &mut Recorder<'_>, entries: &[Node]) {
    let mut first = HashMap::new();
    for (index, node, id) in ids(entries) {
        let before = *first.entry(id).or_insert(index);
        if before != index {
            let shown = excerpt(id);
            let message = format!("`sources[{index}].id` is `{shown}`, as is that of `sources[{before}]`");
            recorder.advise("okf/duplicate-source-id", node.span.start, message);
        }
    }
}

/// One finding for each footnote label that names no source, at its first use.
fn check_footnotes(recorder: &mut Recorder<'_>, entries: &[Node], structure: &Structure, body_start: usize) {
    let known: HashSet<&str> = ids(entries).map(|(_, _, id)| id).collect();
    let defined: HashSet<&str> = structure.footnote_definitions.iter().map(|note| &*note.label).collect();
    let mut seen = HashSet::new();
    for note in structure.footnote_references.iter().chain(&structure.footnote_definitions) {
        let label = &*note.label;
        if known.contains(label) || !seen.insert(label) {
            continue;
        }
        let text = if defined.contains(label) { "it has footnote text" } else { "it has no footnote text either" };
        let message = format!("the footnote `[^{}]` matches no `sources[].id`; {text}", excerpt(label));
        recorder.advise("okf/undefined-source-reference", body_start + note.span.start, message);
    }
}
