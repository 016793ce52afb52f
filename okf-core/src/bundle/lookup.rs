//! Finding a concept by its ID (contract §1).

use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use super::{Bundle, File, Role, Unreadable, names};
use crate::bundle_path::{self, BundlePath, PathError};
use crate::document::Document;

/// Why a lookup found nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupError {
    /// The string breaks the path rules.
    Invalid(PathError),
    /// `index` or `log`.
    Reserved,
    /// Ends in `.md`, and no such concept exists; the ID to use instead.
    Suffix(String),
    /// No such concept; up to three near misses.
    NotFound(Vec<String>),
    /// The file exists and cannot be decoded or read.
    Unreadable(Unreadable),
}

impl std::fmt::Display for LookupError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(error) => write!(f, "a concept ID {error}"),
            Self::Reserved => f.write_str("`index` and `log` are reserved names, not concepts"),
            Self::Suffix(id) => write!(f, "a concept ID has no `.md` suffix: use `{id}`"),
            Self::NotFound(near) => {
                f.write_str("no such concept")?;
                for (n, id) in near.iter().enumerate() {
                    write!(f, "{}`{id}`", if n == 0 { "; did you mean " } else { ", " })?;
                }
                if near.is_empty() { Ok(()) } else { f.write_str("?") }
            }
            Self::Unreadable(concept) => write!(f, "`{}` {}", concept.path, concept.message),
        }
    }
}

impl std::error::Error for LookupError {}

impl Bundle {
    /// Finds a concept by ID: exactly, else by a unique match under NFC/NFD (contract §1).
    ///
    /// A concept whose frontmatter does not parse is found: its text can still be shown.
    ///
    /// # Errors
    ///
    /// Why nothing is served, with near misses.
    pub fn lookup(&self, id: &str) -> Result<&Arc<Document>, LookupError> {
        bundle_path::check(id).map_err(LookupError::Invalid)?;
        let path = format!("{id}.md");
        let known = match self.files.get_key_value(path.as_str()) {
            Some(known) => Some(known),
            None => self.normalised(&path).and_then(|path| self.files.get_key_value(path)),
        };
        match known {
            Some((path, File::Concept(content))) => {
                let trouble = || content.trouble().unwrap_or_default();
                content.document().ok_or_else(|| LookupError::Unreadable(Unreadable::new(path.as_str(), trouble())))
            }
            _ => Err(self.explain_miss(id)),
        }
    }

    /// The file whose path equals the given one under Unicode normalisation, when there is just one.
    ///
    /// Looks at composed and decomposed forms only, never at case.
    #[must_use]
    pub fn normalised(&self, path: &str) -> Option<&BundlePath> {
        let composed: String = path.nfc().collect();
        let mut same = self.census.composed.get(&composed);
        same.next().filter(|_| same.next().is_none())
    }

    fn explain_miss(&self, id: &str) -> LookupError {
        let without_suffix = id.strip_suffix(".md").unwrap_or(id);
        if matches!(Role::of(&format!("{without_suffix}.md")), Role::Index | Role::Log) {
            return LookupError::Reserved;
        }
        if without_suffix != id && !without_suffix.is_empty() && !without_suffix.ends_with('/') {
            return LookupError::Suffix(without_suffix.to_owned());
        }
        let ids = self.concept_paths().filter_map(|path| path.as_str().strip_suffix(".md"));
        LookupError::NotFound(names::near_misses(id, ids))
    }
}
