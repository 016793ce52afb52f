//! Concept IDs: a document's bundle path without `.md` (spec §2).

use std::fmt;

use crate::bundle_path::{self, BundlePath, PathError};

/// The bundle path of a concept minus `.md`.
///
/// A value of this type obeys the path rules and does not end in a reserved name; whether the
/// concept exists is the bundle's to say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConceptId(Box<str>);

/// Why a string is not a concept ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConceptIdError {
    /// Breaks a rule of bundle paths.
    Path(PathError),
    /// The last segment is `index` or `log` (spec §3.1).
    Reserved,
}

impl fmt::Display for ConceptIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(error) => error.fmt(f),
            Self::Reserved => f.write_str("`index` and `log` are reserved names"),
        }
    }
}

impl std::error::Error for ConceptIdError {}

impl ConceptId {
    /// Checks a string against the rules for reading.
    ///
    /// ```
    /// use okf_core::concept_id::ConceptId;
    ///
    /// let id = ConceptId::new("tables/orders")?;
    /// assert_eq!((id.path().as_str(), id.base_name()), ("tables/orders.md", "orders"));
    /// assert!(ConceptId::new("tables/index").is_err(), "a reserved name");
    /// # Ok::<(), okf_core::concept_id::ConceptIdError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The path rule broken, or [`ConceptIdError::Reserved`].
    pub fn new(id: impl Into<String>) -> Result<Self, ConceptIdError> {
        let id = id.into();
        bundle_path::check(&id).map_err(ConceptIdError::Path)?;
        if matches!(id.rsplit('/').next(), Some("index" | "log")) {
            return Err(ConceptIdError::Reserved);
        }
        Ok(Self(id.into_boxed_str()))
    }

    /// The ID of the concept at a path; `None` for assets and reserved documents.
    #[must_use]
    pub fn of(path: &BundlePath) -> Option<Self> {
        let id = path.as_str().strip_suffix(".md")?;
        let name = id.rsplit('/').next().unwrap_or(id);
        (!matches!(name, "" | "index" | "log")).then(|| Self(id.into()))
    }

    /// The ID as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of the concept's document.
    #[must_use]
    pub fn path(&self) -> BundlePath {
        BundlePath::new(format!("{}.md", self.0)).expect("an ID obeys the path rules, and so does it with `.md`")
    }

    /// The last segment.
    #[must_use]
    pub fn base_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for ConceptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
