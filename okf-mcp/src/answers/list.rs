//! `list-concepts`.

use okf_core::bundle::Bundle;
use okf_core::listing::{self, Filter};
use okf_core::timestamp::Timestamp;
use serde::Serialize;

use super::page::{LIST_BUDGET, Question, fill};
use super::summary::{Beside, ConceptSummary, Instead};
use crate::tool::ToolError;

/// A page of concepts in ID order.
#[derive(Clone, Debug, Serialize)]
pub struct ListAnswer {
    /// The concepts of the page.
    pub concepts: Vec<ConceptSummary>,
    /// How many match in all.
    pub total: usize,
    /// Where the next page begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Offers for an empty answer.
    #[serde(flatten)]
    pub instead: Instead,
    /// Files that could not be served.
    #[serde(flatten)]
    pub beside: Beside,
}

/// Lists concepts. A cursor holds the last ID of the page before, so that pages neither repeat nor
/// skip a concept when others come or go in between.
///
/// # Errors
///
/// A cursor of another question.
pub fn list(
    bundle: &Bundle,
    filter: &Filter,
    question: Question,
    cursor: Option<&str>,
    limit: usize,
    now: Timestamp,
) -> Result<ListAnswer, ToolError> {
    let after = cursor.map(|cursor| question.position(cursor)).transpose()?;
    // An area that does not exist is an empty answer that says so.
    let matching = listing::select(bundle, filter).unwrap_or_default();
    let start = after.map_or(0, |after| matching.partition_point(|document| document.id() <= after));
    let rest = &matching[start..];
    let concepts = fill(rest, limit, LIST_BUDGET, |document| ConceptSummary::of(document, now));
    let next_cursor = concepts.last().filter(|_| concepts.len() < rest.len()).map(|last| question.cursor(&last.id));
    Ok(ListAnswer { next_cursor, ..answer(bundle, filter, concepts, matching.len()) })
}

/// Lists all concepts at once, as the command line does.
#[must_use]
pub fn all(bundle: &Bundle, filter: &Filter, now: Timestamp) -> ListAnswer {
    let matching = listing::select(bundle, filter).unwrap_or_default();
    let total = matching.len();
    let concepts = matching.into_iter().map(|document| ConceptSummary::of(document, now)).collect();
    answer(bundle, filter, concepts, total)
}

fn answer(bundle: &Bundle, filter: &Filter, concepts: Vec<ConceptSummary>, total: usize) -> ListAnswer {
    let instead = if total == 0 { Instead::of(bundle, filter.area.as_ref()) } else { Instead::default() };
    ListAnswer { concepts, total, next_cursor: None, instead, beside: Beside::of(bundle) }
}
