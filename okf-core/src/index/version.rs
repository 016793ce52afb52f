//! Declaring the version of the format in the root index (spec §12).

use crate::document::{Document, Head};
use crate::document::{Edit, EditError, edit};
use crate::frontmatter::Value;
use crate::markdown::line_break;

/// The bytes of a root index that declares a version; of a new one when there is none. All other bytes stay.
///
/// # Errors
///
/// The frontmatter does not read, or its `okf_version` cannot be edited safely.
pub fn declare_version(index: Option<&Document>, version: &str) -> Result<Vec<u8>, EditError> {
    let Some(document) = index else { return Ok(format!("---\nokf_version: \"{version}\"\n---\n").into_bytes()) };
    if let Head::Absent = document.head() {
        let text = document.text();
        let gap = if text.as_str().starts_with(['\n', '\r']) || text.as_str().is_empty() { "" } else { "\n" };
        let head = format!("---\nokf_version: \"{version}\"\n---\n{gap}").replace('\n', line_break(text.as_str()));
        return Ok([text.mark(), &head, text.as_str()].concat().into_bytes());
    }
    edit(document, &[Edit::Set { key: "okf_version".to_owned(), value: Value::Text(version.to_owned()) }])
}
