//! Making room for a new bundle.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{Directory, DiskError, lock, stage};
use crate::finding::Escaped;

/// Why a directory cannot become a new bundle. Nothing in it was changed.
#[derive(Debug)]
pub enum FreshError {
    /// It holds something.
    NotEmpty {
        /// The directory as given.
        path: PathBuf,
        /// A name in it, the first by name.
        name: String,
    },
    /// It is no directory, or can be neither made nor read.
    Disk(DiskError),
}

/// Makes a directory, parents included, or takes one that is empty, and gives its resolved absolute path.
///
/// What an interrupted first write leaves (the lock file, the stage) counts for nothing.
///
/// # Errors
///
/// See [`FreshError`].
pub fn make_root(path: &Path) -> Result<PathBuf, FreshError> {
    let failed = |error: std::io::Error| FreshError::Disk(DiskError::new(path, error));
    match std::fs::create_dir_all(path) {
        // Something else than a directory is in the way: what follows says so.
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    let resolved = super::resolve_root(path).map_err(FreshError::Disk)?;
    let directory = Directory::open(&resolved).map_err(FreshError::Disk)?;
    let entries = directory.entries(usize::MAX);
    let ours = [lock::LOCK_FILE, stage::STAGE];
    let foreign = entries.into_iter().map(|(name, _)| name.to_string_lossy().into_owned());
    match foreign.filter(|name| !ours.contains(&name.as_str())).min() {
        Some(name) => Err(FreshError::NotEmpty { path: path.to_owned(), name }),
        None => Ok(resolved),
    }
}

impl fmt::Display for FreshError {
    /// One line; control characters of the path are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEmpty { path, name } => {
                write!(f, "`{}` is not empty: it holds `{}`", Escaped(&path.to_string_lossy()), Escaped(name))
            }
            Self::Disk(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FreshError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk(error) => Some(error),
            Self::NotEmpty { .. } => None,
        }
    }
}
