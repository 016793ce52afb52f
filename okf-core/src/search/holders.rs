//! Which documents hold the words of a query, and how well: read off the index, without their texts.

use crate::document::Document;
use crate::listing;
use crate::parallel;

use super::ranking::{self, Held};
use super::word_index::{Counts, Field, Part, Postings, WordIndex};
use super::word_query::{Together, WordQuery};
use super::{Scope, SearchError, SearchRequest};

/// Postings are read by several threads when there are at least so many documents.
const PARALLEL_FROM: usize = 8_192;
/// Documents between two looks at whether the call was cancelled.
const POLL: usize = 64;

/// A document that holds words of a query.
#[derive(Debug)]
pub(super) struct Holder<'a> {
    pub(super) document: &'a Document,
    pub(super) held: Held,
    /// Lines in scope with at least one of the words.
    pub(super) hits: usize,
    /// How much of the query stands together; see [`Held::score`].
    pub(super) together: f64,
    /// Whether all words stand together in the title or in the ID.
    pub(super) named: bool,
}

/// Which documents are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those that hold all words.
    All,
    /// Those that hold a word that says what is meant.
    Any,
}

/// A query of words put to an index.
pub(super) struct Holders<'a, 'r> {
    index: &'a WordIndex,
    query: &'r WordQuery,
    request: &'r SearchRequest<'r>,
    cancelled: &'r (dyn Fn() -> bool + Sync),
    telling: Vec<bool>,
    /// How much each word tells.
    pub(super) weights: Vec<f64>,
    /// Of all words that any document holds.
    pub(super) total_weight: f64,
}

impl<'a, 'r> Holders<'a, 'r> {
    /// Counts in how many documents each word stands.
    ///
    /// # Errors
    ///
    /// The call was cancelled.
    pub(super) fn new(
        index: &'a WordIndex,
        query: &'r WordQuery,
        request: &'r SearchRequest<'r>,
        cancelled: &'r (dyn Fn() -> bool + Sync),
    ) -> Result<Self, SearchError> {
        let counted = over_parts(index, |part| {
            let mut counts = vec![0_usize; query.len()];
            each_document(part, query, cancelled, |_, _, terms, _| {
                for (count, held) in counts.iter_mut().zip(query.held(terms)) {
                    *count += usize::from(held);
                }
            })?;
            Ok(counts)
        })?;
        let mut counts = vec![0; query.len()];
        for part in counted {
            counts.iter_mut().zip(part).for_each(|(count, more)| *count += more);
        }
        let weights = query.weights(index.documents(), &counts);
        let total_weight = weights.iter().zip(&counts).filter(|&(_, &count)| count > 0).map(|(weight, _)| weight).sum();
        Ok(Self { index, query, request, cancelled, telling: query.telling(), weights, total_weight })
    }

    /// The documents asked for that the request's filter lets through, in no order.
    ///
    /// # Errors
    ///
    /// The call was cancelled.
    pub(super) fn find(&self, wanted: Wanted) -> Result<Vec<Holder<'a>>, SearchError> {
        let found = over_parts(self.index, |part| {
            let mut found = Vec::new();
            let mut filter = listing::Matcher::new(&self.request.filter);
            let mut reader = Reader::new(self);
            each_document(part, self.query, self.cancelled, |place, document, terms, postings| {
                let mut held = self.query.held(terms);
                let may = match wanted {
                    Wanted::All => held.all(|held| held),
                    Wanted::Any => held.zip(&self.telling).any(|(held, &tells)| held && tells),
                };
                if may && filter.matches(document) {
                    found.extend(reader.read(part, place, document, postings, wanted));
                }
            })?;
            Ok(found)
        })?;
        Ok(found.into_iter().flatten().collect())
    }
}

fn over_parts<'a, T: Send>(
    index: &'a WordIndex,
    work: impl Fn(&'a Part) -> Result<T, SearchError> + Sync,
) -> Result<Vec<T>, SearchError> {
    let threads = if index.documents() < PARALLEL_FROM { 1 } else { parallel::threads() };
    parallel::try_map(threads, index.parts(), work)
}

/// A term's list in one part: its number in the query, where it stands, and the rest.
struct Cursor<'a> {
    bit: usize,
    place: u32,
    positions: &'a [u8],
    rest: Postings<'a>,
}

