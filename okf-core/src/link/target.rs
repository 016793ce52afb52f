//! Reading a target: what kind of thing it names, and which path.

use std::borrow::Cow;

/// A scheme or `//`.
///
/// No scheme: a drive letter (`C:\`, `C:/`), and a word, colon and white space as in prose.
pub(super) fn is_external(target: &str) -> bool {
    if target.starts_with("//") {
        return true;
    }
    let Some((scheme, rest)) = target.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let is_drive = scheme.len() == 1 && rest.starts_with(['\\', '/']);
    is_scheme && !is_drive && !rest.starts_with(char::is_whitespace)
}

/// Whether the `resource` of a source reads as a scope rather than a path (spec §5.1).
pub(super) fn is_descriptor(target: &str, path: &str) -> bool {
    target.contains(|c: char| c.is_whitespace() || c == '`')
        || !(path.contains('/') || path.starts_with('.') || has_extension(path))
}

pub(super) fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).trim_start_matches('.');
    name.rsplit_once('.').is_some_and(|(_, extension)| !extension.is_empty())
}

/// Joins a target to the directory of the document that holds it: segments decoded, dots worked off.
///
/// Gives the path (`""` is the root) and whether it can only be a directory. `None` when a decoded
/// segment is none, or the path climbs above the root.
pub(super) fn normalise(from: &str, target: &str) -> Option<(String, bool)> {
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut path = if target.starts_with('/') { String::new() } else { directory.to_owned() };
    let mut is_directory = false;
    for raw in target.split('/') {
        let segment = decode(raw);
        if segment.contains(|c: char| matches!(c, '/' | '\\') || c.is_control()) {
            return None;
        }
        is_directory = matches!(&*segment, "" | "." | "..");
        match &*segment {
            "" | "." => {}
            ".." if path.is_empty() => return None,
            ".." => path.truncate(path.rfind('/').unwrap_or(0)),
            name => {
                if !path.is_empty() {
                    path.push('/');
                }
                path.push_str(name);
            }
        }
    }
    Some((path, is_directory))
}

/// Decodes percent escapes; an escape that is malformed, or part of a run that is not UTF-8, stays as
/// it is written.
fn decode(segment: &str) -> Cow<'_, str> {
    if !segment.contains('%') {
        return Cow::Borrowed(segment);
    }
    let mut decoded = String::with_capacity(segment.len());
    let mut rest = segment;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let run: Vec<u8> = rest.as_bytes().chunks(3).map_while(escaped_byte).collect();
        let length = if run.is_empty() { 1 } else { 3 * run.len() };
        match String::from_utf8(run) {
            Ok(text) if !text.is_empty() => decoded.push_str(&text),
            _ => decoded.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

fn escaped_byte(escape: &[u8]) -> Option<u8> {
    let &[b'%', high, low] = escape else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
