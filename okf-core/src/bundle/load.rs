//! Putting a bundle together, from disk or from memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Bundle, Content, File, InvalidPath, Role, UnlistedDirectory};
use crate::bundle_path::{BundlePath, PathError};
use crate::disk::{self, DiskError};

/// Everything a bundle is made of.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) root: PathBuf,
    pub(crate) files: BTreeMap<BundlePath, File>,
    pub(crate) directories: BTreeSet<Box<str>>,
    pub(crate) skipped_links: Vec<String>,
    pub(crate) invalid_paths: Vec<InvalidPath>,
    pub(crate) unlisted: Vec<UnlistedDirectory>,
}

impl Bundle {
    /// Loads a bundle from disk. The root is a directory or a link to one.
    ///
    /// [`disk::load`] does the same, and tells what became of an interrupted commit.
    ///
    /// # Errors
    ///
    /// The root is missing, not a directory, or unreadable, or somebody has been writing to it for ten
    /// seconds. One bad file is never an error.
    pub fn load(root: &Path) -> Result<Self, DiskError> {
        disk::load(root).map(|(bundle, _)| bundle)
    }

    /// Builds a bundle from files in memory: paths and bytes. Of two files with one path the later stays.
    ///
    /// # Errors
    ///
    /// The first path that is not a bundle path.
    pub fn from_files<P: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Result<Self, PathError> {
        let mut parts = Parts::default();
        for (path, bytes) in files {
            let path = BundlePath::new(path)?;
            for (at, _) in path.as_str().match_indices('/') {
                parts.directories.insert(path.as_str()[..at].into());
            }
            let file = File::new(Role::of(path.as_str()), || Content::decode(&path, bytes.into()));
            parts.files.insert(path, file);
        }
        Ok(Self::from_parts(parts))
    }

    pub(crate) fn from_parts(parts: Parts) -> Self {
        let Parts { root, files, directories, skipped_links, invalid_paths, unlisted } = parts;
        let mut bundle = Self::empty(root);
        bundle.directories = directories.into_iter().map(Into::into).collect();
        bundle.skipped_links = skipped_links.into();
        bundle.invalid_paths = invalid_paths.into();
        bundle.unlisted = unlisted.into();
        for (path, file) in files {
            bundle.put(path, Some(file));
        }
        bundle
    }
}
