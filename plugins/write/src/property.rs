//! Arguments that several tools take.

use serde_json::{Value, json};

/// A string argument.
pub(crate) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// `tags`
pub(crate) fn tags(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string", "minLength": 1}, "description": description})
}

/// `expected_revision`
pub(crate) fn expected_revision() -> Value {
    text("`revision` that lookup-concept returned: the call fails when the file has changed since.")
}
