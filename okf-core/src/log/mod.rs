//! `log.md`: update histories (spec §9, contract §6).

mod insert;
#[cfg(test)]
mod tests;

use std::ops::Range;

use jiff::civil::Date;

use crate::index::is_comment;
use crate::markdown::{BlockKind, Structure};

pub use insert::{Action, LogEntry, LogError, insert};

/// The days of a log, newest first when it is in order. All spans are bytes of the body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogDocument {
    /// The first heading, when it is of level one and no date heading comes before it.
    pub title: Option<Range<usize>>,
    /// List items that stand before the first date heading.
    pub loose: Vec<Range<usize>>,
    /// The date headings and what follows each of them.
    pub days: Vec<Day>,
    /// Blocks below a date that are no list, and level-two headings without a year.
    pub prose: Vec<Range<usize>>,
}

/// A date heading, and what follows it up to the next heading of level one or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The heading's text, rendered plain.
    pub heading: Box<str>,
    /// The date, when the heading is exactly a real `YYYY-MM-DD`.
    pub date: Option<Date>,
    /// The heading itself, its line break included.
    pub heading_span: Range<usize>,
    /// The day, heading included.
    pub span: Range<usize>,
    /// Its top-level list items, numbered or not.
    pub entries: Vec<Range<usize>>,
    /// Whether nothing but headings, rules and comments follows.
    pub is_empty: bool,
}

impl LogDocument {
    /// Reads the body of a log.
    #[must_use]
    pub fn parse(body: &str) -> Self {
        Self::read(body, &Structure::scan(body))
    }

    /// Reads the body of a log whose structure is known.
    ///
    /// A paragraph between the title and the first date introduces the log and is no prose.
    #[must_use]
    pub fn read(body: &str, structure: &Structure) -> Self {
        let mut log = Self::default();
        // Whether the current level-two section is a day.
        let mut in_day = false;
        for block in &structure.blocks {
            match &block.kind {
                BlockKind::Heading(at) => {
                    let heading = &structure.headings[*at];
                    if *at == 0 && heading.level == 1 {
                        log.title = Some(heading.span.clone());
                    }
                    if heading.level > 2 {
                        continue;
                    }
                    in_day = heading.level == 2 && holds_year(&heading.text);
                    if in_day {
                        log.days.push(Day {
                            heading: heading.text.clone(),
                            date: date(&heading.text),
                            heading_span: heading.span.clone(),
                            span: structure.subtree(*at, body.len()),
                            entries: Vec::new(),
                            is_empty: true,
                        });
                    } else if heading.level == 2 {
                        log.prose.push(heading.span.clone());
                    }
                }
                BlockKind::List { items, .. } => {
                    let entries = items.iter().filter(|item| item.depth == 0).map(|item| item.span.clone());
                    match log.days.last_mut() {
                        Some(day) if in_day => {
                            day.is_empty = false;
                            day.entries.extend(entries);
                        }
                        Some(_) => {}
                        None => log.loose.extend(entries),
                    }
                }
                BlockKind::Rule => {}
                BlockKind::Html if is_comment(&body[block.span.clone()]) => {}
                _ => {
                    if let Some(day) = log.days.last_mut() {
                        day.is_empty &= !in_day;
                        log.prose.push(block.span.clone());
                    }
                }
            }
        }
        log
    }
}

/// A real date written exactly `YYYY-MM-DD`.
#[must_use]
pub fn date(text: &str) -> Option<Date> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return None };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i16, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i16::from(digit - b'0')))
    };
    let year = number(&[y1, y2, y3, y4])?;
    let month = i8::try_from(number(&[m1, m2])?).ok()?;
    let day = i8::try_from(number(&[d1, d2])?).ok()?;
    Date::new(year, month, day).ok()
}

/// Whether a heading holds a four-digit year: four digits, or the longer runs of the basic form
/// (`20260906`, `202609061230`), so that a ticket number is no date.
fn holds_year(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit()).any(|run| matches!(run.len(), 4 | 8 | 12 | 14))
}
