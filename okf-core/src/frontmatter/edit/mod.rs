//! Changes to one top-level key, as splices over the bytes of the text (contract §2).

mod list;
mod obstacle;

use super::extent::{
    colon, end, entry_end, header_end, indentation, is_flow, is_flow_root, line_break, line_end, line_start,
};
use super::print::{self, Long};
use super::{Entry, Frontmatter, Kind, Node, Scalar, Style, Value};
use crate::splice::Splice;
use crate::text::lines;

use list::List;
pub use obstacle::{Obstacle, ObstacleKind};
pub(crate) use obstacle::{merge_key, of_node, properties};

/// Gives a top-level key a value; no splices when it has it.
pub(crate) fn set(
    text: &str,
    frontmatter: &Frontmatter,
    key: &str,
    value: &Value,
    long: Long,
) -> Result<Vec<Splice>, Obstacle> {
    let editor = Editor { text, frontmatter, long };
    match frontmatter.root.entry(key) {
        Some(entry) if value.reads_as(&entry.value) => Ok(Vec::new()),
        Some(entry) => editor.replace(entry, value),
        None => editor.add(key, value),
    }
}

/// Adds an item to the list under a top-level key, making the list where there is none.
pub(crate) fn append(
    text: &str,
    frontmatter: &Frontmatter,
    key: &str,
    value: &Value,
    long: Long,
) -> Result<Vec<Splice>, Obstacle> {
    let editor = Editor { text, frontmatter, long };
    let list = || Value::List(vec![value.clone()]);
    let Some(entry) = frontmatter.root.entry(key) else {
        return editor.add(key, &list());
    };
    match &entry.value.kind {
        _ if entry.value.is_null() => editor.replace(entry, &list()),
        Kind::Sequence(items) => {
            editor.check_place(entry)?;
            editor.own_properties(entry)?;
            let list = List::new(text, entry, items, long).ok_or_else(|| editor.layout(entry))?;
            list.insert(items.len(), std::slice::from_ref(value)).map_err(|kind| editor.obstacle(entry, kind))
        }
        Kind::Scalar(_) | Kind::Mapping(_) => Err(editor.obstacle(entry, ObstacleKind::NotAList)),
    }
}

/// Takes a top-level key away, with its comment on the same line; no splices when there is none.
pub(crate) fn remove(text: &str, frontmatter: &Frontmatter, key: &str) -> Result<Vec<Splice>, Obstacle> {
    let editor = Editor { text, frontmatter, long: Long::Literal };
    let Some(entry) = frontmatter.root.entry(key) else { return Ok(Vec::new()) };
    editor.check_place(entry)?;
    editor.no_properties(entry)?;
    let start = line_start(text, entry.key_span.start);
    if start + indentation(text, entry.key_span.start) != entry.key_span.start {
        return Err(editor.layout(entry));
    }
    Ok(vec![Splice::delete(start..line_end(text, entry_end(text, entry)))])
}

/// Lines, the last one too, that end as the line does that holds an offset.
fn broken(text: &str, lines: &str, near: usize) -> String {
    let ending = ending(text, near);
    let mut out = lines.replace('\n', ending);
    out.push_str(ending);
    out
}

/// How the line ends that holds an offset.
fn ending(text: &str, near: usize) -> &str {
    match line_break(text, near.min(text.len())) {
        "" => "\n",
        ending => ending,
    }
}

struct Editor<'a> {
    text: &'a str,
    frontmatter: &'a Frontmatter,
    long: Long,
}

impl<'a> Editor<'a> {
    fn replace(&self, entry: &Entry, value: &Value) -> Result<Vec<Splice>, Obstacle> {
        self.check_place(entry)?;
        self.own_properties(entry)?;
        if let (Kind::Sequence(items), Value::List(values)) = (&entry.value.kind, value)
            && (is_flow(self.text, &entry.value) || !values.is_empty() && !items.is_empty())
        {
            let list = List::new(self.text, entry, items, self.long).ok_or_else(|| self.layout(entry))?;
            return list.turn_into(values).map_err(|kind| self.obstacle(entry, kind));
        }
        self.no_properties(entry)?;
        self.replace_whole(entry, value).ok_or_else(|| self.layout(entry))
    }

    /// Replaces a value by another, which starts on the key's line. A comment there stays.
    fn replace_whole(&self, entry: &Entry, value: &Value) -> Option<Vec<Splice>> {
        let Self { text, .. } = *self;
        let old = &entry.value;
        let colon = colon(text, entry)?;
        let (head, rest) = self.render(entry, value);
        let end = end(text, old).max(colon);
        let below = line_end(text, colon);
        let mut splices = Vec::new();
        if old.span.start >= below {
            // The value stands on lines of its own.
            splices.push(Splice::insert(colon, head));
            splices.push(Splice::insert(below, rest));
            splices.push(Splice::delete(line_start(text, old.span.start)..line_end(text, end)));
        } else {
            let (shown, hidden) = if matches!(&old.kind, Kind::Scalar(scalar) if is_block(scalar)) {
                // The content below the header; a comment may follow the header.
                (header_end(text, old.span.start), below..line_end(text, end).max(below))
            } else {
                (end, line_end(text, end)..line_end(text, end))
            };
            // An absent value has no blank before it, and a block below the key wants none.
            let is_bare = old.span.is_empty() || head.is_empty();
            let start = if is_bare { colon } else { old.span.start };
            let head = if is_bare { head } else { head.trim_start().to_owned() };
            splices.push(Splice { range: start..shown, text: head });
            splices.push(Splice { range: hidden, text: rest });
        }
        splices.retain(|splice| !splice.range.is_empty() || !splice.text.is_empty());
        Some(splices)
    }

