//! Canonical form (contract §2), in which comments stay.

mod arrange;
#[cfg(test)]
mod tests;

use super::Document;
use super::edit::body::{split_blank, with_lf};
use super::edit::check::same;
use super::edit::{EditError, file_bytes, first_break};
use crate::frontmatter::comments::{Marks, marks};
use crate::frontmatter::edit::merge_key;
use crate::frontmatter::{Entry, Fences, Frontmatter, Kind, Node, Obstacle, ObstacleKind, Value, fences, second};
use crate::timestamp;

/// The actor that a migrated `timestamp` is given (spec §7): who wrote the content is not known.
pub const MIGRATED_BY: &str = "process:okf-format";

/// What to do beside bringing a document into canonical form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatOptions {
    /// Turn a `timestamp` of OKF v0.1 into `generated`, by [`MIGRATED_BY`]: where there is no `generated`
    /// and the timestamp reads as one.
    pub migrate_timestamps: bool,
}

/// The bytes of the file in canonical form; they are the file's own when it has that form.
///
/// Keys stand in the order of [`KEY_ORDER`](super::KEY_ORDER), values in block style, strings without quotes
/// where every YAML reader takes them for the same string. Comments stay: one above a key moves with it, one
/// on its line too, one at the end stays there; a value with comments inside is kept as it is written and only
/// moves. Blank lines between keys go. The body is kept, behind one blank line and with one final newline;
/// so are the byte-order mark and the kind of line break that the file begins with.
///
/// ```
/// use okf_core::bundle_path::BundlePath;
/// use okf_core::document::{Document, FormatOptions, format};
///
/// let text = "---\ntitle: 'Orders'\ntype: Table # of the shop\n---\nText";
/// let document = Document::parse(BundlePath::new("orders.md")?, text.into()).expect("it is UTF-8");
/// let formatted = format(&document, FormatOptions::default())?;
/// assert_eq!(formatted, b"---\ntype: Table # of the shop\ntitle: Orders\n---\n\nText\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// No frontmatter, or one that does not read; an anchor, an alias, a tag or a merge key, which canonical form would
/// lose; comments in a frontmatter that is one `{…}`, or inside a value of one that is indented as a whole.
pub fn format(document: &Document, options: FormatOptions) -> Result<Vec<u8>, EditError> {
    let text = document.text().as_str();
    let frontmatter = match (document.error(), document.frontmatter()) {
        (Some(error), _) => return Err(EditError::Unreadable(error.clone())),
        (None, None) => return Err(EditError::NoFrontmatter),
        (None, Some(frontmatter)) => frontmatter,
    };
    let failed = |reason: &str| EditError::Check { key: None, reason: reason.to_owned() };
    let found = marks(text, frontmatter.block.clone()).ok_or_else(|| failed("its comments cannot be read"))?;
    if let Some((offset, kind)) = found.obstacle {
        let key = holder(&frontmatter, offset).map_or("", |entry| entry.key.as_str());
        return Err(Obstacle::at(text, offset, key, kind).into());
    }
    if let Some(merge) = merge_key(&frontmatter.root) {
        let key = holder(&frontmatter, merge.key_span.start).map_or("", |entry| entry.key.as_str());
        return Err(Obstacle::at(text, merge.key_span.start, key, ObstacleKind::Merge).into());
    }
    let migrated = options.migrate_timestamps.then(|| migration(&frontmatter)).flatten();
    let block = arrange::arrange(text, &frontmatter, &found, migrated.as_ref())?;
    let ending = first_break(text).unwrap_or("\n");
    let mut result = format!("---\n{block}---\n").replace('\n', ending);
    let body = split_blank(document.body()).1.trim_end_matches(['\n', '\r']);
    if !body.is_empty() {
        result.extend([ending, body, ending]);
    }
    check(text, &frontmatter, &found, migrated.as_ref(), &result, body).map_err(failed)?;
    Ok(file_bytes(document, &result))
}

/// What a v0.1 `timestamp` becomes; `None` when there is nothing to migrate.
fn migration(frontmatter: &Frontmatter) -> Option<Value> {
    let at = frontmatter.get("timestamp")?.as_text()?;
    if frontmatter.get("generated").is_some() || timestamp::read(at).is_none() {
        return None;
    }
    let by = ("by".into(), Value::from(MIGRATED_BY));
    Some(Value::Map(vec![by, ("at".into(), Value::from(at))]))
}

/// The entry that an offset lies in or before.
fn holder(frontmatter: &Frontmatter, offset: usize) -> Option<&Entry> {
    let entries = &frontmatter.root.entries;
    entries.iter().rev().find(|entry| entry.key_span.start <= offset).or(entries.first())
}

/// Whether the result says what the document said: the same values for both readers, the same comments, the
/// same body.
fn check(
    before: &str,
    frontmatter: &Frontmatter,
    found: &Marks,
    migrated: Option<&Value>,
    after: &str,
    body: &str,
) -> Result<(), &'static str> {
    let Fences::Closed { yaml, body: start } = fences(after) else { return Err("the frontmatter would be lost") };
    if split_blank(&after[start..]).1.trim_end_matches(['\n', '\r']) != body {
        return Err("the body would change");
    }
    let Ok(result) = Frontmatter::parse(after, yaml.clone()) else { return Err("the result would not be readable") };
    let new_key =
        |key: &str| if migrated.is_some() && key == "timestamp" { "generated".to_owned() } else { key.to_owned() };
    let says_same = |old: &Entry, new: &Node| match migrated {
        Some(value) if old.key == "timestamp" => value.is(new),
        _ => same(&old.value, new),
    };
    let old = &frontmatter.root.entries;
    let is_same = old.len() == result.root.entries.len()
        && old.iter().all(|entry| result.get(&new_key(&entry.key)).is_some_and(|new| says_same(entry, new)));
    if !is_same {
        return Err("a value would change");
    }
    let comments = |text: &str, found: &Marks| -> Vec<String> {
        let mut comments: Vec<_> =
            found.comments.iter().map(|comment| text[comment.clone()].trim_end().to_owned()).collect();
        comments.sort();
        comments
    };
    if marks(after, yaml).is_none_or(|again| comments(before, found) != comments(after, &again)) {
        return Err("a comment would be lost");
    }
    let Some(theirs) = second::read(before, frontmatter) else { return Ok(()) };
    let Some(again) = second::read(after, &result) else {
        return if after.len() > second::MAX_BYTES { Ok(()) } else { Err("another YAML reader could not read it") };
    };
    let agrees = old.iter().zip(&theirs).all(|(entry, pair)| {
        let key = new_key(&entry.key);
        let place = result.root.entries.iter().position(|new| new.key == key);
        place.is_some_and(|place| {
            again[place] == *pair
                || key != entry.key && second::agrees(&result.root.entries[place].value, &again[place].1)
        })
    });
    if agrees { Ok(()) } else { Err("another YAML reader would read it differently") }
}

/// Whether a value is a list or mapping on lines of its own.
fn is_block_collection(text: &str, node: &Node) -> bool {
    matches!(node.kind, Kind::Sequence(_) | Kind::Mapping(_)) && !crate::frontmatter::extent::is_flow(text, node)
}
