//! What differs from machine to machine, replaced by placeholders.

use super::Tree;

/// The text with the root of the tree and the version replaced.
pub fn placeholders(text: &str, tree: &Tree) -> String {
    text.replace(tree.shown(), "[ROOT]").replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
}
