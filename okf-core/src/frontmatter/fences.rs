//! Where a frontmatter begins and ends (spec §4, contract §2).

use std::ops::Range;

use crate::text::{lines, without_break};

/// Where the frontmatter of a text lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fences {
    /// The first line is not `---`: the whole text is body.
    Absent,
    /// Both fences were found. Byte ranges in the text.
    Closed {
        /// The YAML between the fence lines.
        yaml: Range<usize>,
        /// Where the body begins: after the closing line and its break.
        body: usize,
    },
    /// An opening fence without a closing one.
    Unterminated,
}

/// Finds the fences of a text: line one is `---` (trailing blanks allowed), closed by the next line
/// that is `---` at column 0 (trailing blanks allowed).
///
/// Blanks are spaces and tabs. LF, CRLF and lone CR end a line alike.
#[must_use]
pub fn fences(text: &str) -> Fences {
    let mut lines = lines(text);
    let Some(opening) = lines.next().filter(|line| is_fence(&text[line.clone()])) else {
        return Fences::Absent;
    };
    match lines.find(|line| is_fence(&text[line.clone()])) {
        Some(closing) => Fences::Closed { yaml: opening.end..closing.start, body: closing.end },
        None => Fences::Unterminated,
    }
}

/// Whether a line, with or without its break, is a fence.
pub(super) fn is_fence(line: &str) -> bool {
    without_break(line).strip_prefix("---").is_some_and(|rest| rest.bytes().all(|b| b == b' ' || b == b'\t'))
}
