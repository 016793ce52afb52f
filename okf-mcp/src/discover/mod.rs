//! Would a tool search find this bundle for a question: what is served, ranked among tools of other servers.
//!
//! Knows nothing about who wrote the served texts; ranks what a client would be told.

mod bm25;
mod pool;
mod text;

use serde::Serialize;

use crate::tool::ToolSpec;
use bm25::{Index, Ranked};
use pool::Candidate;
use text::Word;

/// A way in which clients search deferred tools: BM25 over the texts of each tool alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    /// What it is called here.
    pub(crate) name: &'static str,
    /// What it reads, for people.
    pub(crate) reads: &'static str,
    /// How many tools it offers to the model.
    pub(crate) top: usize,
    titles: bool,
}

/// The two searches that clients document.
pub(crate) const SEARCHES: [Search; 2] = [
    Search { name: "wide", reads: "names, titles, descriptions and arguments", top: 8, titles: true },
    Search { name: "narrow", reads: "names, descriptions and arguments", top: 5, titles: false },
];

/// What the searches make of a question.
///
/// `{"query","found","pool_tools","searches":[…],"missing":["quarterly"]}`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Answer {
    /// The question as asked.
    pub(crate) query: String,
    /// Whether one of the searches offers a tool of the bundle.
    pub(crate) found: bool,
    /// How many tools of other servers stood against those of the bundle.
    pub(crate) pool_tools: usize,
    /// What each search makes of it, in the order of [`SEARCHES`].
    pub(crate) searches: Vec<Outcome>,
    /// Words of the question that no tool of the bundle has.
    pub(crate) missing: Vec<String>,
}

/// What one search makes of a question.
///
/// `{"search":"wide","top":8,"found":true,"rank":1,"tool":"search-concepts","words":[{"word":"churn","weight":5.1}]}`;
/// without `rank`, `tool` and `words` when no tool of the bundle shares a word with the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Outcome {
    /// The search's name.
    pub(crate) search: &'static str,
    /// How many tools it offers.
    pub(crate) top: usize,
    /// Whether a tool of the bundle is among them.
    pub(crate) found: bool,
    /// The bundle's best tool.
    #[serde(flatten)]
    pub(crate) best: Option<Best>,
}

/// The bundle's tool that a search ranks highest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Best {
    /// Its place among all tools; 1 is first.
    pub(crate) rank: usize,
    /// Its name.
    pub(crate) tool: String,
    /// The words of the question that it has, the weightiest first.
    pub(crate) words: Vec<Weight>,
}

/// What a word brings to a tool's score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Weight {
    /// The word as asked.
    pub(crate) word: String,
    /// Its part of the BM25 score, to two decimals.
    pub(crate) weight: f64,
}

/// Asks both searches a question about a server with these tools; `None` when it holds no word that
/// they would look for.
pub(crate) fn ask(server: &str, tools: &[ToolSpec], query: &str) -> Option<Answer> {
    let words = text::distinct(query);
    if words.is_empty() {
        return None;
    }
    let mut candidates = pool::read();
    let pool_tools = candidates.len();
    candidates.extend(tools.iter().map(|tool| Candidate::of(server, tool)));
    let mut missing = words.clone();
    let searches: Vec<Outcome> = SEARCHES
        .iter()
        .map(|search| {
            let index = Index::new(candidates.iter().map(|candidate| candidate.text(search.titles)));
            missing.retain(|word| !(pool_tools..candidates.len()).any(|document| index.holds(document, word)));
            outcome(search, &index.rank(&words), &words, &candidates, pool_tools)
        })
        .collect();
    Some(Answer {
        query: query.to_owned(),
        found: searches.iter().any(|search| search.found),
        pool_tools,
        searches,
        missing: missing.into_iter().map(|word| word.written).collect(),
    })
}

/// What a ranking says about the tools from `first` on: those of the bundle.
fn outcome(search: &Search, ranking: &[Ranked], words: &[Word], candidates: &[Candidate], first: usize) -> Outcome {
    let place = ranking.iter().position(|ranked| ranked.document >= first);
    let best = place.map(|place| {
        let ranked = &ranking[place];
        let weights = words.iter().zip(&ranked.weights).filter(|(_, weight)| **weight > 0.0);
        let mut words: Vec<Weight> = weights
            .map(|(word, weight)| Weight { word: word.written.clone(), weight: (weight * 100.0).round() / 100.0 })
            .collect();
        words.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        Best { rank: place + 1, tool: candidates[ranked.document].name.clone(), words }
    });
    Outcome { search: search.name, top: search.top, found: place.is_some_and(|place| place < search.top), best }
}

#[cfg(test)]
mod tests;
