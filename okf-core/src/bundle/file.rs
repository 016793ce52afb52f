//! The files of a bundle: what each is, and what is wrong with it.

use std::sync::Arc;

use crate::bundle_path::{BundlePath, PathError};
use crate::document::Document;

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

impl File {
    pub(crate) fn is_same(&self, other: &Self) -> bool {
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
    pub(super) fn new(path: &str, message: String) -> Self {
        Self { path: path.to_owned(), id: path.strip_suffix(".md").unwrap_or(path).to_owned(), message }
    }
}
