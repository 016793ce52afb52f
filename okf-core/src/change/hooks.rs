//! What a build may add to every write: derived files and a judgement of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jiff::civil::Date;

use super::error::HookError;
use super::judgement::Judgement;
use crate::bundle::Bundle;
use crate::concept_id::ConceptId;
use crate::disk::FileEdit;

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
///
/// ```
/// use okf_core::bundle::Bundle;
/// use okf_core::bundle_path::BundlePath;
/// use okf_core::change::{Candidate, Change, ChangeSet, Derive, Fields, prepare};
/// use okf_core::disk::FileEdit;
///
/// /// Keeps the number of concepts in a file.
/// struct Count;
///
/// impl Derive for Count {
///     fn name(&self) -> &str {
///         "count"
///     }
///
///     fn derive(&self, candidate: &Candidate<'_>) -> Vec<FileEdit> {
///         let path = BundlePath::new("count.txt").expect("a good path");
///         vec![FileEdit { path, before: None, after: candidate.bundle.concept_count().to_string().into() }]
///     }
/// }
///
/// let bundle = Bundle::from_files([("a.md", "---\ntype: Note\n---\n")])?;
/// let fields = Fields { concept_type: Some("Note".into()), ..Fields::default() };
/// let set = ChangeSet::from(Change::Create { id: "b".into(), fields });
/// let prepared = prepare(&bundle, &set, jiff::civil::date(2026, 6, 15), &[&Count], &[])?;
/// assert_eq!(prepared.changed_paths(), ["b.md", "count.txt", "log.md"]);
/// assert_eq!(prepared.edits()[1].after, b"2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Derive: Send + Sync {
    /// A name, unique among the hooks of a build.
    fn name(&self) -> &str;

    /// The files to write besides; `before` is what the candidate shows.
    ///
    /// What the write itself makes, be it concept, index or log, may be edited further: so a profile can
    /// complete a new concept. An edit of a file that another hook edits is an error; one that changes no
    /// byte is passed over.
    fn derive(&self, candidate: &Candidate<'_>) -> Vec<FileEdit>;
}

/// Judges a bundle by the conventions of a profile.
pub trait Judge: Send + Sync {
    /// A name, unique among the hooks of a build, and the namespace of its findings: those of `house` have
    /// IDs that start with `house/`.
    fn name(&self) -> &str;

    /// The findings of the profile and what they come to. Errors refuse a write by the same rule as those of
    /// the specification, and so does a write after which a bundle that was judged is no longer.
    fn judge(&self, bundle: &Bundle) -> Judgement;
}

/// Asks a judge about a bundle.
///
/// # Errors
///
/// A panic; a finding outside the judge's namespace: nothing but the specification speaks for the
/// specification.
pub fn judge(judge: &dyn Judge, bundle: &Bundle) -> Result<Judgement, HookError> {
    let name = judge.name();
    let judgement = guarded(name, || judge.judge(bundle))?;
    let is_own = |id: &str| id.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    match judgement.report().findings().iter().find(|finding| !is_own(finding.id)) {
        Some(foreign) => Err(HookError::Namespace { id: foreign.id, hook: name.to_owned() }),
        None => Ok(judgement),
    }
}

/// Runs code of a hook; a panic is its error, so that a write that it takes part in ends as any other that
/// cannot be made.
pub(super) fn guarded<T>(hook: &str, code: impl FnOnce() -> T) -> Result<T, HookError> {
    // Hooks are shared and see nothing that could be left half-done.
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        HookError::Panicked { hook: hook.to_owned(), message: text.unwrap_or("without a message").to_owned() }
    })
}
