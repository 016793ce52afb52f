//! `create-concept`.

use serde_json::json;

use super::{NOTE, files, impossible, refusal, text, writes};
use crate::harness::{Server, Tree, keys, says};

#[test]
fn a_new_concept_is_written_logged_and_found() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("log.md", "# Log\n\n## 2026-01-01\n* Old.\n")]);
    tree.write("index.md", "---\nokf_version: \"0.2\"\n---\n\n# Note\n\n* [a](a.md)\n");
    let mut server = Server::serve(tree.root());
    let arguments = json!({
        "id": "b", "type": "Note", "title": "Beta", "description": "The second.", "tags": ["x", "y: z"], "body": "# Text\n\nA zebra.",
    });
    assert_eq!(writes(&mut server, &tree, "create-concept", arguments), ["b.md", "index.md", "log.md"]);
    assert_eq!(
        text(&tree, "b.md"),
        "---\ntype: Note\ntitle: Beta\ndescription: The second.\ntags:\n  - x\n  - \"y: z\"\n---\n\n# Text\n\nA zebra.\n"
    );
    assert_eq!(
        text(&tree, "log.md"),
        "# Log\n\n## 2026-06-15\n* **Created**: [Beta](/b.md)\n\n## 2026-01-01\n* Old.\n"
    );
    says(&text(&tree, "index.md"), &["* [Beta](b.md) - The second.\n"]);
    assert_eq!(server.ask("search-concepts", json!({"query": "zebra"}))["matches"][0]["id"], "b");
    assert_eq!(server.ask("validate", json!({"strict": true}))["exit_code"], 0);
}

#[test]
fn the_answer_holds_paths_and_revision_and_nothing_else() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    let answer = Server::serve(tree.root()).ask("create-concept", json!({"id": "sub/b", "type": "Note"}));
    assert_eq!(keys(&answer), ["changed_paths", "revision"]);
    assert!(answer["revision"].as_str().is_some_and(|revision| revision.len() == 32));
    assert_eq!(text(&tree, "sub/b.md"), "---\ntype: Note\n---\n");
}

#[test]
fn it_replaces_nothing_and_leaves_no_trace_when_it_fails() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("dir/b.md", NOTE), ("pic.png", ""), ("sen\u{303}or.md", NOTE)]);
    tree.directory("empty.md").link("link", "/tmp").link("file.md", "a.md");
    let mut server = Server::serve(tree.root());
    for (id, part) in [
        ("a", "exists already"),
        ("A", "collides"),
        ("DIR/c", "collides"),
        ("se\u{f1}or", "collides"),
        ("empty", "is a directory"),
        ("pic.png/x", "is a file"),
        ("link/x", "symbolic link"),
        ("file", "symbolic link"),
        ("a.md", "no `.md` suffix"),
        ("../x", "segments"),
        ("x/../../y", "segments"),
        ("/etc/x", "relative"),
        ("a\\b", "separators"),
        ("a\u{0}b", "control"),
        ("index", "reserved"),
        ("dir/LOG", "reserved"),
        (".git/hooks/x", "no part of the bundle"),
        (".okf-stage/x", "no part of the bundle"),
        ("", "non-empty"),
        (&vec!["d"; 800].join("/"), "it has 1599 bytes (at most 1024)"),
        (&["d"; 100].join("/"), "it has 100 segments (at most 64)"),
    ] {
        says(&impossible(&mut server, &tree, "create-concept", json!({"id": id, "type": "Note"})), &["#/id: ", part]);
    }
    assert!(!tree.path(".okf.lock").exists(), "not even a lock is made for what comes to nothing");
    assert!(files(tree.root()).len() > 5);
}

#[test]
fn a_blank_type_is_refused_with_the_report() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    let found = refusal(&mut server, &tree, "create-concept", json!({"id": "x/b", "type": " "}));
    assert_eq!(found, [("okf/missing-type".to_owned(), "x/b.md".to_owned())]);
}

#[test]
fn advisories_never_refuse() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    let body = "See [nothing](nowhere.md) and [^1].";
    writes(&mut server, &tree, "create-concept", json!({"id": "set up guide", "type": "Note", "body": body}));
}
