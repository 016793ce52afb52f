//! The core schema of YAML 1.2: what a plain scalar means (YAML 1.2.2 §10.3.2).

use granit_parser::Tag;

use super::{Schema, Style};

impl Schema {
    /// What the core schema calls it, for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Int | Self::Float => "a number",
            Self::Str => "a string",
        }
    }
}

/// The type of a scalar from its text, style and tag.
///
/// A core tag holds when the text has that form; under any other tag the text is a string.
pub(super) fn resolve(text: &str, style: Style, tag: Option<&Tag>) -> Schema {
    let Some(tag) = tag else {
        return if style == Style::Plain { of_plain(text) } else { Schema::Str };
    };
    let claimed = match tag.core_suffix() {
        Some("null") => Schema::Null,
        Some("bool") => Schema::Bool,
        Some("int") => Schema::Int,
        Some("float") => Schema::Float,
        _ => return Schema::Str,
    };
    if of_plain(text) == claimed { claimed } else { Schema::Str }
}

/// The type of a plain scalar without a tag.
pub(super) fn of_plain(text: &str) -> Schema {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Schema::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Schema::Bool,
        _ if is_int(text) => Schema::Int,
        _ if is_float(text) => Schema::Float,
        _ => Schema::Str,
    }
}

fn is_int(text: &str) -> bool {
    if let Some(octal) = text.strip_prefix("0o") {
        return !octal.is_empty() && octal.bytes().all(|b| matches!(b, b'0'..=b'7'));
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit());
    }
    is_digits(unsigned(text))
}

fn is_float(text: &str) -> bool {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let text = unsigned(text);
    if matches!(text, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa_holds = match mantissa.split_once('.') {
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
        None => is_digits(mantissa),
    };
    mantissa_holds && exponent.is_none_or(|exponent| is_digits(unsigned(exponent)))
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
