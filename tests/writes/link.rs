//! `link-concepts`.

use serde_json::json;

use super::{NOTE, impossible, text, writes};
use crate::harness::{Server, Tree, array, concept, says};

#[test]
fn a_link_goes_into_sources_and_the_graph() {
    let tree = Tree::bundle(&[("x/a.md", NOTE), ("y/b.md", NOTE), ("log.md", "# Log\n")]);
    let mut server = Server::serve(tree.root());
    let link = json!({"source": "x/a", "target": "y/b", "relationship": "derived-from"});
    assert_eq!(writes(&mut server, &tree, "link-concepts", link.clone()), ["log.md", "x/a.md"]);
    assert_eq!(
        text(&tree, "x/a.md"),
        "---\ntype: Note\nsources:\n  - resource: ../y/b.md\n    relationship: derived-from\n---\n\nBody.\n"
    );
    says(&text(&tree, "log.md"), &["* **Linked**: [a](/x/a.md) - derived-from y/b\n"]);
    let graph = server.ask("query-graph", json!({"concept": "x/a"}));
    assert_eq!(graph["edges"][0]["target_concept"], "y/b");
    assert_eq!(writes(&mut server, &tree, "link-concepts", link), [""; 0], "the same link twice");
}

#[test]
fn it_takes_the_form_that_the_document_uses() {
    let tree = Tree::bundle(&[
        ("x/root.md", &concept("type: Note\nsources:\n  - resource: /y/c.md\n    id: s1 # keep", "Body.")),
        ("x/near.md", &concept("type: Note\nsources: [{resource: ../y/c.md}]", "See [c](/y/c.md).")),
        ("y/b.md", NOTE),
        ("y/c.md", NOTE),
    ]);
    let mut server = Server::serve(tree.root());
    for (source, resource) in [("x/root", "/y/b.md"), ("x/near", "../y/b.md")] {
        writes(&mut server, &tree, "link-concepts", json!({"source": source, "target": "y/b", "relationship": "r"}));
        let after = text(&tree, &format!("{source}.md"));
        says(&after, &[&format!("resource: {resource}")]);
    }
    says(&text(&tree, "x/root.md"), &["  - resource: /y/c.md\n    id: s1 # keep\n"]);
}

#[test]
fn the_target_may_be_missing_but_not_malformed() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    for (target, part) in
        [("../x", "segments"), ("b.md", "`b`"), ("log", "reserved"), ("x/INDEX", "reserved"), ("", "non-empty")]
    {
        let link = json!({"source": "a", "target": target, "relationship": "r"});
        says(&impossible(&mut server, &tree, "link-concepts", link), &["#/target: ", part]);
    }
    let link = |target: &str| json!({"source": "a", "target": target, "relationship": "r"});
    for target in ["later", "50% off #1", "a?b", "mailto:x", "\u{6570}\u{636e}/\u{e9}"] {
        writes(&mut server, &tree, "link-concepts", link(target));
        writes(&mut server, &tree, "create-concept", json!({"id": target, "type": "Note"}));
        let graph = server.ask("query-graph", json!({"concept": target, "direction": "in"}));
        assert_eq!(array(&graph["edges"]).len(), 1, "{target}: {graph}");
    }
}

#[test]
fn the_relationship_says_something() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("b.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    for blank in ["", " ", "\t\n", "\u{3000}"] {
        let link = json!({"source": "a", "target": "b", "relationship": blank});
        says(&impossible(&mut server, &tree, "link-concepts", link), &["#/relationship: "]);
    }
    let link = json!({"source": "a", "target": "b", "relationship": " "});
    says(&impossible(&mut server, &tree, "link-concepts", link), &["a relationship cannot be blank"]);
    assert!(!tree.path(".okf.lock").exists(), "that is seen before there is a lock");
}

#[test]
fn the_source_must_exist_and_hold_a_list() {
    let tree = Tree::bundle(&[("a.md", &concept("type: Note\nsources: somewhere", "Body.")), ("b.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    let link = |source: &str| json!({"source": source, "target": "b", "relationship": "r"});
    says(&impossible(&mut server, &tree, "link-concepts", link("a")), &["`sources`", "no list"]);
    says(&impossible(&mut server, &tree, "link-concepts", link("c")), &["#/source: ", "does not exist"]);
}
