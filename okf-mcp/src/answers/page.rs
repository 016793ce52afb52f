//! Pages: an answer ends at its limit or at its byte budget, and a cursor says where to go on.

use serde::Serialize;
use serde_json::Value;

use crate::tool::{Arguments, ToolError};

/// A page of a listing ends at this many bytes of JSON.
pub const LIST_BUDGET: usize = 40_000;
/// A page of any other answer ends at this many bytes of JSON.
pub const PAGE_BUDGET: usize = 20_000;

/// Ties cursors to one question, so that a cursor is never applied to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question(u64);

impl Question {
    /// The question that a tool was asked: its name and its arguments, without `limit` and `cursor`,
    /// which may change from page to page.
    #[must_use]
    pub fn new(tool: &str, arguments: &Arguments) -> Self {
        let mut asked: Vec<(&String, &Value)> =
            arguments.0.iter().filter(|(name, _)| !matches!(name.as_str(), "limit" | "cursor")).collect();
        asked.sort_by_key(|(name, _)| *name);
        let text = serde_json::to_string(&(tool, asked)).expect("arguments came as JSON");
        Self(xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }

    /// The cursor for the page that begins at a position.
    #[must_use]
    pub fn cursor(self, position: &str) -> String {
        format!("{:016x}.{position}", self.0)
    }

    /// The position in a cursor that an earlier page of the same question returned.
    ///
    /// # Errors
    ///
    /// The cursor is of another question, or of none.
    pub fn position(self, cursor: &str) -> Result<&str, ToolError> {
        cursor
            .split_once('.')
            .filter(|(question, _)| *question == format!("{:016x}", self.0))
            .map(|(_, position)| position)
            .ok_or_else(bad_cursor)
    }

    /// The position in a cursor as an offset; 0 without a cursor.
    ///
    /// # Errors
    ///
    /// As for [`Question::position`].
    pub fn offset(self, cursor: Option<&str>) -> Result<usize, ToolError> {
        match cursor {
            None => Ok(0),
            Some(cursor) => self.position(cursor)?.parse().map_err(|_| bad_cursor()),
        }
    }
}

fn bad_cursor() -> ToolError {
    ToolError::new(
        "#/cursor: not a cursor of this question; pass `next_cursor` with the same arguments, or leave it out",
    )
}

/// Takes items while they fit a limit and a budget in bytes of JSON; the first always fits. Says how
/// many of `items` were taken.
pub fn fill<T, J: Serialize>(items: &[T], limit: usize, budget: usize, mut answer: impl FnMut(&T) -> J) -> Vec<J> {
    let mut page = Vec::new();
    let mut used = 0;
    for item in items.iter().take(limit) {
        let json = answer(item);
        used += serde_json::to_string(&json).map_or(0, |text| text.len() + 1);
        if used > budget && !page.is_empty() {
            break;
        }
        page.push(json);
    }
    page
}

/// Shortens one-line text to a number of characters, the cut marked by `…`.
#[must_use]
pub fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some(_) => text.chars().take(characters.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Arguments {
        Arguments(value.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn a_cursor_belongs_to_its_question() {
        let question = Question::new("list-concepts", &arguments(json!({"prefix": "a", "limit": 3})));
        let same = Question::new("list-concepts", &arguments(json!({"limit": 9, "prefix": "a", "cursor": "x"})));
        let other = Question::new("list-concepts", &arguments(json!({"prefix": "b"})));
        let cursor = question.cursor("20");
        assert_eq!(same.offset(Some(&cursor)), Ok(20));
        assert!(other.offset(Some(&cursor)).is_err());
        assert!(question.offset(Some("")).is_err());
        assert_eq!(question.offset(None), Ok(0));
    }

    #[test]
    fn a_page_ends_at_its_limit_or_budget_and_never_stands_still() {
        let items = vec!["x".repeat(30); 5];
        assert_eq!(fill(&items, 2, 1_000, Clone::clone).len(), 2);
        assert_eq!(fill(&items, 5, 70, Clone::clone).len(), 2);
        assert_eq!(fill(&items, 5, 1, Clone::clone).len(), 1);
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }
}
