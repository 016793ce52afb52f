//! A second opinion: another YAML reader must understand an edited frontmatter as ours does.

use serde_yaml::Value as Theirs;

use super::{Frontmatter, Kind, Node, Schema};

/// The longest block that the second reader is asked about, in bytes.
///
/// Its time grows with the square of the nesting, which ours bounds before, and its memory with what aliases
/// stand for, which ours bounds too; this bounds the rest.
pub(crate) const MAX_BYTES: usize = 256 * 1024;

/// What the second reader makes of a block: the values of the root, in order. `None` when it cannot read the
/// block, when the block is too long for it, or when it does not see the same entries.
pub(crate) fn read(text: &str, frontmatter: &Frontmatter) -> Option<Vec<(Theirs, Theirs)>> {
    let block = &text[frontmatter.block.clone()];
    if block.len() > MAX_BYTES {
        return None;
    }
    let entries: Vec<_> = match serde_yaml::from_str(block).ok()? {
        Theirs::Mapping(mapping) => mapping.into_iter().collect(),
        Theirs::Null => Vec::new(),
        _ => return None,
    };
    (entries.len() == frontmatter.root.entries.len()).then_some(entries)
}

/// Whether both readers understand a node in the same way: the same texts for the same strings.
pub(crate) fn agrees(node: &Node, theirs: &Theirs) -> bool {
    match (&node.kind, theirs) {
        (_, Theirs::Tagged(tagged)) => agrees(node, &tagged.value),
        (Kind::Scalar(scalar), theirs) => match (scalar.schema, theirs) {
            (Schema::Str, Theirs::String(text)) => *scalar.text == **text,
            (Schema::Null, Theirs::Null) | (Schema::Bool, Theirs::Bool(_)) => true,
            // It may take a number for a string where the notations of the two versions differ.
            (Schema::Int | Schema::Float, Theirs::Number(_) | Theirs::String(_)) => true,
            _ => false,
        },
        (Kind::Sequence(items), Theirs::Sequence(theirs)) => {
            items.len() == theirs.len() && items.iter().zip(theirs).all(|(item, theirs)| agrees(item, theirs))
        }
        (Kind::Mapping(mapping), Theirs::Mapping(theirs)) => {
            mapping.entries.len() == theirs.len()
                && mapping.entries.iter().zip(theirs).all(|(entry, (_, theirs))| agrees(&entry.value, theirs))
        }
        _ => false,
    }
}
