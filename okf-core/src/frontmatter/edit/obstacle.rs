//! What keeps a value from being edited safely.

use std::fmt;

use crate::frontmatter::{Entry, Kind, Mapping, Node, excerpt};
use crate::text::position;

/// Why a key cannot be edited where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The key that was to be edited; empty for the frontmatter as a whole.
    pub key: String,
    /// 1-based line in the file of what is in the way.
    pub line: u32,
    /// What is in the way.
    pub kind: ObstacleKind,
}

/// What is in the way of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleKind {
    /// The value, or something in it, carries an anchor: an alias elsewhere may stand for it.
    Anchor,
    /// The value is an alias.
    Alias,
    /// The value, or something in it, carries a tag.
    Tag,
    /// The key is `<<`, comes in through it, or holds one.
    Merge,
    /// An item is to be added to what is no list.
    NotAList,
    /// The whole frontmatter is one `{…}`.
    FlowRoot,
    /// The value is laid out in a way that is not edited (`? key`, an indented root with comments).
    Layout,
}

impl Obstacle {
    pub(crate) fn at(text: &str, offset: usize, key: &str, kind: ObstacleKind) -> Self {
        Self { key: key.to_owned(), line: position(text, offset).line, kind }
    }
}

impl fmt::Display for Obstacle {
    /// What, where, what helps, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, help) = match self.kind {
            ObstacleKind::Anchor => ("its value holds an anchor", "remove the anchor and write out its aliases"),
            ObstacleKind::Alias => ("its value holds an alias", "write the value out"),
            ObstacleKind::Tag => ("its value holds a tag", "remove the tag"),
            ObstacleKind::Merge => ("of a merge key `<<`", "write the merged keys out"),
            ObstacleKind::NotAList => ("its value is not a list", "make it a list"),
            ObstacleKind::FlowRoot => ("the frontmatter is one `{…}`", "write its keys on lines of their own"),
            ObstacleKind::Layout => ("of the way it is laid out", "write it as `key: value`"),
        };
        let line = self.line;
        match self.key.as_str() {
            "" => f.write_str("the frontmatter")?,
            key => write!(f, "`{}`", excerpt(key))?,
        }
        write!(f, " cannot be edited safely, because {what} (line {line}); {help}")
    }
}

/// What a node itself is or carries.
pub(crate) fn of_node(node: &Node) -> Option<ObstacleKind> {
    if node.alias {
        Some(ObstacleKind::Alias)
    } else if node.anchored {
        Some(ObstacleKind::Anchor)
    } else if node.tagged {
        Some(ObstacleKind::Tag)
    } else {
        None
    }
}

/// The first merge key of a mapping or of anything in it.
pub(crate) fn merge_key(mapping: &Mapping) -> Option<&Entry> {
    fn below(node: &Node) -> Option<&Entry> {
        match &node.kind {
            Kind::Scalar(_) => None,
            Kind::Sequence(items) => items.iter().find_map(below),
            Kind::Mapping(mapping) => merge_key(mapping),
        }
    }
    mapping.entries.iter().find_map(|entry| if entry.is_merge() { Some(entry) } else { below(&entry.value) })
}

/// An anchor or tag of a node or of anything in it. An alias below it may go: nothing refers to an alias.
pub(crate) fn properties(node: &Node) -> Option<ObstacleKind> {
    if node.alias {
        return None;
    }
    of_node(node).or_else(|| match &node.kind {
        Kind::Scalar(_) => None,
        Kind::Sequence(items) => items.iter().find_map(properties),
        Kind::Mapping(mapping) => mapping.entries.iter().find_map(|entry| properties(&entry.value)),
    })
}
