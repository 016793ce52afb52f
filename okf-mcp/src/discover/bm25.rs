//! BM25 with its usual parameters.

use std::collections::HashMap;

use super::text::{Word, words};

/// How soon further occurrences of a word stop counting.
const K1: f64 = 1.2;
/// How much a long text is held against its words.
const B: f64 = 0.75;
/// The length that counts as average, in words: measured over 670 tools of 36 public servers, since the
/// pool here is worded more briefly than those.
const AVERAGE: f64 = 67.0;

/// The words of a number of texts, counted.
pub(super) struct Index {
    documents: Vec<Document>,
    /// In how many texts each stem occurs.
    spread: HashMap<String, usize>,
}

struct Document {
    counts: HashMap<String, usize>,
    length: usize,
}

/// A text that shares a word with the question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranked {
    /// Its place in the index.
    pub(super) document: usize,
    /// What each word of the question brings; their sum is the score.
    pub(super) weights: Vec<f64>,
}

impl Ranked {
    fn score(&self) -> f64 {
        self.weights.iter().sum()
    }
}

impl Index {
    /// Counts the words of each text.
    pub(super) fn new(texts: impl Iterator<Item = String>) -> Self {
        let documents: Vec<Document> = texts.map(|text| Document::of(&text)).collect();
        let mut spread = HashMap::new();
        for stem in documents.iter().flat_map(|document| document.counts.keys()) {
            *spread.entry(stem.clone()).or_default() += 1;
        }
        Self { documents, spread }
    }

    /// Whether a text has a word.
    pub(super) fn holds(&self, document: usize, word: &Word) -> bool {
        self.documents.get(document).is_some_and(|document| document.counts.contains_key(&word.stem))
    }

    /// The texts that share a word with the question, best first; ties in the order of the texts.
    pub(super) fn rank(&self, question: &[Word]) -> Vec<Ranked> {
        let mut ranking: Vec<Ranked> = (0..self.documents.len())
            .map(|document| Ranked {
                document,
                weights: question.iter().map(|word| self.weight(document, word)).collect(),
            })
            .filter(|ranked| ranked.score() > 0.0)
            .collect();
        ranking.sort_by(|a, b| b.score().total_cmp(&a.score()));
        ranking
    }

    fn weight(&self, document: usize, word: &Word) -> f64 {
        let document = &self.documents[document];
        let Some(&count) = document.counts.get(&word.stem) else { return 0.0 };
        let (all, with) = (as_f64(self.documents.len()), as_f64(self.spread[&word.stem]));
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        let count = as_f64(count);
        rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * as_f64(document.length) / AVERAGE))
    }
}

impl Document {
    fn of(text: &str) -> Self {
        let words = words(text);
        let length = words.len();
        let mut counts = HashMap::new();
        for word in words {
            *counts.entry(word.stem).or_default() += 1;
        }
        Self { counts, length }
    }
}

/// A count of words or texts: far below where a float loses units.
#[allow(clippy::cast_precision_loss)]
fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::text::distinct;
    use super::*;

    fn ranked(texts: &[&str], question: &str) -> Vec<usize> {
        let index = Index::new(texts.iter().map(|&text| text.to_owned()));
        index.rank(&distinct(question)).into_iter().map(|ranked| ranked.document).collect()
    }

    #[test]
    fn rare_words_count_more_than_common_ones() {
        assert_eq!(ranked(&["search files", "search pages", "search churn"], "search churn")[0], 2);
    }

    #[test]
    fn the_shorter_of_two_texts_comes_first_and_ties_keep_their_order() {
        assert_eq!(ranked(&["churn and much else besides", "churn", "churn"], "churn"), [1, 2, 0]);
    }

    #[test]
    fn what_shares_no_word_is_not_ranked() {
        assert_eq!(ranked(&["files", "pages"], "churn"), [0; 0]);
        assert_eq!(ranked(&[], "churn"), [0; 0]);
    }
}
