//! The server as its clients see it.

use okf_mcp_test::{Program, Server, Tree, json};

/// The server on a bundle of two concepts, and the bundle, which lives as long as its value.
fn served() -> (Server, Tree) {
    let tree = Tree::bundle(&[
        ("a.md", "---\ntype: Note\ntags: [x, y]\n---\n"),
        ("b.md", "---\ntype: Note\ntags: [y]\n---\n"),
    ]);
    (Program::new(env!("CARGO_BIN_EXE_okf-example-template")).serve(tree.root()), tree)
}

/// A forgotten link line is silent, so the whole list is pinned.
#[test]
fn it_serves_exactly_these_tools() {
    let expected = ["count-tags", "list-concepts", "lookup-concept", "query-graph", "validate"];
    assert_eq!(served().0.tool_names(), expected);
}

#[test]
fn the_paragraph_follows_the_built_in_identity() {
    let (_, tree) = served();
    let mut server = Program::new(env!("CARGO_BIN_EXE_okf-example-template")).spawn(tree.root());
    let told = server.initialize("2025-11-25");
    let instructions = told["instructions"].as_str().expect("there are instructions");
    assert!(instructions.starts_with("This server knows"), "{instructions}");
    assert!(instructions.ends_with("\n\nTo see how the concepts are tagged, call count-tags."), "{instructions}");
}

#[test]
fn the_tool_answers_and_its_errors_say_what_helps() {
    let (mut server, _tree) = served();
    let answer = server.ask("count-tags", json!({"at_least": 2}));
    assert_eq!(answer, json!({"tags": [{"tag": "y", "count": 2}]}));
    assert!(server.refused("count-tags", json!({"at_least": 9})).contains("try a smaller `at_least`"));
    assert_eq!(server.refused("count-tags", json!({"at_least": 0})), "#/at_least: must be at least 1, is 0");
}
