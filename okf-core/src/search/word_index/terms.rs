//! The words of one document, in the form that a segment keeps them.

use crate::document::{Document, Head};
use crate::search::tokens::{self, Term, Word};

use super::varint;

/// Where a word stands in a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
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

impl Field {
    pub(crate) const COUNT: usize = 7;
    /// By their numbers.
    pub(super) const ALL: [Self; Self::COUNT] =
        [Self::Id, Self::Title, Self::Tags, Self::Description, Self::Frontmatter, Self::Heading, Self::Body];
}

/// Lines beyond this many words are not read: no text that anybody wrote is that long, and numbers stay small.
const MOST_OCCURRENCES: usize = 1 << 27;

/// The words of one document: a pure function of its path and text.
///
/// The words are numbered through the document, line by line; what the frontmatter says the concept is about
/// comes first, as lines of their own. Every term has the numbers of the words that it stands for.
#[derive(Debug, Default)]
pub(super) struct DocumentWords {
    /// The terms, ascending, each with the end of its numbers in `positions`.
    pub(super) terms: Vec<(Term, u32)>,
    /// Numbers of words as differences, term after term.
    pub(super) positions: Vec<u8>,
    /// Each line that holds words: eight times their count plus the field's number.
    pub(super) lines: Vec<u8>,
    /// Number of terms, repetitions included.
    pub(super) length: u32,
}

impl DocumentWords {
    pub(super) fn of(document: &Document) -> Self {
        let mut reading = Reading::default();
        reading.line(Field::Id, document.id());
        let about = About::of(document);
        reading.line(Field::Title, about.title);
        reading.line(Field::Description, about.description);
        reading.line(Field::Tags, about.concept_type);
        about.tags.iter().for_each(|tag| reading.line(Field::Tags, tag));
        let text = document.text().as_str();
        for line in crate::text::lines(text) {
            let in_body = line.start >= document.body_start();
            let content = &text[line];
            if !in_body {
                reading.line(Field::Frontmatter, &content[key_length(content)..]);
            } else if is_heading(content) {
                reading.line(Field::Heading, content);
            } else {
                reading.line(Field::Body, content);
            }
        }
        reading.finish()
    }
}

/// A document being read.
#[derive(Default)]
struct Reading {
    occurrences: Vec<(Term, u32)>,
    lines: Vec<u8>,
    words: u32,
}

impl Reading {
    fn line(&mut self, field: Field, text: &str) {
        if self.occurrences.len() >= MOST_OCCURRENCES {
            return;
        }
        let before = self.words;
        tokens::words(text, |word| {
            each_term(word, |term| self.occurrences.push((term, self.words)));
            self.words += 1;
        });
        if self.words > before {
            varint::push(&mut self.lines, u64::from(self.words - before) << 3 | field as u64);
        }
    }

    fn finish(self) -> DocumentWords {
        let Self { mut occurrences, lines, .. } = self;
        occurrences.sort_unstable();
        let mut read = DocumentWords { lines, ..DocumentWords::default() };
        read.length = u32::try_from(occurrences.len()).unwrap_or(u32::MAX);
        for of_term in occurrences.chunk_by(|a, b| a.0 == b.0) {
            let mut last = 0;
            for &(_, position) in of_term {
                varint::push(&mut read.positions, u64::from(position - last));
                last = position;
            }
            read.terms.push((of_term[0].0, u32::try_from(read.positions.len()).unwrap_or(u32::MAX)));
        }
        read
    }
}

/// Every term under which a word is found.
fn each_term(word: &Word<'_>, mut each: impl FnMut(Term)) {
    word.whole.into_iter().for_each(&mut each);
    word.parts.iter().chain(word.characters).for_each(|&(term, _)| each(term));
}

/// What a concept says it is about. A frontmatter that does not parse is read as far as it goes.
#[derive(Debug, Default)]
pub(crate) struct About<'a> {
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) concept_type: &'a str,
    pub(crate) tags: Vec<&'a str>,
}

impl<'a> About<'a> {
    pub(crate) fn of(document: &'a Document) -> Self {
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
pub(crate) fn key_length(line: &str) -> usize {
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
pub(crate) fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level) && rest.starts_with([' ', '\t'])
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
