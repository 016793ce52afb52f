//! Source text with lines and columns.

use std::ops::Range;

/// The content of a Markdown file: strict UTF-8, one leading byte-order mark dropped.
///
/// All byte offsets of this crate count in [`Text::as_str`], after the mark. LF, CRLF and lone CR
/// each end a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    content: Box<str>,
    has_bom: bool,
}

/// A 1-based place in a text; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
}

impl Text {
    /// Decodes the bytes of a file.
    ///
    /// # Errors
    ///
    /// The offset in bytes of the first byte that is not UTF-8.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, usize> {
        let content = String::from_utf8(bytes).map_err(|error| error.utf8_error().valid_up_to())?;
        Ok(match content.strip_prefix('\u{feff}') {
            Some(rest) => Self { content: rest.into(), has_bom: true },
            None => Self { content: content.into_boxed_str(), has_bom: false },
        })
    }

    /// The text without its byte-order mark.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.content
    }

    /// Whether the file starts with a byte-order mark, which edits keep.
    #[must_use]
    pub fn has_bom(&self) -> bool {
        self.has_bom
    }

    /// The byte-order mark that the file starts with, or nothing.
    pub(crate) fn mark(&self) -> &'static str {
        if self.has_bom { "\u{feff}" } else { "" }
    }

    /// The position of a byte offset (clamped to the text). Linear in the offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        position(&self.content, offset)
    }
}

/// The position of a byte offset in a text (clamped to it). Linear in the offset.
#[must_use]
pub fn position(text: &str, offset: usize) -> Position {
    Positions::new(text).at(offset)
}

/// Finds the positions of many offsets in one text; linear altogether while the offsets ascend.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    text: &'a str,
    offset: usize,
    position: Position,
}

impl<'a> Positions<'a> {
    /// Starts at the head of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self { text, offset: 0, position: Position { line: 1, column: 1 } }
    }

    /// The position of a byte offset (clamped to the text; inside a character: its start).
    pub fn at(&mut self, offset: usize) -> Position {
        let offset = floor_char_boundary(self.text, offset);
        if offset < self.offset {
            *self = Self::new(self.text);
        }
        let bytes = self.text.as_bytes();
        let mut start = self.offset;
        for found in memchr::memchr2_iter(b'\n', b'\r', &bytes[self.offset..offset]) {
            let at = self.offset + found;
            // The line feed of a CRLF ends the line, not its carriage return.
            if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                continue;
            }
            start = at + 1;
            self.position = Position { line: self.position.line.saturating_add(1), column: 1 };
        }
        let characters = self.text[start..offset].chars().count();
        let column = usize::try_from(self.position.column).unwrap_or(usize::MAX).saturating_add(characters);
        self.position.column = u32::try_from(column).unwrap_or(u32::MAX);
        self.offset = offset;
        self.position
    }
}

/// The offset, clamped to the text and moved back to the start of its character.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The byte ranges of the lines of a text, each including its line break (LF, CRLF or lone CR).
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= bytes.len() {
            return None;
        }
        let end = match memchr::memchr2(b'\n', b'\r', &bytes[start..]) {
            None => bytes.len(),
            Some(at) if bytes[start + at] == b'\r' && bytes.get(start + at + 1) == Some(&b'\n') => start + at + 2,
            Some(at) => start + at + 1,
        };
        let line = start..end;
        start = end;
        Some(line)
    })
}

/// A line without its line break.
#[must_use]
pub fn without_break(line: &str) -> &str {
    line.strip_suffix("\r\n").or_else(|| line.strip_suffix(['\n', '\r'])).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_strictly_and_drops_one_mark() {
        assert_eq!(Text::decode(b"ab\xffc".to_vec()), Err(2));
        let text = Text::decode("\u{feff}\u{feff}x".into()).unwrap();
        assert!(text.has_bom());
        assert_eq!(text.as_str(), "\u{feff}x");
        assert!(!Text::decode(b"x".to_vec()).unwrap().has_bom());
    }

    #[test]
    fn positions_count_lines_of_every_ending_and_characters() {
        let text = "a\né!\r\nb\rc\n\nd";
        let rows = [
            ("a", 1, 1),
            ("\n\u{e9}", 1, 2),
            ("é", 2, 1),
            ("!", 2, 2),
            ("\r\n", 2, 3),
            ("\nb", 2, 4),
            ("b", 3, 1),
            ("c", 4, 1),
            ("d", 6, 1),
        ];
        for (needle, line, column) in rows {
            let offset = text.find(needle).unwrap();
            assert_eq!(position(text, offset), Position { line, column }, "{needle:?}");
        }
        assert_eq!(position(text, 1000), Position { line: 6, column: 2 });
        assert_eq!(position(text, 3), Position { line: 2, column: 1 }, "inside a character");
    }

    proptest::proptest! {
        #[test]
        fn the_cursor_agrees_with_a_count_from_the_start(
            text in "[a\u{e9}\u{1f680}\r\n]{0,20}",
            offsets in proptest::collection::vec(0..40usize, 0..8),
        ) {
            let mut positions = Positions::new(&text);
            for offset in offsets {
                let prefix = &text[..floor_char_boundary(&text, offset)];
                let splits = prefix.ends_with('\r') && text[prefix.len()..].starts_with('\n');
                let whole = if splits { &prefix[..prefix.len() - 1] } else { prefix };
                let broken = whole.replace("\r\n", "\n").replace('\r', "\n");
                let line = broken.matches('\n').count() + 1;
                let column = broken.rsplit('\n').next().unwrap_or("").chars().count() + 1 + usize::from(splits);
                let found = positions.at(offset);
                proptest::prop_assert_eq!((found.line as usize, found.column as usize), (line, column));
            }
        }
    }
}
