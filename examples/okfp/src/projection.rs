//! What a write derives: the status that is missing, and the indexes.

use okf_core::bundle::Bundle;
use okf_core::bundle_path::BundlePath;
use okf_core::change::{Candidate, Derive};
use okf_core::concept_id::ConceptId;
use okf_core::disk::FileEdit;
use okf_core::document::{Edit, edit};
use okf_core::frontmatter::{Node, Value};
use okf_core::index;

use crate::declaration::{Declared, release};
use crate::{NAME, Profile};

impl Derive for Profile {
    fn name(&self) -> &str {
        NAME
    }

    /// Nothing for a bundle of another release: its files are none of this one's business. Indexes only where
    /// the bundle declares the profile: elsewhere people may have written them.
    fn derive(&self, candidate: &Candidate<'_>) -> Vec<FileEdit> {
        let indexes = match release(candidate.bundle) {
            Declared::Known => index::plan(candidate.bundle, true).changes,
            Declared::Unreadable(..) => Vec::new(),
            Declared::Other(..) => return Vec::new(),
        };
        let completed = candidate.written.iter().filter_map(|id| completed(candidate, id));
        completed.chain(indexes).map(|(path, after)| replacing(candidate.bundle, path, after)).collect()
    }
}

/// A written concept with the `status` that it lacks: a new one is a draft, and any other was stable all
/// along, because that is how the format reads it (spec §5.4). What cannot be edited is left to the judge.
fn completed(candidate: &Candidate<'_>, id: &ConceptId) -> Option<(BundlePath, Vec<u8>)> {
    let path = id.path();
    let document = candidate.bundle.document(path.as_str())?;
    let frontmatter = document.frontmatter()?;
    let status = frontmatter.get("status").and_then(Node::as_text).unwrap_or_default();
    if !status.trim().is_empty() {
        return None;
    }
    let is_new = !candidate.previous.files().contains_key(&path);
    let value = Value::Text(if is_new { "draft" } else { "stable" }.to_owned());
    let text = edit(document, &[Edit::Set { key: "status".to_owned(), value }]).ok()?;
    Some((path, text))
}

fn replacing(bundle: &Bundle, path: BundlePath, after: Vec<u8>) -> FileEdit {
    let before = bundle.document(path.as_str()).map(|document| document.revision());
    FileEdit { path, before, after }
}
