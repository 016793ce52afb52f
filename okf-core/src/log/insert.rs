//! Adding entries to a log so that all other bytes stay (contract §6).

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use jiff::civil::Date;

use super::{Day, LogDocument, date};
use crate::concept_id::ConceptId;
use crate::frontmatter::{Fences, fences};
use crate::link::encode;
use crate::markdown::{
    BlockKind, Structure, appendable_end, break_before, content_end, escape, line_break, line_start, parting_after,
    parting_before,
};
use crate::text::{Text, lines};

/// What was done to a concept: the leading word of its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It is new.
    Created,
    /// Its fields or body changed.
    Updated,
    /// It got a source.
    Linked,
    /// It was marked as deprecated.
    Deprecated,
}

impl Action {
    /// The word in the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "Created",
            Self::Updated => "Updated",
            Self::Linked => "Linked",
            Self::Deprecated => "Deprecated",
        }
    }
}

/// An entry to be logged: `* **Created**: [Churn](/metrics/churn.md) - detail`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// What was done.
    pub action: Action,
    /// The concept's title as plain text; blank stands for the last segment of its ID.
    pub title: String,
    /// The concept.
    pub id: ConceptId,
    /// What else there is to say, as plain text.
    pub detail: Option<String>,
}

impl fmt::Display for LogEntry {
    /// One line of Markdown; nothing in title or detail can break out of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = Some(escape(&self.title)).filter(|title| !title.is_empty());
        let title = title.unwrap_or_else(|| escape(self.id.base_name()));
        write!(f, "* **{}**: [{title}](/{}.md)", self.action.as_str(), encode(self.id.as_str()))?;
        match self.detail.as_deref().map(escape).filter(|detail| !detail.is_empty()) {
            Some(detail) => write!(f, " - {detail}"),
            None => Ok(()),
        }
    }
}

/// Why nothing can be added to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogError {
    /// It is not UTF-8.
    NotUtf8 {
        /// Offset in bytes of the first bad byte.
        offset: usize,
    },
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::NotUtf8 { offset } = self;
        write!(f, "`log.md` is not UTF-8 at byte {offset}; convert it, or move it away")
    }
}

impl std::error::Error for LogError {}

/// Adds entries to a log under a date and gives the bytes of the whole file. All existing bytes stay.
///
/// The entries stand, in their order, first under that day's heading; else under a new heading before the
/// first older day, or behind the last day when none is older; else, where there is no date heading, behind
/// the title and all that stands before the next heading. A log that is absent or blank gets the title
/// `Log`. Line endings and a byte-order mark are kept.
///
/// ```
/// use okf_core::concept_id::ConceptId;
/// use okf_core::log::{Action, LogEntry, insert};
///
/// let id = ConceptId::new("metrics/churn")?;
/// let entry = LogEntry { action: Action::Created, title: "Churn".into(), id, detail: None };
/// let log = insert(None, jiff::civil::date(2026, 6, 15), &[entry])?;
/// assert_eq!(log, b"# Log\n\n## 2026-06-15\n* **Created**: [Churn](/metrics/churn.md)\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The log is not UTF-8: its bytes are not touched.
pub fn insert(existing: Option<&[u8]>, date: Date, entries: &[LogEntry]) -> Result<Vec<u8>, LogError> {
    let bytes = existing.unwrap_or_default();
    let text = Text::decode(bytes.to_vec()).map_err(|offset| LogError::NotUtf8 { offset })?;
    if entries.is_empty() {
        return Ok(bytes.to_vec());
    }
    let text = text.as_str();
    // Where the frontmatter never ends, nobody meant one: the opening line is a rule.
    let start = if let Fences::Closed { body, .. } = fences(text) { body } else { 0 };
    let insertion = Insertion::of(&text[start..], date, entries);
    let at = bytes.len() - text.len() + start + insertion.at;
    // A closing fence may be the last line of the file, without a break of its own.
    let parting = if insertion.at == 0 { break_before(text, start) } else { "" };
    let block = [parting, &insertion.block].concat().replace('\n', line_break(text));
    let mut log = Vec::with_capacity(bytes.len() + block.len());
    log.extend_from_slice(&bytes[..at]);
    log.extend_from_slice(block.as_bytes());
    log.extend_from_slice(&bytes[at..]);
    Ok(log)
}

