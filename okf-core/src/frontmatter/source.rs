//! Where nodes lie in the text, more exactly than the parser says.

use std::ops::Range;

use granit_parser::Span;

use crate::text::floor_char_boundary;

/// A text with a YAML block in it.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    /// Where the block starts in the text: the parser counts from there.
    pub(super) base: usize,
}

impl Source<'_> {
    /// The bytes of the text that a parser span covers, on character boundaries.
    pub(super) fn range(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or(0..0);
        let start = floor_char_boundary(self.text, self.base + range.start);
        let end = floor_char_boundary(self.text, self.base + range.end);
        start..end.max(start)
    }

    /// A block scalar from its `|` or `>` on: the parser's span starts with the content. The node
    /// before ends at `from`.
    pub(super) fn block_scalar(&self, from: usize, content: Range<usize>) -> Range<usize> {
        let from = from.min(content.start);
        self.header(from, content.start).unwrap_or(content.start)..content.end
    }

    fn header(&self, from: usize, content: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < content {
            let follows_blank = at == from || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b'\r');
            match bytes[at] {
                b'#' if follows_blank => at += memchr::memchr2(b'\n', b'\r', &bytes[at..content])?,
                b'|' | b'>' if follows_blank => return Some(at),
                _ => at += 1,
            }
        }
        None
    }

    /// The place of an absent value: behind the colon, not at the end of the key as the parser says.
    pub(super) fn absent_value(&self, offset: usize) -> Range<usize> {
        let rest = &self.text[offset..];
        let at = match rest.trim_start_matches([' ', '\t']).strip_prefix(':') {
            Some(value) => self.text.len() - value.len(),
            None => offset,
        };
        at..at
    }
}
