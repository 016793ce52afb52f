//! Cuts texts into words as a tool search does: cased alike, stemmed as English, stop words left out.

use std::collections::HashSet;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "how", "i", "in", "into", "is", "it",
    "its", "me", "my", "of", "on", "or", "our", "that", "the", "this", "to", "was", "we", "what", "when", "where",
    "which", "who", "with", "you",
];

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As the text has it.
    pub(super) written: String,
    /// What it is compared by.
    pub(super) stem: String,
}

/// The words of a text, in order. Names in code style are several words; scripts without spaces are cut
/// into characters.
pub(super) fn words(text: &str) -> Vec<Word> {
    let stemmer = Stemmer::create(Algorithm::English);
    let spaced = spaced(text);
    let found = spaced.unicode_words().filter_map(|written| {
        let lower = written.to_lowercase();
        let is_stop = STOP_WORDS.contains(&lower.as_str());
        (!is_stop).then(|| Word { written: written.to_owned(), stem: stemmer.stem(&lower).into_owned() })
    });
    found.collect()
}

/// The words of a text, each once.
pub(super) fn distinct(text: &str) -> Vec<Word> {
    let mut words = words(text);
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.stem.clone()));
    words
}

/// The text with spaces where words of a name meet: `snake_case`, `camelCase`, `Next.js`, `item's`.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 16);
    let mut after_lower = false;
    for c in text.chars() {
        if after_lower && c.is_uppercase() {
            spaced.push(' ');
        }
        after_lower = c.is_lowercase();
        spaced.push(if matches!(c, '_' | '.' | ':' | '\'' | '’') { ' ' } else { c });
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.stem).collect()
    }

    #[test]
    fn names_in_code_style_are_several_words() {
        assert_eq!(
            stems("list_tables search-concepts maxResults Next.js"),
            ["list", "tabl", "search", "concept", "max", "result", "next", "js"]
        );
    }

    #[test]
    fn forms_of_a_word_are_one_and_stop_words_none() {
        assert_eq!(stems("The refunds of a refund"), ["refund", "refund"]);
        assert_eq!(distinct("the Refunds of a refund").len(), 1);
        assert_eq!(stems("what is it?"), [""; 0]);
    }

    #[test]
    fn other_scripts_have_words_too() {
        assert_eq!(stems("Überweisung größer"), ["überweisung", "größer"]);
        assert_eq!(stems("流失率"), ["流", "失", "率"]);
    }
}
