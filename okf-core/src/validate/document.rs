//! One concept file: spec §4, §5 and §10.

mod computation;
mod fields;
mod lifecycle;
mod provenance;
mod recorder;
mod tags;
mod trust;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;

use crate::bundle::Content;
use crate::bundle_path::BundlePath;
use crate::document::{Document, Head};
use crate::finding::{Finding, Location, Severity};
use crate::frontmatter::{Frontmatter, Kind, Node, excerpt};
use crate::text::{lines, without_break};
use fields::kind;
use recorder::Recorder;

/// Judges one concept file by itself: whether it reads, has a `type`, and what its managed fields say.
///
/// A file that does not read gives exactly one finding.
pub(super) fn check_concept(path: &BundlePath, content: &Content, out: &mut Vec<Finding>) {
    let unread = |id, message| Finding {
        location: Some(Location { path: path.as_str().into(), line: None, column: None }),
        id,
        message,
        severity: Severity::Error,
    };
    match content {
        Content::NotUtf8 { offset } => {
            let message = format!("not UTF-8: the byte at offset {offset} begins no character; save the file as UTF-8");
            out.push(unread("okf/invalid-utf8", message));
        }
        Content::Failed { message } => {
            out.push(unread("okf/invalid-document", format!("the file cannot be read: {message}")));
        }
        Content::Document(document) => check(document, out),
    }
}

/// Whether a concept reads and visibly has a `type`: all that is an error in one is then ruled out.
pub(super) fn has_type(document: &Document) -> bool {
    let named = document.metadata().concept_type.as_deref();
    matches!(document.head(), Head::Parsed(_)) && named.is_some_and(|name| !name.trim().is_empty())
}

fn check(document: &Document, out: &mut Vec<Finding>) {
    let mut recorder = Recorder::new(document, out);
    match document.head() {
        Head::Absent => {
            let message = format!("the concept has no frontmatter; {}", absence_hint(document.text().as_str()));
            recorder.error("okf/missing-frontmatter", 0, message);
        }
        Head::Broken { error, .. } => recorder.error_at("okf/invalid-document", error.position, error.to_string()),
        Head::Parsed(_) => {
            let frontmatter = document.frontmatter().expect("a head that parsed parses again");
            check_type(&frontmatter, &mut recorder);
            tags::check(&frontmatter, &mut recorder);
            provenance::check(document, &frontmatter, &mut recorder);
            trust::check(&frontmatter, &mut recorder);
            lifecycle::check(&frontmatter, &mut recorder);
            computation::check(document, &frontmatter, &mut recorder);
        }
    }
}

/// `type` (spec §4.1): the one thing that a concept must have.
fn check_type(frontmatter: &Frontmatter, recorder: &mut Recorder<'_>) {
    const MISSING: &str = "okf/missing-type";
    let Some(node) = frontmatter.get("type") else {
        let other = frontmatter.root.entries.iter().find(|entry| entry.key.trim().eq_ignore_ascii_case("type"));
        match other {
            Some(entry) => {
                let message = format!("`type` is missing; rename `{}`: keys are case-sensitive", excerpt(&entry.key));
                recorder.error(MISSING, entry.key_span.start, message);
            }
            None => recorder.error(MISSING, 0, "`type` is missing; add a line such as `type: Note`"),
        }
        return;
    };
    if is_empty(node) {
        recorder.error(MISSING, node.span.start, "`type` is empty; write what kind of thing the concept is");
        return;
    }
    let message = match &node.kind {
        Kind::Scalar(scalar) if scalar.schema == crate::frontmatter::Schema::Str => return,
        Kind::Scalar(scalar) => {
            format!("`type` is {}, read as the text `{}`; quote it", kind(node), excerpt(&scalar.text))
        }
        Kind::Sequence(_) | Kind::Mapping(_) => format!("`type` is {}, not a string", kind(node)),
    };
    recorder.advise("okf/type-not-string", node.span.start, message);
}

fn is_empty(node: &Node) -> bool {
    match &node.kind {
        Kind::Scalar(_) => node.as_text().is_none_or(|text| text.trim().is_empty()),
        Kind::Sequence(items) => items.is_empty(),
        Kind::Mapping(mapping) => mapping.entries.is_empty(),
    }
}

/// What helps a file that has no frontmatter.
fn absence_hint(text: &str) -> &'static str {
    let mut lines = lines(text).map(|line| without_break(&text[line]));
    let first = lines.next().unwrap_or_default();
    if first.strip_prefix('\u{feff}').is_some_and(|rest| rest.trim_end() == "---") {
        return "the file begins with two byte-order marks: remove one";
    }
    match first.trim() {
        "---" => "the `---` of line 1 is indented: move it to the start of the line",
        "" if lines.find(|line| !line.trim().is_empty()).is_some_and(|line| line.trim() == "---") => {
            "a blank line precedes the opening `---`: it must be the first line"
        }
        "+++" => "the frontmatter is YAML between `---` lines, not TOML",
        first if first.len() > 3 && first.bytes().all(|byte| byte == b'-') => {
            "the opening line is exactly three dashes: `---`"
        }
        _ => "begin it with `---`, `type: …`, `---`, or move a file that is no concept out of the bundle",
    }
}
