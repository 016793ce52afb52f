//! The stems of a sample: which words count as the same, and which questions hold them.

use std::collections::HashMap;

use super::background::Background;
use super::language::Languages;
use super::words::{Piece, Word, is_plain};

/// Words of a field that count fully; a question is about as long.
const QUESTION_WORDS: usize = 14;

/// What a word behind them counts.
const TAIL: f64 = 0.4;

/// Words that begin a command. They may stand alone in a list, never inside a phrase or a name.
const COMMANDING: &[&str] = &[
    "act",
    "assistant",
    "call",
    "delete",
    "disregard",
    "execute",
    "forget",
    "ignore",
    "instruction",
    "instructions",
    "obey",
    "override",
    "prompt",
    "remove",
    "reveal",
    "run",
    "send",
    "system",
];

/// Index of a stem.
pub type WordId = u32;

/// A stem and where it occurs.
#[derive(Clone, Debug)]
pub struct Stem {
    /// Background class, 0 rare to 5 everywhere.
    pub class: u8,
    /// The questions that hold it, with the weight of the word in each.
    pub questions: Vec<(u32, f64)>,
}

/// A word of a field with its stems; `None` breaks phrases.
pub type Slot<'t> = Option<Resolved<'t>>;

/// A word that is no stop word.
#[derive(Clone, Copy, Debug)]
pub struct Resolved<'t> {
    /// As written.
    pub surface: &'t str,
    /// The stem of a name when written as one lower-case word: `bigquery` for `BigQuery`.
    pub joined: Option<WordId>,
    /// Whether it may be part of a phrase.
    pub in_phrases: bool,
    stems: [Option<WordId>; 3],
}

impl Resolved<'_> {
    /// The stems of its parts.
    pub fn stems(&self) -> impl Iterator<Item = WordId> + use<> {
        self.stems.into_iter().flatten()
    }
}

/// All stems of a sample.
pub struct Vocabulary<'t> {
    /// Stems by [`WordId`].
    pub stems: Vec<Stem>,
    languages: Languages,
    background: Background,
    by_stem: HashMap<String, WordId>,
    /// Stems by spelling, so that a spelling is reduced once; `None` for a stop word.
    by_spelling: HashMap<&'t str, Option<WordId>>,
}

impl<'t> Vocabulary<'t> {
    /// An empty vocabulary for the languages of some pieces.
    pub fn of<'p>(pieces: impl Iterator<Item = &'p Piece<'t>>) -> Self
    where
        't: 'p,
    {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for part in pieces.filter_map(|piece| piece.word()).flat_map(|word| word.parts()) {
            *counts.entry(part).or_default() += 1;
        }
        let spellings: Vec<(String, usize)> =
            counts.into_iter().map(|(part, count)| (part.to_lowercase(), count)).collect();
        Self {
            stems: Vec::new(),
            languages: Languages::detect(spellings.iter().map(|(word, count)| (word.as_str(), *count))),
            background: Background::new(),
            by_stem: HashMap::new(),
            by_spelling: HashMap::with_capacity(spellings.len()),
        }
    }

    /// The stem of a word, unless it is a stop word.
    pub fn id(&mut self, spelling: &'t str) -> Option<WordId> {
        if let Some(&id) = self.by_spelling.get(spelling) {
            return id;
        }
        let id = self.id_of_lower_case(&spelling.to_lowercase());
        self.by_spelling.insert(spelling, id);
        id
    }

    fn id_of_lower_case(&mut self, word: &str) -> Option<WordId> {
        if self.languages.is_stop_word(word) {
            return None;
        }
        let stem = self.languages.stem(word);
        let next = WordId::try_from(self.stems.len()).unwrap_or(WordId::MAX);
        let id = *self.by_stem.entry(stem).or_insert(next);
        if id == next {
            self.stems.push(Stem { class: self.background.class(word), questions: Vec::new() });
        }
        Some(id)
    }

    /// A word with its stems. A stop word breaks phrases like punctuation; a name that holds one, or
    /// a commanding word, falls into its parts.
    pub fn resolve(&mut self, piece: Piece<'t>) -> impl Iterator<Item = Slot<'t>> + use<'t> {
        let mut slots: [Option<Slot<'t>>; 3] = [Some(None), None, None];
        if let Some(word) = piece.word() {
            let mut stems = [None; 3];
            for (stem, part) in stems.iter_mut().zip(word.parts()) {
                *stem = self.id(part);
            }
            let is_commanding = word.parts().any(is_commanding);
            let is_whole = stems.iter().flatten().count() == word.parts().count();
            if word.is_name() && !is_whole && !word.surface.contains(['-', '.']) {
                // A stop word inside, as in `InsO`, does not make two words of one.
                slots[0] = Some(self.id(word.surface).map(|stem| Resolved::alone(word.surface, stem)));
            } else if word.is_name() && (is_commanding || !is_whole) {
                for ((slot, part), stem) in slots.iter_mut().zip(word.parts()).zip(stems) {
                    *slot = Some(stem.filter(|_| is_plain(part)).map(|stem| Resolved::alone(part, stem)));
                }
            } else if is_whole {
                slots[0] = Some(Some(Resolved {
                    surface: word.surface,
                    joined: word.is_name().then(|| self.joined(&word)).flatten(),
                    in_phrases: word.spaced && !is_commanding,
                    stems,
                }));
            }
        }
        slots.into_iter().flatten()
    }

    fn joined(&mut self, word: &Word<'_>) -> Option<WordId> {
        let joined: String = word.parts().flat_map(str::chars).flat_map(char::to_lowercase).collect();
        self.id_of_lower_case(&joined)
    }

    /// Records the words of a field as a question; `false` when there are none.
    pub fn ask(&mut self, question: usize, words: &[Slot<'_>]) -> bool {
        let question = u32::try_from(question).unwrap_or(u32::MAX);
        let mut any = false;
        for (at, word) in words.iter().flatten().enumerate() {
            let weight = if at < QUESTION_WORDS { 1.0 } else { TAIL };
            for id in word.stems() {
                let questions = &mut self.stems[id as usize].questions;
                if questions.last().is_none_or(|&(last, _)| last != question) {
                    questions.push((question, weight));
                    any = true;
                }
            }
        }
        any
    }
}

impl<'t> Resolved<'t> {
    /// A part of a name that fell apart.
    fn alone(surface: &'t str, stem: WordId) -> Self {
        Self { surface, joined: None, in_phrases: false, stems: [Some(stem), None, None] }
    }
}

fn is_commanding(part: &str) -> bool {
    COMMANDING.iter().any(|word| part.eq_ignore_ascii_case(word))
}
