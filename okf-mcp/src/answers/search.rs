//! `search-concepts`.

use okf_core::bundle::Bundle;
use okf_core::search::{Answer, Excerpts, Line, ModeUsed, SearchError, SearchRequest, search as find};
use serde::Serialize;

use super::page::{Question, fill, shorten};
use super::summary::{Beside, Instead};
use crate::tool::ToolError;

/// Titles and types are shortened to this many characters.
const LINE: usize = 200;

/// A page of ranked matches. Totals count over all pages.
#[derive(Debug, Serialize)]
pub struct SearchAnswer {
    /// The matches of the page, best first.
    pub matches: Vec<MatchJson>,
    /// How many concepts match in all.
    pub total_concepts: usize,
    /// How many lines match in all.
    pub total_hits: usize,
    /// How the query was answered: `literal`, `regex`, `words` or `any`.
    pub mode: &'static str,
    /// Where the next page begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Offers for an empty answer.
    #[serde(flatten)]
    pub instead: Instead,
    /// Files that could not be served in full.
    #[serde(flatten)]
    pub beside: Beside,
}

/// A concept that matches.
#[derive(Debug, Serialize)]
pub struct MatchJson {
    /// Concept ID.
    pub id: String,
    /// `type`, when there is one.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub concept_type: Option<String>,
    /// `title`, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `deprecated`, when it is: such concepts rank lower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// Present and true when the concept is stale: such concepts rank lower.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Number of matching lines.
    pub hits: usize,
    /// The lines worth showing, in file order.
    pub lines: Vec<LineJson>,
}

/// A line of a match.
#[derive(Debug, Serialize)]
pub struct LineJson {
    /// 1-based line of the file.
    pub line: u32,
    /// The line, cut around its hit.
    pub text: String,
    /// The enclosing heading, as `lookup-concept` takes it; on lines with a hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

impl From<Line> for LineJson {
    fn from(line: Line) -> Self {
        Self { line: line.line, text: line.text, section: line.section }
    }
}

/// Which page of the matches is shown, and how.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// At most so many concepts.
    pub limit: usize,
    /// Where to go on.
    pub cursor: Option<&'a str>,
    /// A page ends at this many bytes of JSON.
    pub budget: usize,
    /// Lines of context around a hit, when asked for; else what the mode and the rank make worth it.
    pub context: Option<usize>,
}

/// Searches a bundle and cuts out one page.
///
/// # Errors
///
/// A query that cannot be run, a cursor of another question, or a cancelled call.
pub fn search(
    bundle: &Bundle,
    request: &SearchRequest<'_>,
    shown: Shown<'_>,
    question: Question,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<SearchAnswer, ToolError> {
    let start = question.offset(shown.cursor)?;
    let answer = find(bundle, request, cancelled).map_err(not_searched)?;
    let places: Vec<usize> = (start..answer.matches.len()).collect();
    let matches = fill(&places, shown.limit, shown.budget, |&place| match_json(&answer, place, shown.context));
    let end = start + matches.len();
    Ok(SearchAnswer {
        total_concepts: answer.matches.len(),
        total_hits: answer.total_hits,
        mode: mode_name(answer.mode),
        next_cursor: (end < answer.matches.len()).then(|| question.cursor(&end.to_string())),
        instead: if answer.matches.is_empty() {
            Instead::of(bundle, request.filter.area.as_ref())
        } else {
            Instead::default()
        },
        beside: Beside::of(bundle),
        matches,
    })
}

fn match_json(answer: &Answer<'_>, place: usize, context: Option<usize>) -> MatchJson {
    let found = &answer.matches[place];
    let metadata = found.document.metadata();
    let line = |text: &Option<Box<str>>| text.as_deref().map(|text| shorten(text, LINE));
    MatchJson {
        id: found.document.id().to_owned(),
        concept_type: line(&metadata.concept_type),
        title: line(&metadata.title),
        status: (metadata.status == okf_core::metadata::Status::Deprecated).then(|| metadata.status.as_str()),
        stale: found.stale,
        hits: found.hits,
        lines: answer
            .excerpt(place, Excerpts::at(answer.mode, place, context))
            .into_iter()
            .map(LineJson::from)
            .collect(),
    }
}

/// The word on the wire.
fn mode_name(mode: ModeUsed) -> &'static str {
    match mode {
        ModeUsed::Literal => "literal",
        ModeUsed::Regex => "regex",
        ModeUsed::Words => "words",
        ModeUsed::Any => "any",
    }
}

/// The tool error for a query that was not run.
#[must_use]
pub fn not_searched(error: SearchError) -> ToolError {
    ToolError::new(match error {
        SearchError::Empty => "#/query: must hold something to search for".to_owned(),
        SearchError::Pattern(message) | SearchError::TooLarge(message) => format!("#/query: {message}"),
        SearchError::Cancelled => "the call was cancelled".to_owned(),
    })
}
