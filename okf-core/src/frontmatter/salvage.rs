//! What can be told about a block that does not parse.

use crate::text::{lines, without_break};

/// Reads the top-level `key: value` lines of a block that does not parse, quotes stripped.
///
/// Only for ranking and subject words; a verdict never rests on it. A list comes as its raw text
/// (`[a, b]`), a value on later lines not at all.
#[must_use]
pub fn salvage(yaml: &str) -> Vec<(&str, &str)> {
    lines(yaml).filter_map(|line| pair(without_break(&yaml[line]))).collect()
}

fn pair(line: &str) -> Option<(&str, &str)> {
    if line.starts_with([' ', '\t', '#', '-']) {
        return None;
    }
    let (key, value) = line.split_once(": ").or_else(|| line.split_once(":\t"))?;
    let (key, value) = (unquoted(key.trim()), unquoted(value.trim()));
    let is_header = value.starts_with(['|', '>']) && value.len() <= 3;
    (!key.is_empty() && !value.is_empty() && !is_header).then_some((key, value))
}

fn unquoted(text: &str) -> &str {
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(text)
}
