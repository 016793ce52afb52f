//! The block in canonical form: entries in order, each with its comments.

use std::ops::Range;

use super::{is_block_collection, with_lf};
use crate::document::edit::{EditError, rank};
use crate::frontmatter::comments::Marks;
use crate::frontmatter::extent::{colon, entry_end, header_end, indentation, is_flow_root, line_end, line_start};
use crate::frontmatter::print::{self, Long};
use crate::frontmatter::{Entry, Frontmatter, Kind, Obstacle, ObstacleKind, Style, Value};

/// The lines between the fences, each ended by LF.
pub(super) fn arrange(
    text: &str,
    frontmatter: &Frontmatter,
    marks: &Marks,
    migrated: Option<&Value>,
) -> Result<String, EditError> {
    if let Some(comment) = marks.comments.first()
        && is_flow_root(text, frontmatter)
    {
        return Err(Obstacle::at(text, comment.start, "", ObstacleKind::FlowRoot).into());
    }
    let comments = Comments::attribute(text, frontmatter, &marks.comments);
    let mut sections = Vec::with_capacity(frontmatter.root.entries.len());
    for (n, entry) in frontmatter.root.entries.iter().enumerate() {
        let lines = section(text, entry, &comments.within[n], migrated)?;
        let key = if migrated.is_some() && entry.key == "timestamp" { "generated" } else { &entry.key };
        sections.push((rank(key), &comments.above[n], lines));
    }
    sections.sort_by_key(|(rank, ..)| *rank);
    let mut out = String::new();
    let mut push = |line: &str| {
        out.push_str(line);
        out.push('\n');
    };
    let shown = |comment: &Range<usize>| text[comment.clone()].trim_end();
    comments.header.iter().for_each(|comment| push(shown(comment)));
    for (_, above, lines) in &sections {
        above.iter().for_each(|comment| push(shown(comment)));
        push(lines);
    }
    comments.tail.iter().for_each(|comment| push(shown(comment)));
    Ok(out)
}

/// Which comment belongs where; the lists of the entries are in file order.
struct Comments {
    /// Above the first key, with a blank line between.
    header: Vec<Range<usize>>,
    /// On lines of their own above each key.
    above: Vec<Vec<Range<usize>>>,
    /// In each value or on its lines.
    within: Vec<Vec<Range<usize>>>,
    /// Behind the last entry.
    tail: Vec<Range<usize>>,
}

impl Comments {
    fn attribute(text: &str, frontmatter: &Frontmatter, all: &[Range<usize>]) -> Self {
        let entries = &frontmatter.root.entries;
        let root_column = entries.first().map_or(0, |entry| indentation(text, entry.key_span.start));
        let ends: Vec<usize> = entries.iter().map(|entry| line_end(text, entry_end(text, entry))).collect();
        // The comments above a key that is not there stand at the end.
        let mut above = vec![Vec::new(); entries.len() + 1];
        let mut within = vec![Vec::new(); entries.len()];
        for comment in all {
            let next = entries.partition_point(|entry| entry.key_span.start < comment.start);
            let owner = next.checked_sub(1).filter(|&owner| {
                let is_indented = comment.start - line_start(text, comment.start) > root_column;
                comment.start < ends[owner]
                    || is_indented && above[next].is_empty() && is_block_collection(text, &entries[owner].value)
            });
            match owner {
                Some(owner) => within[owner].push(comment.clone()),
                None => above[next].push(comment.clone()),
            }
        }
        let tail = above.pop().unwrap_or_default();
        let mut header = Vec::new();
        if let (Some(first), Some(entry)) = (above.first_mut(), entries.first()) {
            let starts = first.iter().skip(1).map(|comment| comment.start).chain([entry.key_span.start]);
            let is_apart =
                |(comment, next): (&Range<usize>, usize)| line_end(text, comment.start) < line_start(text, next);
            let apart: Vec<bool> = first.iter().zip(starts).map(is_apart).collect();
            let length = apart.iter().rposition(|apart| *apart).map_or(0, |last| last + 1);
            header.extend(first.drain(..length));
        }
        Self { header, above, within, tail }
    }
}

/// An entry's lines, without a break at the end.
fn section(
    text: &str,
    entry: &Entry,
    comments: &[Range<usize>],
    migrated: Option<&Value>,
) -> Result<String, EditError> {
    let printed = || match migrated {
        Some(value) if entry.key == "timestamp" => print::entry(&"generated".into(), value, 0, Long::Literal),
        _ => print::entry(&entry.into(), &Value::from(&entry.value), 0, Long::Literal),
    };
    match comments {
        [] => Ok(printed()),
        [comment] if is_on_key_line(text, entry, comment) => {
            let printed = printed();
            let (head, rest) = printed.split_at(printed.find('\n').unwrap_or(printed.len()));
            Ok(format!("{head} {}{rest}", text[comment.clone()].trim_end()))
        }
        // Kept as written; moving it to the margin would take more than moving lines.
        [.., last] if indentation(text, entry.key_span.start) == 0 => {
            let start = line_start(text, entry.key_span.start);
            let end = entry_end(text, entry).max(last.start + text[last.clone()].trim_end().len());
            Ok(with_lf(&text[start..end]))
        }
        _ => Err(Obstacle::at(text, entry.key_span.start, &entry.key, ObstacleKind::Layout).into()),
    }
}

/// Whether a comment stands so that the key's line can hold it: behind the colon, the header of a block
/// scalar, or a value that ends there.
fn is_on_key_line(text: &str, entry: &Entry, comment: &Range<usize>) -> bool {
    let value = &entry.value;
    if comment.start >= entry_end(text, entry) {
        return !is_block_collection(text, value);
    }
    let Some(colon) = colon(text, entry).filter(|&colon| comment.start < line_end(text, colon)) else { return false };
    let between = text[colon..comment.start].trim();
    let is_block_scalar =
        matches!(&value.kind, Kind::Scalar(scalar) if matches!(scalar.style, Style::Literal | Style::Folded));
    between.is_empty() || is_block_scalar && value.span.start + between.len() == header_end(text, value.span.start)
}
