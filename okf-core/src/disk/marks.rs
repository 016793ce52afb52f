//! What has to be looked at again, and why nobody would say so.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString};
use std::sync::Arc;

use rustix::io::Errno;

use super::tree::Key;

/// Directories and entries that may have changed.
#[derive(Debug, Default)]
pub(super) struct Marks {
    directories: BTreeMap<Key, Mark>,
}

/// How much of a directory may have changed. The names count even when everything is looked at: a directory
/// among them may be another one.
#[derive(Debug, Default)]
pub(super) struct Mark {
    pub(super) all: bool,
    pub(super) names: BTreeSet<CString>,
}

/// Why directories are not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// More has happened than the kernel remembers.
    Overflow,
    /// A file system was taken away.
    Unmounted,
    /// Another directory stands where the root was.
    Replaced,
    /// A file system that is not known to announce every change, or more than one.
    FileSystem,
    /// Too few watches, no `/proc`, and the like.
    System(Errno),
}

impl Marks {
    /// Marks one entry of a directory.
    pub(super) fn entry(&mut self, directory: &Key, name: &CStr) {
        let names = &mut self.at(directory).names;
        if !names.contains(name) {
            names.insert(name.to_owned());
        }
    }

    /// Marks a directory and all of its entries.
    pub(super) fn directory(&mut self, directory: &Key) {
        self.at(directory).all = true;
    }

    fn at(&mut self, directory: &Key) -> &mut Mark {
        self.directories.entry(Arc::clone(directory)).or_default()
    }

    /// Takes all marks away, those of parents first.
    pub(super) fn take(&mut self) -> BTreeMap<Key, Mark> {
        std::mem::take(&mut self.directories)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }
}

impl Trouble {
    /// Whether watching may work again at once.
    pub(super) fn is_passing(self) -> bool {
        matches!(self, Self::Overflow | Self::Unmounted | Self::Replaced)
    }
}

impl From<Errno> for Trouble {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}
