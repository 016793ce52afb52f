//! How common a word is in the descriptions of agent tools at large.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::language::lists;

/// `class: words`, measured; see the decision on subject words.
const TABLE: &str = include_str!("background.txt");

/// Class of a word that tools at large hardly use.
pub const RARE: u8 = 0;

/// What a word is worth to a tool search, by class: close to the inverse document frequency that
/// BM25 gives it in a pool of some hundred tools.
const WORTH: [f64; 6] = [6.2, 4.5, 3.3, 2.5, 1.8, 1.0];

/// The least common class that may stand for a subject on its own: up to 10 % of the tools.
const COMMONEST_TELLING: u8 = 3;

/// Classes by English stem, read once.
static CLASSES: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let classed = lists(TABLE).into_iter();
    classed.filter_map(|(class, word)| Some((stemmer.stem(word).into_owned(), class.parse().ok()?))).collect()
});

/// Document-frequency classes by English stem.
pub struct Background {
    stemmer: Stemmer,
}

impl Background {
    /// Gets ready to look words up.
    pub fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English) }
    }

    /// The class of a lower-case word: 0 rare, 5 in more than a fifth of all tools.
    pub fn class(&self, word: &str) -> u8 {
        CLASSES.get(self.stemmer.stem(word).as_ref()).copied().unwrap_or(RARE)
    }
}

/// What a word of a class is worth to a tool search.
pub fn worth(class: u8) -> f64 {
    WORTH[usize::from(class).min(WORTH.len() - 1)]
}

/// Whether a word of a class may stand for a subject on its own.
pub fn is_telling(class: u8) -> bool {
    class <= COMMONEST_TELLING
}

/// A class for people: in which share of the tools its words occur.
pub fn commonness(class: u8) -> &'static str {
    match class {
        0 => "rare",
        1 => "up to 2 %",
        2 => "over 2 %",
        3 => "over 5 %",
        4 => "over 10 %",
        _ => "over 20 %",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_all_tools_are_common_and_those_of_a_subject_are_rare() {
        let background = Background::new();
        assert_eq!(background.class("returns"), 5);
        assert_eq!(background.class("return"), 5);
        assert_eq!(background.class("churn"), RARE);
        assert_eq!(background.class("顧客"), RARE);
    }

    #[test]
    fn every_line_of_the_table_names_a_class() {
        assert!(lists(TABLE).len() > 500);
        for (class, word) in lists(TABLE) {
            let class: u8 = class.parse().expect("a class is a number");
            assert!((1..=5).contains(&class), "{word}");
        }
    }
}
