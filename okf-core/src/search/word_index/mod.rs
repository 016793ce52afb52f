//! An inverted index of the words of a bundle, kept up to date by difference.
//!
//! Documents lie in frozen segments of bounded size. A change takes documents out by striking them from the
//! list of those that live, and puts documents in as a segment of their own; small segments are merged as
//! they gather, so that neither a change nor a merge ever costs more than a bounded share of the bundle.

mod segment;
mod terms;
#[cfg(test)]
mod tests;
mod varint;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use crate::bundle::Bundle;
use crate::document::Document;
use crate::parallel;

pub(super) use segment::{Postings, Segment, positions};
pub(super) use terms::{About, Field, is_heading, key_length};

use segment::{Entry, TermEntry, key};

/// Occurrences by [`Field`], saturating.
pub(super) type Counts = [u8; Field::COUNT];

// Tests have small segments, so that a handful of documents fills several and merges are frequent.

/// A segment is read from at most so many documents of so many bytes of text.
const SEGMENT: usize = if cfg!(test) { 6 } else { 256 };
const SEGMENT_BYTES: usize = 32 << 20;
/// Segments are merged while they hold at most so many documents together, which bounds the work of a change.
const MERGED: usize = if cfg!(test) { 4 } else { 512 };

/// Which word stands where in a bundle's documents, for ranking.
///
/// What it answers is a pure function of the documents, in whatever steps it came about. Shares the documents
/// with the bundle; about six bytes a distinct word of a document.
#[derive(Clone, Debug)]
pub struct WordIndex {
    parts: Vec<Part>,
    documents: usize,
    /// Terms in all documents, repetitions included.
    length: u64,
}

/// A segment and what is left of it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) segment: Arc<Segment>,
    /// The document at each place; `None` when it has been changed or removed since.
    pub(super) living: Arc<[Option<Arc<Document>>]>,
    count: usize,
}

impl WordIndex {
    /// Reads every decoded concept of a bundle, in parallel when there is much to read.
    #[must_use]
    pub fn build(bundle: &Bundle) -> Self {
        Self::of(bundle.documents().cloned().collect())
    }

    fn of(documents: Vec<Arc<Document>>) -> Self {
        let parts = read(documents);
        let documents = parts.iter().map(|part| part.count).sum();
        let length = parts.iter().map(Part::length).sum();
        Self { parts, documents, length }
    }

    /// The index after some concepts were changed, created or removed (`None`), each named once by its ID.
    /// The cost is that of the documents named. `None` when there are so many that reading all anew costs less.
    #[must_use]
    pub(crate) fn updated(&self, changes: &[(&str, Option<&Arc<Document>>)]) -> Option<Self> {
        if changes.len() > MERGED.max(self.documents / 2) {
            return None;
        }
        let mut updated = self.clone();
        let mut struck: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut added = Vec::new();
        for &(id, document) in changes {
            let place = self.place(id);
            if let (Some((part, place)), Some(document)) = (place, document)
                && self.parts[part].living[place].as_ref().is_some_and(|known| Arc::ptr_eq(known, document))
            {
                continue;
            }
            if let Some((part, place)) = place {
                struck.entry(part).or_default().push(place);
            }
            added.extend(document.cloned());
        }
        for (part, places) in struck {
            updated.length -=
                places.iter().map(|&place| u64::from(self.parts[part].segment.length(place))).sum::<u64>();
            updated.parts[part].strike(&places);
        }
        let added = read(added);
        updated.length += added.iter().map(Part::length).sum::<u64>();
        updated.parts.extend(added);
        updated.settle();
        updated.documents = updated.parts.iter().map(|part| part.count).sum();
        Some(updated)
    }

    /// Number of documents.
    pub(super) fn documents(&self) -> usize {
        self.documents
    }

