//! A loaded bundle: every file of the tree, read once (spec §3, contract §4).

mod load;
mod lookup;
pub mod names;
mod overlay;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::bundle_path::{BundlePath, PathError};
use crate::document::Document;
use crate::graph::Graph;
use crate::search::WordIndex;

pub(crate) use load::Parts;
pub use lookup::LookupError;

/// An immutable picture of a bundle.
///
/// Documents are shared between successive pictures of one bundle, so that a change costs what changed.
#[derive(Debug)]
pub struct Bundle {
    root: PathBuf,
    files: BTreeMap<BundlePath, File>,
    directories: BTreeSet<Box<str>>,
    skipped_links: Vec<String>,
    invalid_paths: Vec<InvalidPath>,
    unlisted: Vec<UnlistedDirectory>,
    by_id: OnceLock<Box<[Arc<Document>]>>,
    decomposable: OnceLock<names::Decomposable>,
    graph: OnceLock<Graph>,
    words: OnceLock<WordIndex>,
}

/// What a file is by its path alone (spec §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A non-reserved `.md` file.
    Concept,
    /// An `index.md`, at any depth.
    Index,
    /// A `log.md`, at any depth.
    Log,
    /// Anything else, a file called just `.md` included: it has no name to be an ID.
    Asset,
}

impl Role {
    /// The role of the file at a path; only the last segment counts, and its case matters.
    #[must_use]
    pub fn of(path: &str) -> Self {
        match path.rsplit('/').next().unwrap_or(path).strip_suffix(".md") {
            Some("index") => Self::Index,
            Some("log") => Self::Log,
            Some("") | None => Self::Asset,
            Some(_) => Self::Concept,
        }
    }
}

/// A file whose path is a bundle path.
#[derive(Clone, Debug)]
pub enum File {
    /// A non-reserved `.md` file.
    Concept(Content),
    /// An `index.md`.
    Index(Content),
    /// A `log.md`.
    Log(Content),
    /// Anything else; its content is never read.
    Asset,
}

/// The content of a Markdown file.
#[derive(Clone, Debug)]
pub enum Content {
    /// It was decoded; its frontmatter may still not parse.
    Document(Arc<Document>),
    /// Not UTF-8 at this byte.
    NotUtf8 {
        /// Offset in bytes of the first bad byte.
        offset: usize,
    },
    /// It could not be read.
    Failed {
        /// The operating system's reason.
        message: String,
    },
}

/// A file whose path breaks the rules of bundle paths: listed, never served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPath {
    /// The path as it can be shown: escaped and lossy.
    pub shown: String,
    /// Which rule it breaks; `None` when the name is not UTF-8.
    pub error: Option<PathError>,
    /// Whether it is a non-reserved `.md` file, and so counts as a concept.
    pub concept: bool,
}

/// Something that cannot be served in full, most often a concept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its path as shown.
    pub path: String,
    /// Its ID as shown.
    pub id: String,
    /// Why, with line and column where known.
    pub message: String,
}

/// A directory whose names could not be listed: what it holds is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlistedDirectory {
    /// Its path as shown, without a trailing `/`.
    pub shown: String,
    /// The operating system's reason.
    pub message: String,
}

impl Bundle {
    /// The resolved absolute root; empty for a bundle in memory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file with a good path, by path.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<BundlePath, File> {
        &self.files
    }

    /// Whether a directory exists; `""` is the root.
    #[must_use]
    pub fn has_directory(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    /// Every directory below the root, by path.
    #[must_use]
    pub fn directories(&self) -> &BTreeSet<Box<str>> {
        &self.directories
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
        self.by_id.get_or_init(|| load::documents_by_id(&self.files)).iter()
    }

    /// The concepts that can be read in full, by ID.
    pub fn concepts(&self) -> impl Iterator<Item = &Arc<Document>> + Clone {
        self.documents().filter(|document| document.error().is_none())
    }

    /// Number of non-reserved `.md` files, readable or not.
    #[must_use]
    pub fn concept_count(&self) -> usize {
        self.files.values().filter(|file| matches!(file, File::Concept(_))).count()
            + self.invalid_paths.iter().filter(|invalid| invalid.concept).count()
    }

    /// The path of every concept with a good path, readable or not, by path.
    pub fn concept_paths(&self) -> impl Iterator<Item = &BundlePath> + Clone {
        self.files.iter().filter(|(_, file)| matches!(file, File::Concept(_))).map(|(path, _)| path)
    }

    /// What cannot be served in full, by path: concepts that cannot be read, decoded or parsed, files
    /// whose path breaks the rules, and directories that cannot be listed (path and ID end in `/`).
    #[must_use]
    pub fn unreadable(&self) -> Vec<Unreadable> {
        let concepts = self.files.iter().filter_map(|(path, file)| match file {
            File::Concept(content) => Some(Unreadable::new(path.as_str(), content.trouble()?)),
            _ => None,
        });
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
        names::areas(self.concept_paths().map(BundlePath::as_str))
    }

    /// The concept types with counts, largest first, then by name.
    #[must_use]
    pub fn types(&self) -> Vec<(String, usize)> {
        names::tally(self.concepts().filter_map(|document| document.metadata().concept_type.as_deref()))
    }

    /// The graph of the whole bundle. Built once.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| Graph::build(self))
    }

    /// The index of the bundle's words. Built once.
    #[must_use]
    pub fn words(&self) -> &WordIndex {
        self.words.get_or_init(|| WordIndex::build(self))
    }
}

impl Content {
    /// The document, when it was decoded.
    #[must_use]
    pub fn document(&self) -> Option<&Arc<Document>> {
        match self {
            Self::Document(document) => Some(document),
            Self::NotUtf8 { .. } | Self::Failed { .. } => None,
        }
    }

    /// Why it cannot be served in full, with line and column where known.
    pub(crate) fn trouble(&self) -> Option<String> {
        match self {
            // What helps is the validator's to say: this stands beside every answer.
            Self::Document(document) => document
                .error()
                .map(|error| format!("{}:{}: {}", error.position.line, error.position.column, error.message)),
            Self::NotUtf8 { offset } => Some(format!("not UTF-8 at byte {offset}")),
            Self::Failed { message } => Some(format!("cannot be read: {message}")),
        }
    }
}

impl InvalidPath {
    /// Which rule the path breaks, as a message.
    #[must_use]
    pub fn trouble(&self) -> String {
        match self.error {
            Some(error) => format!("the path {error}"),
            None => "the path is not UTF-8".to_owned(),
        }
    }
}

impl Unreadable {
    fn new(path: &str, message: String) -> Self {
        Self { path: path.to_owned(), id: path.strip_suffix(".md").unwrap_or(path).to_owned(), message }
    }
}
