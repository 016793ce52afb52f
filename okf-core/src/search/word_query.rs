//! A query of words: which concepts hold them, and which lines.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::document::Document;

use super::tokens::{self, Term};
use super::word_index::{Counts, key_length};
use super::{Scope, SearchError};

/// A query may hold this many distinct terms: one bit each.
const MOST_TERMS: usize = u128::BITS as usize;

/// Words that say little about what is meant. They are asked for like any other when all words must be
/// there, and count a tenth when not: in a small bundle `does` may be rarer than the subject.
const COMMON: &str = "a about an and are as at be been but by can could did do does for from had has have how i if in \
    into is it its me my no not of on or our should show so than that the their them then there these they this to \
    was we were what when where which who why will with would you your \
    aber als am an auch auf aus bei bin bis das dass dem den der des die durch ein eine einem einen einer eines er es \
    für hat ich im in ist kann man mit nach nicht oder sein sich sie sind über um und uns von vor wann warum was wer \
    werden wie wird wo zu zum zur \
    au aux avec ce ces comment dans de du elle en est et il la le les mais ou où par pas pour quand que quel qui sont \
    sur un une \
    como con cuando cual de del donde el en es esta este la las lo los no para pero por que se son su sus un una y";

static COMMON_TERMS: LazyLock<HashSet<Term>> = LazyLock::new(|| {
    let mut terms = HashSet::new();
    tokens::words(COMMON, |word| terms.extend(word.whole));
    terms
});

/// The words of a query.
#[derive(Clone, Debug)]
pub(super) struct WordQuery {
    /// The distinct terms of all words.
    terms: Vec<Term>,
    /// A bit for the low bits of each term: most words of a text fail this test.
    filter: u64,
    words: Vec<QueryWord>,
}

/// A word of a query. A concept (or line) holds it when it holds the whole, or else all parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct QueryWord {
    /// Bit of the whole.
    whole: u128,
    /// Bits of the parts; 0 when there are none.
    parts: u128,
    common: bool,
}

/// The words of a query that one line holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LineWords {
    /// The most telling of them; bytes of the line.
    pub(super) at: Range<usize>,
    /// The weights of the words held, added up; of those in the order of the query, more.
    pub(super) weight: f64,
}

/// A line while its words are read: which terms of the query it holds, and which words in order.
#[derive(Debug, Default)]
pub(super) struct Together {
    terms: u128,
    /// The words that followed the one before them in the query.
    in_order: u128,
    /// The number of the word that each word of the query was last seen as.
    last: Vec<Option<u32>>,
}

/// A word follows another when at most this many words on.
const NEAR: u32 = 3;
/// What a word counts more, in its weights, when it follows the word that it follows in the query.
const IN_ORDER: f64 = 0.5;

impl WordQuery {
    /// Reads a query; no words at all is not an error.
    ///
    /// # Errors
    ///
    /// It has too many words.
    pub(super) fn new(query: &str) -> Result<Self, SearchError> {
        let mut this = Self { terms: Vec::new(), filter: 0, words: Vec::new() };
        let mut overflow = false;
        tokens::words(query, |word| {
            let mut bit = |term: Term| {
                let at = this.terms.iter().position(|&known| known == term).unwrap_or_else(|| {
                    this.terms.push(term);
                    this.terms.len() - 1
                });
                overflow |= at >= MOST_TERMS;
                1_u128.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or(0)
            };
            // A single character of a script without spaces has no pairs.
            let whole = match (word.whole, word.characters) {
                (None, [(only, _)]) => Some(*only),
                (whole, _) => whole,
            };
            let whole_bit = whole.map_or(0, &mut bit);
            let parts = word.parts.iter().fold(0, |bits, &(term, _)| bits | bit(term));
            let common = whole.is_some_and(|term| COMMON_TERMS.contains(&term));
            let word = QueryWord { whole: whole_bit, parts, common };
            overflow |= this.words.len() == MOST_TERMS;
            if !this.words.contains(&word) {
                this.words.push(word);
            }
        });
        if overflow {
            return Err(SearchError::TooLarge(format!("the query has too many words: at most {MOST_TERMS}")));
        }
        this.filter = this.terms.iter().fold(0, |bits, term| bits | 1 << (term.0 & 63));
        Ok(this)
    }