    /// The mean number of terms of a document, at least 1.
    pub(super) fn mean_length(&self) -> f64 {
        (self.length as f64 / self.documents.max(1) as f64).max(1.0)
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Bytes on the heap, those of the documents aside.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.segment.bytes() + part.living.len() * size_of::<Arc<Document>>()).sum()
    }

    /// In which part and at which place a living concept is.
    fn place(&self, id: &str) -> Option<(usize, usize)> {
        let key = key(id);
        self.parts.iter().enumerate().find_map(|(at, part)| {
            let is_it = |&place: &usize| part.living[place].as_ref().is_some_and(|document| document.id() == id);
            part.segment.places(key).find(is_it).map(|place| (at, place))
        })
    }

    /// Merges small parts, and writes those anew that hold more dead documents than living ones.
    fn settle(&mut self) {
        let (thin, mut parts): (Vec<Part>, Vec<Part>) =
            self.parts.drain(..).partition(|part| part.count * 2 < part.segment.len());
        parts.extend(thin.iter().filter(|part| part.count > 0).map(|part| Part::merged(&[part])));
        // Sizes grow by half at least from one merge of a document to the next: a logarithmic number of merges.
        parts.sort_by_key(|part| part.count);
        let mut merged = 0;
        let mut together = parts.first().map_or(0, |part| part.count);
        for part in parts.iter().skip(1) {
            if part.count > 2 * together || part.count + together > MERGED {
                break;
            }
            together += part.count;
            merged += 1;
        }
        if merged > 0 {
            let small: Vec<Part> = parts.drain(..=merged).collect();
            parts.push(Part::merged(&small.iter().collect::<Vec<_>>()));
        }
        self.parts = parts;
    }
}

/// Reads documents into segments.
fn read(documents: Vec<Arc<Document>>) -> Vec<Part> {
    let mut chunks: Vec<Vec<Arc<Document>>> = Vec::new();
    let mut bytes = 0;
    for document in documents {
        let size = document.text().as_str().len();
        match chunks.last_mut() {
            Some(chunk) if chunk.len() < SEGMENT && bytes + size <= SEGMENT_BYTES => {
                bytes += size;
                chunk.push(document);
            }
            _ => {
                bytes = size;
                chunks.push(vec![document]);
            }
        }
    }
    let threads = if chunks.len() < 2 { 1 } else { parallel::threads() };
    let parts = parallel::try_map(threads, &chunks, |chunk| Ok::<_, Infallible>(Part::read(chunk)));
    parts.unwrap_or_else(|never| match never {})
}

impl Part {
    fn read(documents: &[Arc<Document>]) -> Self {
        let mut documents = documents.to_vec();
        documents.sort_by_cached_key(|document| key(document.id()));
        let segment = Segment::read(&documents);
        let count = documents.len();
        Self { segment: Arc::new(segment), living: documents.into_iter().map(Some).collect(), count }
    }

    /// One part with the living documents of several.
    fn merged(parts: &[&Self]) -> Self {
        let mut living: Vec<(u64, usize, usize)> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let places = (0..part.segment.len()).filter(|&place| part.living[place].is_some());
            living.extend(places.map(|place| (part.segment.key(place), at, place)));
        }
        living.sort_unstable();
        let mut places: Vec<Vec<Option<u32>>> = parts.iter().map(|part| vec![None; part.segment.len()]).collect();
        for (new, &(_, at, place)) in (0..).zip(&living) {
            places[at][place] = Some(new);
        }
        let mut terms = Vec::new();
        for (part, places) in parts.iter().zip(&places) {
            for (term, postings) in part.segment.terms() {
                terms.extend(postings.filter_map(|(place, positions)| {
                    places[place as usize].map(|place| TermEntry { term, place, positions })
                }));
            }
        }
        let entries = living.iter().map(|&(key, at, place)| {
            let segment = &parts[at].segment;
            Entry { key, length: segment.length(place), lines: segment.raw_lines(place) }
        });
        Self {
            segment: Arc::new(Segment::assemble(entries, terms)),
            count: living.len(),
            living: living.iter().map(|&(_, at, place)| parts[at].living[place].clone()).collect(),
        }
    }

    fn strike(&mut self, places: &[usize]) {
        let mut living = self.living.to_vec();
        for &place in places {
            self.count -= usize::from(living[place].take().is_some());
        }
        self.living = living.into();
    }

    /// Number of terms of the living documents.
    fn length(&self) -> u64 {
        let living = (0..self.segment.len()).filter(|&place| self.living[place].is_some());
        living.map(|place| u64::from(self.segment.length(place))).sum()
    }
}
