//! A new body.

use super::{EditError, first_break};
use crate::frontmatter::{Fences, FrontmatterError, fences};
use crate::text::lines;

/// The text with another body; `None` when it has that body already, but for the kind of its line breaks and
/// the last one.
pub(super) fn replaced(text: &str, body: &str) -> Result<Option<String>, EditError> {
    let start = match fences(text) {
        Fences::Closed { body, .. } => body,
        Fences::Absent => 0,
        Fences::Unterminated => return Err(EditError::Unreadable(FrontmatterError::unterminated(text))),
    };
    let (head, old) = text.split_at(start);
    let (blank, shown) = split_blank(old);
    let body = with_lf(body);
    if with_lf(shown).trim_end_matches('\n') == body.trim_end_matches('\n') && same_end(shown, &body) {
        return Ok(None);
    }
    let ending = first_break(old).or_else(|| first_break(text)).unwrap_or("\n");
    let mut result = head.to_owned();
    let break_line = |result: &mut String| {
        if !result.is_empty() && !result.ends_with(['\n', '\r']) {
            result.push_str(ending);
        }
    };
    let mut expected = body.replace('\n', ending);
    if !body.is_empty() {
        break_line(&mut result);
        if !blank.is_empty() {
            result.push_str(blank);
            break_line(&mut result);
        } else if (old.is_empty() && !head.is_empty()) || !split_blank(&body).0.is_empty() {
            result.push_str(ending);
        }
        if (text.is_empty() || text.ends_with(['\n', '\r'])) && !body.ends_with('\n') {
            expected.push_str(ending);
        }
        result.push_str(&expected);
    }
    check(text, &result, &expected)?;
    Ok(Some(result))
}

/// Reads the result again: the same frontmatter, and the body that was meant.
fn check(before: &str, after: &str, expected: &str) -> Result<(), EditError> {
    let failed = |reason: &str| Err(EditError::Check { key: None, reason: reason.to_owned() });
    let body = match (fences(before), fences(after)) {
        (Fences::Closed { yaml, .. }, Fences::Closed { yaml: again, body }) => {
            if yaml != again || before[..yaml.end] != after[..yaml.end] {
                return failed("the frontmatter would change");
            }
            body
        }
        (Fences::Absent, Fences::Absent) => 0,
        (Fences::Absent, _) => return Err(EditError::BodyIsFrontmatter),
        _ => return failed("the frontmatter would be lost"),
    };
    if split_blank(&after[body..]).1 == expected { Ok(()) } else { failed("the body would not be as given") }
}

/// The leading blank line of a body, which display drops, and what follows.
pub(in crate::document) fn split_blank(body: &str) -> (&str, &str) {
    match lines(body).next() {
        Some(first) if body[first.clone()].trim().is_empty() => body.split_at(first.end),
        _ => ("", body),
    }
}

/// Whether two bodies that are else the same end alike: a last line break more or less does not count.
fn same_end(old: &str, new: &str) -> bool {
    let breaks = |text: &str| text.len() - text.trim_end_matches('\n').len();
    breaks(&with_lf(old)).max(1) == breaks(new).max(1)
}

/// The text with every line break as LF.
pub(in crate::document) fn with_lf(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}
