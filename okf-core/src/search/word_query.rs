//! A query of words: which concepts hold them, and which lines.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::document::Document;

use super::tokens::{self, Term};
use super::word_index::{Counts, Posting, WordIndex, key_length};
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
#[derive(Debug)]
pub(super) struct WordQuery {
    /// The distinct terms of all words.
    terms: Vec<Term>,
    /// A bit for the low bits of each term: most words of a text fail this test.
    filter: u64,
    words: Vec<QueryWord>,
}

/// A word of a query. A concept (or line) holds it when it holds the whole, or else all parts.
#[derive(Debug, PartialEq, Eq)]
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

/// A word follows another when at most this many words on.
const NEAR: usize = 3;
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

    /// The documents that hold each word, word by word.
    pub(super) fn postings<'i>(&self, index: &'i WordIndex) -> Vec<Cow<'i, [Posting]>> {
        let lists = |bits: u128| bits_of(bits).map(|bit| index.postings(self.terms[bit]));
        self.words
            .iter()
            .map(|word| {
                let whole = lists(word.whole).next().unwrap_or_default();
                match lists(word.parts).map(Cow::Borrowed).reduce(|a, b| Cow::Owned(both(&a, &b))) {
                    None => Cow::Borrowed(whole),
                    Some(parts) => Cow::Owned(either(whole, &parts)),
                }
            })
            .collect()
    }

    /// How much each word tells: rare words more, common words of the language little.
    pub(super) fn weights(&self, documents: usize, postings: &[Cow<'_, [Posting]>]) -> Vec<f64> {
        let all = documents as f64;
        self.words
            .iter()
            .zip(postings)
            .map(|(word, postings)| {
                let holding = postings.len() as f64;
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
        let mut seen = 0_u128;
        let mut best: Option<(f64, Range<usize>)> = None;
        // Which words followed the one before them, and where each was last seen, counted in words.
        let mut in_order = 0_u128;
        let mut places: Vec<Option<usize>> = Vec::new();
        let mut place = 0_usize;
        tokens::words(line, |word| {
            place += 1;
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
            if here == 0 {
                return;
            }
            seen |= here;
            places.resize(self.words.len(), None);
            for (at, _) in self.words.iter().enumerate().filter(|(_, asked)| asked.touches(here)) {
                let before = at.checked_sub(1).and_then(|before| places[before]);
                if before.is_some_and(|before| place - before <= NEAR) {
                    in_order |= 1 << at;
                }
                places[at] = Some(place);
            }
        });
        let (_, at) = best?;
        let held = self.words.iter().zip(weights).enumerate().filter(|(_, (word, _))| word.is_held(seen));
        let worth =
            held.map(|(at, (_, weight))| if in_order & (1 << at) == 0 { *weight } else { weight * (1.0 + IN_ORDER) });
        Some(LineWords { at, weight: worth.reduce(|sum, worth| sum + worth)? })
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

/// Documents in both lists, with the smaller counts.
fn both(a: &[Posting], b: &[Posting]) -> Vec<Posting> {
    let mut rest = b;
    a.iter()
        .filter_map(|posting| {
            let skip = rest.partition_point(|other| other.document < posting.document);
            rest = &rest[skip..];
            let other = rest.first().filter(|other| other.document == posting.document)?;
            Some(Posting { document: posting.document, counts: combine(posting.counts, other.counts, u8::min) })
        })
        .collect()
}

/// Documents in either list, with the larger counts.
fn either(a: &[Posting], b: &[Posting]) -> Vec<Posting> {
    let mut merged: Vec<Posting> = a.iter().chain(b).copied().collect();
    merged.sort_by_key(|posting| posting.document);
    merged.dedup_by(|next, kept| {
        let same = next.document == kept.document;
        if same {
            kept.counts = combine(kept.counts, next.counts, u8::max);
        }
        same
    });
    merged
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

    #[test]
    fn lists_are_intersected_and_united() {
        let list = |documents: &[u32]| -> Vec<Posting> {
            documents.iter().map(|&document| Posting { document, counts: [1; 7] }).collect()
        };
        assert_eq!(both(&list(&[1, 3, 5]), &list(&[0, 3, 5, 6])), list(&[3, 5]));
        assert_eq!(either(&list(&[1, 3]), &list(&[0, 3, 4])), list(&[0, 1, 3, 4]));
    }
}
