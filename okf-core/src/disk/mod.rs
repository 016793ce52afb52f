//! The one place that touches the file system.
//!
//! Everything is opened relative to the descriptor of a directory and never through a symbolic link, so
//! that a link swapped in at the wrong moment cannot lead out of the bundle.

mod directory;
mod mirror;
mod place;
mod read;
mod stamp;
#[cfg(test)]
mod tests;
mod walk;

use std::path::{Path, PathBuf};

use crate::finding::Escaped;

pub use directory::{Directory, EntryKind};
pub(crate) use mirror::Mirror;
pub use walk::{Survey, Surveyor};

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
            DiskErrorKind::Io(error) => write!(f, "cannot read `{path}`: {error}"),
        }
    }
}

impl std::error::Error for DiskError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            DiskErrorKind::Io(error) => Some(error),
            DiskErrorKind::Missing | DiskErrorKind::NotADirectory => None,
        }
    }
}
