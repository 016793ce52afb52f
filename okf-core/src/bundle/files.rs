//! The files of a bundle by path.

use std::ops::Index;

use super::File;
use crate::bundle_path::BundlePath;
use crate::table::{Item, Table};

/// The files of a bundle by path, as a map; asked with a [`BundlePath`] or a plain string.
///
/// Shared between the pictures of one bundle: a clone and a change cost next to nothing.
#[derive(Clone, Debug, Default)]
pub struct Files(pub(super) Table<(BundlePath, File)>);

impl Item for (BundlePath, File) {
    type Key = str;

    fn key(&self) -> &str {
        self.0.as_str()
    }
}

impl Files {
    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file at a path.
    #[must_use]
    pub fn get(&self, path: impl AsRef<str>) -> Option<&File> {
        self.get_key_value(path).map(|(_, file)| file)
    }

    /// The file at a path, and the path as the bundle holds it.
    #[must_use]
    pub fn get_key_value(&self, path: impl AsRef<str>) -> Option<(&BundlePath, &File)> {
        self.0.get(path.as_ref()).map(pair)
    }

    /// Whether there is a file at a path.
    #[must_use]
    pub fn contains_key(&self, path: impl AsRef<str>) -> bool {
        self.0.get(path.as_ref()).is_some()
    }

    /// Every file, by path.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&BundlePath, &File)> + Clone {
        self.0.iter().map(pair)
    }

    /// The files by path, from the first that does not come before `start`.
    pub fn iter_from<'a>(&'a self, start: &str) -> impl Iterator<Item = (&'a BundlePath, &'a File)> + Clone + use<'a> {
        self.0.iter_from(&|path| path < start).map(pair)
    }

    /// Every path, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &BundlePath> + Clone {
        self.0.iter().map(|(path, _)| path)
    }

    /// Every file, by path, in contiguous pieces of a few hundred: for work that is spread over threads.
    pub fn slices(&self) -> impl ExactSizeIterator<Item = &[(BundlePath, File)]> + Clone {
        self.0.slices()
    }
}

impl Index<&str> for Files {
    type Output = File;

    /// The file at a path that is known to exist.
    fn index(&self, path: &str) -> &File {
        self.get(path).unwrap_or_else(|| panic!("no file at `{path}`"))
    }
}

fn pair((path, file): &(BundlePath, File)) -> (&BundlePath, &File) {
    (path, file)
}
