//! `lookup-concept`.

use std::ops::Range;

use okf_core::bundle::{Bundle, LookupError, names};
use okf_core::document::Document;
use okf_core::markdown::Structure;
use okf_core::timestamp::Timestamp;
use serde::Serialize;

use super::page::{LIST_BUDGET, fill, shorten};
use super::summary::{Beside, ConceptSummary, quoted};
use crate::tool::ToolError;

/// A text above this many bytes is answered by its outline unless all of it is asked for.
const WHOLE: usize = 48_000;

/// Which part of a concept is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part<'a> {
    /// One heading's section, by the heading's text.
    pub section: Option<&'a str>,
    /// The headings instead of the text.
    pub outline: bool,
    /// The text however long it is.
    pub full: bool,
}

/// A concept: its summary, its revision and its text or outline.
#[derive(Clone, Debug, Serialize)]
pub struct LookupAnswer {
    /// The summary.
    #[serde(flatten)]
    pub summary: ConceptSummary,
    /// A hash of the file's bytes, for `expected_revision`.
    pub revision: String,
    /// 1-based line of the file where a section begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The text of the file or of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// The headings of the file or of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outline: Option<Vec<OutlineEntry>>,
    /// True when the outline stands in for a text that is too long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// How to get the rest, when truncated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Files that could not be served.
    #[serde(flatten)]
    pub beside: Beside,
}

/// A heading of an outline.
#[derive(Clone, Debug, Serialize)]
pub struct OutlineEntry {
    /// Its text, as `section` takes it.
    pub heading: String,
    /// 1 to 6.
    pub level: u8,
    /// 1-based line of the file.
    pub line: u32,
    /// Bytes of its section, sub-sections included.
    pub size: usize,
}

/// Looks a concept up.
///
/// # Errors
///
/// No such concept or section, with near misses; a concept that cannot be decoded.
pub fn lookup(bundle: &Bundle, id: &str, part: Part<'_>, now: Timestamp) -> Result<LookupAnswer, ToolError> {
    let document = bundle.lookup(id).map_err(|error| not_served(id, error))?;
    let mut answer = LookupAnswer {
        summary: ConceptSummary::of(document, now),
        revision: document.revision().to_string(),
        line: None,
        markdown: None,
        outline: None,
        truncated: false,
        message: None,
        beside: Beside::of(bundle),
    };
    let structure = document.structure();
    let ranges = match part.section {
        None => Vec::new(),
        Some(section) => sections(document, &structure, section)?,
    };
    let text = match ranges.first() {
        None => document.text().as_str().to_owned(),
        Some(first) => {
            answer.line = Some(document.body_position(first.start).line);
            ranges.iter().map(|range| &document.body()[range.clone()]).collect::<Vec<_>>().join("\n")
        }
    };
    if part.outline || (text.len() > WHOLE && !part.full) {
        let headings = headings(&structure, &ranges);
        let budget = if part.full { usize::MAX } else { LIST_BUDGET };
        let outline = fill(&headings, usize::MAX, budget, entry_of(document));
        answer.truncated = !part.outline;
        answer.message = advice(&text, headings.len(), outline.len(), answer.truncated);
        answer.outline = Some(outline);
    } else {
        answer.markdown = Some(text);
    }
    Ok(answer)
}

/// The sections under the headings of that text or name: an exact match first, then without leading `#`,
/// then whatever the case and normal form. Headings may repeat; a section inside one already chosen is
/// not chosen again.
fn sections(document: &Document, structure: &Structure, section: &str) -> Result<Vec<Range<usize>>, ToolError> {
    let matching = |same: &dyn Fn(&str) -> bool| {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (at, heading) in structure.headings.iter().enumerate() {
            let inside = ranges.last().is_some_and(|last| heading.span.start < last.end);
            if !inside && (same(&heading.text) || same(&heading.name())) {
                ranges.push(structure.subtree(at, document.body().len()));
            }
        }
        ranges
    };
    let wanted = section.trim().trim_start_matches('#').trim();
    let folded = names::fold(wanted);
    let readings: [&dyn Fn(&str) -> bool; 3] =
        [&|text| text == section, &|text| text == wanted, &|text| names::fold(text) == folded];
    let ranges = readings.into_iter().map(matching).find(|ranges| !ranges.is_empty()).unwrap_or_default();
    if ranges.is_empty() {
        let names: Vec<String> = structure.headings.iter().take(20).map(|heading| shorten(&heading.text, 80)).collect();
        let hint =
            if names.is_empty() { "it has no headings".to_owned() } else { format!("it has {}", quoted(&names)) };
        return Err(ToolError::new(format!(
            "#/section: concept `{}` has no section `{}`; {hint}",
            document.id(),
            shorten(wanted, 80)
        )));
    }
    Ok(ranges)
}

/// The headings in these ranges of the body, all when there are none: indices into the structure.
fn headings(structure: &Structure, ranges: &[Range<usize>]) -> Vec<usize> {
    let starts = structure.headings.iter().map(|heading| heading.span.start).enumerate();
    let wanted = starts.filter(|(_, start)| ranges.is_empty() || ranges.iter().any(|range| range.contains(start)));
    wanted.map(|(at, _)| at).collect()
}

/// Makes outline entries of a document's headings.
fn entry_of(document: &Document) -> impl Fn(&usize) -> OutlineEntry {
    let (body, structure) = (document.body(), document.structure());
    let first_line = document.body_position(0).line;
    let line_starts: Vec<usize> = okf_core::text::lines(body).map(|line| line.start).collect();
    move |&at| {
        let heading = &structure.headings[at];
        let before = line_starts.partition_point(|start| *start <= heading.span.start).saturating_sub(1);
        OutlineEntry {
            heading: heading.name().into_owned(),
            level: heading.level,
            line: first_line + u32::try_from(before).unwrap_or(u32::MAX),
            size: structure.subtree(at, body.len()).len(),
        }
    }
}

/// How to get what an outline leaves out; `None` when it leaves out nothing that was asked for.
fn advice(text: &str, headings: usize, shown: usize, truncated: bool) -> Option<String> {
    let mut parts = Vec::new();
    if truncated {
        let way =
            if headings == 0 { "find the place with `search-concepts`" } else { "ask for a `section` of the outline" };
        parts.push(format!("the text has {} bytes: {way}, or ask for everything with `full: true`", text.len()));
    }
    if shown < headings {
        parts.push(format!("the first {shown} of {headings} headings are shown"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The tool error for a lookup that found nothing.
#[must_use]
pub fn not_served(id: &str, error: LookupError) -> ToolError {
    let id = shorten(id, 200);
    ToolError::new(match error {
        LookupError::Invalid(rule) => format!("#/id: a concept ID {rule}"),
        LookupError::Reserved => {
            format!("#/id: `{id}` is a reserved name, not a concept; see what there is with `list-concepts`")
        }
        LookupError::Suffix(without) => format!("#/id: concept `{id}` does not exist; drop the suffix: `{without}`"),
        LookupError::NotFound(near) if near.is_empty() => {
            format!("#/id: concept `{id}` does not exist; find it with `list-concepts` or `search-concepts`")
        }
        LookupError::NotFound(near) => format!("#/id: concept `{id}` does not exist; did you mean {}?", quoted(&near)),
        LookupError::Unreadable(file) => format!("concept `{id}`: {}", file.message),
    })
}
