//! A loaded bundle: every file of the tree, read once (spec §3, contract §4).

mod census;
mod file;
mod files;
mod forms;
mod load;
mod lookup;
pub mod names;
#[cfg(test)]
mod tests;
mod update;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use unicode_normalization::UnicodeNormalization;

use crate::bundle_path::BundlePath;
use crate::document::Document;
use crate::graph::Graph;
use crate::search::{Sketches, WordIndex};
use crate::table::Table;
use crate::validate::Known;

use census::Census;
pub use file::{Content, File, InvalidPath, Role, UnlistedDirectory, Unreadable};
pub use files::Files;
pub(crate) use forms::{Folded, FoldedPath};
pub(crate) use load::Parts;
pub use lookup::LookupError;
pub(crate) use update::{Change, Update};

/// An immutable picture of a bundle.
///
/// Successive pictures of one bundle share what they have in common, so that a change costs what changed.
#[derive(Debug, Default)]
pub struct Bundle {
    root: PathBuf,
    files: Files,
    directories: Table<Arc<str>>,
    skipped_links: Arc<[String]>,
    invalid_paths: Arc<[InvalidPath]>,
    unlisted: Arc<[UnlistedDirectory]>,
    census: Census,
    // What follows is worked out when first asked for, and from then on by difference.
    folded: OnceLock<Folded>,
    errors: OnceLock<Known>,
    known: OnceLock<Known>,
    graph: OnceLock<Graph>,
    words: OnceLock<WordIndex>,
    sketches: OnceLock<Sketches>,
    /// Whether sketches have been asked for.
    was_searched: AtomicBool,
}

impl Bundle {
    /// The resolved absolute root; empty for a bundle in memory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file with a good path, by path.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Whether a directory exists; `""` is the root.
    #[must_use]
    pub fn has_directory(&self, path: &str) -> bool {
        path.is_empty() || self.directories.get(path).is_some()
    }

    /// Every directory below the root, by path.
    pub fn directories(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.directories.iter().map(AsRef::as_ref)
    }

    /// Links inside the bundle that were not followed, as shown.
    #[must_use]
    pub fn skipped_links(&self) -> &[String] {
        &self.skipped_links
    }

    /// Files whose path breaks the rules.
    #[must_use]
    pub fn invalid_paths(&self) -> &[InvalidPath] {
        &self.invalid_paths
    }

    /// Directories that could not be listed, by path.
    #[must_use]
    pub fn unlisted_directories(&self) -> &[UnlistedDirectory] {
        &self.unlisted
    }

    /// The concepts whose text was decoded, by ID, those with a broken frontmatter included
    /// (see [`Document::error`]).
    ///
    /// Not the order of the paths: `a-b.md` comes before `a.md`, and the ID `a` before `a-b`.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = &Arc<Document>> + Clone {
        self.census.documents.iter()
    }

    /// The same in contiguous pieces of a few hundred: for work that is spread over threads.
    pub fn document_slices(&self) -> impl ExactSizeIterator<Item = &[Arc<Document>]> + Clone {
        self.census.documents.slices()
    }

    /// The concepts that can be read in full, by ID.
    pub fn concepts(&self) -> impl Iterator<Item = &Arc<Document>> + Clone {
        self.documents().filter(|document| document.error().is_none())
    }

    /// Number of non-reserved `.md` files, readable or not.
    #[must_use]
    pub fn concept_count(&self) -> usize {
        self.census.concepts + self.invalid_paths.iter().filter(|invalid| invalid.concept).count()
    }

    /// The path of every concept with a good path, readable or not, by path.
    pub fn concept_paths(&self) -> impl Iterator<Item = &BundlePath> + Clone {
        self.files.iter().filter(|(_, file)| matches!(file, File::Concept(_))).map(|(path, _)| path)
    }

    /// What cannot be served in full, by path: concepts that cannot be read, decoded or parsed, files
    /// whose path breaks the rules, and directories that cannot be listed (path and ID end in `/`).
    #[must_use]
    pub fn unreadable(&self) -> Vec<Unreadable> {
        let concepts = self.census.troubles.iter().map(|(_, trouble)| trouble.clone());
        let invalid = self.invalid_paths.iter().map(|path| Unreadable::new(&path.shown, path.trouble()));
        let unlisted = self.unlisted.iter().map(|directory| {
            Unreadable::new(&format!("{}/", directory.shown), format!("cannot be listed: {}", directory.message))
        });
        let mut all: Vec<_> = concepts.chain(invalid).chain(unlisted).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    /// The decoded document at a path, reserved ones included.
    #[must_use]
    pub fn document(&self, path: &str) -> Option<&Arc<Document>> {
        match self.files.get(path)? {
            File::Concept(content) | File::Index(content) | File::Log(content) => content.document(),
            File::Asset => None,
        }
    }

    /// The areas: first segments of concept paths with exact counts, largest first, then by name.
    ///
    /// A concept at the root lies in no area.
    #[must_use]
    pub fn areas(&self) -> Vec<(String, usize)> {
        self.census.areas.ranked()
    }

    /// The concept types with counts, largest first, then by name.
    #[must_use]
    pub fn types(&self) -> Vec<(String, usize)> {
        self.census.types.ranked()
    }

    /// The graph of the whole bundle. Built when first asked for.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::build(self))
    }

    /// The index of the bundle's words. Built when first asked for.
    #[must_use]
    pub fn words(&self) -> &WordIndex {
        self.words.get_or_init(|| WordIndex::build(self))
    }

    /// What each document cannot hold, for those who search again and again: nothing when asked for the first
    /// time, for sketches cost as much as a search.
    pub(crate) fn sketches(&self) -> Option<&Sketches> {
        let was_searched = self.was_searched.swap(true, Ordering::Relaxed);
        was_searched.then(|| self.sketches.get_or_init(|| Sketches::of(&self.census.documents)))
    }

    /// The paths of files and directories by what they are where case and normal form count for nothing.
    pub(crate) fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| Folded::build(&self.files, &self.directories))
    }

    /// The errors in each file.
    pub(crate) fn errors(&self) -> &Known {
        self.errors.get_or_init(|| Known::errors(self))
    }

    /// All that is found in each file by itself; `None` when it was not known and has been cancelled.
    pub(crate) fn known(&self, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<&Known> {
        match self.known.get() {
            Some(known) => Some(known),
            None => Known::own(self, cancelled).map(|known| self.known.get_or_init(|| known)),
        }
    }

    /// The file whose path is the first with the composed form (NFC) of the given one.
    pub(crate) fn equivalent(&self, path: &str) -> Option<(&BundlePath, &File)> {
        let composed: String = path.nfc().collect();
        let known = self.census.composed.get(&composed).next();
        self.files.get_key_value(known.map_or(composed.as_str(), BundlePath::as_str))
    }
}
