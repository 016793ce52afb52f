//! The sample as a tool search sees it: questions that an agent may ask, and terms that answer them.

use std::borrow::Cow;
use std::collections::HashSet;

use okf_mcp::identity::ConceptHead;

use super::background::{is_telling, worth};
use super::draft::Drafts;
use super::script::Lexicon;
use super::vocabulary::{Slot, Stem, Vocabulary, WordId};
use super::words::{self, Piece, normalised};

/// Most headings and most tags of one concept that count.
const MOST_HEADINGS: usize = 12;
const MOST_TAGS: usize = 24;

/// Most characters of one field that count: a description is a sentence or two.
const LONGEST_FIELD: usize = 600;

/// Stands between the items of a list.
const APART: &str = " , ";

/// A term that may be shown.
#[derive(Clone, Debug)]
pub struct Term {
    /// As people write it.
    pub surface: String,
    /// The stems of its words or parts.
    pub stems: Vec<WordId>,
    /// A name's stem when written as one word (`bigquery`), so that both spellings are not shown.
    pub joined: Option<WordId>,
    /// Number of concepts in the sample that use it.
    pub concepts: u32,
    /// How much it tells about a subject, by where it stands: 1 for a word that names something.
    pub telling: f64,
}

/// The sample, cut into questions and terms.
pub struct Corpus {
    /// Stems by [`WordId`].
    pub stems: Vec<Stem>,
    /// The weight of each question.
    pub questions: Vec<f64>,
    /// Terms in a fixed order.
    pub terms: Vec<Term>,
}

/// A field of a concept, read as a question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `title`, or the name of the file.
    Title,
    /// `description`
    Description,
    /// `tags`
    Tags,
    /// Headings of the body.
    Headings,
    /// `type`
    Type,
    /// The directories above it.
    Area,
}

impl Field {
    /// How likely a question is to sound like the field.
    fn weight(self) -> f64 {
        match self {
            Self::Title | Self::Description => 1.0,
            Self::Tags => 0.3,
            Self::Headings => 0.15,
            Self::Type | Self::Area => 0.1,
        }
    }
}

impl Corpus {
    /// Reads a sample. `known` are texts that every tool shows anyway; their words need no term.
    pub fn read(sample: &[&ConceptHead], known: &[&str]) -> Self {
        let lexicon = Lexicon::learn(sample);
        let known: Vec<Cow<'_, str>> = known.iter().map(|text| normalised(text)).collect();
        let texts: Vec<(usize, Field, Cow<'_, str>)> = sample.iter().copied().enumerate().flat_map(fields).collect();
        let cut: Vec<Vec<Piece<'_>>> = texts.iter().map(|(_, _, text)| words::cut(text, &lexicon)).collect();
        let mut vocabulary = Vocabulary::of(cut.iter().flatten());
        let mut drafts = Drafts::default();
        let mut questions = Vec::new();
        for ((concept, field, _), pieces) in texts.iter().zip(&cut) {
            let words: Vec<Slot<'_>> = pieces.iter().flat_map(|piece| vocabulary.resolve(*piece)).collect();
            if vocabulary.ask(questions.len(), &words) {
                questions.push(field.weight());
            }
            drafts.read(*concept, *field, &words);
        }
        let known = known
            .iter()
            .flat_map(|text| words::cut(text, &lexicon))
            .filter_map(Piece::word)
            .flat_map(|word| word.parts());
        let known: HashSet<WordId> = known.filter_map(|part| vocabulary.id(part)).collect();
        let stems = vocabulary.stems;
        let terms = drafts.finish(|id| is_telling(stems[id as usize].class) && !known.contains(&id));
        Self { stems, questions, terms }
    }
}

impl Term {
    /// Bytes that it takes in a list, with the separator.
    pub fn cost(&self) -> usize {
        self.surface.len() + ", ".len()
    }
}

impl Corpus {
    /// Bytes that all terms of one word would take.
    pub fn supply(&self) -> usize {
        self.terms.iter().filter(|term| term.stems.len() == 1).map(Term::cost).sum()
    }

    /// What a term's stem is worth to a tool search.
    pub fn worth(&self, id: WordId) -> f64 {
        worth(self.stems[id as usize].class)
    }
}

/// The fields of a concept as bounded texts. Items of a list are apart, so that they make no phrase.
fn fields((concept, head): (usize, &ConceptHead)) -> Vec<(usize, Field, Cow<'_, str>)> {
    let (area, name) = head.id.rsplit_once('/').unwrap_or(("", &head.id));
    let title = head.title.as_deref().map_or_else(|| name.replace(['-', '_'], " ").into(), Cow::Borrowed);
    let listed = |items: &[String], most: usize| items[..most.min(items.len())].join(APART);
    let texts = [
        (Field::Title, title),
        (Field::Description, head.description.as_deref().unwrap_or_default().into()),
        (Field::Tags, listed(&head.tags, MOST_TAGS).into()),
        (Field::Headings, listed(&head.headings, MOST_HEADINGS).into()),
        (Field::Type, head.concept_type.as_deref().unwrap_or_default().into()),
        (Field::Area, area.replace('/', APART).into()),
    ];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    texts.map(|(field, text)| (concept, field, bounded(&normalised(&text)).to_owned().into())).collect()
}

/// The beginning of a field, never half a word.
fn bounded(text: &str) -> &str {
    let Some((end, _)) = text.char_indices().nth(LONGEST_FIELD) else { return text };
    let is_gap = |c: char| c.is_whitespace() || c.is_ascii_punctuation() || matches!(c, '、' | '。' | '，');
    text[..end].rsplit_once(is_gap).map_or("", |(whole, _)| whole)
}
