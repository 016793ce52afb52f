//! Frontmatter: the YAML block at the head of a document (spec §4, contract §2).
//!
//! One parser serves reading and editing: [`Frontmatter::parse`] builds a small tree whose nodes carry
//! byte spans in the file's text, over which edits splice. Scalars keep their spelling.

mod build;
pub(crate) mod comments;
pub(crate) mod edit;
mod error;
pub(crate) mod extent;
mod fences;
pub(crate) mod plain;
pub(crate) mod print;
mod salvage;
mod schema;
pub(crate) mod second;
mod source;
#[cfg(test)]
mod tests;
mod value;

use std::ops::Range;
use std::sync::Arc;

pub use edit::{Obstacle, ObstacleKind};
pub use error::FrontmatterError;
pub(crate) use error::excerpt;
pub use fences::{Fences, fences};
pub use salvage::salvage;
pub use value::{Key, Value};

/// The deepest nesting that is read; the root mapping is level one, and an alias counts as what it
/// stands for.
pub const MAX_LEVELS: usize = 200;

/// The most nodes that are read: keys, values and collections, an alias counting as what it stands for.
pub const MAX_NODES: usize = 100_000;

/// The longest block that is read, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The most bytes of text that all aliases of a frontmatter together may stand for, so that readers
/// which copy values out stay cheap.
pub const MAX_ALIAS_BYTES: usize = 1024 * 1024;

/// A parsed frontmatter: always a mapping, possibly empty.
#[derive(Clone, Debug)]
pub struct Frontmatter {
    /// The root mapping.
    pub root: Mapping,
    /// The YAML block between the fences, in bytes of the text.
    pub block: Range<usize>,
}

/// A mapping with its entries in file order; keys are unique scalars, kept under their spelling.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// The entries in file order.
    pub entries: Vec<Entry>,
}

/// One key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key as spelled (decoded when quoted).
    pub key: String,
    /// Bytes of the key in the text.
    pub key_span: Range<usize>,
    /// How the key is written.
    pub key_style: Style,
    /// The value.
    pub value: Node,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// Bytes of the node in the text, without anchor and tag. An alias spans its `*name`; a block
    /// scalar starts at its `|` or `>`; an absent value is empty, after the `:`.
    pub span: Range<usize>,
    /// What it is; an alias shares the anchored node's content.
    pub kind: Kind,
    /// Whether the node carries an anchor (such a node is not edited in place).
    pub anchored: bool,
    /// Whether the node is an alias.
    pub alias: bool,
    /// Whether the node carries a tag (such a node is not edited in place).
    pub tagged: bool,
}

/// The content of a node.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A scalar.
    Scalar(Scalar),
    /// A sequence, shared with its aliases.
    Sequence(Arc<Vec<Node>>),
    /// A mapping, shared with its aliases.
    Mapping(Arc<Mapping>),
}

/// A scalar: its text and how YAML 1.2's core schema reads it.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The text: as spelled when plain (`0.10`, `1e3`), decoded when quoted or a block scalar.
    ///
    /// Shared with its aliases, so that many aliases of a long text cost nothing.
    pub text: Arc<str>,
    /// How it was written.
    pub style: Style,
    /// What the core schema makes of it.
    pub schema: Schema,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// The YAML 1.2 core schema's type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// Empty, `~`, `null`, `Null`, `NULL`, when plain.
    Null,
    /// `true`/`false` in three casings, when plain.
    Bool,
    /// Decimal, `0o` octal or `0x` hexadecimal integer, when plain.
    Int,
    /// A float, `.inf` or `.nan`, when plain.
    Float,
    /// Everything else; timestamps and `yes`/`no` too.
    Str,
}

impl Frontmatter {
    /// Parses the YAML of a text between the fences.
    ///
    /// # Errors
    ///
    /// A syntax error, a root that is not a mapping, a duplicate or non-scalar key at any depth, a
    /// second YAML document, or a limit (200 levels, 100 000 nodes counting alias expansion, 4 MiB).
    ///
    /// # Panics
    ///
    /// The range does not lie in the text on character boundaries; [`fences`] gives one that does.
    pub fn parse(text: &str, yaml: Range<usize>) -> Result<Self, FrontmatterError> {
        let root = build::build(text, yaml.clone())?;
        Ok(Self { root, block: yaml })
    }

    /// The value of a top-level key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.root.get(key)
    }
}

impl Mapping {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

impl Entry {
    /// Whether the key is the merge key of YAML 1.1, which brings in the keys of its value: `<<` without quotes.
    #[must_use]
    pub fn is_merge(&self) -> bool {
        self.key_style == Style::Plain && self.key == "<<"
    }

    /// What the core schema makes of the key: a quoted one is a string, whatever it looks like.
    #[must_use]
    pub fn key_schema(&self) -> Schema {
        if self.key_style == Style::Plain { schema::of_plain(&self.key) } else { Schema::Str }
    }
}

impl Node {
    /// The scalar's text as spelled; `None` for null, sequences and mappings.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(scalar) if scalar.schema != Schema::Null => Some(&scalar.text),
            _ => None,
        }
    }

    /// Whether the node is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(scalar) if scalar.schema == Schema::Null)
    }

    /// The items of a sequence.
    #[must_use]
    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The mapping.
    #[must_use]
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match &self.kind {
            Kind::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }
}
