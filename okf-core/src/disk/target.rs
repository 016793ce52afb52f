//! The files that a commit is about, as they are now.

use std::io::Read;

use rustix::io::Errno;

use super::directory::{Directory, EntryKind};
use crate::bundle_path::BundlePath;
use crate::document::Revision;

/// What has a name.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A regular file with this content.
    File(Vec<u8>),
    /// Something that is no regular file.
    Other(EntryKind),
}

impl Found {
    /// The revision of a file; `None` for anything else.
    pub(super) fn revision(&self) -> Option<Revision> {
        match self {
            Self::File(bytes) => Some(Revision::of(bytes)),
            Self::Nothing | Self::Other(_) => None,
        }
    }
}

/// Finds out what has a name in a directory.
pub(super) fn find(directory: &Directory, name: &str) -> Result<Found, Errno> {
    let Some(stat) = directory.look(name)? else { return Ok(Found::Nothing) };
    match EntryKind::of(&stat) {
        EntryKind::File => {}
        kind => return Ok(Found::Other(kind)),
    }
    match directory.open_file(name.as_bytes()) {
        Ok(mut file) => {
            let mut bytes = Vec::new();
            match file.read_to_end(&mut bytes) {
                Ok(_) => Ok(Found::File(bytes)),
                Err(error) => Err(error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)),
            }
        }
        // Swapped in between.
        Err(Errno::NOENT) => Ok(Found::Nothing),
        Err(Errno::LOOP) => Ok(Found::Other(EntryKind::Link)),
        Err(error) => Err(error),
    }
}

/// The directory of a target.
pub(super) fn directory_of(root: &Directory, path: &BundlePath) -> Result<Directory, Errno> {
    root.on_same_mount(path.parent().unwrap_or(""))
}

/// What stands in the way of a directory that cannot be opened: gone, or something else now.
pub(super) fn is_displaced(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV)
}
