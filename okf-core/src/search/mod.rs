//! Finding text in a bundle (contract §9, search).
//!
//! [`search`] reads a query as a substring, a regular expression or words, finds the lines that
//! hold it and ranks their concepts; [`Answer::excerpt`] cuts out the lines to show.

use std::ops::Range;

use crate::bundle::Bundle;
use crate::document::Document;
use crate::listing::{self, Filter};
use crate::timestamp::Timestamp;

mod excerpt;
mod finder;
mod fold;
mod holders;
mod letters;
mod literal;
mod matcher;
mod pattern;
mod ranking;
mod scan;
mod sheet;
mod sketch;
mod sketches;
#[cfg(test)]
mod tests;
mod tokens;
mod word_index;
mod word_query;

pub use excerpt::{Excerpts, LINE_WIDTH};
pub(crate) use finder::is_found_by_bytes;
pub(crate) use sketches::Sketches;
pub use word_index::WordIndex;

use holders::{Holders, Wanted};
use literal::Literal;
use matcher::Matcher;
use pattern::Pattern;
use ranking::Tally;
use word_query::WordQuery;

/// The longest query in characters.
pub const LONGEST_QUERY: usize = 2_000;

/// What to search for, and where.
#[derive(Clone, Debug)]
pub struct SearchRequest<'a> {
    /// The words, text or pattern.
    pub query: &'a str,
    /// How to read the query.
    pub mode: Mode,
    /// Whether case matters.
    pub case_sensitive: bool,
    /// Only the concepts that a listing with this filter would show.
    pub filter: Filter,
    /// Which part of a document.
    pub scope: Scope,
    /// The instant against which staleness is judged.
    pub now: Timestamp,
}

/// How to read a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A substring.
    #[default]
    Literal,
    /// A regular expression, line by line.
    Regex,
    /// All of the words, in any order, accents folded.
    Words,
}

/// How a query was answered in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeUsed {
    /// As a substring.
    Literal,
    /// As a regular expression.
    Regex,
    /// Every word found in each match.
    Words,
    /// No concept holds every word: best coverage first.
    Any,
}

/// Which part of a document is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    #[default]
    All,
    /// The frontmatter block.
    Frontmatter,
    /// The body.
    Body,
}

/// The ranked answer: every matching concept, each with its hits counted; lines are cut out for a page
/// only ([`Answer::excerpt`]).
#[derive(Debug)]
pub struct Answer<'a> {
    /// The matches, best first; ties by ID.
    pub matches: Vec<Match<'a>>,
    /// Hits over all matches.
    pub total_hits: usize,
    /// How the query was answered.
    pub mode: ModeUsed,
    matcher: Matcher,
    scope: Scope,
}

/// A concept that matches.
#[derive(Debug)]
pub struct Match<'a> {
    /// The concept's document.
    pub document: &'a crate::document::Document,
    /// Number of hits in it: matching lines as grep counts them.
    pub hits: usize,
    /// Rank score, for tests and explanation.
    pub score: f64,
    /// Whether it is stale at the request's instant.
    pub stale: bool,
}

/// A line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// 1-based line in the file.
    pub line: u32,
    /// The line cut around its hit at character boundaries, at most 240 characters.
    pub text: String,
    /// The enclosing heading, as `lookup-concept` takes it; for hit lines only.
    pub section: Option<String>,
    /// Whether the line holds a hit (otherwise it is context).
    pub hit: bool,
    /// Bytes of the first hit in `text`.
    pub highlight: Option<Range<usize>>,
}

/// Why a search was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// The query is empty or all white space.
    Empty,
    /// The pattern is not a regular expression; the message shows where.
    Pattern(String),
    /// The query or compiled pattern is too large.
    TooLarge(String),
    /// The call was cancelled.
    Cancelled,
}

