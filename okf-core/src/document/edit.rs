//! Changes to a document that keep every other byte (contract §2), and new documents.

pub(super) mod body;
#[cfg(test)]
mod cases;
pub(super) mod check;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::fmt;

use super::Document;
use crate::frontmatter::edit::{append, remove, set};
use crate::frontmatter::print::{self, Long};
use crate::frontmatter::{Fences, Frontmatter, FrontmatterError, Obstacle, Value, fences};
use crate::splice::spliced;
use crate::text::{lines, without_break};
use check::Expected;

/// One change to a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Gives a top-level key a value; the key is added behind the last one when it is not there.
    Set {
        /// The key.
        key: String,
        /// Its value.
        value: Value,
    },
    /// Adds an item to the list under a top-level key; the list is made when the key is absent or null.
    Append {
        /// The key.
        key: String,
        /// The item.
        value: Value,
    },
    /// Takes a top-level key away.
    Remove {
        /// The key.
        key: String,
    },
    /// Replaces the body: what stands behind the frontmatter and the blank line after it.
    Body(String),
}

/// Why an edit was refused; the file stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The frontmatter cannot be read.
    Unreadable(FrontmatterError),
    /// The document has no frontmatter, and the change needs one.
    NoFrontmatter,
    /// A key cannot be edited where it stands.
    Obstacle(Obstacle),
    /// The body starts so that it would be read as a frontmatter.
    BodyIsFrontmatter,
    /// The result would have more of a frontmatter than is read. It is for a judge to refuse, who sees all of it.
    Limit {
        /// Which limit.
        error: Box<FrontmatterError>,
        /// The bytes of the file, changed up to this edit.
        result: Vec<u8>,
    },
    /// The result does not read as intended: a fault of ours, found before anything was written.
    Check {
        /// The key that was edited, if any.
        key: Option<String>,
        /// What is wrong with the result.
        reason: String,
    },
}

impl fmt::Display for EditError {
    /// What, where, what helps, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => {
                let (line, column) = (error.position.line, error.position.column);
                write!(f, "the frontmatter cannot be read (line {line}, column {column}): {error}")
            }
            Self::NoFrontmatter => f.write_str("there is no frontmatter; start the file with `---`, `type: …`, `---`"),
            Self::Obstacle(obstacle) => obstacle.fmt(f),
            Self::BodyIsFrontmatter => {
                f.write_str("a body that starts with `---` would be read as a frontmatter; write `***` for a rule")
            }
            Self::Limit { error, .. } => error.fmt(f),
            Self::Check { key: Some(key), reason } => {
                write!(f, "`{}` cannot be edited here: {reason}", crate::frontmatter::excerpt(key))
            }
            Self::Check { key: None, reason } => write!(f, "the file cannot be edited: {reason}"),
        }
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(error) => Some(error),
            Self::Limit { error, .. } => Some(error.as_ref()),
            _ => None,
        }
    }
}

impl From<Obstacle> for EditError {
    fn from(obstacle: Obstacle) -> Self {
        Self::Obstacle(obstacle)
    }
}

/// The bytes of the file after some changes, keys before the body.
///
/// Comments, key order, quoting, flow style, number spelling, trailing blanks, byte-order mark, line endings
/// and a missing final newline stay as they are; new lines end as their neighbours do. A change that says
/// what the document already says changes nothing. A replaced value keeps its style where it can, a list its
/// items. Every result is read again, by two readers, before it is given out.
///
/// A new body keeps the blank line before it, or gets one when the old body was empty; its lines end as the
/// file's do, and the last one ends with a break unless the file had none. An empty body ends the file with
/// the closing fence.
///
/// # Errors
///
/// See [`EditError`]; the first edit that cannot be made refuses all of them.
///
/// ```
/// use okf_core::bundle_path::BundlePath;
/// use okf_core::document::{Document, Edit, edit};
///
/// let text = b"---\ntype: Note   # keep\ntags: [b, 'a']\n---\nBody".to_vec();
/// let document = Document::parse(BundlePath::new("a.md")?, text).expect("it is UTF-8");
/// let edits = [Edit::Append { key: "tags".into(), value: "c".into() }];
/// assert_eq!(edit(&document, &edits)?, b"---\ntype: Note   # keep\ntags: [b, 'a', 'c']\n---\nBody");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn edit(document: &Document, edits: &[Edit]) -> Result<Vec<u8>, EditError> {
    if let Some(error) = document.error() {
        return Err(EditError::Unreadable(error.clone()));
    }
    let mut text = document.text().as_str().to_owned();
    let is_body = |edit: &&Edit| matches!(edit, Edit::Body(_));
    for edit in edits.iter().filter(|edit| !is_body(edit)).chain(edits.iter().filter(is_body)) {
        let next = match edit {
            Edit::Set { key, value } => edited(document, &text, key, Expected::Value(value))?,
            Edit::Append { key, value } => edited(document, &text, key, Expected::Appended(value))?,
            Edit::Remove { key } => edited(document, &text, key, Expected::Absent)?,
            Edit::Body(body) => body::replaced(&text, body)?,
        };
        text = next.unwrap_or(text);
    }
    Ok(file_bytes(document, &text))
}

