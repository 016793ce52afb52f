//! The one place that touches the file system.
//!
//! Everything is opened relative to the descriptor of a directory and never through a symbolic link, so
//! that a link swapped in at the wrong moment cannot lead out of the bundle.

mod apply;
mod commit;
mod consistent;
mod directory;
mod follow;
mod fresh;
mod journal;
mod ledger;
mod lock;
mod look;
mod marks;
mod mirror;
mod ops;
mod place;
mod probe;
mod read;
mod record_lock;
mod recover;
mod stage;
mod stamp;
mod survey;
mod target;
#[cfg(test)]
mod tests;
mod tree;
#[cfg_attr(not(target_os = "linux"), path = "no_watch.rs")]
mod watch;
mod writable;
#[cfg(test)]
mod write_tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::finding::Escaped;

pub use commit::{CommitError, CommitErrorKind, FileEdit, Standing};
pub(crate) use consistent::consistently;
pub use consistent::load;
pub use directory::{Directory, EntryKind};
pub(crate) use follow::Pace;
pub use fresh::{FreshError, make_root};
pub(crate) use lock::LOCK_FILE;
pub use lock::{LockError, PATIENCE, WriteLock};
pub(crate) use mirror::Mirror;
pub use recover::{Kept, Outcome, Recovery};
pub use survey::{Survey, Surveyor};
pub use writable::Unwritable;

/// Why the disk could not be read: which path, and the cause.
#[derive(Debug)]
pub struct DiskError {
    /// The path as given or as found.
    pub path: PathBuf,
    /// What was wrong.
    pub kind: DiskErrorKind,
}

/// What was wrong.
#[derive(Debug)]
pub enum DiskErrorKind {
    /// No such file or directory.
    Missing,
    /// Something else than a directory.
    NotADirectory,
    /// A lock file that somebody else held all the time.
    Locked(Duration),
    /// Any other failure.
    Io(std::io::Error),
}

/// Resolves a bundle root: a directory, or a link to one, to its absolute path.
///
/// # Errors
///
/// Missing, not a directory, or unreadable.
pub fn resolve_root(path: &Path) -> Result<PathBuf, DiskError> {
    let resolved = std::fs::canonicalize(path).map_err(|error| DiskError::new(path, error))?;
    Directory::open(&resolved).map_err(|error| DiskError { path: path.to_owned(), ..error })?;
    Ok(resolved)
}

/// Whether a bundle has a lock file: whether it was ever written to.
///
/// Until then a change can be tried out without making one.
#[must_use]
pub fn has_lock_file(root: &Path) -> bool {
    std::fs::symlink_metadata(root.join(lock::LOCK_FILE)).is_ok()
}

impl DiskError {
    pub(crate) fn new(path: &Path, error: impl Into<std::io::Error>) -> Self {
        let error = error.into();
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => DiskErrorKind::Missing,
            std::io::ErrorKind::NotADirectory => DiskErrorKind::NotADirectory,
            _ => DiskErrorKind::Io(error),
        };
        Self { path: path.to_owned(), kind }
    }
}

impl Clone for DiskError {
    /// Copies the error; an operating-system error keeps its code.
    fn clone(&self) -> Self {
        let kind = match &self.kind {
            DiskErrorKind::Missing => DiskErrorKind::Missing,
            DiskErrorKind::NotADirectory => DiskErrorKind::NotADirectory,
            DiskErrorKind::Locked(waited) => DiskErrorKind::Locked(*waited),
            DiskErrorKind::Io(error) => DiskErrorKind::Io(match error.raw_os_error() {
                Some(code) => std::io::Error::from_raw_os_error(code),
                None => std::io::Error::new(error.kind(), error.to_string()),
            }),
        };
        Self { path: self.path.clone(), kind }
    }
}

impl std::fmt::Display for DiskError {
    /// One line; control characters of the path are escaped.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.path.to_string_lossy();
        let path = Escaped(&path);
        match &self.kind {
            DiskErrorKind::Missing => write!(f, "`{path}` does not exist"),
            DiskErrorKind::NotADirectory => write!(f, "`{path}` is not a directory"),
            DiskErrorKind::Locked(waited) => write!(
                f,
                "another program holds the lock `{path}` (waited {} s): try again when it has finished",
                waited.as_secs_f64()
            ),
            DiskErrorKind::Io(error) => write!(f, "cannot read `{path}`: {error}"),
        }
    }
}

impl std::error::Error for DiskError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            DiskErrorKind::Io(error) => Some(error),
            DiskErrorKind::Missing | DiskErrorKind::NotADirectory | DiskErrorKind::Locked(_) => None,
        }
    }
}
