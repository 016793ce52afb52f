//! Putting a bundle together, from disk or from memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::{Bundle, Content, File, InvalidPath, Role, UnlistedDirectory};
use crate::bundle_path::{BundlePath, PathError};
use crate::disk::{self, DiskError};
use crate::document::Document;

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

    /// Whether the bundle was put together from the same parts, documents shared.
    pub(crate) fn is_made_of(&self, parts: &Parts) -> bool {
        self.root == parts.root
            && self.directories == parts.directories
            && self.skipped_links == parts.skipped_links
            && self.invalid_paths == parts.invalid_paths
            && self.unlisted == parts.unlisted
            && self.files.len() == parts.files.len()
            && self.files.iter().zip(&parts.files).all(|(a, b)| a.0 == b.0 && a.1.is_same(b.1))
    }

    pub(crate) fn from_parts(parts: Parts) -> Self {
        let Parts { root, files, directories, skipped_links, invalid_paths, unlisted } = parts;
        Self {
            root,
            files,
            directories,
            skipped_links,
            invalid_paths,
            unlisted,
            by_id: OnceLock::new(),
            decomposable: OnceLock::new(),
            graph: OnceLock::new(),
            words: OnceLock::new(),
        }
    }
}

impl File {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Concept(a), Self::Concept(b)) | (Self::Index(a), Self::Index(b)) | (Self::Log(a), Self::Log(b)) => {
                a.is_same(b)
            }
            (Self::Asset, Self::Asset) => true,
            _ => false,
        }
    }

    /// A file of some role; the content of an asset is not asked for.
    pub(crate) fn new(role: Role, content: impl FnOnce() -> Content) -> Self {
        match role {
            Role::Concept => Self::Concept(content()),
            Role::Index => Self::Index(content()),
            Role::Log => Self::Log(content()),
            Role::Asset => Self::Asset,
        }
    }
}

impl Content {
    /// Whether both are one document, or fail in the same way.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Document(a), Self::Document(b)) => Arc::ptr_eq(a, b),
            (Self::NotUtf8 { offset: a }, Self::NotUtf8 { offset: b }) => a == b,
            (Self::Failed { message: a }, Self::Failed { message: b }) => a == b,
            _ => false,
        }
    }

    /// The content of a Markdown file with these bytes.
    pub(crate) fn decode(path: &BundlePath, bytes: Vec<u8>) -> Self {
        match Document::parse(path.clone(), bytes) {
            Ok(document) => Self::Document(Arc::new(document)),
            Err(offset) => Self::NotUtf8 { offset },
        }
    }
}

/// The decoded concepts in the order of their IDs. They come in the order of their paths, nearly sorted.
pub(super) fn documents_by_id(files: &BTreeMap<BundlePath, File>) -> Box<[Arc<Document>]> {
    let mut documents: Vec<_> = files
        .values()
        .filter_map(|file| match file {
            File::Concept(content) => content.document().cloned(),
            _ => None,
        })
        .collect();
    documents.sort_by(|a, b| a.id().cmp(b.id()));
    documents.into_boxed_slice()
}
