//! An inverted index of the words of a bundle.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::bundle::Bundle;
use crate::document::{Document, Head};

use super::scan;
use super::tokens::{self, Term, Word};

/// Where a word stands in a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// The concept ID.
    Id,
    /// `title`.
    Title,
    /// `tags` and `type`.
    Tags,
    /// `description`.
    Description,
    /// Any value of the frontmatter, those above included.
    Frontmatter,
    /// A heading line.
    Heading,
    /// Any other line of the body.
    Body,
}

/// Occurrences by [`Field`], saturating.
pub(super) type Counts = [u8; Field::COUNT];

impl Field {
    pub(super) const COUNT: usize = 7;
}

/// The occurrences of a word in one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    /// Which document: its place in [`Bundle::documents`].
    pub(super) document: u32,
    /// How often, by field.
    pub(super) counts: Counts,
}

/// Which word stands where in a bundle's documents, for ranking.
///
/// A pure function of the documents. About 16 bytes a distinct word of a document.
#[derive(Debug)]
pub struct WordIndex {
    postings: HashMap<Term, Vec<Posting>, BuildHasherDefault<TermHasher>>,
    /// Words in each document.
    lengths: Vec<u32>,
    mean_length: f64,
}

impl WordIndex {
    /// Reads every decoded concept of a bundle, in parallel when there is much to read.
    #[must_use]
    pub fn build(bundle: &Bundle) -> Self {
        let documents: Vec<&Document> = bundle.documents().map(AsRef::as_ref).collect();
        let read = scan::map(&documents, &|| false, DocumentWords::of).unwrap_or_default();
        let mut postings = HashMap::<Term, Vec<Posting>, _>::default();
        for (document, words) in (0..).zip(&read) {
            for &(term, counts) in &words.terms {
                postings.entry(term).or_default().push(Posting { document, counts });
            }
        }
        let lengths: Vec<u32> = read.iter().map(|words| words.length).collect();
        let total: f64 = lengths.iter().copied().map(f64::from).sum();
        let mean_length = (total / lengths.len().max(1) as f64).max(1.0);
        Self { postings, lengths, mean_length }
    }

    /// Number of documents.
    pub(super) fn documents(&self) -> usize {
        self.lengths.len()
    }

    /// The documents that hold a word, in their order.
    pub(super) fn postings(&self, term: Term) -> &[Posting] {
        self.postings.get(&term).map_or(&[], Vec::as_slice)
    }

    /// A document's length relative to the mean.
    pub(super) fn relative_length(&self, document: u32) -> f64 {
        self.lengths.get(document as usize).map_or(1.0, |&length| f64::from(length) / self.mean_length)
    }
}

/// The words of one document: a pure function of its path and text.
#[derive(Debug)]
struct DocumentWords {
    terms: Vec<(Term, Counts)>,
    length: u32,
}

impl DocumentWords {
    fn of(document: &Document) -> Self {
        let mut occurrences = Vec::new();
        let mut add = |text: &str, field: Field| {
            tokens::words(text, |word| each_term(word, |term| occurrences.push((term, field))));
        };
        add(document.id(), Field::Id);
        let about = About::of(document);
        add(about.title, Field::Title);
        add(about.description, Field::Description);
        add(about.concept_type, Field::Tags);
        about.tags.iter().for_each(|tag| add(tag, Field::Tags));
        let text = document.text().as_str();
        for line in crate::text::lines(text) {
            let in_body = line.start >= document.body_start();
            let content = &text[line];
            if !in_body {
                add(&content[key_length(content)..], Field::Frontmatter);
            } else if is_heading(content) {
                add(content, Field::Heading);
            } else {
                add(content, Field::Body);
            }
        }
        Self { length: u32::try_from(occurrences.len()).unwrap_or(u32::MAX), terms: counted(occurrences) }
    }
}

fn counted(mut occurrences: Vec<(Term, Field)>) -> Vec<(Term, Counts)> {
    occurrences.sort_unstable_by_key(|&(term, _)| term);
    let mut terms: Vec<(Term, Counts)> = Vec::new();
    for (term, field) in occurrences {
        if terms.last().is_none_or(|&(last, _)| last != term) {
            terms.push((term, Counts::default()));
        }
        if let Some((_, counts)) = terms.last_mut() {
            counts[field as usize] = counts[field as usize].saturating_add(1);
        }
    }
    terms
}

/// Every term under which a word is found.
pub(super) fn each_term(word: &Word<'_>, mut each: impl FnMut(Term)) {
    word.whole.into_iter().for_each(&mut each);
    word.parts.iter().chain(word.characters).for_each(|&(term, _)| each(term));
}

/// What a concept says it is about. A frontmatter that does not parse is read as far as it goes.
#[derive(Debug, Default)]
pub(super) struct About<'a> {
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    pub(super) concept_type: &'a str,
    pub(super) tags: Vec<&'a str>,
}

impl<'a> About<'a> {
    pub(super) fn of(document: &'a Document) -> Self {
        if let Head::Broken { yaml: Some(yaml), .. } = document.head() {
            let mut about = Self::default();
            for (key, value) in crate::frontmatter::salvage(&document.text().as_str()[yaml.clone()]) {
                match key {
                    "title" => about.title = value,
                    "description" => about.description = value,
                    "type" => about.concept_type = value,
                    "tags" => about.tags.push(value),
                    _ => {}
                }
            }
            return about;
        }
        let metadata = document.metadata();
        Self {
            title: metadata.title.as_deref().unwrap_or_default(),
            description: metadata.description.as_deref().unwrap_or_default(),
            concept_type: metadata.concept_type.as_deref().unwrap_or_default(),
            tags: metadata.tags.iter().map(AsRef::as_ref).collect(),
        }
    }
}

/// The bytes of a frontmatter line's indent, dash and key: keys are not words of the concept.
pub(super) fn key_length(line: &str) -> usize {
    let rest = line.trim_start_matches([' ', '-']);
    let key =
        rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')).count();
    match rest[key..].strip_prefix(':') {
        Some(value) if key > 0 && (value.is_empty() || value.starts_with([' ', '\t', '\r', '\n'])) => {
            line.len() - value.len()
        }
        _ => 0,
    }
}

/// Whether a line of a body looks like an ATX heading. Good enough for ranking, where parsing every
/// body would cost far more than it tells.
pub(super) fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level) && rest.starts_with([' ', '\t'])
}

/// Terms are hashes already.
#[derive(Debug, Default)]
struct TermHasher(u64);

impl Hasher for TermHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxhash_rust::xxh3::xxh3_64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_words() {
        for (line, rest) in [
            ("title: The title\n", " The title\n"),
            ("  - resource: /a.md", " /a.md"),
            ("tags:\r\n", "\r\n"),
            ("- plain", "- plain"),
            ("http://example.org", "http://example.org"),
            ("  folded text: more", "  folded text: more"),
            ("über: x", "über: x"),
        ] {
            assert_eq!(&line[key_length(line)..], rest);
        }
    }

    #[test]
    fn headings_are_told_from_tags() {
        assert!(is_heading("## Two"));
        assert!(!is_heading("#tag") && !is_heading("####### Seven") && !is_heading("text # not"));
    }
}