/// Searches a bundle. `cancelled` is polled between documents.
///
/// Every decoded concept is searched, those with a broken frontmatter included. A literal query with white
/// space that stands nowhere is answered as words; words that no concept holds together as any of them, common
/// words of a language aside, and then those that hold most of it by weight come first.
///
/// # Errors
///
/// A query that cannot be run, or a cancelled call.
pub fn search<'a>(
    bundle: &'a Bundle,
    request: &SearchRequest<'_>,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Answer<'a>, SearchError> {
    let query = request.query;
    if query.trim().is_empty() {
        return Err(SearchError::Empty);
    }
    let length = query.chars().count();
    if length > LONGEST_QUERY {
        return Err(SearchError::TooLarge(format!(
            "the query has {length} characters; at most {LONGEST_QUERY} are searched for"
        )));
    }
    let search = Search { bundle, request, cancelled };
    match request.mode {
        Mode::Words => search.words(WordQuery::new(query)?),
        Mode::Regex => search.text(Matcher::Pattern(Pattern::new(query, request.case_sensitive)?), ModeUsed::Regex),
        Mode::Literal => {
            let literal = Literal::new(query, request.case_sensitive)
                .map_err(|error| SearchError::TooLarge(format!("the query is too large: {error}")))?;
            let answer = search.text(Matcher::Literal(literal), ModeUsed::Literal)?;
            if !answer.matches.is_empty() || !query.contains(char::is_whitespace) {
                return Ok(answer);
            }
            let words = WordQuery::new(query)?;
            if words.is_empty() { Ok(answer) } else { search.words(words) }
        }
    }
}

impl Answer<'_> {
    /// Cuts out the lines to show for the match at a place (0 for the best); nothing beyond the last.
    ///
    /// Lines are in file order, none twice. Blank lines at the ends of the context are left out.
    #[must_use]
    pub fn excerpt(&self, place: usize, show: Excerpts) -> Vec<Line> {
        let Some(found) = self.matches.get(place) else { return Vec::new() };
        excerpt::cut_out(found.document, &self.matcher, self.scope, show)
    }
}

/// One run of a search.
struct Search<'a, 'r> {
    bundle: &'a Bundle,
    request: &'r SearchRequest<'r>,
    cancelled: &'r (dyn Fn() -> bool + Sync),
}

impl<'a> Search<'a, '_> {
    /// Answers a literal query or a pattern.
    fn text(&self, matcher: Matcher, mode: ModeUsed) -> Result<Answer<'a>, SearchError> {
        let mut filter = listing::Matcher::new(&self.request.filter);
        let is_wanted = |document: &&Document| self.request.filter == Filter::default() || filter.matches(document);
        let sketches = matcher.needs().and_then(|needs| Some((self.bundle.sketches()?, needs)));
        let documents: Vec<&Document> = match sketches {
            Some((sketches, needs)) => sketches.may_hold(needs).filter(is_wanted).collect(),
            None => self.bundle.documents().map(AsRef::as_ref).filter(is_wanted).collect(),
        };
        let matches = scan::filter_map(
            &documents,
            self.cancelled,
            || matcher.clone(),
            |matcher, document| {
                let mut tally = Tally::default();
                matcher.hits(document, self.request.scope, &mut |hit| tally.add(document, &hit));
                (tally.hits > 0).then(|| self.found(document, tally.hits, tally.score(document, matcher)))
            },
        )?;
        Ok(self.ranked(matches, mode, matcher))
    }

    /// Answers a query of words: all of them, else any.
    fn words(&self, query: WordQuery) -> Result<Answer<'a>, SearchError> {
        let holders = Holders::new(self.bundle.words(), &query, self.request, self.cancelled)?;
        let mut mode = ModeUsed::Words;
        let mut found = holders.find(Wanted::All)?;
        if found.is_empty() && query.len() > 1 {
            mode = ModeUsed::Any;
            found = holders.find(Wanted::Any)?;
        }
        found.sort_unstable_by_key(|holder| holder.document.id());
        let matches = found
            .into_iter()
            .map(|holder| {
                let equals_title =
                    holder.named && ranking::same_words(holder.document.display_title(), self.request.query);
                let score = holder.held.score(holder.together, equals_title);
                self.found(holder.document, holder.hits, score)
            })
            .collect();
        let weights = holders.weights;
        Ok(self.ranked(matches, mode, Matcher::Words(query, weights)))
    }

    fn found(&self, document: &'a Document, hits: usize, score: f64) -> Match<'a> {
        let now = self.request.now;
        let score = score * ranking::lifecycle(document, now);
        Match { document, hits, score, stale: document.metadata().is_stale(now) }
    }

    /// Puts matches, which come by ID, in order.
    fn ranked(&self, mut matches: Vec<Match<'a>>, mode: ModeUsed, matcher: Matcher) -> Answer<'a> {
        debug_assert!(matches.is_sorted_by_key(|found| found.document.id()));
        matches.sort_by(|a, b| b.score.total_cmp(&a.score));
        let total_hits = matches.iter().map(|found| found.hits).sum();
        Answer { matches, total_hits, mode, matcher, scope: self.request.scope }
    }
}
