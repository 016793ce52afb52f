//! What every tool's description and hint say about the bundle.

use okf_mcp::identity::BundleIdentity;
use okf_mcp::tool::ToolSpec;

/// Longest title, in bytes, that a search hint repeats. The longest titles take 320 bytes, and the
/// whole list has to hold each of them once per tool already.
const HINT_TITLE: usize = 120;

/// Introduces words in a description; a closing period and the spaces around included in its length.
pub const SUBJECTS: &str = " Subjects: .";

/// Bytes of the root that the budgets of contract §9 include; what is beyond is added to them.
pub const ROOT_ALLOWANCE: usize = 100;

/// Names the bundle in one short sentence: `Bundle "Sales" at /srv/sales.`
///
/// Short because it stands in every description, where it also lengthens what a tool search ranks.
pub fn compose(identity: &BundleIdentity) -> String {
    format!("Bundle {} at {}.", quoted(&identity.title), identity.shown_root())
}

/// Wraps a value from files in double quotes that the value itself cannot close.
///
/// Values of an identity are neutralised already; a provider's text goes to a model, so what would
/// break the frame is replaced here once more.
pub fn quoted(value: &str) -> String {
    let inner: String = value
        .chars()
        .map(|c| match c {
            '"' => '\'',
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => ' ',
            c => c,
        })
        .collect();
    format!("\"{inner}\"")
}

/// The identity clause with words: `Bundle "Sales" at /srv/sales. Subjects: churn, gross margin.`
pub fn with_words<'a>(clause: &str, words: impl Iterator<Item = &'a str>) -> String {
    match listed(words) {
        None => clause.to_owned(),
        Some(list) => format!("{clause} {list}"),
    }
}

/// Words as a sentence; `None` when there are none.
pub fn listed<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let words: Vec<&str> = words.collect();
    (!words.is_empty()).then(|| format!("Subjects: {}.", words.join(", ")))
}

/// A line for clients that list deferred tools: `Search concepts in "Sales": churn, gross margin`.
pub fn search_hint(identity: &BundleIdentity, tool: &ToolSpec, words: &[&str]) -> String {
    let capability = tool.search_hint.as_deref().unwrap_or(&tool.title);
    let title = &identity.title;
    let place = if title.len() <= HINT_TITLE { format!(" in {}", quoted(title)) } else { String::new() };
    let colon = if words.is_empty() { "" } else { ": " };
    format!("{capability}{place}{colon}{}", words.join(", "))
}

/// Bytes by which the shown root exceeds what the budgets include.
pub fn root_excess(identity: &BundleIdentity) -> usize {
    identity.shown_root().len().saturating_sub(ROOT_ALLOWANCE)
}
