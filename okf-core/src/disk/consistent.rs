//! Reading a bundle so that no commit shows in half (contract §8, Locking and Crash safety).

use std::path::Path;

use rustix::io::Errno;

use super::DiskError;
use super::apply::State;
use super::directory::Directory;
use super::journal::{Entry, Journal};
use super::lock::{LOCK_FILE, PATIENCE, ReadLock, Remains, WriteLock};
use super::recover::{self, Outcome, Recovery};
use super::stage::Stage;
use super::target::{self, Found};
use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::disk::Mirror;

/// Files that an interrupted commit leaves otherwise than they lie on the disk: their content, or `None` for
/// one that is not there.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    pub(super) files: Vec<(BundlePath, Option<Vec<u8>>)>,
}

/// Loads a bundle from a root, which is a directory or a link to one; tells what was found of interrupted
/// commits and finished or undone on the way.
///
/// # Errors
///
/// The root is missing, not a directory, or unreadable, or somebody has been writing to it for ten seconds.
pub fn load(root: &Path) -> Result<(Bundle, Vec<Recovery>), DiskError> {
    let root = super::resolve_root(root)?;
    consistently(&root, |overlay| {
        let mut mirror = Mirror::new(&root);
        match overlay {
            None => mirror.load(),
            Some(overlay) => {
                let bundle = mirror.refresh()?;
                Ok(overlay.over(&bundle))
            }
        }
    })
}

/// Reads under the shared lock of a resolved root where there is a lock file, and again when one has appeared
/// in the meantime. An interrupted commit is finished or undone first; where that is not allowed, the reading
/// gets what its outcome would be.
pub(crate) fn consistently<T>(
    root: &Path,
    mut read: impl FnMut(Option<&Overlay>) -> Result<T, DiskError>,
) -> Result<(T, Vec<Recovery>), DiskError> {
    let mut recoveries = Vec::new();
    let mut tried = false;
    loop {
        let lock = ReadLock::acquire(root, PATIENCE)?;
        let failed = |error: Errno| DiskError::new(&root.join(LOCK_FILE), error);
        let overlay = match lock.remains().map_err(failed)? {
            Remains::Nothing => None,
            Remains::Litter | Remains::Commit(_) if !tried => {
                tried = true;
                drop(lock);
                // Whoever may not write reads around it.
                if let Ok(lock) = WriteLock::acquire(root, PATIENCE) {
                    recoveries.extend(lock.recovery().cloned());
                }
                continue;
            }
            Remains::Litter => None,
            Remains::Commit(journal) => Some(Overlay::new(lock.root(), &journal).map_err(failed)?),
        };
        let value = read(overlay.as_ref())?;
        if lock.held_throughout() {
            return Ok((value, recoveries));
        }
    }
}

impl Overlay {
    /// What differs between the disk and the outcome of an interrupted commit.
    fn new(root: &Directory, journal: &Journal) -> Result<Self, Errno> {
        let stage = Stage::open(root)?;
        let standings = recover::standings(root, stage.as_ref(), journal)?;
        let (changes, name): (State, fn(usize) -> String) = match recover::outcome(&standings) {
            Outcome::Finished => (State::Old, Stage::new_name),
            Outcome::Undone => (State::New, Stage::old_name),
        };
        let mut files = Vec::new();
        for ((number, entry), standing) in journal.files.iter().enumerate().zip(&standings) {
            if standing.state != changes {
                continue;
            }
            let Entry { path, before, .. } = entry;
            if changes == State::New && before.is_none() {
                files.push((path.clone(), None));
            } else if let Some(stage) = &stage
                && let Found::File(bytes) = target::find(&stage.directory, &name(number))?
            {
                files.push((path.clone(), Some(bytes)));
            }
        }
        Ok(Self { files })
    }

    /// A bundle with these files otherwise.
    pub(crate) fn over(&self, bundle: &Bundle) -> Bundle {
        bundle.overlaid(self.files.iter().map(|(path, bytes)| (path, bytes.as_deref())))
    }
}
