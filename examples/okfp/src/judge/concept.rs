//! The rules about one concept.

use std::collections::BTreeSet;

use okf_core::document::{Document, KEY_ORDER};
use okf_core::frontmatter::{Frontmatter, Node};

use super::Findings;
use crate::rules::{self, DESCRIPTION_CHARS, STANDARD_TYPES, TITLE_CHARS};

/// Checks a concept that can be read; `types` are those registered, where that is known.
pub(super) fn check(document: &Document, types: Option<&BTreeSet<String>>, findings: &mut Findings) {
    let path = document.path().as_str();
    let mut add = |id, line, message| findings.add(id, path, line, message);
    if !document.id().split('/').all(is_kebab_case) {
        let message = "the path is not lower-case kebab-case: only `a`-`z`, digits and single `-` between them";
        add(rules::NOT_KEBAB_CASE, 1, message.to_owned());
    }
    // Without a frontmatter there is nothing more to say than the specification does.
    let Some(frontmatter) = document.frontmatter() else { return };
    let line = |offset: usize| document.text().position(offset).line;
    let line_of = |key: &str| frontmatter.get(key).map_or(1, |node| line(node.span.start));
    for (key, id) in [
        ("title", rules::MISSING_TITLE),
        ("description", rules::MISSING_DESCRIPTION),
        ("status", rules::MISSING_STATUS),
    ] {
        if text(&frontmatter, key).is_none() {
            add(id, line_of(key), format!("`{key}` is missing or empty"));
        }
    }
    for entry in &frontmatter.root.entries {
        if !KEY_ORDER.contains(&entry.key.as_str()) {
            let message = format!("`{}` is no key of the format; say it in the body", entry.key);
            add(rules::UNKNOWN_KEY, line(entry.key_span.start), message);
        }
    }
    if let Some(concept_type) = text(&frontmatter, "type") {
        let line = line_of("type");
        if types.is_some_and(|types| !types.contains(concept_type)) {
            let message = format!("type `{concept_type}` is not registered in `types.md`");
            add(rules::UNREGISTERED_TYPE, line, message);
        } else if !STANDARD_TYPES.contains(&concept_type) {
            add(rules::NON_STANDARD_TYPE, line, format!("type `{concept_type}` is none that the format names"));
        }
    }
    for (key, most, id) in
        [("title", TITLE_CHARS, rules::LONG_TITLE), ("description", DESCRIPTION_CHARS, rules::LONG_DESCRIPTION)]
    {
        let length = text(&frontmatter, key).map_or(0, |text| text.chars().count());
        if length > most {
            add(id, line_of(key), format!("`{key}` has {length} characters, more than {most}"));
        }
    }
    let tags = &document.metadata().tags;
    if tags.is_empty() {
        add(rules::UNTAGGED, line_of("tags"), "there is no tag".to_owned());
    }
    for tag in tags {
        let repeated = ["type", "status"]
            .into_iter()
            .find(|key| text(&frontmatter, key).is_some_and(|value| folded(value) == folded(tag)));
        if let Some(key) = repeated {
            add(rules::REPEATING_TAG, line_of("tags"), format!("tag `{tag}` repeats the {key}"));
        }
    }
}

/// A value as it is spelled, unless it is blank.
fn text<'a>(frontmatter: &'a Frontmatter, key: &str) -> Option<&'a str> {
    frontmatter.get(key).and_then(Node::as_text).map(str::trim).filter(|text| !text.is_empty())
}

/// Lower case and joined by `-`, as a tag would be written.
fn folded(text: &str) -> String {
    text.trim().to_lowercase().split(|c: char| c.is_whitespace() || c == '_' || c == '-').collect::<Vec<_>>().join("-")
}

fn is_kebab_case(segment: &str) -> bool {
    segment
        .split('-')
        .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}
