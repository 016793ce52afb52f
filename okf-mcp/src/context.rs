//! What a handler may use.

use std::sync::{Arc, Mutex, PoisonError};

use okf_core::bundle::Bundle;
use okf_core::change::Prepared;
use okf_core::disk::{self, DiskError, PATIENCE, Recovery, WriteLock};
use okf_core::finding::Report;
use okf_core::snapshot::Snapshot;
use okf_core::timestamp::Timestamp;

use crate::profiles::{self, Profiles};
use crate::tool::ToolError;

/// What a committed write led to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Written {
    /// The files written, sorted; empty when nothing had to change.
    pub changed_paths: Vec<String>,
    /// The bundle as it is now.
    pub bundle: Bundle,
    /// Errors that were there before and did not stand in the way.
    pub preexisting: Report,
}

/// Explicit, borrowed surroundings of one call.
#[non_exhaustive]
pub struct Context<'a> {
    /// The instant of the call.
    pub now: Timestamp,
    snapshot: &'a Snapshot,
    cancelled: &'a (dyn Fn() -> bool + Sync),
    profiles: &'a Profiles,
    seen: Mutex<Option<Arc<Bundle>>>,
    recovered: Mutex<Option<Recovery>>,
}

impl<'a> Context<'a> {
    /// Surroundings for one call in a build without profiles.
    #[must_use]
    pub fn new(now: Timestamp, snapshot: &'a Snapshot, cancelled: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self {
            now,
            snapshot,
            cancelled,
            profiles: &profiles::NONE,
            seen: Mutex::new(None),
            recovered: Mutex::new(None),
        }
    }

    /// The same surroundings in a build with these profiles.
    #[must_use]
    pub fn with_profiles(self, profiles: &'a Profiles) -> Self {
        Self { profiles, ..self }
    }

    /// The profiles of the build: every write passes them, and a judgement is listed with theirs beside it.
    #[must_use]
    pub fn profiles(&self) -> &'a Profiles {
        self.profiles
    }

    /// The bundle as the disk is now.
    ///
    /// # Errors
    ///
    /// The bundle is gone or unreadable; a later call works when it has returned.
    pub fn bundle(&self) -> Result<Arc<Bundle>, ToolError> {
        let bundle = self.snapshot.current().map_err(unreadable)?;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&bundle));
        Ok(bundle)
    }

    /// Prepares a change on the bundle as it is now and commits it, under the exclusive lock from load to
    /// commit.
    ///
    /// A bundle that was never written to has no lock file; there the change is tried out first, so that one
    /// that comes to nothing leaves no trace.
    ///
    /// # Errors
    ///
    /// What `change` returns; the bundle cannot be locked within ten seconds, read or written; the client has
    /// cancelled the call before anything was written.
    pub fn write(&self, change: impl Fn(&Bundle) -> Result<Prepared, ToolError>) -> Result<Written, ToolError> {
        if !disk::has_lock_file(self.snapshot.root()) {
            let prepared = change(&*self.bundle()?)?;
            if prepared.edits().is_empty() {
                let preexisting = prepared.preexisting().clone();
                return Ok(Written { changed_paths: Vec::new(), bundle: prepared.into_candidate(), preexisting });
            }
        }
        let failed = |error: &dyn std::fmt::Display| ToolError::new(error.to_string());
        let mut lock = WriteLock::acquire(self.snapshot.root(), PATIENCE).map_err(|error| failed(&error))?;
        *self.recovered.lock().unwrap_or_else(PoisonError::into_inner) = lock.recovery().cloned();
        let prepared = change(&*self.snapshot.current_under(&lock).map_err(unreadable)?)?;
        if self.is_cancelled() {
            return Err(ToolError::new("the call was cancelled; nothing was written"));
        }
        let (changed_paths, preexisting) = (prepared.changed_paths(), prepared.preexisting().clone());
        let bundle = prepared.commit(&mut lock).map_err(|error| failed(&error))?;
        Ok(Written { changed_paths, bundle, preexisting })
    }

    /// Whether the client has cancelled the call; long work polls it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        (self.cancelled)()
    }

    /// The flag itself, for functions of okf-core that poll it.
    pub fn cancelled(&self) -> &'a (dyn Fn() -> bool + Sync) {
        self.cancelled
    }

    /// What became of interrupted writes that the call came upon; each is told once.
    pub(crate) fn take_recoveries(&self) -> Vec<Recovery> {
        let recovered = self.recovered.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.snapshot.take_recoveries().into_iter().chain(recovered).collect()
    }

    /// The picture that the handler was given last, so that the server notices when the bundle has
    /// changed without looking at the disk again.
    pub(crate) fn into_seen(self) -> Option<Arc<Bundle>> {
        self.seen.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unreadable(error: DiskError) -> ToolError {
    ToolError::new(format!("the bundle cannot be read: {error}"))
}
