//! `log.md` (spec §9).

#[cfg(test)]
mod tests;

use super::places::Places;
use crate::document::{Document, Head};
use crate::finding::Finding;
use crate::log::LogDocument;

/// Judges a log.
pub(super) fn check(document: &Document, out: &mut Vec<Finding>) {
    let mut places = Places::new(document);
    match document.head() {
        Head::Absent => {}
        Head::Parsed(_) => {
            out.push(places.advisory("okf/log-frontmatter", 0, "a log has no frontmatter; remove it".to_owned()));
        }
        // Unterminated: nobody knows where the body begins.
        Head::Broken { yaml: None, .. } => return out.extend(places.reserved_head()),
        Head::Broken { .. } => out.extend(places.reserved_head()),
    }
    let log = LogDocument::read(document.body(), &document.structure());
    let start = document.body_start();
    let body = document.body();
    let first_text = start + (body.len() - body.trim_start().len());
    if log.title.is_none() {
        let message = "a log starts with a title; add `# Update Log`".to_owned();
        out.push(places.advisory("okf/missing-log-title", first_text, message));
    }
    check_days(&log, start, &mut places, out);
    let starts = |spans: &[std::ops::Range<usize>]| spans.iter().map(|span| start + span.start).collect::<Vec<_>>();
    out.extend(places.advisory_once(
        "okf/log-entry-before-date",
        &starts(&log.loose),
        "the entry stands before any `## YYYY-MM-DD` heading",
    ));
    out.extend(places.advisory_once(
        "okf/log-prose",
        &starts(&log.prose),
        "a log holds list entries below `## YYYY-MM-DD` headings; this is neither",
    ));
}

fn check_days(log: &LogDocument, start: usize, places: &mut Places<'_>, out: &mut Vec<Finding>) {
    let mut last_date = None;
    for day in &log.days {
        let offset = start + day.heading_span.start;
        if day.date.is_none() {
            let message = format!("the date heading `{}` is not a real date in the form `YYYY-MM-DD`", day.heading);
            out.push(places.error("okf/invalid-log-date", offset, message));
        }
        if day.is_empty {
            let message = format!("nothing is logged below `{}`", day.heading);
            out.push(places.advisory("okf/empty-log-date", offset, message));
        }
        if let (Some(date), Some(last)) = (day.date, last_date)
            && date > last
        {
            let message = format!("`{date}` comes after the older `{last}`; the newest day goes first");
            out.push(places.advisory("okf/log-not-newest-first", offset, message));
        }
        last_date = day.date.or(last_date);
    }
}
