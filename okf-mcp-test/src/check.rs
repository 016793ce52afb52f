//! Short checks of JSON and texts, which fail with what they saw.

use serde_json::Value;

/// The keys of a JSON object, sorted.
///
/// # Panics
///
/// It is no object.
#[must_use]
#[track_caller]
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().unwrap_or_else(|| panic!("not an object: {value}")).keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The strings under one key of every element of an array.
///
/// # Panics
///
/// It is no array, or an element has no such string.
#[must_use]
#[track_caller]
pub fn column<'a>(rows: &'a Value, key: &str) -> Vec<&'a str> {
    array(rows).iter().map(|row| row[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {row}"))).collect()
}

/// An array's elements.
///
/// # Panics
///
/// It is no array.
#[must_use]
#[track_caller]
pub fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("not an array: {value}"))
}

/// A count.
///
/// # Panics
///
/// It is no whole number from 0.
#[must_use]
#[track_caller]
pub fn number(value: &Value) -> usize {
    let number = value.as_u64().unwrap_or_else(|| panic!("not a count: {value}"));
    usize::try_from(number).expect("counts fit")
}

/// Fails unless the text holds every one of the parts.
///
/// # Panics
///
/// A part is missing.
#[track_caller]
pub fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

/// Fails when the text holds one of the parts.
///
/// # Panics
///
/// A part is there.
#[track_caller]
pub fn never_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "`{part}` does not belong in:\n{text}");
    }
}
