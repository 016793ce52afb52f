//! Paths that differ in spelling alone: by Unicode normal form, or by that and case.

use std::sync::Arc;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use xxhash_rust::xxh3::xxh3_64;

use super::Files;
use super::names::fold;
use crate::bundle_path::BundlePath;
use crate::table::{Item, Table};

/// The file paths that have more than one normal form, by their composed one (NFC).
///
/// A path of ASCII alone has just one and is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Composed(Table<ComposedPath>);

/// A path and its composed form, which is shared when the path is composed already.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ComposedPath {
    composed: Arc<str>,
    path: BundlePath,
}

impl Item for ComposedPath {
    type Key = Self;

    fn key(&self) -> &Self {
        self
    }
}

impl Composed {
    pub(super) fn add(&mut self, path: &BundlePath) {
        if !path.as_str().is_ascii() {
            self.0.insert(ComposedPath::of(path));
        }
    }

    pub(super) fn remove(&mut self, path: &BundlePath) {
        if !path.as_str().is_ascii() {
            self.0.remove(&ComposedPath::of(path));
        }
    }

    /// The paths with a composed form, in order.
    pub(super) fn get<'a>(&'a self, composed: &str) -> impl Iterator<Item = &'a BundlePath> {
        let same = self.0.iter_from(&|known| &*known.composed < composed);
        same.take_while(move |known| &*known.composed == composed).map(|known| &known.path)
    }
}

impl ComposedPath {
    fn of(path: &BundlePath) -> Self {
        let composed = match is_nfc_quick(path.as_str().chars()) {
            IsNormalized::Yes => path.shared(),
            _ => path.as_str().nfc().collect::<String>().into(),
        };
        Self { composed, path: path.clone() }
    }
}

/// The paths of files and directories by the form in which case and normal form count for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Folded(Table<FoldedPath>);

/// A path, with a hash of its folded form in the place of the form itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FoldedPath {
    hash: u64,
    path: Arc<str>,
    /// Whether it is a directory.
    pub(crate) is_directory: bool,
}

impl Item for FoldedPath {
    type Key = Self;

    fn key(&self) -> &Self {
        self
    }
}

impl Folded {
    pub(super) fn build(files: &Files, directories: &Table<Arc<str>>) -> Self {
        let files = files.keys().map(|path| FoldedPath::of(path.shared(), false));
        let directories = directories.iter().map(|path| FoldedPath::of(Arc::clone(path), true));
        let mut all: Vec<FoldedPath> = files.chain(directories).collect();
        all.sort_unstable();
        Self(all.into_iter().collect())
    }

    pub(super) fn set(&mut self, path: Arc<str>, is_directory: bool, is_there: bool) {
        let folded = FoldedPath::of(path, is_directory);
        if is_there {
            self.0.insert(folded);
        } else {
            self.0.remove(&folded);
        }
    }

    /// What is the same as a folded name, by path.
    pub(crate) fn get<'a>(&'a self, folded: &str) -> impl Iterator<Item = &'a FoldedPath> {
        let hash = xxh3_64(folded.as_bytes());
        let same = self.0.iter_from(&|known| known.hash < hash).take_while(move |known| known.hash == hash);
        // Few have one hash; that they have one form as well is looked at.
        same.filter(move |known| fold(&known.path) == folded)
    }

    /// Each path that is the same as an earlier one, and the earliest of those.
    pub(crate) fn collisions(&self) -> impl Iterator<Item = (&FoldedPath, &FoldedPath)> {
        let mut before: Option<&FoldedPath> = None;
        self.0.iter().filter_map(move |known| {
            let alike = before.replace(known).is_some_and(|before| before.hash == known.hash);
            let folded = alike.then(|| fold(&known.path))?;
            let hash = known.hash;
            let mut same = self.0.iter_from(&|other| other.hash < hash);
            let first = same.find(|other| fold(&other.path) == folded)?;
            (first.path != known.path).then_some((known, first))
        })
    }
}

impl FoldedPath {
    fn of(path: Arc<str>, is_directory: bool) -> Self {
        Self { hash: xxh3_64(fold(&path).as_bytes()), path, is_directory }
    }

    /// The path.
    pub(crate) fn as_str(&self) -> &str {
        &self.path
    }
}

impl Item for Arc<str> {
    type Key = str;

    fn key(&self) -> &str {
        self
    }
}
