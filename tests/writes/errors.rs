//! Errors that were there before, and bundles that cannot be written.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{NOTE, fails, files, impossible, text, writes};
use crate::harness::{Server, Tree, array, note_skipped, says, shared};

/// All four writes succeed; gives the IDs of the errors listed as there before.
#[track_caller]
fn all_four_succeed(tree: &Tree, concept: &str) -> Vec<String> {
    let mut server = Server::serve(tree.root());
    let mut preexisting = Vec::new();
    for (tool, arguments) in [
        ("create-concept", json!({"id": "okf-new/created", "type": "Note", "title": "Created"})),
        ("update-concept", json!({"id": concept, "title": "Another title"})),
        ("link-concepts", json!({"source": concept, "target": "okf-new/created", "relationship": "derived-from"})),
        ("deprecate-concept", json!({"id": concept, "note": "Old."})),
    ] {
        let answer = server.ask(tool, arguments);
        let changed: Vec<Value> = array(&answer["changed_paths"]).to_vec();
        assert!(changed.contains(&json!("log.md")), "{tool}: {answer}");
        let ids = answer.get("preexisting").map_or(&[][..], |errors| array(errors));
        preexisting = ids.iter().map(|error| error["id"].as_str().expect("an ID").to_owned()).collect();
    }
    assert_eq!(text(tree, "log.md").matches("* **").count(), 4);
    preexisting
}

#[test]
fn an_old_error_in_a_nested_log_does_not_block() {
    let Some(source) = shared("bundles/graphql") else { return note_skipped("the graphql bundle") };
    let tree = Tree::new(&[]);
    for (path, bytes) in files(&source) {
        if !path.ends_with(['/', '@']) {
            tree.write(&path, bytes);
        }
    }
    let mut server = Server::serve(tree.root());
    let errors = server.ask("validate", json!({}))["totals"]["errors"].clone();
    let list = server.ask("list-concepts", json!({"limit": 1}));
    drop(server);
    let log = fs::read_to_string(tree.path("log.md")).unwrap_or_default();
    if !log.is_empty() {
        tree.write("log.md", "# Log\n");
    }
    let preexisting = all_four_succeed(&tree, list["concepts"][0]["id"].as_str().expect("an ID"));
    assert_eq!(json!(preexisting.len()), errors, "{preexisting:?}");
    assert!(preexisting.contains(&"okf/invalid-log-date".to_owned()), "{preexisting:?}");
}

#[test]
fn old_errors_in_the_root_log_and_index_do_not_block_and_stay() {
    let index = "---\nokf_version: \"0.2\"\ntitle: Not allowed\n---\n\n# Note\n\n* [a](a.md)\n";
    let log = "# Log\n\n## 2026-9-6\n* old\n\n## 20260101\n* older\n";
    let tree = Tree::new(&[("index.md", index), ("log.md", log), ("a.md", NOTE)]);
    let old = ["okf/invalid-index-frontmatter", "okf/invalid-log-date", "okf/invalid-log-date"];
    assert_eq!(all_four_succeed(&tree, "a"), old);
    let log = text(&tree, "log.md");
    says(&log, &["## 2026-9-6\n* old\n", "## 20260101\n* older\n"]);
    says(&text(&tree, "index.md"), &["title: Not allowed\n"]);
}

#[test]
fn a_broken_concept_elsewhere_does_not_block() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("bare.md", "text\n"), ("broken.md", "---\na: b: c\n---\n")]);
    tree.write("raw.md", b"\xff");
    let mut old = all_four_succeed(&tree, "a");
    old.sort_unstable();
    assert_eq!(old, ["okf/invalid-document", "okf/invalid-utf8", "okf/missing-frontmatter"]);
}

#[test]
fn what_is_in_the_way_of_the_log_is_said_of_the_log() {
    type Obstruct = fn(&Tree);
    let rows: [(Obstruct, &str); 4] = [
        (|tree| _ = tree.directory("log.md"), "the change cannot be logged: `log.md` is a directory"),
        (|tree| _ = tree.link("log.md", "a.md"), "the change cannot be logged: `log.md` is a symbolic link"),
        (|tree| _ = tree.write("LOG.md", NOTE), "the change cannot be logged: `log.md` would collide with `LOG.md`"),
        (|tree| _ = tree.write("log.md", b"\xff"), "the change cannot be logged: `log.md` is not UTF-8 at byte 0"),
    ];
    for (obstruct, says) in rows {
        let tree = Tree::bundle(&[("a.md", NOTE)]);
        obstruct(&tree);
        let mut server = Server::serve(tree.root());
        for (tool, arguments) in [
            ("create-concept", json!({"id": "b", "type": "Note"})),
            ("update-concept", json!({"id": "a", "title": "T"})),
            ("link-concepts", json!({"source": "a", "target": "b", "relationship": "r"})),
        ] {
            let message = impossible(&mut server, &tree, tool, arguments);
            assert!(message.starts_with(says), "{tool}: {message}");
        }
    }
}

#[test]
fn many_old_errors_are_counted_and_not_all_listed() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    for n in 0..60 {
        tree.write(&format!("bare{n:02}.md"), "text\n");
    }
    let answer = Server::serve(tree.root()).ask("update-concept", json!({"id": "a", "title": "T"}));
    assert_eq!((array(&answer["preexisting"]).len(), &answer["preexisting_total"]), (50, &json!(60)));
}

#[test]
fn a_log_that_is_no_text_is_not_lost() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    tree.write("log.md", b"# Log\n\xff\n");
    let mut server = Server::serve(tree.root());
    for (tool, arguments) in
        [("create-concept", json!({"id": "b", "type": "Note"})), ("deprecate-concept", json!({"id": "a"}))]
    {
        says(&impossible(&mut server, &tree, tool, arguments), &["log.md", "UTF-8"]);
    }
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("b.md", NOTE)]);
    fs::set_permissions(tree.path("a.md"), Permissions::from_mode(0o444)).expect("it is ours");
    let mut server = Server::serve(tree.root());
    says(&fails(&mut server, &tree, "update-concept", json!({"id": "a", "title": "T"}))[0], &["a.md"]);
    assert_eq!(
        writes(&mut server, &tree, "update-concept", json!({"id": "b", "title": "T"})),
        ["b.md", "index.md", "log.md"]
    );
}

#[test]
fn a_bundle_that_is_gone_is_not_made_again() {
    let tree = Tree::bundle(&[("a.md", NOTE)]);
    let mut server = Server::serve(tree.root());
    let away = tree.root().with_extension("away");
    fs::rename(tree.root(), &away).expect("it can be moved");
    server.refused("create-concept", json!({"id": "b", "type": "Note"}));
    assert!(!tree.root().exists());
    fs::rename(&away, tree.root()).expect("it can be moved back");
    writes(&mut server, &tree, "create-concept", json!({"id": "b", "type": "Note"}));
}

#[test]
fn modes_are_kept() {
    let tree = Tree::bundle(&[("a.md", NOTE), ("log.md", "# Log\n")]);
    for (path, mode) in [("a.md", 0o600), ("log.md", 0o664)] {
        fs::set_permissions(tree.path(path), Permissions::from_mode(mode)).expect("it is ours");
    }
    writes(&mut Server::serve(tree.root()), &tree, "update-concept", json!({"id": "a", "title": "T"}));
    for (path, mode) in [("a.md", 0o600), ("log.md", 0o664)] {
        let now = fs::metadata(tree.path(path)).expect("it exists").permissions().mode();
        assert_eq!(now & 0o7777, mode, "{path}");
    }
}
