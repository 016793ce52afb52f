//! The three kinds of query behind one interface: which lines of a text hold a hit.

use std::ops::Range;

use crate::document::Document;

use super::Scope;
use super::literal::Literal;
use super::pattern::Pattern;
use super::sketch::Needs;
use super::word_query::WordQuery;

/// A query made ready to search.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// A substring.
    Literal(Literal),
    /// A regular expression.
    Pattern(Pattern),
    /// Words with their weights.
    Words(WordQuery, Vec<f64>),
}

/// A line that holds a hit. Bytes of the file's text.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    /// The line with its break.
    pub(super) line: Range<usize>,
    /// The first hit in it; of words, the most telling one.
    pub(super) at: Range<usize>,
    /// How much the line tells: the weights of its words; 1 for text and patterns.
    pub(super) weight: f64,
}

impl Matcher {
    /// Calls `each` for every line of a document that holds a hit, in order.
    pub(super) fn hits(&self, document: &Document, scope: Scope, each: &mut dyn FnMut(Hit)) {
        let range = scope.of(document);
        let text = &document.text().as_str()[range.clone()];
        let shift = |inner: Range<usize>| inner.start + range.start..inner.end + range.start;
        let mut report = |line, at| each(Hit { line: shift(line), at: shift(at), weight: 1.0 });
        match self {
            Self::Literal(literal) => literal.lines(text, document.is_found_by_bytes(), &mut report),
            Self::Pattern(pattern) => pattern.lines(text, &mut report),
            Self::Words(query, weights) => query.lines(document, scope, weights, &mut |line, words| {
                let at = words.at.start + line.start..words.at.end + line.start;
                each(Hit { line, at, weight: words.weight });
            }),
        }
    }

    /// What a document that holds a hit cannot lack, if there is anything; words are found by the index.
    pub(super) fn needs(&self) -> Option<&Needs> {
        let needs = match self {
            Self::Literal(literal) => literal.needs(),
            Self::Pattern(pattern) => pattern.needs(),
            Self::Words(..) => return None,
        };
        (!needs.is_empty()).then_some(needs)
    }

    /// The first hit in a short text such as a title; words have none.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        match self {
            Self::Literal(literal) => literal.find(text),
            Self::Pattern(pattern) => pattern.find(text),
            Self::Words(..) => None,
        }
    }
}

impl Scope {
    /// The bytes of a document that are searched. The frontmatter block counts with its fences, so
    /// that the two parts make up the whole.
    pub(super) fn of(self, document: &Document) -> Range<usize> {
        match self {
            Self::All => 0..document.text().as_str().len(),
            Self::Frontmatter => 0..document.body_start(),
            Self::Body => document.body_start()..document.text().as_str().len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(query: &str, text: &str) -> Vec<String> {
        let literal = Literal::new(query, false).expect("compiles");
        let mut found = Vec::new();
        literal.lines(text, true, &mut |line, _| found.push(text[line].to_owned()));
        found
    }

    #[test]
    fn a_line_counts_once() {
        assert_eq!(lines("a", "a a\nb\r\na\ra"), ["a a\n", "a\r", "a"]);
        assert_eq!(lines("a\nb", "a\r\nb a\nb"), ["a\r\n", "b a\n"]);
        assert_eq!(lines("\nb", "a\r\nb\n"), ["a\r\n"]);
        assert_eq!(lines("é", "é\né"), ["é\n", "é"]);
    }
}
