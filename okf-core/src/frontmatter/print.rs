//! Values as YAML: block style with two spaces, and the flow style of lists that are written so.
//!
//! All lines end with LF here; the editor puts the file's own ending.

use std::fmt::Write;

use super::plain::{is_one_line, is_plain, is_printable};
use super::schema::of_plain;
use super::{Key, Schema, Style, Value};

/// From how many bytes on a text of several lines is a literal block; a shorter one is quoted.
const LONG: usize = 80;

/// How a long text of several lines is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Long {
    /// As a literal block, where every reader sees the same in it.
    Literal,
    /// In quotes on one line, as where an indented comment below would become content of a block.
    Quoted,
}

impl Long {
    /// Whether a text is written as a literal block.
    pub(crate) fn is_literal(self, text: &str) -> bool {
        self == Self::Literal && text.len() > LONG && fits_literal(text)
    }
}

/// Lines that some reader might take for the end of the frontmatter, indented or not.
const FENCE_LIKE: [&str; 2] = ["---", "..."];

/// `key: value` with the key at a column, without a break at the end.
pub(crate) fn entry(key: &Key, value: &Value, column: usize, long: Long) -> String {
    let mut out = " ".repeat(column);
    push_entry(&mut out, key, value, column, long);
    out
}

/// `- value` with the dash at a column and a gap of so many blanks after it, without a break at the end.
pub(crate) fn item(value: &Value, column: usize, gap: usize, long: Long) -> String {
    let mut out = " ".repeat(column);
    in_item(&mut out, value, column, gap, long);
    out
}

/// What follows the colon of a key at a column: ` text`, ` |-` and its lines, or an indented block.
pub(crate) fn after_colon(value: &Value, column: usize, long: Long) -> String {
    let mut out = String::new();
    following(&mut out, value, column, long);
    out
}

/// ` |` and the lines of a text below a key at a column.
pub(crate) fn literal_block(text: &str, column: usize) -> String {
    let mut out = String::new();
    literal(&mut out, text, column + 2);
    out
}

/// The value on one line in flow style.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::Text(text) => scalar(text, Style::Plain, true),
        Value::Bare(text) => match bare(text) {
            // Nothing at all is no item of a flow list.
            Some("") => "null".to_owned(),
            Some(text) => text.to_owned(),
            None => scalar(text, Style::Plain, true),
        },
        Value::List(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", spelled_key(key, true), flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A text on one line in a style where it can be written so, else double-quoted.
pub(crate) fn scalar(text: &str, wish: Style, in_flow: bool) -> String {
    match wish {
        Style::SingleQuoted if is_one_line(text) => format!("'{}'", text.replace('\'', "''")),
        Style::Plain | Style::Literal | Style::Folded if is_plain(text, in_flow) => text.to_owned(),
        _ => double_quoted(text),
    }
}

/// Whether a text of several lines can be written as a literal block. Beside what YAML forbids, a line that
/// looks like a fence keeps it from that, however far it is indented.
pub(crate) fn fits_literal(text: &str) -> bool {
    let content = text.strip_suffix('\n').unwrap_or(text);
    content.contains('\n')
        && !content.ends_with('\n')
        && !content.starts_with('\n')
        && !content.starts_with(' ')
        && content.split('\n').all(|line| {
            is_one_line(line)
                && !line.starts_with('\t')
                && (line.is_empty() || !line.trim().is_empty())
                && !FENCE_LIKE.contains(&line.trim())
        })
}

fn following(out: &mut String, value: &Value, column: usize, long: Long) {
    match value {
        Value::Text(text) if long.is_literal(text) => literal(out, text, column + 2),
        Value::Text(text) => {
            out.push(' ');
            out.push_str(&scalar(text, Style::Plain, false));
        }
        Value::Bare(text) => match bare(text) {
            Some("") => {}
            Some(text) => {
                out.push(' ');
                out.push_str(text);
            }
            None => following(out, &Value::Text(text.clone()), column, long),
        },
        Value::List(items) if items.is_empty() => out.push_str(" []"),
        Value::Map(entries) if entries.is_empty() => out.push_str(" {}"),
        Value::List(items) => {
            for value in items {
                new_line(out, column + 2);
                in_item(out, value, column + 2, 1, long);
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                new_line(out, column + 2);
                push_entry(out, key, value, column + 2, long);
            }
        }
    }
}

/// The dash at a column (which has been reached) and what follows it.
fn in_item(out: &mut String, value: &Value, column: usize, gap: usize, long: Long) {
    out.push('-');
    let inner = column + 1 + gap;
    let blanks = " ".repeat(gap);
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            for (n, (key, value)) in entries.iter().enumerate() {
                if n == 0 {
                    out.push_str(&blanks);
                } else {
                    new_line(out, inner);
                }
                push_entry(out, key, value, inner, long);
            }
        }
        Value::List(items) if !items.is_empty() => {
            for (n, value) in items.iter().enumerate() {
                if n == 0 {
                    out.push_str(&blanks);
                } else {
                    new_line(out, inner);
                }
                in_item(out, value, inner, 1, long);
            }
        }
        value => {
            let mut text = String::new();
            following(&mut text, value, column, long);
            if let Some(text) = text.strip_prefix(' ') {
                out.push_str(&blanks);
                out.push_str(text);
            }
        }
    }
}

fn push_entry(out: &mut String, key: &Key, value: &Value, column: usize, long: Long) {
    out.push_str(&spelled_key(key, false));
    out.push(':');
    following(out, value, column, long);
}

fn literal(out: &mut String, text: &str, column: usize) {
    out.push_str(if text.ends_with('\n') { " |" } else { " |-" });
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if line.is_empty() {
            out.push('\n');
        } else {
            new_line(out, column);
            out.push_str(line);
        }
    }
}

/// A key; one that is no string (`2024`) stays as it is spelled.
fn spelled_key(key: &Key, in_flow: bool) -> String {
    match key {
        Key::Bare(text) if bare(text).is_some_and(|text| !text.is_empty()) => text.clone(),
        Key::Bare(text) | Key::Text(text) => scalar(text, Style::Plain, in_flow),
    }
}

/// The spelling when it is that of a number, boolean or null.
fn bare(text: &str) -> Option<&str> {
    (of_plain(text) != Schema::Str).then_some(text)
}

fn new_line(out: &mut String, column: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', column));
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xff => _ = write!(out, "\\x{:02x}", u32::from(c)),
            c => _ = write!(out, "\\u{:04x}", u32::from(c)),
        }
    }
    out.push('"');
    out
}
