//! Areas: parts of a bundle named by whole leading segments (contract §1).

/// A prefix of whole segments; empty for the whole bundle.
///
/// ```
/// use okf_core::area::Area;
///
/// let area = Area::new("./notes/");
/// assert!(area.contains("notes/beta"));
/// assert!(!area.contains("notes-archive/gamma"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area(String);

impl Area {
    /// Strips leading `./` and `/`, and trailing `/` and `/.`; nothing else is normalised.
    #[must_use]
    pub fn new(prefix: &str) -> Self {
        let mut rest = prefix;
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
            rest = shorter;
        }
        while let Some(shorter) = rest.strip_suffix("/.").or_else(|| rest.strip_suffix('/')) {
            rest = shorter;
        }
        Self(if rest == "." { String::new() } else { rest.to_owned() })
    }

    /// The stripped prefix.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the area is the whole bundle.
    #[must_use]
    pub fn is_whole_bundle(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an ID equals the area or lies below it.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.is_whole_bundle()
            || id.strip_prefix(self.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}
