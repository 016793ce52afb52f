//! Validated bundle paths.

use std::fmt;
use std::sync::Arc;

/// A relative POSIX path inside a bundle, kept byte for byte (contract §1). A clone shares the text.
///
/// ```
/// use okf_core::bundle_path::BundlePath;
///
/// let path = BundlePath::new("tables/orders.md")?;
/// assert_eq!(path.parent(), Some("tables"));
/// assert!(BundlePath::new("../secret.md").is_err());
/// # Ok::<(), okf_core::bundle_path::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundlePath(Arc<str>);

/// Why a string is not a bundle path; the variants are in the order in which they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathError {
    /// Empty, or starts with `/`.
    NotRelative,
    /// Contains `\`.
    Backslash,
    /// A segment is empty, `.` or `..`.
    Segment,
    /// Contains a C0, DEL or C1 control character.
    Control,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotRelative => "must be non-empty and relative",
            Self::Backslash => "must use `/` separators",
            Self::Segment => "cannot contain empty, `.` or `..` segments",
            Self::Control => "cannot contain control characters",
        })
    }
}

impl std::error::Error for PathError {}

impl BundlePath {
    /// Checks a string and keeps it as it is.
    ///
    /// # Errors
    ///
    /// The first rule of contract §1 that the string breaks.
    pub fn new(path: impl Into<String>) -> Result<Self, PathError> {
        let path = path.into();
        check(&path)?;
        Ok(Self(path.into()))
    }

    /// The path as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text of the path, shared.
    pub(crate) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }

    /// The segments from the root down.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last segment.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The directory that holds the file, `None` at the root.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// Whether every segment matches `[A-Za-z0-9_][A-Za-z0-9_.-]*` and survives on every common
    /// file system (no Windows device name, no trailing `.` or space).
    #[must_use]
    pub fn is_portable(&self) -> bool {
        self.segments().all(is_portable_segment)
    }
}

impl std::borrow::Borrow<str> for BundlePath {
    /// Lets a map keyed by paths be asked with a plain string.
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for BundlePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BundlePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn check(path: &str) -> Result<(), PathError> {
    if path.is_empty() || path.starts_with('/') {
        return Err(PathError::NotRelative);
    }
    if path.contains('\\') {
        return Err(PathError::Backslash);
    }
    if path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err(PathError::Segment);
    }
    if path.chars().any(char::is_control) {
        return Err(PathError::Control);
    }
    Ok(())
}

fn is_portable_segment(segment: &str) -> bool {
    let mut bytes = segment.bytes();
    let starts_well = bytes.next().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
    starts_well
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
        && !segment.ends_with('.')
        && !is_device_name(segment)
}

/// Whether Windows reserves the name, with any extension.
fn is_device_name(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or(segment).to_ascii_lowercase();
    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        other => {
            let digit = other.strip_prefix("com").or_else(|| other.strip_prefix("lpt"));
            matches!(digit.map(str::as_bytes), Some([b'1'..=b'9']))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_in_the_contract_order() {
        let rows = [
            ("", PathError::NotRelative),
            ("/a\\b", PathError::NotRelative),
            ("a\\../b", PathError::Backslash),
            ("a//b", PathError::Segment),
            ("a/./b", PathError::Segment),
            ("../b\u{7}", PathError::Segment),
            ("a\u{0}", PathError::Control),
            ("a\u{7f}", PathError::Control),
            ("a\u{85}", PathError::Control),
        ];
        for (path, error) in rows {
            assert_eq!(BundlePath::new(path), Err(error), "{path:?}");
        }
    }

    #[test]
    fn keeps_good_input_byte_for_byte() {
        for path in ["v1.2.md", "set up guide.md", "café/数据 🚀.md", "a:b", "..a/b.."] {
            assert_eq!(BundlePath::new(path).map(|p| p.as_str().to_owned()), Ok(path.to_owned()));
        }
    }

    #[test]
    fn portability_is_advisory_and_closed() {
        for good in ["a.md", "_a/B-1.v2.md", "9.md", "console.md", "com10.md"] {
            assert!(BundlePath::new(good).unwrap().is_portable(), "{good}");
        }
        for bad in ["-a.md", "a b.md", "é.md", ".a", "CON", "nul.txt", "d/Com1.md", "a./b", "a "] {
            assert!(!BundlePath::new(bad).unwrap().is_portable(), "{bad}");
        }
    }
}
