//! What is not meant to be written, before anybody tries.

use std::fmt;

use rustix::fs::{Access, AtFlags};
use rustix::io::Errno;

use super::directory::Directory;
use super::lock::WriteLock;
use super::target::directory_of;
use crate::bundle_path::BundlePath;

/// Why an existing file cannot be replaced.
#[derive(Debug)]
pub enum Unwritable {
    /// Nobody may write it, or we may not.
    ReadOnly,
    /// It lies on another mount than the root of the bundle: nothing can be moved there in one step.
    OtherMount,
    /// Its directory may not be written.
    Directory(std::io::Error),
}

impl WriteLock {
    /// Why an existing file would keep a commit from being made; `None` when nothing is known against it.
    ///
    /// With the answer a commit can do without the file. Modes may change before the commit, which then fails.
    #[must_use]
    pub fn unwritable(&self, path: &BundlePath) -> Option<Unwritable> {
        match directory_of(&self.root, path) {
            Err(Errno::XDEV) => Some(Unwritable::OtherMount),
            // The commit says what it is.
            Err(_) => None,
            Ok(directory) => match (is_read_only(&directory, path.file_name()), may_be_written(&directory)) {
                (Ok(true), _) => Some(Unwritable::ReadOnly),
                (_, Err(error)) => Some(Unwritable::Directory(error.into())),
                _ => None,
            },
        }
    }
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly => f.write_str("the file is read-only"),
            Self::OtherMount => f.write_str("it lies on another mount than the root of the bundle"),
            Self::Directory(error) => write!(f, "its directory may not be written: {error}"),
        }
    }
}

/// Whether a file is not meant to be written: nobody may, whatever a privileged user could, or we may not.
pub(super) fn is_read_only(directory: &Directory, name: &str) -> Result<bool, Errno> {
    if directory.look(name)?.is_some_and(|stat| stat.st_mode & 0o222 == 0) {
        return Ok(true);
    }
    match rustix::fs::accessat(directory, name, Access::WRITE_OK, AtFlags::EACCESS) {
        Ok(()) => Ok(false),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Fails where names in a directory may not be changed.
fn may_be_written(directory: &Directory) -> Result<(), Errno> {
    match rustix::fs::accessat(directory, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS) {
        Err(error @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(error),
        _ => Ok(()),
    }
}
