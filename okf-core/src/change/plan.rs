//! From one change to the new text of one concept.

use super::describe::{Change, Fields};
use super::error::{Reason, Subject};
use super::{link, place};
use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::document::{Document, Edit, EditError, Revision, compose, edit};
use crate::frontmatter::{Node, Value};
use crate::log::Action;
use crate::metadata::Status;
use crate::text::lines;

/// What a change comes to.
pub(super) struct Plan {
    /// The concept that the change names as the one to write.
    pub(super) path: BundlePath,
    /// Its new text and how the log tells of it; `None` when nothing changes.
    pub(super) step: Option<Step>,
}

/// A text to write.
pub(super) struct Step {
    pub(super) text: Vec<u8>,
    pub(super) action: Action,
    pub(super) detail: Option<String>,
}

/// Works out a change on a bundle that holds the earlier changes of the set. `original` does not: it is
/// what an expected revision is compared with.
pub(super) fn plan(change: &Change, bundle: &Bundle, original: &Bundle) -> Result<Plan, (Subject, Reason)> {
    let about = |subject: Subject| move |reason: Reason| (subject, reason);
    match change {
        Change::Create { id, fields } => create(bundle, id, fields).map_err(about(Subject::Concept)),
        Change::Update { id, fields, expected_revision } => {
            let of_concept = about(Subject::Concept);
            let document = wanted(bundle, original, id, expected_revision.as_deref()).map_err(of_concept)?;
            update(document, fields).map_err(of_concept)
        }
        Change::Deprecate { id, note, expected_revision } => {
            let of_concept = about(Subject::Concept);
            let document = wanted(bundle, original, id, expected_revision.as_deref()).map_err(of_concept)?;
            deprecate(document, note.as_deref()).map_err(of_concept)
        }
        Change::Link { source, target, relationship, expected_revision } => {
            let of_source = about(Subject::Source);
            let document = wanted(bundle, original, source, expected_revision.as_deref()).map_err(of_source)?;
            let target = place::target(bundle, target).map_err(about(Subject::Target))?;
            link::check_relationship(relationship).map_err(of_source)?;
            link_to(bundle, document, &target, relationship).map_err(of_source)
        }
    }
}

/// Finds the concept to edit, at the revision that the caller expects.
fn wanted<'a>(bundle: &'a Bundle, original: &Bundle, id: &str, expected: Option<&str>) -> Result<&'a Document, Reason> {
    let document = place::existing(bundle, id)?;
    let seen = original.document(document.path().as_str()).unwrap_or(document).revision();
    match expected {
        Some(expected) if expected != seen.to_string() => {
            Err(Reason::Stale { expected: expected.to_owned(), current: seen })
        }
        _ => Ok(document),
    }
}

fn create(bundle: &Bundle, id: &str, fields: &Fields) -> Result<Plan, Reason> {
    let path = place::vacant(bundle, id)?;
    let text = compose(&written(fields), fields.body.as_deref().unwrap_or_default());
    Ok(Plan { path, step: Some(Step { text, action: Action::Created, detail: None }) })
}

fn update(document: &Document, fields: &Fields) -> Result<Plan, Reason> {
    let frontmatter = document.frontmatter();
    let differs = |key: &str, value: &Value| {
        let node = frontmatter.as_ref().and_then(|frontmatter| frontmatter.get(key));
        !node.is_some_and(|node| is_same(node, value))
    };
    let set = written(fields).into_iter().filter(|(key, value)| differs(key, value));
    let mut edits: Vec<Edit> = set.map(|(key, value)| Edit::Set { key, value }).collect();
    edits.extend(fields.body.as_ref().filter(|body| !is_same_body(document, body)).cloned().map(Edit::Body));
    planned(document, &edits, Action::Updated, None)
}

fn deprecate(document: &Document, note: Option<&str>) -> Result<Plan, Reason> {
    let status = Edit::Set { key: "status".to_owned(), value: Value::Text("deprecated".to_owned()) };
    let edits = if document.metadata().status == Status::Deprecated { Vec::new() } else { vec![status] };
    let note = note.filter(|note| !note.trim().is_empty()).map(str::to_owned);
    planned(document, &edits, Action::Deprecated, note)
}

fn link_to(bundle: &Bundle, document: &Document, target: &BundlePath, relationship: &str) -> Result<Plan, Reason> {
    let frontmatter = document.frontmatter();
    let sources = frontmatter.as_ref().and_then(|frontmatter| frontmatter.get("sources"));
    let entries = match sources {
        None => &[][..],
        Some(node) if node.is_null() => &[],
        Some(node) => node.as_sequence().ok_or(Reason::SourcesNoList)?,
    };
    let mut edits = Vec::new();
    if !link::is_listed(bundle, document, entries, target, relationship) {
        let entry = [("resource", link::written(bundle, document, target)), ("relationship", relationship.to_owned())];
        let entry = entry.map(|(key, text)| (key.into(), Value::Text(text)));
        edits.push(Edit::Append { key: "sources".to_owned(), value: Value::Map(entry.into()) });
    }
    let id = target.as_str().strip_suffix(".md").unwrap_or(target.as_str());
    planned(document, &edits, Action::Linked, Some(format!("{relationship} {id}")))
}

/// The plan for some edits; edits that change no byte are none.
fn planned(document: &Document, edits: &[Edit], action: Action, detail: Option<String>) -> Result<Plan, Reason> {
    let path = document.path().clone();
    if edits.is_empty() {
        return Ok(Plan { path, step: None });
    }
    let text = match edit(document, edits) {
        // The gate refuses it, with a report.
        Ok(text) | Err(EditError::Limit { result: text, .. }) => text,
        Err(error) => return Err(Reason::Edit(error)),
    };
    let changes = Revision::of(&text) != document.revision();
    Ok(Plan { path, step: changes.then_some(Step { text, action, detail }) })
}

/// The frontmatter fields that are given, in canonical order.
fn written(fields: &Fields) -> Vec<(String, Value)> {
    let text = |key: &str, text: &Option<String>| Some((key.to_owned(), Value::Text(text.clone()?)));
    let tags = fields.tags.as_ref().map(|tags| Value::List(tags.iter().cloned().map(Value::Text).collect()));
    [
        text("type", &fields.concept_type),
        text("title", &fields.title),
        text("description", &fields.description),
        tags.map(|tags| ("tags".to_owned(), tags)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether a node already reads as a text or a list of texts. A scalar reads as it is spelled, so `42` is
/// the text `42`.
fn is_same(node: &Node, value: &Value) -> bool {
    match value {
        Value::Text(text) => node.as_text() == Some(text),
        Value::List(items) => node.as_sequence().is_some_and(|nodes| {
            nodes.len() == items.len() && nodes.iter().zip(items).all(|(node, item)| is_same(node, item))
        }),
        _ => false,
    }
}

/// Whether a body is the document's already: as it is, or as it is shown, whatever its line endings and
/// final newline.
fn is_same_body(document: &Document, body: &str) -> bool {
    same_lines(document.body(), body) || same_lines(document.display_body(), body)
}

fn same_lines(a: &str, b: &str) -> bool {
    let content = |text| lines(text).map(|line| crate::text::without_break(&text[line]));
    content(a).eq(content(b))
}
