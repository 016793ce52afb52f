//! What is wanted, before anybody has looked whether it can be had.

use super::error::{ChangeError, Reason, Subject};
use super::link::check_relationship;
use super::place::{check_id, check_new};

/// Changes that are prepared, judged and committed as one, in order: a later one sees the earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// The changes in order.
    pub changes: Vec<Change>,
}

/// One change. IDs are as the caller gave them; [`prepare`](super::prepare()) checks them.
///
/// An `expected_revision` is what the caller believes the concept to be at
/// ([`Revision`](crate::document::Revision) as text); any other is an error that carries the current one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Makes a concept where nothing is.
    Create {
        /// ID of the new concept.
        id: String,
        /// Its managed fields and body; fields left out are not written.
        fields: Fields,
    },
    /// Lays fields over those of a concept; all others stay as they are.
    Update {
        /// ID of the concept.
        id: String,
        /// The fields to set; an empty string, list or body is a value.
        fields: Fields,
        /// The revision that the caller saw.
        expected_revision: Option<String>,
    },
    /// Adds `{resource, relationship}` to the `sources` of a concept.
    Link {
        /// ID of the concept that gets the link.
        source: String,
        /// ID of the concept that it derives from; it may be missing.
        target: String,
        /// What the target is to the source.
        relationship: String,
        /// The revision of the source that the caller saw.
        expected_revision: Option<String>,
    },
    /// Sets `status: deprecated`.
    Deprecate {
        /// ID of the concept.
        id: String,
        /// Why, for the log alone.
        note: Option<String>,
        /// The revision that the caller saw.
        expected_revision: Option<String>,
    },
}

/// The managed fields of a concept and its body; what is `None` is left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// `type`
    pub concept_type: Option<String>,
    /// `title`
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `tags`
    pub tags: Option<Vec<String>>,
    /// The Markdown below the frontmatter.
    pub body: Option<String>,
}

impl Change {
    /// The ID of the concept that is written.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Create { id, .. } | Self::Update { id, .. } | Self::Deprecate { id, .. } => id,
            Self::Link { source, .. } => source,
        }
    }

    /// The IDs that the change names, and what each is to it.
    #[must_use]
    pub fn subjects(&self) -> Vec<(Subject, &str)> {
        match self {
            Self::Link { source, target, .. } => vec![(Subject::Source, source), (Subject::Target, target)],
            _ => vec![(Subject::Concept, self.id())],
        }
    }
}

impl ChangeSet {
    /// Checks IDs and relationships by themselves, as [`prepare`](super::prepare()) does before it looks at a bundle.
    ///
    /// # Errors
    ///
    /// The first ID that is none for writing, or a blank relationship.
    pub fn check(&self) -> Result<(), ChangeError> {
        for (at, change) in self.changes.iter().enumerate() {
            for (subject, id) in change.subjects() {
                let checked = if let Change::Create { .. } = change { check_new(id) } else { check_id(id) };
                // An existing `Index` can be linked to, which only the bundle knows.
                match checked {
                    Ok(_) => {}
                    Err(Reason::Reserved) if subject == Subject::Target => {}
                    Err(reason) => return Err(ChangeError { change: at, subject, id: id.to_owned(), reason }),
                }
            }
            if let Change::Link { relationship, .. } = change {
                check_relationship(relationship)
                    .map_err(|reason| ChangeError::new(at, change, Subject::Source, reason))?;
            }
        }
        Ok(())
    }
}

impl From<Change> for ChangeSet {
    fn from(change: Change) -> Self {
        Self { changes: vec![change] }
    }
}
