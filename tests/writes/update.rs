//! `update-concept`.

use serde_json::json;

use super::{NOTE, fails, files, impossible, refusal, text, writes};
use crate::harness::{Server, Tree, concept, says};

#[test]
fn fields_are_overlaid_and_every_other_byte_stays() {
    let before = "---\n# who: data team\ntype: 'Metric'   # kind\nx-unit: {of: 0.10}\ntitle: Old\n---\nText  \n\nno final newline";
    let tree = Tree::bundle(&[("a.md", before), ("log.md", "# Log\n")]);
    let mut server = Server::serve(tree.root());
    let changed = writes(&mut server, &tree, "update-concept", json!({"id": "a", "title": "New", "tags": ["t"]}));
    assert_eq!(changed, ["a.md", "index.md", "log.md"]);
    let after = text(&tree, "a.md");
    says(&after, &["---\n# who: data team\ntype: 'Metric'   # kind\nx-unit: {of: 0.10}\ntitle: New\n"]);
    says(&after, &["\n---\nText  \n\nno final newline"]);
    assert!(after.ends_with("no final newline"));
    says(&text(&tree, "log.md"), &["## 2026-06-15\n* **Updated**: [New](/a.md)\n"]);
}

#[test]
fn the_index_follows_title_and_description() {
    let index = "# Note\n\n* [Old](a.md) - Old words.\n* [Mine](b.md) - My words.\n";
    let tree = Tree::bundle(&[
        ("sub/a.md", &concept("type: Note\ntitle: Old\ndescription: Old words.", "A.")),
        ("sub/b.md", &concept("type: Note\ntitle: B\ndescription: Its words.", "B.")),
        ("sub/index.md", index),
    ]);
    let mut server = Server::serve(tree.root());
    let new = json!({"id": "sub/a", "title": "New", "description": "New words."});
    assert_eq!(writes(&mut server, &tree, "update-concept", new), ["log.md", "sub/a.md", "sub/index.md"]);
    assert_eq!(text(&tree, "sub/index.md"), "# Note\n\n* [New](a.md) - New words.\n* [Mine](b.md) - My words.\n");
    let other = json!({"id": "sub/b", "title": "Bee", "description": "Other words."});
    assert_eq!(writes(&mut server, &tree, "update-concept", other), ["log.md", "sub/b.md"], "a human's words stay");
}

#[test]
fn the_same_values_change_nothing() {
    let tree = Tree::bundle(&[("a.md", &concept("type: Note\ntitle: T\ntags: [x]", "Body."))]);
    let mut server = Server::serve(tree.root());
    for same in [
        json!({"id": "a"}),
        json!({"id": "a", "type": "Note", "title": "T", "tags": ["x"], "body": "Body."}),
        json!({"id": "a", "body": "\nBody.\n"}),
    ] {
        assert_eq!(writes(&mut server, &tree, "update-concept", same), [""; 0]);
    }
    let new = json!({"id": "a", "title": "", "tags": [], "body": "", "description": ""});
    assert_eq!(
        writes(&mut server, &tree, "update-concept", new.clone()),
        ["a.md", "index.md", "log.md"],
        "empty values are values"
    );
    assert_eq!(writes(&mut server, &tree, "update-concept", new), [""; 0], "idempotent");
    says(&text(&tree, "a.md"), &["title: \"\"\n", "description: \"\"\n"]);
}

#[test]
fn a_change_since_the_lookup_is_a_conflict_that_carries_the_revision() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("b.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    let seen = server.ask("lookup-concept", json!({"id": "a"}))["revision"].clone();
    tree.write("a.md", NOTE.replace("Body", "Somebody else's words"));
    let now = server.ask("lookup-concept", json!({"id": "a"}))["revision"].clone();
    for (tool, mut arguments) in [
        ("update-concept", json!({"id": "a", "title": "T"})),
        ("deprecate-concept", json!({"id": "a"})),
        ("link-concepts", json!({"source": "a", "target": "b", "relationship": "r"})),
    ] {
        arguments["expected_revision"] = seen.clone();
        let message = impossible(&mut server, &tree, tool, arguments.clone());
        says(&message, &["#/expected_revision", now.as_str().expect("a text"), "changed"]);
    }
    let current = json!({"id": "a", "title": "T", "expected_revision": now});
    assert_eq!(writes(&mut server, &tree, "update-concept", current.clone()), ["a.md", "index.md", "log.md"]);
    impossible(&mut server, &tree, "update-concept", current);
}

#[test]
fn what_is_missing_reserved_or_unreadable_is_not_updated() {
    let tree = Tree::bundle(&[("orders.md", NOTE), ("broken.md", "---\na: b: c\n---\n")]);
    tree.write("raw.md", b"\xff").link("out.md", "/etc/hosts");
    let mut server = Server::serve(tree.root());
    for (id, part) in [
        ("order", "did you mean `orders`?"),
        ("zebra-crossing-of-nothing", "list-concepts"),
        ("orders.md", "`orders`"),
        ("index", "reserved"),
        ("../x", "segments"),
        ("out", "symbolic link"),
        ("broken", "cannot be read"),
        ("raw", "cannot be read"),
    ] {
        says(&impossible(&mut server, &tree, "update-concept", json!({"id": id, "title": "T"})), &["#/id: ", part]);
    }
}

#[test]
fn what_cannot_be_edited_safely_stays_as_it_is() {
    let anchored = "---\ntype: Note\ntitle: &t Old\nother: *t\n---\n";
    let tree = Tree::bundle(&[("a.md", anchored)]);
    let mut server = Server::serve(tree.root());
    says(&impossible(&mut server, &tree, "update-concept", json!({"id": "a", "title": "T"})), &["title"]);
    writes(&mut server, &tree, "update-concept", json!({"id": "a", "description": "D"}));
}

#[test]
fn a_frontmatter_beyond_a_limit_is_refused_with_its_report() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    let (long, many) = ("x".repeat(4 << 20), vec!["t"; 100_001]);
    for (fields, reason) in [(json!({"description": long}), "bytes long"), (json!({"tags": many}), "nodes")] {
        for (tool, id) in [("update-concept", "a"), ("create-concept", "new")] {
            let mut arguments = fields.clone();
            arguments["id"] = json!(id);
            if tool == "create-concept" {
                arguments["type"] = json!("Note");
            }
            let found = refusal(&mut server, &tree, tool, arguments.clone());
            assert_eq!(found, [("okf/invalid-document".to_owned(), format!("{id}.md"))], "{tool}");
            says(&fails(&mut server, &tree, tool, arguments)[1], &[reason]);
        }
    }
    let link = json!({"source": "a", "target": "b", "relationship": long});
    assert_eq!(refusal(&mut server, &tree, "link-concepts", link)[0].0, "okf/invalid-document");
}

#[test]
fn a_concept_left_with_an_error_is_refused_and_cured_by_the_right_field() {
    let tree = Tree::bundle(&[("a.md", "---\ntitle: T\n---\n\nBody.\n")]);
    let mut server = Server::serve(tree.root());
    let found = refusal(&mut server, &tree, "update-concept", json!({"id": "a", "title": "U"}));
    assert_eq!(found, [("okf/missing-type".to_owned(), "a.md".to_owned())]);
    writes(&mut server, &tree, "update-concept", json!({"id": "a", "type": "Note"}));
    refusal(&mut server, &tree, "update-concept", json!({"id": "a", "type": ""}));
    assert_eq!(files(tree.root())["a.md"], b"---\ntitle: T\ntype: Note\n---\n\nBody.\n");
}
