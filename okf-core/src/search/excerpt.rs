//! Cutting the lines worth showing out of a match.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use crate::document::Document;
use crate::markdown::section_at;

use super::matcher::{Hit, Matcher};
use super::word_index::is_heading;
use super::{Line, ModeUsed, Scope};

/// The longest line of an excerpt in characters, ellipses included.
pub const LINE_WIDTH: usize = 240;

/// How much to show of one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpts {
    /// At most this many lines with a hit; the most telling ones.
    pub lines: usize,
    /// Lines of context around each.
    pub context: usize,
    /// Lines are cut to this many characters, at most [`LINE_WIDTH`].
    pub width: usize,
}

impl Excerpts {
    /// All hit lines in full width.
    #[must_use]
    pub fn all(context: usize) -> Self {
        Self { lines: usize::MAX, context, width: LINE_WIDTH }
    }

    /// What an answer can afford for the match at a place (0 for the best), given the context asked for.
    ///
    /// A literal query or a pattern asks where something stands, so its matches show several lines in
    /// full; words ask which concept is meant, so the further down, the less is shown. `hits` tells how many
    /// lines there are.
    #[must_use]
    pub fn at(mode: ModeUsed, place: usize, context: Option<usize>) -> Self {
        let context_or = |default: usize| context.unwrap_or(default);
        match (mode, place) {
            (ModeUsed::Literal | ModeUsed::Regex, 0..3) => Self { lines: 4, context: context_or(1), width: LINE_WIDTH },
            (ModeUsed::Literal | ModeUsed::Regex, 3..10) => {
                Self { lines: 2, context: context_or(1), width: LINE_WIDTH }
            }
            (ModeUsed::Literal | ModeUsed::Regex, _) => Self { lines: 1, context: context_or(0), width: LINE_WIDTH },
            (ModeUsed::Words | ModeUsed::Any, 0) => Self { lines: 3, context: context_or(0), width: LINE_WIDTH },
            (ModeUsed::Words, 1..3) => Self { lines: 2, context: context_or(0), width: 160 },
            (ModeUsed::Any, 1..3) => Self { lines: 1, context: context_or(0), width: 160 },
            (ModeUsed::Words | ModeUsed::Any, _) => Self { lines: 1, context: context_or(0), width: 120 },
        }
    }
}

/// Cuts out the lines of a document.
pub(super) fn cut_out(document: &Document, matcher: &Matcher, scope: Scope, show: Excerpts) -> Vec<Line> {
    let text = document.text().as_str();
    let mut hits = Vec::new();
    matcher.hits(document, scope, &mut |hit| hits.push(hit));
    let chosen = choose(document, hits, show.lines);
    let range = scope.of(document);
    let lines: Vec<Range<usize>> = crate::text::lines(text).collect();
    let place = |offset: usize| lines.partition_point(|line| line.start <= offset).saturating_sub(1);
    let mut shown: Vec<Line> = Vec::new();
    let mut next = 0;
    for (at, hit) in chosen.iter().enumerate() {
        let here = place(hit.line.start);
        let limit = chosen.get(at + 1).map_or(lines.len(), |hit| place(hit.line.start));
        let around = here.saturating_sub(show.context).max(next)..(here + show.context + 1).min(limit.max(here + 1));
        for number in trim_blank(text, &lines, around, here) {
            let line = &lines[number];
            if line.start < range.start || line.start >= range.end {
                continue;
            }
            let is_hit = number == here;
            let within = if is_hit { Some(&hit.at) } else { None };
            let (cut, highlight) = cut_line(text, line, within, show.width.min(LINE_WIDTH));
            let section = if is_hit { section(document, hit.at.start) } else { None };
            let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
            shown.push(Line { line, text: cut, section, hit: is_hit, highlight });
            next = number + 1;
        }
    }
    shown
}

/// The most telling hits in file order.
fn choose(document: &Document, mut hits: Vec<Hit>, most: usize) -> Vec<Hit> {
    if hits.len() > most {
        let text = document.text().as_str();
        let worth = |hit: &Hit| hit.weight * place_worth(document, &text[hit.line.clone()], hit.line.start);
        // Stable: of equals the first lines stay.
        hits.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        hits.truncate(most);
        hits.sort_by_key(|hit| hit.line.start);
    }
    hits
}

/// A line that repeats what the answer says anyway (title), or names only files and tags, tells less.
fn place_worth(document: &Document, line: &str, start: usize) -> f64 {
    if start < document.body_start() {
        if line.starts_with("description:") { 1.1 } else { 0.8 }
    } else if is_heading(line) {
        0.9
    } else {
        1.0
    }
}

/// Drops blank lines at the ends of a group of lines; the hit line itself stays.
fn trim_blank(text: &str, lines: &[Range<usize>], mut around: Range<usize>, hit: usize) -> Range<usize> {
    let is_blank = |line: usize| text[lines[line].clone()].trim().is_empty();
    while around.start < hit && is_blank(around.start) {
        around.start += 1;
    }
    while around.end > hit + 1 && is_blank(around.end - 1) {
        around.end -= 1;
    }
    around
}

fn section(document: &Document, offset: usize) -> Option<String> {
    let offset = offset.checked_sub(document.body_start())?;
    let headings = document.headings();
    section_at(headings, offset).map(|heading| headings[heading].name().into_owned())
}