    /// Whether there is nothing to look for.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of distinct words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether each word says what is meant, as common words of a language do not; when there are only
    /// such words, they have to do.
    pub(super) fn telling(&self) -> Vec<bool> {
        let only_common = self.words.iter().all(|word| word.common);
        self.words.iter().map(|word| only_common || !word.common).collect()
    }

    /// The distinct terms; the bits of a set of terms count through them.
    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether something with these terms holds each word.
    pub(super) fn held(&self, terms: u128) -> impl Iterator<Item = bool> {
        self.words.iter().map(move |word| word.is_held(terms))
    }

    /// The occurrences of each word, given those of each term: of the whole, or as many as all parts have.
    pub(super) fn counts(&self, terms: &[Counts]) -> impl Iterator<Item = Counts> {
        self.words.iter().map(move |word| {
            let whole = bits_of(word.whole).map(|bit| terms[bit]).next().unwrap_or_default();
            let parts = bits_of(word.parts).map(|bit| terms[bit]).reduce(|a, b| combine(a, b, u8::min));
            parts.map_or(whole, |parts| combine(whole, parts, u8::max))
        })
    }

    /// How much each word tells, given in how many of the documents it stands: rare words more, common words
    /// of the language little.
    pub(super) fn weights(&self, documents: usize, holding: &[usize]) -> Vec<f64> {
        let all = documents as f64;
        self.words
            .iter()
            .zip(holding)
            .map(|(word, &holding)| {
                let holding = holding as f64;
                let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
                if word.common { rarity * 0.1 } else { rarity }
            })
            .collect()
    }

    /// Calls `each` for every line of a document that holds at least one word. Keys of the frontmatter are
    /// no words. Lines in bytes of the text, words in bytes of the line.
    pub(super) fn lines(
        &self,
        document: &Document,
        scope: Scope,
        weights: &[f64],
        each: &mut dyn FnMut(Range<usize>, LineWords),
    ) {
        let range = scope.of(document);
        let text = &document.text().as_str()[range.clone()];
        for line in crate::text::lines(text) {
            let content = &text[line.clone()];
            let start = range.start + line.start;
            let skipped = if start < document.body_start() { key_length(content) } else { 0 };
            if let Some(mut words) = self.line(&content[skipped..], weights) {
                words.at = words.at.start + skipped..words.at.end + skipped;
                each(start..start + line.len(), words);
            }
        }
    }

    /// The words that a line holds; `None` when it holds none.
    pub(super) fn line(&self, line: &str, weights: &[f64]) -> Option<LineWords> {
        let mut best: Option<(f64, Range<usize>)> = None;
        let mut together = Together::default();
        let mut number = 0;
        tokens::words(line, |word| {
            number += 1;
            let mut here = 0_u128;
            let mut matched = |term: Term, range: &Range<usize>| {
                let bit = self.bit_of(term);
                here |= bit;
                if bit != 0 {
                    let weight = self.weight_of(bit, weights);
                    if best.as_ref().is_none_or(|&(best, _)| weight > best) {
                        best = Some((weight, range.clone()));
                    }
                }
            };
            word.whole.into_iter().for_each(|term| matched(term, &word.range));
            word.parts.iter().chain(word.characters).for_each(|(term, range)| matched(*term, range));
            if here != 0 {
                self.read_word(&mut together, number, here);
            }
        });
        let (_, at) = best?;
        Some(LineWords { at, weight: self.worth(&together, weights)? })
    }

    /// Reads a word of a line that stands for terms of the query; words are numbered through the line.
    pub(super) fn read_word(&self, line: &mut Together, number: u32, terms: u128) {
        line.terms |= terms;
        line.last.resize(self.words.len(), None);
        for (at, _) in self.words.iter().enumerate().filter(|(_, asked)| asked.touches(terms)) {
            let before = at.checked_sub(1).and_then(|before| line.last[before]);
            if before.is_some_and(|before| number - before <= NEAR) {
                line.in_order |= 1 << at;
            }
            line.last[at] = Some(number);
        }
    }

