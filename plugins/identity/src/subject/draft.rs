//! Collects the words and phrases of a sample and decides which of them may be shown, and how.

use std::collections::HashMap;

use super::alarming::is_alarming;
use super::corpus::{Field, Term};
use super::vocabulary::{Resolved, Slot, WordId};

/// Most words of a phrase, and most bytes.
const PHRASE_WORDS: usize = 3;
const PHRASE_BYTES: usize = 30;

/// Concepts that must use a phrase before it is one. A whole tag is one at once.
const PHRASE_CONCEPTS: u32 = 2;

/// How much a phrase that several concepts use tells beyond its words: `gross margin` is one thing.
const PHRASE_BONUS: f64 = 1.3;

/// Votes for the spelling of a word; the first word of a sentence owes its capital to its place.
const VOTES: u32 = 8;
const VOTES_OF_FIRST: u32 = 1;

/// Terms by their stems.
#[derive(Default)]
pub struct Drafts<'t> {
    drafts: Vec<Draft<'t>>,
    /// The term that a stem makes with the term before it; none before it for a single word.
    index: HashMap<(Option<usize>, WordId), usize>,
}

/// What is known of a term while the sample is read.
struct Draft<'t> {
    before: Option<usize>,
    stem: WordId,
    spellings: Vec<(Spelling<'t>, u32)>,
    joined: Option<WordId>,
    concepts: u32,
    last_concept: usize,
    names_something: bool,
    in_heading: bool,
    is_whole_tag: bool,
}

/// The words of a term as written.
type Spelling<'t> = [&'t str; PHRASE_WORDS];

impl<'t> Drafts<'t> {
    /// Counts the words and phrases of a field.
    pub fn read(&mut self, concept: usize, field: Field, words: &[Slot<'t>]) {
        for start in 0..words.len() {
            let mut spelling: Spelling<'t> = Default::default();
            let mut term = None;
            for at in 0..PHRASE_WORDS {
                let Some(Some(word)) = words.get(start + at) else { break };
                if at > 0 && !self.is_phrase(term, &spelling, words[start].as_ref(), word) {
                    break;
                }
                spelling[at] = word.surface;
                for stem in word.stems() {
                    term = Some(self.child(term, stem));
                }
                let Some(draft) = term.map(|term| &mut self.drafts[term]) else { break };
                let opens = start == 0 && matches!(field, Field::Title | Field::Description);
                draft.count(concept);
                if !is_alarming(&spelling) {
                    draft.vote(spelling, if opens { VOTES_OF_FIRST } else { VOTES });
                }
                draft.joined = draft.joined.or(word.joined.filter(|_| at == 0));
                draft.names_something |= !matches!(field, Field::Description | Field::Headings);
                draft.in_heading |= field == Field::Headings;
                let is_whole = is_break(words, start.checked_sub(1)) && is_break(words, Some(start + at + 1));
                draft.is_whole_tag |= field == Field::Tags && is_whole;
            }
        }
    }

    /// The terms that may be shown, in a fixed order: those with a stem that is `wanted`.
    pub fn finish(self, wanted: impl Fn(WordId) -> bool) -> Vec<Term> {
        let mut terms: Vec<Term> = (0..self.drafts.len())
            .filter_map(|at| {
                let draft = &self.drafts[at];
                let stems = self.stems(Some(at));
                let (spelling, is_phrase) = draft.spelling()?;
                let is_common = draft.concepts >= PHRASE_CONCEPTS;
                let is_shown = !is_phrase || is_common || draft.is_whole_tag;
                let bonus = if is_phrase && is_common { PHRASE_BONUS } else { 1.0 };
                (is_shown && stems.iter().any(|id| wanted(*id))).then(|| Term {
                    surface: spelling,
                    stems,
                    joined: draft.joined,
                    concepts: draft.concepts,
                    telling: draft.telling() * bonus,
                })
            })
            .collect();
        terms.sort_by(|a, b| a.surface.cmp(&b.surface).then_with(|| a.stems.cmp(&b.stems)));
        terms
    }

    /// Whether a word continues what begins with `first` to a phrase.
    fn is_phrase(
        &self,
        term: Option<usize>,
        before: &Spelling<'_>,
        first: Option<&Resolved<'_>>,
        next: &Resolved<'_>,
    ) -> bool {
        let length: usize = before.iter().map(|word| word.len() + 1).sum();
        let stems = self.stems(term);
        first.is_some_and(|first| first.in_phrases)
            && next.in_phrases
            && length + next.surface.len() <= PHRASE_BYTES
            && !next.stems().any(|id| stems.contains(&id))
    }

    fn child(&mut self, before: Option<usize>, stem: WordId) -> usize {
        let next = self.drafts.len();
        let at = *self.index.entry((before, stem)).or_insert(next);
        if at == next {
            self.drafts.push(Draft::new(before, stem));
        }
        at
    }

    fn stems(&self, mut term: Option<usize>) -> Vec<WordId> {
        let mut stems = Vec::new();
        while let Some(at) = term {
            stems.push(self.drafts[at].stem);
            term = self.drafts[at].before;
        }
        stems.reverse();
        stems.dedup();
        stems
    }
}

impl<'t> Draft<'t> {
    fn new(before: Option<usize>, stem: WordId) -> Self {
        Self {
            before,
            stem,
            spellings: Vec::new(),
            joined: None,
            concepts: 0,
            last_concept: usize::MAX,
            names_something: false,
            in_heading: false,
            is_whole_tag: false,
        }
    }

    fn count(&mut self, concept: usize) {
        if self.last_concept != concept {
            self.last_concept = concept;
            self.concepts += 1;
        }
    }

    fn vote(&mut self, spelling: Spelling<'t>, votes: u32) {
        match self.spellings.iter_mut().find(|(known, _)| *known == spelling) {
            Some((_, count)) => *count = count.saturating_add(votes),
            None => self.spellings.push((spelling, votes)),
        }
    }

    /// Words that name something tell most; one that a single description uses in passing tells least.
    fn telling(&self) -> f64 {
        let is_capitalised = || {
            let mut elsewhere = self.spellings.iter().filter(|(_, votes)| *votes >= VOTES).peekable();
            elsewhere.peek().is_some() && elsewhere.all(|(words, _)| words[0].contains(char::is_uppercase))
        };
        if self.names_something {
            1.0
        } else if self.in_heading {
            0.8
        } else if self.concepts > 1 || is_capitalised() {
            0.7
        } else {
            0.5
        }
    }

    /// The spelling with most votes, and whether it is a phrase; ties go to the first by code point.
    /// Stems inside a name have no spelling of their own.
    fn spelling(&self) -> Option<(String, bool)> {
        let (words, _) = self.spellings.iter().max_by(|(a, n), (b, m)| n.cmp(m).then_with(|| b.cmp(a)))?;
        let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
        Some((words.join(" "), words.len() > 1))
    }
}

fn is_break(words: &[Slot<'_>], at: Option<usize>) -> bool {
    at.and_then(|at| words.get(at)).is_none_or(Option::is_none)
}