/// Calls `each` for every living document of a part that holds a term of the query: with its place, the terms
/// that it holds and the lists, which stand at it or further on.
fn each_document<'a>(
    part: &'a Part,
    query: &WordQuery,
    cancelled: &(dyn Fn() -> bool + Sync),
    mut each: impl FnMut(u32, &'a Document, u128, &[Cursor<'a>]),
) -> Result<(), SearchError> {
    let mut cursors: Vec<Cursor<'_>> = Vec::new();
    for (bit, &term) in query.terms().iter().enumerate() {
        let Some(mut rest) = part.segment.postings(term) else { continue };
        if let Some((place, positions)) = rest.next() {
            cursors.push(Cursor { bit, place, positions, rest });
        }
    }
    let mut seen = 0_usize;
    while let Some(place) = cursors.iter().map(|cursor| cursor.place).min() {
        if seen.is_multiple_of(POLL) && cancelled() {
            return Err(SearchError::Cancelled);
        }
        seen += 1;
        if let Some(document) = part.living[place as usize].as_ref() {
            let here = cursors.iter().filter(|cursor| cursor.place == place);
            let terms = here.fold(0, |terms, cursor| terms | 1_u128 << cursor.bit);
            each(place, document.as_ref(), terms, &cursors);
        }
        cursors.retain_mut(|cursor| {
            if cursor.place == place {
                let Some((next, positions)) = cursor.rest.next() else { return false };
                (cursor.place, cursor.positions) = (next, positions);
            }
            true
        });
    }
    Ok(())
}

/// Reads documents one after another, in buffers that are used again.
struct Reader<'h, 'a, 'r> {
    holders: &'h Holders<'a, 'r>,
    mean_length: f64,
    /// The number of each word of the document that stands for a term, and the term's bit.
    occurrences: Vec<(u32, u8)>,
    /// Occurrences of each term.
    counts: Vec<Counts>,
    line: Together,
}

impl<'h, 'a, 'r> Reader<'h, 'a, 'r> {
    fn new(holders: &'h Holders<'a, 'r>) -> Self {
        Self {
            holders,
            mean_length: holders.index.mean_length(),
            occurrences: Vec::new(),
            counts: vec![Counts::default(); holders.query.terms().len()],
            line: Together::default(),
        }
    }

    /// What a document holds, unless that is not what is wanted.
    fn read(
        &mut self,
        part: &Part,
        place: u32,
        document: &'a Document,
        postings: &[Cursor<'_>],
        wanted: Wanted,
    ) -> Option<Holder<'a>> {
        let Holders { query, request, weights, telling, total_weight, .. } = self.holders;
        self.collect(place, postings);
        let (mut named, mut hits) = (false, 0);
        let (mut title, mut best) = (0.0_f64, 0.0_f64);
        let mut occurrences = self.occurrences.as_slice();
        let mut start = 0;
        for (field, words) in part.segment.lines(place as usize) {
            if occurrences.is_empty() {
                break;
            }
            start += words;
            let (line, rest) = occurrences.split_at(occurrences.partition_point(|&(word, _)| word < start));
            occurrences = rest;
            if line.is_empty() {
                continue;
            }
            self.line.clear();
            for word in line.chunk_by(|a, b| a.0 == b.0) {
                let mut terms = 0;
                for &(_, bit) in word {
                    terms |= 1 << bit;
                    let count = &mut self.counts[usize::from(bit)][field as usize];
                    *count = count.saturating_add(1);
                }
                query.read_word(&mut self.line, word[0].0, terms);
            }
            let worth = query.worth(&self.line, weights);
            match field {
                Field::Tags => {}
                Field::Id | Field::Title => {
                    title = title.max(worth.unwrap_or(0.0));
                    named |= query.held(self.line.terms()).all(|held| held);
                }
                Field::Description => best = best.max(worth.unwrap_or(0.0)),
                Field::Frontmatter | Field::Heading | Field::Body => {
                    if let Some(worth) = worth.filter(|_| reaches(request.scope, field)) {
                        hits += 1;
                        best = best.max(worth);
                    }
                }
            }
        }
        let relative_length = f64::from(part.segment.length(place as usize)) / self.mean_length;
        let mut held = Held::default();
        for ((counts, &weight), &tells) in query.counts(&self.counts).zip(weights).zip(telling) {
            held.add(ranking::frequency(counts, request.scope), weight, tells, *total_weight, relative_length);
        }
        let is_wanted = match wanted {
            Wanted::All => held.words == query.len(),
            Wanted::Any => held.telling > 0,
        };
        let together = (ranking::TITLE * title + best) / total_weight;
        is_wanted.then_some(Holder { document, held, hits, together, named })
    }

    /// The occurrences in a document, by the number of the word.
    fn collect(&mut self, place: u32, postings: &[Cursor<'_>]) {
        self.occurrences.clear();
        self.counts.fill(Counts::default());
        for cursor in postings.iter().filter(|cursor| cursor.place == place) {
            // A query has at most 128 terms.
            let bit = cursor.bit as u8;
            self.occurrences.extend(super::word_index::positions(cursor.positions).map(|word| (word, bit)));
        }
        self.occurrences.sort_unstable();
    }
}

/// Whether a scope reaches a line of the text.
fn reaches(scope: Scope, field: Field) -> bool {
    match scope {
        Scope::All => true,
        Scope::Frontmatter => field == Field::Frontmatter,
        Scope::Body => field != Field::Frontmatter,
    }
}
