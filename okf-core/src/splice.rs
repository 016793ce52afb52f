//! Changes to a text that leave all other bytes as they are.

use std::ops::Range;

/// A replacement of some bytes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    /// What is replaced; empty for an insertion.
    pub(crate) range: Range<usize>,
    /// What stands there afterwards.
    pub(crate) text: String,
}

impl Splice {
    /// Puts a text in at an offset.
    pub(crate) fn insert(at: usize, text: String) -> Self {
        Self { range: at..at, text }
    }

    /// Takes some bytes out.
    pub(crate) fn delete(range: Range<usize>) -> Self {
        Self { range, text: String::new() }
    }
}

/// The text with some splices made; they ascend and do not overlap.
pub(crate) fn spliced(text: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(text.len() + splices.iter().map(|splice| splice.text.len()).sum::<usize>());
    let mut done = 0;
    for splice in splices {
        out.push_str(&text[done..splice.range.start]);
        out.push_str(&splice.text);
        done = splice.range.end;
    }
    out.push_str(&text[done..]);
    out
}
