//! `deprecate-concept`.

use serde_json::json;

use super::{NOTE, text, writes};
use crate::harness::{Server, Tree, says};

#[test]
fn the_status_is_set_and_the_note_logged() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("log.md", "# Log\n")]);
    let mut server = Server::serve(tree.root());
    let note = json!({"id": "a", "note": "Use the new one."});
    assert_eq!(writes(&mut server, &tree, "deprecate-concept", note), ["a.md", "index.md", "log.md"]);
    assert_eq!(text(&tree, "a.md"), "---\ntype: Note\nstatus: deprecated\n---\n\nBody.\n");
    assert_eq!(text(&tree, "log.md"), "# Log\n\n## 2026-06-15\n* **Deprecated**: [a](/a.md) - Use the new one.\n");
    let again = json!({"id": "a", "note": "Another reason."});
    assert_eq!(writes(&mut server, &tree, "deprecate-concept", again), [""; 0]);
    assert_eq!(server.ask("lookup-concept", json!({"id": "a"}))["status"], "deprecated");
}

#[test]
fn one_line_of_the_file_changes() {
    let before = "---\r\nstatus: 'stable' # for now\r\ntype: Note\r\nx: [1,  2]\r\n---\r\nBody";
    let tree = Tree::bundle(&[("a.md", before)]);
    writes(&mut Server::serve(tree.root()), &tree, "deprecate-concept", json!({"id": "a"}));
    let after = text(&tree, "a.md");
    let (first, rest) = after.split_once("type: Note").expect("the key is still there");
    says(first, &["deprecated", "# for now\r\n"]);
    assert_eq!(rest, before.split_once("type: Note").expect("as it was").1);
}
