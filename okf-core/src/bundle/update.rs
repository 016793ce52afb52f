//! From one picture of a bundle to the next, at the cost of what differs.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::{Bundle, Content, File, InvalidPath, Role, UnlistedDirectory};
use crate::bundle_path::BundlePath;
use crate::disk::FileEdit;
use crate::document::Document;

/// What differs between two pictures of one bundle.
#[derive(Debug, Default)]
pub(crate) struct Update {
    /// Files by path, each path at most once: what is there now, `None` when it is gone.
    pub(crate) files: Vec<(BundlePath, Option<File>)>,
    /// Directories by path: whether it is there now.
    pub(crate) directories: Vec<(Box<str>, bool)>,
    /// Replacements of whole lists, sorted; `None` when unchanged.
    pub(crate) skipped_links: Option<Vec<String>>,
    pub(crate) invalid_paths: Option<Vec<InvalidPath>>,
    pub(crate) unlisted: Option<Vec<UnlistedDirectory>>,
}

/// A file that differs between two pictures: what it was and what it is, `None` where it is not there.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) path: BundlePath,
    pub(crate) before: Option<File>,
    pub(crate) after: Option<File>,
}

impl Bundle {
    /// The bundle as it would be after some edits; nothing is written, and what is not edited is shared.
    ///
    /// Believes the edits: whether a file is what `before` says is not compared. Of two edits of one file
    /// the later stays.
    #[must_use]
    pub fn with_files(&self, edits: &[FileEdit]) -> Self {
        self.overlaid(edits.iter().map(|edit| (&edit.path, Some(edit.after.as_slice()))))
    }

    /// The bundle with other contents in some files, `None` for a file that is not there. The directories of
    /// the files are made. Of two contents of one file the later stays.
    pub(crate) fn overlaid<'a>(&self, files: impl IntoIterator<Item = (&'a BundlePath, Option<&'a [u8]>)>) -> Self {
        let files: BTreeMap<&BundlePath, Option<&[u8]>> = files.into_iter().collect();
        let mut update = Update::default();
        for (path, bytes) in files {
            let content = |bytes: &[u8]| File::new(Role::of(path.as_str()), || Content::decode(path, bytes.to_vec()));
            if bytes.is_some() {
                update
                    .directories
                    .extend(path.as_str().match_indices('/').map(|(at, _)| (path.as_str()[..at].into(), true)));
            }
            update.files.push((path.clone(), bytes.map(content)));
        }
        self.updated(update)
    }

    /// The next picture: costs what changed, times the logarithm of the bundle. The graph, the words and all
    /// else that was worked out about this picture is worked out for the next by difference.
    pub(crate) fn updated(&self, update: Update) -> Self {
        let mut next = Self {
            root: self.root.clone(),
            files: self.files.clone(),
            directories: self.directories.clone(),
            skipped_links: update.skipped_links.map_or_else(|| Arc::clone(&self.skipped_links), Into::into),
            invalid_paths: update.invalid_paths.map_or_else(|| Arc::clone(&self.invalid_paths), Into::into),
            unlisted: update.unlisted.map_or_else(|| Arc::clone(&self.unlisted), Into::into),
            census: self.census.clone(),
            folded: OnceLock::new(),
            errors: OnceLock::new(),
            known: OnceLock::new(),
            graph: OnceLock::new(),
            words: OnceLock::new(),
            sketches: OnceLock::new(),
            was_searched: AtomicBool::new(self.was_searched.load(Ordering::Relaxed)),
        };
        let mut folded = self.folded.get().cloned();
        for (path, is_there) in update.directories {
            let path: Arc<str> = path.into();
            if let Some(folded) = &mut folded {
                folded.set(Arc::clone(&path), true, is_there);
            }
            if is_there {
                next.directories.insert(path);
            } else {
                next.directories.remove(&path);
            }
        }
        let changes: Vec<Change> = update
            .files
            .into_iter()
            .map(|(path, after)| Change { before: next.put(path.clone(), after.clone()), path, after })
            .collect();
        for change in changes.iter().filter(|change| change.before.is_some() != change.after.is_some()) {
            if let Some(folded) = &mut folded {
                folded.set(change.path.shared(), false, change.after.is_some());
            }
        }
        next.folded = filled(folded);
        next.errors = filled(self.errors.get().map(|errors| errors.updated(&changes)));
        next.known = filled(self.known.get().map(|known| known.updated(&changes)));
        next.graph = filled(self.graph.get().map(|graph| graph.updated(&changes, &next)));
        next.words = filled(self.words.get().and_then(|words| words.updated(&changed_documents(&changes))));
        next.sketches = filled(self.sketches.get().map(|sketches| sketches.updated(&next.census.documents)));
        next
    }

    /// A bundle without files.
    pub(super) fn empty(root: PathBuf) -> Self {
        Self { root, ..Self::default() }
    }

    /// Puts a file in or takes one out; gives what was there before.
    pub(super) fn put(&mut self, path: BundlePath, file: Option<File>) -> Option<File> {
        let before = match &file {
            Some(file) => self.files.0.insert((path.clone(), file.clone())),
            None => self.files.0.remove(path.as_str()),
        };
        let before = before.map(|(_, file)| file);
        if let Some(file) = &before {
            self.census.remove(&path, file);
        }
        if let Some(file) = &file {
            self.census.add(&path, file);
        }
        before
    }
}

impl Change {
    /// The decoded concept that is there now.
    pub(crate) fn document(&self) -> Option<&Arc<Document>> {
        match self.after.as_ref()? {
            File::Concept(content) => content.document(),
            _ => None,
        }
    }

    /// The ID, when the file is a concept.
    pub(crate) fn id(&self) -> Option<&str> {
        (Role::of(self.path.as_str()) == Role::Concept).then(|| self.path.as_str().strip_suffix(".md"))?
    }
}

/// The concepts whose documents differ, by ID, with the documents that are there now.
fn changed_documents(changes: &[Change]) -> Vec<(&str, Option<&Arc<Document>>)> {
    changes.iter().filter_map(|change| Some((change.id()?, change.document()))).collect()
}

fn filled<T>(value: Option<T>) -> OnceLock<T> {
    value.map_or_else(OnceLock::new, OnceLock::from)
}
