//! How far a node reaches in the text, to the byte: what an edit may touch.

use std::ops::Range;

use super::{Entry, Frontmatter, Kind, Node, Style};
use crate::text::{lines, without_break};

/// Whether a collection is written in flow style, as `[…]` or `{…}`.
pub(crate) fn is_flow(text: &str, node: &Node) -> bool {
    matches!(node.kind, Kind::Sequence(_) | Kind::Mapping(_)) && text[node.span.start..].starts_with(['[', '{'])
}

/// Whether the whole frontmatter is one `{…}`.
pub(crate) fn is_flow_root(text: &str, frontmatter: &Frontmatter) -> bool {
    let block = &text[frontmatter.block.clone()];
    lines(block)
        .map(|line| without_break(&block[line]).trim_start())
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .is_some_and(|line| line.starts_with('{'))
}

/// Where a node ends: behind its last character, before comments, blanks and the line break.
pub(crate) fn end(text: &str, node: &Node) -> usize {
    if node.alias {
        return node.span.end;
    }
    match &node.kind {
        Kind::Scalar(scalar) if matches!(scalar.style, Style::Literal | Style::Folded) => {
            block_scalar_end(text, &node.span)
        }
        _ if is_flow(text, node) => node.span.end,
        Kind::Scalar(_) => node.span.end,
        Kind::Sequence(items) => items.last().map_or(node.span.end, |item| end(text, item)),
        Kind::Mapping(mapping) => mapping.entries.last().map_or(node.span.end, |entry| entry_end(text, entry)),
    }
}

/// Where an entry ends; see [`end`].
pub(crate) fn entry_end(text: &str, entry: &Entry) -> usize {
    end(text, &entry.value).max(entry.key_span.end)
}

/// The place behind the colon of an entry; `None` when it does not stand on the key's line (`? key`).
pub(crate) fn colon(text: &str, entry: &Entry) -> Option<usize> {
    let value = text[entry.key_span.end..].trim_start_matches([' ', '\t']).strip_prefix(':')?;
    Some(text.len() - value.len())
}

/// Where the line begins that holds an offset.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    let bytes = text.as_bytes();
    bytes[..offset]
        .iter()
        .enumerate()
        .rev()
        // The line feed of a CRLF belongs to the carriage return before it.
        .find(|&(at, &byte)| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')))
        .map_or(0, |(at, _)| at + 1)
}

/// Where the line ends that holds an offset: behind its break.
pub(crate) fn line_end(text: &str, offset: usize) -> usize {
    lines(&text[offset..]).next().map_or(offset, |line| offset + line.end)
}

/// The break that ends the line that holds an offset; empty on a last line without one.
pub(crate) fn line_break(text: &str, offset: usize) -> &str {
    let line = &text[offset..line_end(text, offset)];
    &line[without_break(line).len()..]
}

/// The blanks at the start of the line that holds an offset, up to that offset.
pub(crate) fn indentation(text: &str, offset: usize) -> usize {
    let start = line_start(text, offset);
    text[start..offset].bytes().take_while(|byte| *byte == b' ').count()
}

/// Where the header of a block scalar (`|-`, `>2`) ends.
pub(crate) fn header_end(text: &str, start: usize) -> usize {
    text[start..].find([' ', '\t', '\n', '\r']).map_or(text.len(), |at| start + at)
}

/// A block scalar's last line of content; the blank lines behind it are content only where `+` keeps them.
fn block_scalar_end(text: &str, span: &Range<usize>) -> usize {
    let header = header_end(text, span.start);
    let keeps = text[span.start..header].contains('+');
    let first = line_end(text, header).min(span.end);
    // The parser may end the scalar inside the line that follows.
    let body = &text[first..line_start(text, span.end).max(first)];
    let shallowest = lines(body)
        .map(|line| without_break(&body[line]))
        .filter(|line| !line.trim_start_matches(' ').is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min();
    let is_content = |line: &str| keeps || shallowest.is_some_and(|shallowest| line.len() > shallowest);
    lines(body)
        .map(|line| (line.start, without_break(&body[line])))
        .filter(|(_, line)| is_content(line))
        .last()
        .map_or(header, |(start, line)| first + start + line.len())
}
