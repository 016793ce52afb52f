//! Keeps a bundle fresh at the cost of what changed (design, Freshness).

mod keeper;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::bundle::Bundle;
use crate::disk::{self, DiskError, Mirror, Pace, Recovery, WriteLock};
use keeper::Keeper;

/// A bundle that is brought up to date at the start of each call.
///
/// Callers on any number of threads share the work: a call is answered by a revalidation that began after
/// the call did, whoever runs it. Asking from a background thread at start warms it up.
///
/// On Linux, on local file systems, the directories are watched once the first call has been answered, and
/// a call costs what changed. Until then, and anywhere else, it costs a stat of every file.
#[derive(Debug)]
pub struct Snapshot {
    served: Arc<Served>,
    keeper: Keeper,
}

/// What calls share with the keeper.
#[derive(Debug)]
struct Served {
    root: PathBuf,
    pace: Option<Pace>,
    mirror: Mutex<Mirror>,
    progress: Mutex<Progress>,
    finished: Condvar,
    recoveries: Mutex<Vec<Recovery>>,
}

/// Where the revalidations stand; they are numbered from one and run one at a time.
#[derive(Debug, Default)]
struct Progress {
    begun: u64,
    running: bool,
    latest: Option<(u64, Result<Arc<Bundle>, DiskError>)>,
}

impl Snapshot {
    /// Prepares to serve a resolved root; reads nothing yet.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self::at_pace(root, Some(Pace::default()))
    }

    /// Prepares to serve a resolved root without ever watching it: every call stats every file.
    #[must_use]
    pub fn unwatched(root: &Path) -> Self {
        Self::at_pace(root, None)
    }

    fn at_pace(root: &Path, pace: Option<Pace>) -> Self {
        let served = Arc::new(Served {
            root: root.to_owned(),
            pace,
            mirror: Mutex::new(Served::blank(root, pace)),
            progress: Mutex::default(),
            finished: Condvar::new(),
            recoveries: Mutex::default(),
        });
        Self { keeper: Keeper::new(pace), served }
    }

    /// The root that is served.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.served.root
    }

    /// Whether the directories are watched at the moment, so that a call costs what changed.
    #[must_use]
    pub fn is_watching(&self) -> bool {
        lock(&self.served.mirror).is_watching()
    }

    /// The bundle as the disk is now: reads only what differs or is suspect. The very same bundle as before
    /// when nothing has changed.
    ///
    /// No commit shows in half: where there is a lock file this waits for writers, and an interrupted commit
    /// is finished or undone, on disk where that is allowed (see [`Snapshot::take_recoveries`]).
    ///
    /// # Errors
    ///
    /// The root is gone or unreadable, or somebody has been writing to it for ten seconds; a later call works
    /// again when that is over.
    pub fn current(&self) -> Result<Arc<Bundle>, DiskError> {
        let (bundle, recoveries) = disk::consistently(&self.served.root, |overlay| {
            let bundle = self.revalidated()?;
            Ok(match overlay {
                None => bundle,
                Some(overlay) => Arc::new(overlay.over(&bundle)),
            })
        })?;
        if !recoveries.is_empty() {
            lock(&self.served.recoveries).extend(recoveries);
        }
        Ok(bundle)
    }

    /// The same for a caller that holds the exclusive lock of this root.
    ///
    /// # Errors
    ///
    /// The root is gone or unreadable.
    pub fn current_under(&self, lock: &WriteLock) -> Result<Arc<Bundle>, DiskError> {
        debug_assert_eq!(lock.root(), self.served.root, "the lock belongs to another bundle");
        self.revalidated()
    }

    /// What became of interrupted commits since this was last asked; each is told once.
    #[must_use]
    pub fn take_recoveries(&self) -> Vec<Recovery> {
        std::mem::take(&mut *lock(&self.served.recoveries))
    }

    fn revalidated(&self) -> Result<Arc<Bundle>, DiskError> {
        let bundle = self.served.revalidated()?;
        self.keeper.called(&self.served);
        Ok(bundle)
    }
}

impl Served {
    /// A mirror that has looked at nothing yet.
    fn blank(root: &Path, pace: Option<Pace>) -> Mirror {
        match pace {
            Some(pace) => Mirror::following(root, pace),
            None => Mirror::new(root),
        }
    }

    /// The bundle after a revalidation that began after this call did, whoever runs it.
    fn revalidated(&self) -> Result<Arc<Bundle>, DiskError> {
        let mut progress = lock(&self.progress);
        // One that is already running may have looked at a file before it was changed for this call.
        let needed = progress.begun + 1;
        loop {
            match &progress.latest {
                Some((number, result)) if *number >= needed => return result.clone(),
                _ if progress.running => {
                    progress = self.finished.wait(progress).unwrap_or_else(PoisonError::into_inner);
                }
                _ => break,
            }
        }
        progress.begun += 1;
        progress.running = true;
        let mut run = Run { served: self, number: progress.begun, result: None };
        drop(progress);
        let result = lock(&self.mirror).refresh();
        run.result = Some(result.clone());
        result
    }
}

/// A revalidation under way; its end is announced even when it panics, so that nobody waits for ever.
struct Run<'a> {
    served: &'a Served,
    number: u64,
    result: Option<Result<Arc<Bundle>, DiskError>>,
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let mut progress = lock(&self.served.progress);
        progress.running = false;
        match self.result.take() {
            Some(result) => progress.latest = Some((self.number, result)),
            // A mirror that was left in the middle of something is not looked into again.
            None => *lock(&self.served.mirror) = Served::blank(&self.served.root, self.served.pace),
        }
        self.served.finished.notify_all();
    }
}

/// Locks; a panic of another holder leaves nothing half done that matters here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
