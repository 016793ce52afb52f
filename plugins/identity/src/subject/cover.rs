//! Shares terms out over tools so that most concepts are found through one of them.
//!
//! A tool search scores each tool alone, so words that a question holds together belong on one
//! tool. Terms are chosen greedily: the next is the one, on the tool where it helps most, that
//! brings the most questions closest to being answered, per byte.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

use super::corpus::{Corpus, Term};
use super::vocabulary::WordId;

/// Worth at which a question counts as answered: four or five rare words.
const ENOUGH: f64 = 30.0;

/// What worth beyond that still counts, up to three times as much.
const BEYOND: f64 = 0.2;

/// Terms that are looked at, best first: bounds the work for the oddest bundle.
const MOST_TERMS: usize = 3_000;

/// A term on a tool's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Index into [`Corpus::terms`].
    pub term: usize,
    /// Index of the list.
    pub list: usize,
}

/// Chooses terms for lists of limited bytes, in the order of choice. No two share a stem.
pub fn choose(corpus: &Corpus, room: &[usize]) -> Vec<Pick> {
    let mut lists: Vec<List> =
        room.iter().map(|&left| List { left, score: vec![0.0; corpus.questions.len()] }).collect();
    let mut chooser =
        Chooser { corpus, best: vec![0.0; corpus.questions.len()], added: vec![0.0; corpus.questions.len()] };
    let mut used: HashSet<WordId> = HashSet::new();
    let mut picks = Vec::new();
    let mut queue = chooser.queue();
    while let Some(Entry { value, term, round }) = queue.pop() {
        let candidate = &corpus.terms[term];
        if candidate.stems.iter().chain(&candidate.joined).any(|id| used.contains(id)) {
            continue;
        }
        let Some((gain, list)) = chooser.best_list(candidate, &lists) else { continue };
        let now = value_of(candidate, gain);
        if now <= 0.0 {
            continue;
        }
        // The value may be of an earlier round; it is taken only when it still beats the next one.
        if round != picks.len() && now < value && queue.peek().is_some_and(|next| now < next.value) {
            queue.push(Entry { value: now, term, round: picks.len() });
            continue;
        }
        used.extend(candidate.stems.iter().chain(&candidate.joined));
        chooser.take(candidate, &mut lists[list]);
        picks.push(Pick { term, list });
    }
    picks
}

/// What is on a list so far.
struct List {
    left: usize,
    /// Worth of its words for each question.
    score: Vec<f64>,
}

struct Chooser<'a> {
    corpus: &'a Corpus,
    /// The best score of any list, by question.
    best: Vec<f64>,
    /// Scratch: what a term adds to each question. All zero between calls.
    added: Vec<f64>,
}

impl Chooser<'_> {
    /// The terms by what they would bring to an empty list.
    fn queue(&mut self) -> BinaryHeap<Entry> {
        let empty = [List { left: usize::MAX, score: vec![0.0; self.best.len()] }];
        let mut entries: Vec<Entry> = Vec::with_capacity(self.corpus.terms.len());
        for (term, candidate) in self.corpus.terms.iter().enumerate() {
            let gain = self.best_list(candidate, &empty).map_or(0.0, |(gain, _)| gain);
            entries.push(Entry { value: value_of(candidate, gain), term, round: 0 });
        }
        entries.sort_unstable_by(|a, b| b.cmp(a));
        entries.truncate(MOST_TERMS);
        entries.into()
    }

    /// Where a term helps most, among lists with room for it: the fullest gain, then the most room.
    fn best_list(&mut self, term: &Term, lists: &[List]) -> Option<(f64, usize)> {
        let touched = self.spread(term);
        let mut best: Option<(f64, usize)> = None;
        for (at, list) in lists.iter().enumerate() {
            if list.left < term.cost() {
                continue;
            }
            let gain: f64 = touched
                .iter()
                .map(|&question| {
                    let reached = list.score[question] + self.added[question];
                    let closer = answered(reached) - answered(self.best[question]);
                    closer.max(0.0) * self.corpus.questions[question]
                })
                .sum();
            let wins = best.is_none_or(|(other, at)| gain > other || (gain >= other && list.left > lists[at].left));
            if wins {
                best = Some((gain, at));
            }
        }
        for question in touched {
            self.added[question] = 0.0;
        }
        best
    }

    /// Puts a term on a list.
    fn take(&mut self, term: &Term, list: &mut List) {
        list.left -= term.cost();
        for question in self.spread(term) {
            list.score[question] += self.added[question];
            self.best[question] = self.best[question].max(list.score[question]);
            self.added[question] = 0.0;
        }
    }

    /// Fills the scratch with what a term adds; returns the questions that it adds to.
    fn spread(&mut self, term: &Term) -> Vec<usize> {
        let mut touched = Vec::new();
        for &id in &term.stems {
            let worth = self.corpus.worth(id);
            for &(question, weight) in &self.corpus.stems[id as usize].questions {
                let question = question as usize;
                if self.added[question] == 0.0 {
                    touched.push(question);
                }
                self.added[question] += worth * weight;
            }
        }
        touched
    }
}

/// How far a question is answered by words of some worth.
fn answered(worth: f64) -> f64 {
    worth.min(ENOUGH) + BEYOND * (worth.min(3.0 * ENOUGH) - ENOUGH).max(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "a term has tens of bytes")]
fn value_of(term: &Term, gain: f64) -> f64 {
    term.telling * gain / term.cost() as f64
}

/// A term in the queue: highest value first, ties in the order of terms.
struct Entry {
    value: f64,
    term: usize,
    round: usize,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then_with(|| other.term.cmp(&self.term))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

#[cfg(test)]
mod tests {
    use okf_mcp::identity::ConceptHead;

    use super::*;

    fn corpus(titles: &[&str]) -> Corpus {
        let head = |title: &&str| ConceptHead { title: Some((*title).to_owned()), ..ConceptHead::default() };
        let heads: Vec<ConceptHead> = titles.iter().map(head).collect();
        Corpus::read(&heads.iter().collect::<Vec<_>>(), &[])
    }

    fn surfaces(corpus: &Corpus, room: &[usize]) -> Vec<(usize, String)> {
        choose(corpus, room).into_iter().map(|pick| (pick.list, corpus.terms[pick.term].surface.clone())).collect()
    }

    #[test]
    fn a_word_of_many_concepts_comes_before_one_of_few() {
        let corpus = corpus(&["basalt", "magma basalt", "basalt gneiss"]);
        assert_eq!(surfaces(&corpus, &[100])[0], (0, "basalt".to_owned()));
    }

    #[test]
    fn a_list_is_never_overfull_and_no_word_is_cut() {
        let corpus = corpus(&["basalt magma obsidian gneiss"]);
        let chosen = surfaces(&corpus, &[15, 8]);
        let bytes =
            |list: usize| -> usize { chosen.iter().filter(|pick| pick.0 == list).map(|pick| pick.1.len() + 2).sum() };
        assert!(bytes(0) <= 15 && bytes(1) <= 8, "{chosen:?}");
        assert!(!chosen.is_empty());
    }

    #[test]
    fn forms_of_one_word_count_once() {
        let corpus = corpus(&["basalt rock", "basalts and rocks", "the rocks"]);
        assert_eq!(surfaces(&corpus, &[500]).len(), 2);
    }

    #[test]
    fn there_is_nothing_to_choose_without_lists_or_terms() {
        assert!(choose(&corpus(&["basalt"]), &[]).is_empty());
        assert!(choose(&corpus(&[]), &[100]).is_empty());
    }
}
