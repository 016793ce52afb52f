//! One Markdown file: text, frontmatter, body (spec §4); its edits and its canonical form.

mod citations;
mod edit;
mod format;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::OnceLock;

use crate::bundle_path::BundlePath;
use crate::frontmatter::{Fences, Frontmatter, FrontmatterError, fences};
use crate::markdown::{Heading, Structure};
use crate::metadata::Metadata;
use crate::search;
use crate::text::{Position, Text, lines};

pub use citations::Citation;
pub use edit::{Edit, EditError, KEY_ORDER, compose, edit};
pub use format::{FormatOptions, MIGRATED_BY, format};

/// A parsed Markdown file of a bundle. Parsing never fails: what cannot be read is in [`Head`].
#[derive(Debug)]
pub struct Document {
    path: BundlePath,
    text: Text,
    revision: Revision,
    head: Head,
    body_start: usize,
    metadata: Metadata,
    is_found_by_bytes: OnceLock<bool>,
    headings: OnceLock<Box<[Heading]>>,
}

/// What stands before the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// No frontmatter.
    Absent,
    /// A frontmatter that reads; bytes of its YAML in the text.
    Parsed(Range<usize>),
    /// A frontmatter that does not read. Its YAML, when both fences were found.
    Broken {
        /// Why.
        error: FrontmatterError,
        /// Bytes of the block, when both fences were found.
        yaml: Option<Range<usize>>,
    },
}

/// A content hash of the file's bytes; equal revisions mean equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Revision(pub u128);

impl std::fmt::Display for Revision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Revision {
    /// The revision of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(bytes))
    }
}

impl Document {
    /// Reads a file's bytes.
    ///
    /// # Errors
    ///
    /// The offset in bytes of the first byte that is not UTF-8.
    pub fn parse(path: BundlePath, bytes: Vec<u8>) -> Result<Self, usize> {
        let revision = Revision::of(&bytes);
        let text = Text::decode(bytes)?;
        let (head, body_start, metadata) = read_head(text.as_str());
        Ok(Self {
            path,
            text,
            revision,
            head,
            body_start,
            metadata,
            is_found_by_bytes: OnceLock::new(),
            headings: OnceLock::new(),
        })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &BundlePath {
        &self.path
    }

    /// The path without `.md`: the concept ID when the document is a concept.
    #[must_use]
    pub fn id(&self) -> &str {
        self.path.as_str().strip_suffix(".md").unwrap_or(self.path.as_str())
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The revision of the file's bytes.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// What stands before the body.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Why the frontmatter cannot be read, when it cannot.
    #[must_use]
    pub fn error(&self) -> Option<&FrontmatterError> {
        match &self.head {
            Head::Broken { error, .. } => Some(error),
            Head::Absent | Head::Parsed(_) => None,
        }
    }

    /// The frontmatter as a tree, parsed anew (about 20 µs): documents are kept compact.
    #[must_use]
    pub fn frontmatter(&self) -> Option<Frontmatter> {
        match &self.head {
            Head::Parsed(yaml) => Frontmatter::parse(self.text.as_str(), yaml.clone()).ok(),
            Head::Absent | Head::Broken { .. } => None,
        }
    }

    /// The managed fields; empty when there is no readable frontmatter.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// `title`, else the last segment of the path without `.md`.
    #[must_use]
    pub fn display_title(&self) -> &str {
        match self.metadata.title.as_deref().map(str::trim) {
            Some(title) if !title.is_empty() => title,
            _ => self.path.file_name().strip_suffix(".md").unwrap_or(self.path.file_name()),
        }
    }

    /// The text after the closing fence, exactly; the whole text when there is no frontmatter, and
    /// nothing when it is unterminated.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.text.as_str()[self.body_start..]
    }

    /// Whether a literal is found in the text [by its bytes](search::is_found_by_bytes).
    pub(crate) fn is_found_by_bytes(&self) -> bool {
        *self.is_found_by_bytes.get_or_init(|| search::is_found_by_bytes(self.text.as_str()))
    }

    /// Where the body begins, in bytes of the text.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.body_start
    }

    /// The structure of the body: headings, blocks, links, footnotes. Scanned anew (about 4 ms a megabyte):
    /// documents are kept compact.
    #[must_use]
    pub fn structure(&self) -> Structure {
        Structure::scan(self.body())
    }

    /// The headings of the body, kept once they have been asked for: those who show a line ask again.
    pub(crate) fn headings(&self) -> &[Heading] {
        self.headings.get_or_init(|| self.structure().headings)
    }

    /// The body as it is shown: without its first line when that is blank.
    #[must_use]
    pub fn display_body(&self) -> &str {
        let body = self.body();
        match lines(body).next() {
            Some(first) if body[first.clone()].trim().is_empty() => &body[first.end..],
            _ => body,
        }
    }

    /// What the document derives from by the v0.1 convention: the links and bare URLs below a heading
    /// `Citations`, in order. Empty when the frontmatter has `sources` (spec §13.1).
    #[must_use]
    pub fn citations(&self) -> Vec<Citation> {
        let has_sources = self
            .frontmatter()
            .is_some_and(|frontmatter| frontmatter.get("sources").is_some_and(|sources| !sources.is_null()));
        if has_sources { Vec::new() } else { citations::read(self.body(), &self.structure()) }
    }

    /// The position in the file of a byte offset in the body.
    #[must_use]
    pub fn body_position(&self, offset: usize) -> Position {
        self.text.position(self.body_start + offset)
    }
}

/// Head, start of the body and managed fields of a text.
fn read_head(text: &str) -> (Head, usize, Metadata) {
    match fences(text) {
        Fences::Absent => (Head::Absent, 0, Metadata::default()),
        Fences::Unterminated => {
            let head = Head::Broken { error: FrontmatterError::unterminated(text), yaml: None };
            (head, text.len(), Metadata::default())
        }
        Fences::Closed { yaml, body } => match Frontmatter::parse(text, yaml.clone()) {
            Ok(frontmatter) => (Head::Parsed(yaml), body, Metadata::read(&frontmatter)),
            Err(error) => (Head::Broken { error, yaml: Some(yaml) }, body, Metadata::default()),
        },
    }
}
