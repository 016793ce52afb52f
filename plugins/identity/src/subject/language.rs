//! Languages: words that say nothing about a subject, and stems.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// `language: words`, one language over several lines.
const STOPWORDS: &str = include_str!("stopwords.txt");

/// A language counts when at least one word in this many is a stop word of it and not of English.
const ONE_WORD_IN: usize = 50;

/// And at least this many different ones: a title with `war` or `son` is no German or French.
const DIFFERENT: usize = 3;

/// The stop words of all languages, sorted out once.
struct StopWords {
    lists: Vec<(&'static str, &'static str)>,
    english: HashSet<&'static str>,
    /// The other languages that have a word which is none in English.
    others: HashMap<&'static str, Vec<&'static str>>,
}

static STOP_WORDS: LazyLock<StopWords> = LazyLock::new(|| {
    let lists = lists(STOPWORDS);
    let english: HashSet<&str> = lists.iter().filter(|(name, _)| *name == "en").map(|(_, word)| *word).collect();
    let mut others: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, word) in lists.iter().filter(|(_, word)| !english.contains(word)) {
        others.entry(word).or_default().push(name);
    }
    StopWords { lists, english, others }
});

/// What the languages of a bundle say about its words.
pub struct Languages {
    stop: HashSet<&'static str>,
    latin: Stemmer,
    cyrillic: Stemmer,
}

impl Languages {
    /// Recognises the languages of different lower-case words, each with how often it occurs, by
    /// their stop words. English always counts: it stands in keys, product names and quotations.
    pub fn detect<'a>(words: impl Iterator<Item = (&'a str, usize)>) -> Self {
        let StopWords { lists, english, others } = &*STOP_WORDS;
        let mut hits: HashMap<&str, (usize, usize)> = HashMap::new();
        let (mut total, mut english_hits) = (0, 0);
        for (word, count) in words {
            total += count;
            english_hits += if english.contains(word) { count } else { 0 };
            for name in others.get(word).into_iter().flatten() {
                let (occurrences, different) = hits.entry(name).or_default();
                *occurrences += count;
                *different += 1;
            }
        }
        hits.retain(|_, (count, different)| *count * ONE_WORD_IN >= total && *different >= DIFFERENT);
        let spoken = |name: &str| name == "en" || hits.contains_key(name);
        let stop = lists.iter().filter(|(name, _)| spoken(name)).map(|(_, word)| *word).collect();
        let main = hits.iter().filter(|(_, (n, _))| *n > english_hits).max_by_key(|(name, (n, _))| (*n, **name));
        let latin = main.map_or(Algorithm::English, |(name, _)| algorithm(name));
        Self { stop, latin: Stemmer::create(latin), cyrillic: Stemmer::create(Algorithm::Russian) }
    }

    /// Whether a lower-case word says nothing about a subject.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop.contains(word)
    }

    /// The stem of a lower-case word, by which words count as the same.
    pub fn stem(&self, word: &str) -> String {
        match word.chars().next() {
            Some('a'..='z' | '\u{c0}'..='\u{24f}') => self.latin.stem(word).into_owned(),
            Some('\u{400}'..='\u{4ff}') => self.cyrillic.stem(word).into_owned(),
            _ => word.to_owned(),
        }
    }
}

/// The pairs of a `name: words` file; `#` starts a comment line.
pub fn lists(file: &'static str) -> Vec<(&'static str, &'static str)> {
    file.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(name, words)| words.split_whitespace().map(move |word| (name, word)))
        .collect()
}

fn algorithm(language: &str) -> Algorithm {
    match language {
        "de" => Algorithm::German,
        "fr" => Algorithm::French,
        "es" => Algorithm::Spanish,
        "it" => Algorithm::Italian,
        "pt" => Algorithm::Portuguese,
        "nl" => Algorithm::Dutch,
        "sv" => Algorithm::Swedish,
        "tr" => Algorithm::Turkish,
        // Russian has its own script; for Polish there is no stemmer, and English strips no more than a final s.
        _ => Algorithm::English,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages(text: &str) -> Languages {
        Languages::detect(text.split_whitespace().map(|word| (word, 1)))
    }

    #[test]
    fn stop_words_of_a_language_that_is_not_spoken_are_words() {
        let english = languages("the war of the worlds and the son of a king in exile");
        assert!(!english.is_stop_word("war") && !english.is_stop_word("son"));
        assert!(english.is_stop_word("the"));
        let german = languages("der vertrag ist nichtig wenn er gegen das gesetz verstößt und die frist war kurz");
        assert!(german.is_stop_word("war") && german.is_stop_word("the"));
    }

    #[test]
    fn stems_follow_the_main_language() {
        let german = languages("der käufer hat die sache und der vertrag ist nicht nichtig");
        assert_eq!(german.stem("verträgen"), german.stem("vertrag"));
        let english = languages("the margin of the product");
        assert_eq!(english.stem("margins"), "margin");
        assert_eq!(english.stem("顧客"), "顧客");
    }
}
