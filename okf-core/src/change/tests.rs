//! Change sets on bundles in memory.

mod changes;
mod hooks;
mod injection;
mod refusals;

use jiff::civil::{Date, date};

use super::*;
use crate::bundle::Bundle;
use crate::disk::FileEdit;
use crate::document::Revision;

const TODAY: Date = date(2026, 6, 15);

const NOTE: &str = "---\ntype: Note\n---\n\nBody.\n";

fn bundle(files: &[(&str, &str)]) -> Bundle {
    Bundle::from_files(files.iter().copied()).expect("the paths are good")
}

fn try_one(bundle: &Bundle, change: Change) -> Result<Prepared, PrepareError> {
    prepare(bundle, &change.into(), TODAY, &[], &[])
}

#[track_caller]
fn one(bundle: &Bundle, change: Change) -> Prepared {
    try_one(bundle, change).unwrap_or_else(|error| panic!("{error}"))
}

/// Why a change cannot be made.
#[track_caller]
fn reason(bundle: &Bundle, change: Change) -> (Subject, String) {
    match try_one(bundle, change) {
        Err(PrepareError::Change(error)) => (error.subject, error.to_string()),
        Err(other) => panic!("not about the change: {other}"),
        Ok(prepared) => panic!("prepared {:?}", prepared.changed_paths()),
    }
}

/// The text that a prepared change writes to a file.
#[track_caller]
fn text<'a>(prepared: &'a Prepared, path: &str) -> &'a str {
    let edit = prepared.edits().iter().find(|edit| edit.path.as_str() == path);
    let edit = edit.unwrap_or_else(|| panic!("`{path}` is not among {:?}", prepared.changed_paths()));
    std::str::from_utf8(&edit.after).expect("text is UTF-8")
}

fn create(id: &str) -> Change {
    let fields = Fields { concept_type: Some("Note".into()), ..Fields::default() };
    Change::Create { id: id.into(), fields }
}

fn update(id: &str, fields: Fields) -> Change {
    Change::Update { id: id.into(), fields, expected_revision: None }
}

fn titled(title: &str) -> Fields {
    Fields { title: Some(title.into()), ..Fields::default() }
}

fn link(source: &str, target: &str, relationship: &str) -> Change {
    let [source, target, relationship] = [source, target, relationship].map(str::to_owned);
    Change::Link { source, target, relationship, expected_revision: None }
}

fn deprecate(id: &str, note: Option<&str>) -> Change {
    Change::Deprecate { id: id.into(), note: note.map(str::to_owned), expected_revision: None }
}