/// A new document in canonical form (contract §2): keys in the order of [`KEY_ORDER`], the others behind
/// them as given; a blank line, the body, one final newline. Without a body it ends with the closing fence.
///
/// The keys are unique. The body is kept but for its line breaks, which become LF, and breaks at its end.
#[must_use]
pub fn compose(fields: &[(String, Value)], body: &str) -> Vec<u8> {
    let mut fields: Vec<&(String, Value)> = fields.iter().collect();
    fields.sort_by_key(|(key, _)| rank(key));
    let mut out = String::from("---\n");
    for (key, value) in fields {
        out.push_str(&print::entry(&key.as_str().into(), value, 0, Long::Literal));
        out.push('\n');
    }
    out.push_str("---\n");
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let body = body.trim_end_matches('\n');
    if !body.is_empty() {
        out.push('\n');
        out.push_str(body);
        out.push('\n');
    }
    out.into_bytes()
}

/// The order of keys in canonical form (contract §2).
pub const KEY_ORDER: [&str; 16] = [
    "type",
    "title",
    "description",
    "resource",
    "tags",
    "status",
    "generated",
    "verified",
    "stale_after",
    "sources",
    "usage_window",
    "runtime",
    "parameters",
    "computation",
    "executor",
    "attester",
];

/// The place of a key in canonical form; all others come last.
pub(super) fn rank(key: &str) -> usize {
    KEY_ORDER.iter().position(|known| *known == key).unwrap_or(KEY_ORDER.len())
}

/// The bytes of a file with the text and the mark of the document it was made from.
pub(super) fn file_bytes(document: &Document, text: &str) -> Vec<u8> {
    [document.text().mark(), text].concat().into_bytes()
}

/// The text after a change to one key; `None` when nothing changes.
fn edited(document: &Document, text: &str, key: &str, expected: Expected<'_>) -> Result<Option<String>, EditError> {
    let yaml = match fences(text) {
        Fences::Closed { yaml, .. } => yaml,
        Fences::Unterminated => return Err(EditError::Unreadable(FrontmatterError::unterminated(text))),
        Fences::Absent if matches!(expected, Expected::Absent) => return Ok(None),
        Fences::Absent => return edited(document, &with_block(text), key, expected),
    };
    let frontmatter = Frontmatter::parse(text, yaml).map_err(EditError::Unreadable)?;
    let attempt = |long: Long| {
        let splices = match expected {
            Expected::Value(value) => set(text, &frontmatter, key, value, long)?,
            Expected::Appended(value) => append(text, &frontmatter, key, value, long)?,
            Expected::Absent => remove(text, &frontmatter, key)?,
        };
        if splices.is_empty() {
            return Ok(None);
        }
        let result = spliced(text, &splices);
        let change = check::Change { text, frontmatter: &frontmatter, splices: &splices, key, expected };
        match check::key(&change, &result) {
            Ok(()) => Ok(Some(result)),
            Err(reason) => Err(match check::limit(&result) {
                Some(error) => EditError::Limit { error: Box::new(error), result: file_bytes(document, &result) },
                None => EditError::Check { key: Some(key.to_owned()), reason: reason.to_owned() },
            }),
        }
    };
    match attempt(Long::Literal) {
        // A literal block takes in what is indented below it, be it a comment.
        Err(error @ EditError::Check { .. }) => attempt(Long::Quoted).map_err(|_| error),
        result => result,
    }
}

/// A text without frontmatter behind an empty one.
fn with_block(text: &str) -> String {
    let ending = first_break(text).unwrap_or("\n");
    let starts_blank = lines(text).next().is_none_or(|line| text[line].trim().is_empty());
    let separator = if starts_blank { "" } else { ending };
    format!("---{ending}---{ending}{separator}{text}")
}

/// The first line break of a text.
pub(super) fn first_break(text: &str) -> Option<&str> {
    let line = &text[lines(text).next()?];
    Some(&line[without_break(line).len()..]).filter(|ending| !ending.is_empty())
}