    /// What follows the colon: the rest of the key's line, and the lines below it with their breaks.
    fn render(&self, entry: &Entry, value: &Value) -> (String, String) {
        let old = &entry.value;
        let column = indentation(self.text, entry.key_span.start);
        let printed = match (value, &old.kind) {
            (Value::Text(text), Kind::Scalar(scalar))
                if is_block(scalar) && self.long == Long::Literal && print::fits_literal(text) =>
            {
                print::literal_block(text, column)
            }
            (Value::Text(text), Kind::Scalar(scalar)) if !self.long.is_literal(text) => {
                format!(" {}", print::scalar(text, scalar.style, false))
            }
            (Value::Map(_), Kind::Mapping(_)) if is_flow(self.text, old) => format!(" {}", print::flow(value)),
            _ => print::after_colon(value, column, self.long),
        };
        match printed.split_once('\n') {
            None => (printed, String::new()),
            Some((head, rest)) => (head.to_owned(), broken(self.text, rest, entry.key_span.start)),
        }
    }

    /// Adds a key behind the last content of the block.
    fn add(&self, key: &str, value: &Value) -> Result<Vec<Splice>, Obstacle> {
        let Self { text, frontmatter, .. } = *self;
        let block = &frontmatter.block;
        let Some(last) = frontmatter.root.entries.last() else { return Ok(vec![self.add_first(key, value)]) };
        if is_flow_root(self.text, self.frontmatter) {
            return Err(Obstacle::at(text, block.start, key, ObstacleKind::FlowRoot));
        }
        if let Some(merge) = frontmatter.root.entries.iter().find(|entry| entry.is_merge())
            && merges(&merge.value, key)
        {
            return Err(Obstacle::at(text, merge.key_span.start, key, ObstacleKind::Merge));
        }
        let column = indentation(text, frontmatter.root.entries[0].key_span.start);
        let end = entry_end(text, last);
        let lines = broken(text, &print::entry(&key.into(), value, column, self.long), end);
        Ok(vec![Splice::insert(line_end(text, end), lines)])
    }

    /// Adds a key to a block without any: in the place of its null or `{}`, else behind its comments.
    fn add_first(&self, key: &str, value: &Value) -> Splice {
        let Self { text, frontmatter, .. } = *self;
        let block = frontmatter.block.clone();
        let printed = print::entry(&key.into(), value, 0, self.long);
        let mut behind = block.start;
        for line in lines(&text[block.clone()]) {
            let line = block.start + line.start..block.start + line.end;
            let content = text[line.clone()].trim_start();
            if content.starts_with('#') {
                behind = line.end;
            } else if !content.is_empty() && !printed.contains('\n') {
                let start = line.end - content.len();
                let end = text[start..].find([' ', '\t', '\n', '\r', '#']).map_or(line.end, |at| start + at);
                return Splice { range: start..end, text: printed };
            } else if !content.is_empty() {
                return Splice { range: line.clone(), text: broken(text, &printed, line.start) };
            }
        }
        // The opening fence, or the comment, whose break the new lines take.
        let lines = broken(text, &printed, line_start(text, behind.saturating_sub(1)));
        Splice::insert(behind, lines)
    }

    fn check_place(&self, entry: &Entry) -> Result<(), Obstacle> {
        if entry.is_merge() {
            return Err(self.obstacle(entry, ObstacleKind::Merge));
        }
        if is_flow_root(self.text, self.frontmatter) {
            return Err(self.obstacle(entry, ObstacleKind::FlowRoot));
        }
        Ok(())
    }

    /// Refuses a value that is an alias or carries an anchor or a tag itself.
    fn own_properties(&self, entry: &Entry) -> Result<(), Obstacle> {
        obstacle::of_node(&entry.value).map_or(Ok(()), |kind| Err(self.obstacle(entry, kind)))
    }

    /// Refuses a value with an anchor or a tag anywhere in it.
    fn no_properties(&self, entry: &Entry) -> Result<(), Obstacle> {
        properties(&entry.value).map_or(Ok(()), |kind| Err(self.obstacle(entry, kind)))
    }

    fn obstacle(&self, entry: &Entry, kind: ObstacleKind) -> Obstacle {
        Obstacle::at(self.text, entry.key_span.start, &entry.key, kind)
    }

    fn layout(&self, entry: &Entry) -> Obstacle {
        self.obstacle(entry, ObstacleKind::Layout)
    }
}

fn is_block(scalar: &Scalar) -> bool {
    matches!(scalar.style, Style::Literal | Style::Folded)
}

/// Whether a merged value may bring a key in.
fn merges(merged: &Node, key: &str) -> bool {
    match &merged.kind {
        Kind::Mapping(mapping) => mapping.entries.iter().any(|entry| entry.key == key || entry.is_merge()),
        Kind::Sequence(items) => items.iter().any(|item| merges(item, key)),
        Kind::Scalar(_) => false,
    }
}