/// A line without its break, cut to a width around its hit, control characters replaced; and the hit in it.
fn cut_line(
    text: &str,
    line: &Range<usize>,
    hit: Option<&Range<usize>>,
    width: usize,
) -> (String, Option<Range<usize>>) {
    let content = crate::text::without_break(&text[line.clone()]);
    let hit_range = match hit {
        Some(hit) => {
            let start = hit.start.saturating_sub(line.start).min(content.len());
            start..hit.end.saturating_sub(line.start).clamp(start, content.len())
        }
        None => 0..0,
    };
    let window = window(content, &hit_range, width);
    let (head, tail) = (window.start > 0, window.end < content.len());
    let shown_hit = hit_range.start..hit_range.end.min(window.end);
    let mut cut = String::with_capacity(window.len() + 6);
    if head {
        cut.push('…');
    }
    push_printable(&mut cut, &content[window.start..shown_hit.start]);
    let start = cut.len();
    push_printable(&mut cut, &content[shown_hit.clone()]);
    let end = cut.len();
    push_printable(&mut cut, &content[shown_hit.end..window.end]);
    if tail {
        cut.push('…');
    }
    (cut, hit.map(|_| start..end))
}

/// The bytes of a line that fit a width, two thirds of the room behind the hit; room for an
/// ellipsis is kept at both ends when the line does not fit. No letter is cut off its marks.
fn window(content: &str, hit: &Range<usize>, width: usize) -> Range<usize> {
    if content.char_indices().nth(width).is_none() {
        return 0..content.len();
    }
    let room = width.saturating_sub(2);
    let (hit_end, hit_length) = forward(content, hit.start, room, hit.end);
    let (start, before) = back(content, hit.start, (room - hit_length) / 3);
    let (end, after) = forward(content, hit_end, room - hit_length - before, content.len());
    let (start, _) = back(content, start, room - hit_length - before - after);
    first_whole(content, start).min(hit.start)..last_whole(content, end).max(hit_end)
}

/// Where the first letter begins that is whole from an offset on, its marks and joiners included.
fn first_whole(content: &str, offset: usize) -> usize {
    let mut cursor = GraphemeCursor::new(offset, content.len(), true);
    match cursor.is_boundary(content, 0) {
        Ok(true) => offset,
        _ => cursor.next_boundary(content, 0).ok().flatten().unwrap_or(content.len()),
    }
}

/// Where the last letter ends that is whole up to an offset, its marks and joiners included.
fn last_whole(content: &str, offset: usize) -> usize {
    let mut cursor = GraphemeCursor::new(offset, content.len(), true);
    match cursor.is_boundary(content, 0) {
        Ok(true) => offset,
        _ => cursor.prev_boundary(content, 0).ok().flatten().unwrap_or(0),
    }
}

/// The offset up to `most` characters on, at most `limit`, and how many characters that is.
fn forward(content: &str, from: usize, most: usize, limit: usize) -> (usize, usize) {
    let mut at = from;
    let mut taken = 0;
    for character in content[from..limit].chars().take(most) {
        at += character.len_utf8();
        taken += 1;
    }
    (at, taken)
}

/// The offset up to `most` characters back, and how many characters that is.
fn back(content: &str, from: usize, most: usize) -> (usize, usize) {
    let mut at = from;
    let mut taken = 0;
    for character in content[..from].chars().rev().take(most) {
        at -= character.len_utf8();
        taken += 1;
    }
    (at, taken)
}

fn push_printable(text: &mut String, part: &str) {
    let replaced = |character: char| if character.is_control() && character != '\t' { '\u{fffd}' } else { character };
    text.extend(part.chars().map(replaced));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str, hit: Range<usize>, width: usize) -> (String, String) {
        let (cut, highlight) = cut_line(line, &(0..line.len()), Some(&hit), width);
        let shown = cut[highlight.expect("a hit")].to_owned();
        (cut, shown)
    }

    #[test]
    fn short_lines_are_whole() {
        assert_eq!(cut("one two\r\n", 4..7, 7), ("one two".into(), "two".into()));
        assert_eq!(cut("", 0..0, 7), (String::new(), String::new()));
    }

    #[test]
    fn long_lines_are_cut_around_the_hit() {
        let line = format!("{}HIT{}", "ä".repeat(500), "é".repeat(500));
        let (text, shown) = cut(&line, 1000..1003, 30);
        assert_eq!(text.chars().count(), 30);
        assert_eq!(shown, "HIT");
        assert!(text.starts_with("…ä") && text.ends_with("é…"));
        let (text, shown) = cut("HIT and a long tail of words", 0..3, 12);
        assert_eq!((text.as_str(), shown.as_str()), ("HIT and a …", "HIT"));
        let (text, shown) = cut("a long head of words and HIT", 25..28, 12);
        assert_eq!((text.as_str(), shown.as_str()), ("…ds and HIT", "HIT"));
        let (text, shown) = cut(&"x".repeat(1000), 100..900, 12);
        assert_eq!((text.as_str(), shown.as_str()), ("…xxxxxxxxxx…", "xxxxxxxxxx"));
    }

    #[test]
    fn letters_are_not_cut_off_their_marks() {
        let line = format!("{}HIT{}", "e\u{301}".repeat(50), "👩\u{200d}👧".repeat(50));
        for width in 12..40 {
            let (text, shown) = cut(&line, 150..153, width);
            assert!(text.chars().count() <= width && shown == "HIT", "{width}: {text}");
            let kept = text.trim_matches('…').replace("e\u{301}", "").replace("👩\u{200d}👧", "");
            assert_eq!(kept, "HIT", "{width}: {text}");
        }
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(cut("a\u{0}\tb\u{1b}[1m", 3..4, 20), ("a\u{fffd}\tb\u{fffd}[1m".into(), "b".into()));
    }
}
