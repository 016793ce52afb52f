//! What a build may add to every write: derived files and a judgement of its own.

use jiff::civil::Date;

use crate::bundle::Bundle;
use crate::concept_id::ConceptId;
use crate::disk::FileEdit;
use crate::finding::Report;

/// A bundle as it would be, and what led to it.
///
/// Everything that a hook needs is here: the disk is not looked at, neither by [`prepare`](super::prepare())
/// nor by its hooks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Candidate<'a> {
    /// The bundle with the changes, and with index and log brought up to date.
    pub bundle: &'a Bundle,
    /// The bundle as it is now.
    pub previous: &'a Bundle,
    /// The concepts that the changes write, in the order of the changes.
    pub written: &'a [ConceptId],
    /// The day of the write, in UTC.
    pub date: Date,
}

/// Computes files from the candidate of a write.
///
/// Asked once per write that changes something, in the order of names. All hooks see the same candidate, so
/// none can depend on another.
pub trait Derive: Send + Sync {
    /// A name, unique among the hooks of a build.
    fn name(&self) -> &str;

    /// The files to write besides; `before` is what the candidate shows.
    ///
    /// An index or log that the write brings up to date may be edited further. An edit of a concept that
    /// the changes write, or of a file that another hook edits, is an error; one that changes no byte is
    /// passed over.
    fn derive(&self, candidate: &Candidate<'_>) -> Vec<FileEdit>;
}

/// Judges a bundle by the conventions of a profile.
pub trait Judge: Send + Sync {
    /// A name, unique among the hooks of a build.
    fn name(&self) -> &str;

    /// The findings of the profile, in its own namespace. Errors refuse a write by the same rule as those
    /// of the specification.
    fn judge(&self, bundle: &Bundle) -> Report;
}
