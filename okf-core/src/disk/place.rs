//! Places in a bundle, and the names that make them.

use super::directory::join;
use crate::bundle::InvalidPath;
use crate::bundle_path::BundlePath;
use crate::finding::Escaped;

/// A path in the bundle: raw for the system, checked for everybody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    Good(BundlePath),
    Bad { raw: Box<[u8]>, invalid: InvalidPath },
}

impl Place {
    pub(super) fn new(directory: &Self, name: &[u8]) -> Self {
        let raw = join(directory.raw(), name);
        let error = match String::from_utf8(raw.clone()) {
            Ok(path) => match BundlePath::new(path) {
                Ok(path) => return Self::Good(path),
                Err(error) => Some(error),
            },
            Err(_) => None,
        };
        let stem = name.strip_suffix(b".md");
        let concept = stem.is_some_and(|stem| !matches!(stem, b"" | b"index" | b"log"));
        Self::Bad { invalid: InvalidPath { shown: shown(&raw), error, concept }, raw: raw.into_boxed_slice() }
    }

    pub(super) fn raw(&self) -> &[u8] {
        match self {
            Self::Root => b"",
            Self::Good(path) => path.as_str().as_bytes(),
            Self::Bad { raw, .. } => raw,
        }
    }

    /// The path as it can be shown.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Good(path) => path.as_str().to_owned(),
            Self::Bad { invalid, .. } => invalid.shown.clone(),
        }
    }
}

/// A raw path as text: bytes that are not UTF-8 as `\xff`, control characters as `\u{1b}`.
fn shown(raw: &[u8]) -> String {
    use std::fmt::Write;
    let mut shown = String::with_capacity(raw.len());
    for chunk in raw.utf8_chunks() {
        let _ = write!(shown, "{}", Escaped(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}