    /// The weights of the words that a line holds, added up, those in the order of the query counting more;
    /// `None` when it holds none.
    pub(super) fn worth(&self, line: &Together, weights: &[f64]) -> Option<f64> {
        let held = self.words.iter().zip(weights).enumerate().filter(|(_, (word, _))| word.is_held(line.terms));
        held.map(|(at, (_, weight))| if line.in_order & (1 << at) == 0 { *weight } else { weight * (1.0 + IN_ORDER) })
            .reduce(|sum, worth| sum + worth)
    }

    fn bit_of(&self, term: Term) -> u128 {
        if self.filter & (1 << (term.0 & 63)) == 0 {
            return 0;
        }
        self.terms.iter().position(|&known| known == term).map_or(0, |at| 1 << at)
    }

    /// The weight of the most telling word that a term belongs to.
    fn weight_of(&self, bit: u128, weights: &[f64]) -> f64 {
        let words = self.words.iter().zip(weights);
        words.filter(|(word, _)| word.touches(bit)).map(|(_, &weight)| weight).fold(0.0, f64::max)
    }
}

impl Together {
    /// The terms of the query that the line holds.
    pub(super) fn terms(&self) -> u128 {
        self.terms
    }

    /// Makes ready for another line.
    pub(super) fn clear(&mut self) {
        (self.terms, self.in_order) = (0, 0);
        self.last.clear();
    }
}

impl QueryWord {
    fn is_held(&self, seen: u128) -> bool {
        self.whole & seen != 0 || (self.parts != 0 && self.parts & seen == self.parts)
    }

    fn touches(&self, bits: u128) -> bool {
        (self.whole | self.parts) & bits != 0
    }
}

fn bits_of(bits: u128) -> impl Iterator<Item = usize> {
    (0..MOST_TERMS).filter(move |bit| bits & (1 << bit) != 0)
}

fn combine(mut a: Counts, b: Counts, choose: impl Fn(u8, u8) -> u8) -> Counts {
    for (a, b) in a.iter_mut().zip(b) {
        *a = choose(*a, b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(query: &str, text: &str) -> Vec<String> {
        let query = WordQuery::new(query).expect("a query");
        let weights: Vec<f64> = query.words.iter().map(|word| if word.common { 0.1 } else { 1.0 }).collect();
        let mut found = Vec::new();
        for line in text.lines() {
            if let Some(words) = query.line(line, &weights) {
                found.push(format!("{} {:.1}", &line[words.at], words.weight));
            }
        }
        found
    }

    #[test]
    fn lines_with_a_word_are_found() {
        let text = "What is it?\nThe vote_type_id of Votes\nnothing\r\nJOINED posts";
        assert_eq!(lines("joins votes type", text), ["vote 2.5", "JOINED 1.0"]);
        assert_eq!(lines("what type", text), ["What 0.1", "type 1.0"]);
        assert_eq!(lines("voteType", text), ["vote 1.0"]);
        assert_eq!(lines("voteAnswer", text), Vec::<String>::new());
        assert_eq!(lines("vote_type_id", "the vote of type: id"), ["vote 1.0"]);
        assert_eq!(lines("京", "東京都"), ["京 1.0"]);
        assert_eq!(lines("東京都", "東京都"), ["東京 1.0"]);
    }

    #[test]
    fn a_query_without_words_is_empty() {
        for query in ["*", "\"\"", "'", "!? --"] {
            assert!(WordQuery::new(query).expect("a query").is_empty(), "{query}");
        }
        assert_eq!(WordQuery::new("vote votes Vote").expect("a query").len(), 1);
    }

    #[test]
    fn too_many_words_are_refused() {
        let query: String = (0..200).map(|n| format!("w{n} ")).collect();
        assert!(matches!(WordQuery::new(&query), Err(SearchError::TooLarge(_))));
    }
}