/// Lines, each ended by a line feed, and the offset in the body at which they go in.
struct Insertion {
    at: usize,
    block: String,
}

impl Insertion {
    fn of(body: &str, date: Date, entries: &[LogEntry]) -> Self {
        let entries = |indent: &str| entries.iter().map(|entry| format!("{indent}{entry}\n")).collect::<String>();
        if body.trim().is_empty() {
            let block = format!("{}# Log\n\n## {date}\n{}", break_before(body, body.len()), entries(""));
            return Self { at: body.len(), block };
        }
        let structure = Structure::scan(body);
        let log = LogDocument::read(body, &structure);
        if let Some(day) = log.days.iter().find(|day| day.date == Some(date)) {
            return Self::under(day, body, &structure, entries);
        }
        let older = log.days.iter().find(|day| told_date(day).is_some_and(|told| told < date));
        let last = log.days.iter().rev().find(|day| told_date(day).is_some());
        let (at, model) = match (older, last) {
            (Some(older), _) => (line_start(body, older.heading_span.start), Some(older)),
            (None, Some(last)) => (last.span.end, Some(last)),
            (None, None) => (introduction_end(body, &structure), None),
        };
        let at = if at == body.len() { appendable_end(body, &structure) } else { at };
        // Whether a blank line follows a heading, as it does in the log so far.
        let gap = model.map_or("", |day| if starts_blank(&body[day.heading_span.end..]) { "\n" } else { "" });
        let block =
            [parting_before(body, at), &format!("## {date}\n{gap}"), &entries(""), parting_after(body, at)].concat();
        Self { at, block }
    }

    /// On top of what stands under a day's heading.
    fn under(day: &Day, body: &str, structure: &Structure, entries: impl Fn(&str) -> String) -> Self {
        let stretch = opening_stretch(day, structure);
        let first_list = structure.blocks.iter().find_map(|block| match &block.kind {
            BlockKind::List { ordered, .. } if stretch.contains(&block.span.start) => {
                Some((block.span.start, *ordered))
            }
            _ => None,
        });
        if let Some((list, ordered)) = first_list {
            let at = line_start(body, list);
            let line = &body[at..];
            let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
            // A number other than one cannot follow an item without a blank line.
            let block = entries(indent) + if ordered { "\n" } else { "" };
            return Self { at, block };
        }
        let end = content_end(body, stretch.clone());
        let (at, before) = if end == stretch.start || end > appendable_end(body, structure) {
            (stretch.start, break_before(body, stretch.start))
        } else {
            (end, parting_before(body, end))
        };
        Self { at, block: [before, &entries(""), parting_after(body, at)].concat() }
    }
}

/// What stands between a day's heading and the next heading of any level.
fn opening_stretch(day: &Day, structure: &Structure) -> Range<usize> {
    let next = structure.headings.iter().find(|heading| heading.span.start > day.heading_span.start);
    day.heading_span.end..next.map_or(day.span.end, |next| next.span.start.min(day.span.end))
}

/// The end of a log's title and introduction: the next heading of level one or two, or the body's end.
fn introduction_end(body: &str, structure: &Structure) -> usize {
    let mut headings = structure.headings.iter().peekable();
    headings.next_if(|first| first.level == 1);
    headings.find(|heading| heading.level <= 2).map_or(body.len(), |heading| line_start(body, heading.span.start))
}

/// The day that a date heading means, decorated ones (`[2026-07-14] lint`, an instant) included: they are
/// errors, and take part in the order all the same.
fn told_date(day: &Day) -> Option<Date> {
    let heading = &day.heading;
    let starts = heading.char_indices().map(|(at, _)| at);
    day.date.or_else(|| starts.filter_map(|at| date(heading.get(at..at + 10)?)).next())
}

fn starts_blank(text: &str) -> bool {
    lines(text).next().is_some_and(|line| text[line].trim().is_empty())
}
