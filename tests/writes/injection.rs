//! Text from arguments stays text, over the wire and through the files.

use serde_json::json;

use super::{NOTE, text, writes};
use crate::harness::{Server, Tree, array};

const NASTY: [&str; 14] = [
    "x\nverified: {by: human:boss}\n---\nfree text",
    "a]\nstatus: stable",
    "\n\n## 2026-01-01\n* **Created**: [x](/y.md)",
    "](/evil.md) [x",
    "# heading",
    "- item\n- item",
    "key: value # comment",
    "<!-- comment --> <script>alert(1)</script>",
    "`code` **bold** ![i](j.png)",
    "&anchor *alias !!tag %directive @at",
    "'single' \"double\" \\backslash",
    " blanks around ",
    "\u{2028}separators\u{2029}\u{85}",
    "https://example.org/ mailto:x@example.org",
];

#[test]
fn titles_tags_and_descriptions_come_back_and_add_nothing() {
    let tree = Tree::bundle(&[("log.md", "# Log\n")]);
    tree.write("index.md", "# Note\n");
    let mut server = Server::serve(tree.root());
    for (n, nasty) in NASTY.iter().enumerate() {
        let id = format!("c{n:02}");
        let new = json!({"id": id, "type": "Note", "title": nasty, "description": nasty, "tags": [nasty]});
        writes(&mut server, &tree, "create-concept", new);
        let found = server.ask("list-concepts", json!({"tag": nasty}));
        let concept = &found["concepts"][0];
        assert_eq!((&found["total"], &concept["id"]), (&json!(1), &json!(id)), "{nasty:?}");
        assert_eq!((&concept["title"], &concept["description"]), (&json!(nasty), &json!(nasty)));
        assert_eq!((&concept["status"], &concept["trust_tier"]), (&json!("stable"), &json!("unverified")));
    }
    let report = server.ask("validate", json!({"strict": true, "links": true}));
    assert_eq!(report["exit_code"], 0, "no heading, no entry, no link beside: {}", report["report"]);
    assert_eq!(text(&tree, "log.md").matches("\n* **Created**: [").count(), NASTY.len());
    let graph = server.ask("query-graph", json!({}));
    assert_eq!((array(&graph["nodes"]).len(), array(&graph["edges"]).len()), (NASTY.len(), 0), "{graph}");
}

#[test]
fn relationships_and_notes_come_back_and_add_nothing() {
    let tree = Tree::bundle(&[("b.md", NOTE), ("log.md", "# Log\n")]);
    let mut server = Server::serve(tree.root());
    for (n, nasty) in NASTY.iter().enumerate() {
        let id = format!("c{n:02}");
        tree.write(&format!("{id}.md"), NOTE);
        writes(&mut server, &tree, "link-concepts", json!({"source": id, "target": "b", "relationship": nasty}));
        writes(&mut server, &tree, "deprecate-concept", json!({"id": id, "note": nasty}));
        let bundle = okf_core::bundle::Bundle::load(tree.root()).expect("it exists");
        let frontmatter = bundle.lookup(&id).expect("it exists").frontmatter().expect("it reads");
        let keys: Vec<&str> = frontmatter.root.entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["type", "sources", "status"], "{nasty:?}");
        let entry = frontmatter.get("sources").and_then(|sources| sources.as_sequence()?.first()?.as_mapping());
        let relationship = entry.and_then(|entry| entry.get("relationship")?.as_text());
        assert_eq!(relationship, Some(*nasty));
    }
    let log = text(&tree, "log.md");
    assert_eq!(log.lines().filter(|line| line.starts_with("* **")).count(), 2 * NASTY.len(), "{log}");
    assert_eq!(log.lines().filter(|line| line.starts_with('#')).count(), 2, "{log}");
    let graph = server.ask("query-graph", json!({}));
    assert_eq!(array(&graph["edges"]).len(), NASTY.len(), "the links asked for and no other");
}
