//! A frozen part of the index: the words of up to some thousand documents.

use std::borrow::Borrow;

use crate::document::Document;
use crate::search::tokens::Term;

use super::terms::{DocumentWords, Field};
use super::varint;

/// The words of some documents. A document is named by its place: the rank of its key.
///
/// A list of postings holds the documents with a term in ascending order. A posting is the distance to the
/// document before it and the size of what follows, in one number; then the numbers of the words.
#[derive(Debug, Default)]
pub(in crate::search) struct Segment {
    /// The hash of each concept ID, ascending.
    keys: Box<[u64]>,
    /// Number of terms of each document.
    lengths: Box<[u32]>,
    /// What lines each document has.
    lines: Slices,
    terms: Box<[Term]>,
    /// The postings of each term.
    postings: Slices,
}

/// Byte strings one after another.
#[derive(Debug, Default)]
struct Slices {
    ends: Box<[u32]>,
    bytes: Box<[u8]>,
}

/// A document on its way into a segment, with its words (owned when read, borrowed when moved).
pub(super) struct Entry<'a> {
    pub(super) key: u64,
    pub(super) length: u32,
    pub(super) lines: &'a [u8],
}

/// A term of a document on its way into a segment, and the numbers of its words.
pub(super) struct TermEntry<'a> {
    pub(super) term: Term,
    pub(super) place: u32,
    pub(super) positions: &'a [u8],
}

/// Sizes up to this are part of a posting's first number.
const SMALL: u64 = 7;

/// The key of a concept.
pub(super) fn key(id: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(id.as_bytes())
}

impl Segment {
    /// Reads documents, which must be sorted by [`key`].
    pub(super) fn read<D: Borrow<Document>>(documents: &[D]) -> Self {
        let read: Vec<(u64, DocumentWords)> = documents
            .iter()
            .map(|document| (key(document.borrow().id()), DocumentWords::of(document.borrow())))
            .collect();
        let entries = read.iter().map(|(key, words)| Entry { key: *key, length: words.length, lines: &words.lines });
        let mut terms = Vec::with_capacity(read.iter().map(|(_, words)| words.terms.len()).sum());
        for (place, (_, words)) in (0..).zip(&read) {
            let mut start = 0;
            for &(term, end) in &words.terms {
                terms.push(TermEntry { term, place, positions: &words.positions[start..end as usize] });
                start = end as usize;
            }
        }
        Self::assemble(entries, terms)
    }

    /// Puts documents together, which must come by key, and their terms, in any order.
    pub(super) fn assemble<'a>(entries: impl Iterator<Item = Entry<'a>>, mut terms: Vec<TermEntry<'a>>) -> Self {
        let (mut keys, mut lengths, mut lines) = (Vec::new(), Vec::new(), SlicesBuilder::default());
        for entry in entries {
            keys.push(entry.key);
            lengths.push(entry.length);
            lines.bytes.extend_from_slice(entry.lines);
            lines.close();
        }
        terms.sort_unstable_by_key(|entry| (entry.term, entry.place));
        let mut distinct = Vec::new();
        let mut postings = SlicesBuilder::default();
        for of_term in terms.chunk_by(|a, b| a.term == b.term) {
            distinct.push(of_term[0].term);
            let mut next = 0;
            for entry in of_term {
                let size = entry.positions.len() as u64;
                varint::push(&mut postings.bytes, u64::from(entry.place - next) << 3 | size.min(SMALL));
                if size >= SMALL {
                    varint::push(&mut postings.bytes, size);
                }
                postings.bytes.extend_from_slice(entry.positions);
                next = entry.place + 1;
            }
            postings.close();
        }
        Self {
            keys: keys.into(),
            lengths: lengths.into(),
            lines: lines.finish(),
            terms: distinct.into(),
            postings: postings.finish(),
        }
    }

    /// Number of documents, those since removed included.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn key(&self, place: usize) -> u64 {
        self.keys[place]
    }

    /// The places of the documents with a key: one, or none; several when hashes collide.
    pub(super) fn places(&self, key: u64) -> std::ops::Range<usize> {
        let start = self.keys.partition_point(|&other| other < key);
        let count = self.keys[start..].iter().take_while(|&&other| other == key).count();
        start..start + count
    }

    /// Number of terms of a document, repetitions included.
    pub(in crate::search) fn length(&self, place: usize) -> u32 {
        self.lengths[place]
    }

    /// The lines of a document as they are kept.
    pub(super) fn raw_lines(&self, place: usize) -> &[u8] {
        self.lines.get(place)
    }

    /// The lines of a document that hold words, in order: where they stand and how many words they hold.
    pub(in crate::search) fn lines(&self, place: usize) -> impl Iterator<Item = (Field, u32)> + '_ {
        let mut rest = self.lines.get(place);
        std::iter::from_fn(move || {
            let line = varint::take(&mut rest)?;
            let field = *Field::ALL.get((line & 7) as usize)?;
            Some((field, u32::try_from(line >> 3).ok()?))
        })
    }

    /// The documents that hold a term.
    pub(in crate::search) fn postings(&self, term: Term) -> Option<Postings<'_>> {
        self.terms.binary_search(&term).ok().map(|at| Postings { rest: self.postings.get(at), next: 0 })
    }

    /// Every term with its documents.
    pub(super) fn terms(&self) -> impl Iterator<Item = (Term, Postings<'_>)> {
        let lists = (0..).map(|at| Postings { rest: self.postings.get(at), next: 0 });
        self.terms.iter().copied().zip(lists)
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        let slices = |slices: &Slices| slices.bytes.len() + slices.ends.len() * 4;
        self.len() * 12 + self.terms.len() * 8 + slices(&self.lines) + slices(&self.postings)
    }
}

/// The documents that hold a term: each place and the numbers of the words there, as they are kept.
#[derive(Clone, Debug)]
pub(in crate::search) struct Postings<'a> {
    rest: &'a [u8],
    next: u32,
}

impl<'a> Iterator for Postings<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let first = varint::take(&mut self.rest)?;
        let size = match first & SMALL {
            SMALL => varint::take(&mut self.rest)?,
            small => small,
        };
        let place = self.next + u32::try_from(first >> 3).ok()?;
        let (positions, rest) = self.rest.split_at_checked(usize::try_from(size).ok()?)?;
        self.rest = rest;
        self.next = place + 1;
        Some((place, positions))
    }
}

impl Slices {
    fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.bytes[start..self.ends[at] as usize]
    }
}

#[derive(Default)]
struct SlicesBuilder {
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl SlicesBuilder {
    fn close(&mut self) {
        self.ends.push(u32::try_from(self.bytes.len()).expect("a segment holds less than 4 GiB of words"));
    }

    fn finish(self) -> Slices {
        Slices { ends: self.ends.into(), bytes: self.bytes.into() }
    }
}

/// The numbers of the words of one posting, ascending; one several times when it stands for a term several times.
pub(in crate::search) fn positions(mut kept: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut last = 0_u32;
    std::iter::from_fn(move || {
        last = last.wrapping_add(u32::try_from(varint::take(&mut kept)?).ok()?);
        Some(last)
    })
}
