//! Writing a path as a link destination.

use std::fmt::Write;

/// Percent-encodes a bundle path for use as a destination: all but `/` and what RFC 3986 leaves
/// unreserved (`A-Z a-z 0-9 - . _ ~`).
///
/// ```
/// assert_eq!(okf_core::link::encode("notes/a (b).md"), "notes/a%20%28b%29.md");
/// ```
#[must_use]
pub fn encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
