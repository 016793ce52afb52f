//! What the managed fields have in common.

use super::recorder::Recorder;
use crate::frontmatter::{Kind, Mapping, Node, excerpt};
use crate::timestamp::{self, Form, Reading};

/// What a mapping holds where text is expected.
pub(super) enum Field<'a> {
    /// Absent, null or blank.
    Missing,
    /// A scalar that is not blank.
    Text(&'a Node, &'a str),
    /// A list or a mapping.
    Other(&'a Node),
}

/// Reads a key where text is expected.
pub(super) fn field<'a>(mapping: &'a Mapping, key: &str) -> Field<'a> {
    match present(mapping, key) {
        None => Field::Missing,
        Some(node) => match node.as_text() {
            None => Field::Other(node),
            Some(text) if text.trim().is_empty() => Field::Missing,
            Some(text) => Field::Text(node, text),
        },
    }
}

/// The value of a key, unless it is null: a null field is an absent one.
pub(super) fn present<'a>(mapping: &'a Mapping, key: &str) -> Option<&'a Node> {
    mapping.get(key).filter(|node| !node.is_null())
}

/// What a value is, for messages: `a list`, `a number`, ….
pub(super) fn kind(node: &Node) -> &'static str {
    match &node.kind {
        Kind::Scalar(scalar) => scalar.schema.name(),
        Kind::Sequence(_) => "a list",
        Kind::Mapping(_) => "a mapping",
    }
}

/// Whether a date alone will do for a timestamp (contract §3).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dates {
    Accepted,
    Incomplete,
}

/// Judges a timestamp and returns its reading. What cannot be read is reported under `id`, a missing
/// offset under an ID of its own.
pub(super) fn check_timestamp(
    recorder: &mut Recorder<'_>,
    id: &'static str,
    name: &str,
    node: &Node,
    dates: Dates,
) -> Option<Reading> {
    const WITHOUT_OFFSET: &str = "okf/timestamp-without-offset";
    let at = node.span.start;
    let Some(text) = node.as_text() else {
        recorder.advise(id, at, format!("`{name}` is {}, not a timestamp", kind(node)));
        return None;
    };
    let Some(reading) = timestamp::read(text) else {
        let shown = excerpt(text);
        recorder.advise(
            id,
            at,
            format!("`{name}` is `{shown}`, which is no timestamp; write it like `2026-06-30T14:00:00Z`"),
        );
        return None;
    };
    match reading.form {
        Form::WithoutOffset => {
            recorder.advise(WITHOUT_OFFSET, at, format!("`{name}` has no UTC offset and is read as UTC; append `Z`"));
        }
        Form::DateOnly if dates == Dates::Incomplete => {
            let message = format!("`{name}` is a date alone and is read as midnight UTC; append `T00:00:00Z`");
            recorder.advise(WITHOUT_OFFSET, at, message);
        }
        Form::DateOnly | Form::Full => {}
    }
    Some(reading)
}

/// Judges the form of an actor (spec §7); any text will do, but a slip in a prefix changes its meaning.
pub(super) fn check_actor(recorder: &mut Recorder<'_>, id: &'static str, name: &str, node: &Node, actor: &str) {
    for prefix in ["human:", "process:"] {
        let Some((head, rest)) = actor.split_at_checked(prefix.len()) else { continue };
        if !head.eq_ignore_ascii_case(prefix) {
            continue;
        }
        let shown = excerpt(actor);
        if head != prefix {
            let message =
                format!("`{name}` is `{shown}`: the prefix `{prefix}` is lower case, so it is not recognised");
            recorder.advise(id, node.span.start, message);
        } else if rest.trim().is_empty() {
            recorder.advise(id, node.span.start, format!("`{name}` is `{shown}`, which names nobody"));
        }
    }
}

/// Judges a field that is optional and holds text.
pub(super) fn check_optional_text(
    recorder: &mut Recorder<'_>,
    id: &'static str,
    parent: &str,
    mapping: &Mapping,
    key: &str,
) {
    if let Field::Other(node) = field(mapping, key) {
        recorder.advise(id, node.span.start, format!("`{parent}.{key}` is {}, not a text", kind(node)));
    }
}
