//! Which match comes first (contract §9): where the query stands, how often, how rare its words are.

use std::ops::Range;

use crate::document::Document;
use crate::metadata::Status;
use crate::timestamp::Timestamp;

use super::fold;
use super::matcher::{Hit, Matcher};
use super::word_index::{About, Counts, Field, is_heading};
use super::{Scope, tokens};

/// Factor on the score of a deprecated concept.
const DEPRECATED: f64 = 0.5;
/// Factor on the score of a stale concept.
const STALE: f64 = 0.75;

/// What one occurrence of a word counts, by [`Field`].
const FIELD_WEIGHTS: [f64; Field::COUNT] = [2.5, 4.0, 2.0, 3.0, 0.5, 2.0, 1.0];
/// Saturation of occurrences and strength of length normalisation (Okapi BM25's k1 and b).
const SATURATION: f64 = 1.2;
const NORMALISATION: f64 = 0.4;
/// What words together in the title count, where they count 1 together in the description or a line.
pub(super) const TITLE: f64 = 0.5;

/// Factor for how a concept stands in its life: below 1 when deprecated or stale.
pub(super) fn lifecycle(document: &Document, now: Timestamp) -> f64 {
    let metadata = document.metadata();
    let status = if metadata.status == Status::Deprecated { DEPRECATED } else { 1.0 };
    if metadata.is_stale(now) { status * STALE } else { status }
}

/// What the hit lines of one document add up to, for a literal query or a pattern.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) hits: usize,
    headings: f64,
    lines: f64,
}

impl Tally {
    /// Counts a line. A hit inside of a word is worth half.
    pub(super) fn add(&mut self, document: &Document, hit: &Hit) {
        self.hits += 1;
        let text = document.text().as_str();
        let worth = if is_whole_word(text, &hit.at) { 1.0 } else { 0.5 };
        let in_body = hit.line.start >= document.body_start();
        if in_body && is_heading(&text[hit.line.clone()]) {
            self.headings += worth;
        } else {
            self.lines += worth;
        }
    }

    /// The score of the document before [`lifecycle`].
    pub(super) fn score(&self, document: &Document, matcher: &Matcher) -> f64 {
        let about = About::of(document);
        let best = |text: &str| matcher.find(text).map_or(0.0, |at| closeness(text, &at));
        let (area, name) = document.id().rsplit_once('/').unwrap_or(("", document.id()));
        let tags = about.tags.iter().map(|tag| best(tag)).fold(0.0, f64::max);
        let title = best(about.title);
        let equal = if title >= 1.0 || best(name) >= 1.0 { 20.0 } else { 0.0 };
        equal
            + 10.0 * title
            + 8.0 * best(name)
            + 2.0 * best(area)
            + 5.0 * tags
            + 2.0 * best(about.concept_type)
            + 5.0 * best(about.description).sqrt()
            + 3.0 * self.headings / (self.headings + 1.0)
            + 3.0 * self.lines / (self.lines + 3.0)
    }
}

/// How much of a short text a hit is: 1 when it is the text.
fn closeness(text: &str, at: &Range<usize>) -> f64 {
    let trimmed = text.trim().len().max(1) as f64;
    let share = (at.len() as f64 / trimmed).min(1.0);
    let worth = if is_whole_word(text, at) { 1.0 } else { 0.6 };
    worth * (0.5 + 0.5 * share)
}

fn is_whole_word(text: &str, at: &Range<usize>) -> bool {
    let before = text[..at.start].chars().next_back();
    let after = text[at.end..].chars().next();
    !before.is_some_and(fold::is_word_character) && !after.is_some_and(fold::is_word_character)
}

/// Which words of a query a document holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// How many of the words.
    pub(super) words: usize,
    /// How many of those that say what is meant.
    pub(super) telling: usize,
    /// The weights of the words held, over those of all words that any document holds: 0 to 1.
    pub(super) coverage: f64,
    /// BM25 over all fields.
    relevance: f64,
}

impl Held {
    /// Adds a word: its [`frequency`], its weight and that of all words that any document holds, whether it says
    /// what is meant, and the document's length relative to the mean.
    pub(super) fn add(&mut self, frequency: f64, weight: f64, tells: bool, known: f64, relative_length: f64) {
        if frequency == 0.0 {
            return;
        }
        let length = 1.0 - NORMALISATION + NORMALISATION * relative_length;
        self.words += 1;
        self.telling += usize::from(tells);
        self.coverage += weight / known;
        self.relevance += weight * frequency / (frequency + SATURATION * length);
    }

    /// The score before [`lifecycle`]. `together` is how much of the query stands together, in the title or ID
    /// and in the description or one line: 1 each for all words, more when they are in order.
    pub(super) fn score(&self, together: f64, equals_title: bool) -> f64 {
        let equal = if equals_title { 4.0 } else { 1.0 };
        self.relevance * self.coverage.powi(2) * (1.0 + together) * equal
    }
}

/// Occurrences weighted by field; 0 when there are none as far as the scope reaches.
pub(super) fn frequency(counts: Counts, scope: Scope) -> f64 {
    let in_scope = |field: usize| match scope {
        Scope::All => true,
        Scope::Frontmatter => field == Field::Frontmatter as usize,
        Scope::Body => field == Field::Heading as usize || field == Field::Body as usize,
    };
    if !(0..Field::COUNT).any(|field| in_scope(field) && counts[field] > 0) {
        return 0.0;
    }
    counts.iter().zip(FIELD_WEIGHTS).map(|(&count, weight)| f64::from(count) * weight).sum()
}

/// Whether two texts are the same words in the same order.
pub(super) fn same_words(a: &str, b: &str) -> bool {
    let read = |text: &str| {
        let mut terms = Vec::new();
        tokens::words(text, |word| {
            terms.push((word.whole, word.parts.iter().map(|&(term, _)| term).collect::<Vec<_>>()));
        });
        terms
    };
    read(a) == read(b)
}
