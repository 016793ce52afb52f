//! The command line beside `validate`: graph, search, list, show.

use serde_json::{Value, json};

use crate::harness::{Server, Tree, array, column, keys, never_says, okf, says};

fn shop() -> Tree {
    Tree::bundle(&[
        (
            "metrics/churn.md",
            "---\ntype: Metric\ntitle: Churn\ntags: [kpi]\n---\n\n# Definition\n\nSee [orders](/tables/orders.md).\n",
        ),
        (
            "tables/orders.md",
            "---\ntype: Table\ntitle: 'x\"]; evil[\"y'\n---\n\n[gone](gone.md) [web](https://example.org)\n",
        ),
        ("notes/a.md", "---\ntype: Note\n---\n\n[t](../tables/orders.md)\n"),
    ])
}

fn graph(tree: &Tree, options: &[&str]) -> Value {
    okf(&[&["graph", "--output", "json"], options].concat()).at(tree.root()).run().exits(0).json()
}

fn nodes(graph: &Value) -> String {
    column(&graph["nodes"], "id").join(" ")
}

#[test]
fn the_graph_is_that_of_the_tool() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    assert_eq!(graph(&tree, &[]), server.ask("query-graph", json!({})));
    for (options, arguments) in [
        (&["--type", "Table", "--type", "Note"][..], json!({"types": ["Table", "Note"]})),
        (&["--path-prefix", "./notes/"], json!({"path_prefixes": ["./notes/"]})),
        (&["--resolution", "unresolved"], json!({"resolutions": ["unresolved"]})),
        (&["--concept", "notes/a"], json!({"concept": "notes/a"})),
        (
            &["--concept", "tables/orders", "--direction", "in", "--depth", "2"],
            json!({"concept": "tables/orders", "direction": "in", "depth": 2}),
        ),
    ] {
        assert_eq!(graph(&tree, options), server.ask("query-graph", arguments), "{options:?}");
    }
    assert_eq!(
        nodes(&graph(&tree, &["--concept", "tables/orders", "--direction", "in"])),
        "metrics/churn notes/a tables/orders"
    );
}

#[test]
fn the_graph_keeps_its_published_schema() {
    let tree = shop();
    let schema = okf(&["graph", "--schema"]).at(tree.root()).run().exits(0).json();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    assert!(validator.is_valid(&graph(&tree, &[])));
    let mut open = graph(&tree, &[]);
    open["extra"] = json!(1);
    assert!(!validator.is_valid(&open), "no other keys anywhere");
    let mut open = graph(&tree, &[]);
    open["nodes"][0]["extra"] = json!(1);
    assert!(!validator.is_valid(&open), "no other keys anywhere");
}

#[test]
fn no_title_breaks_out_of_a_drawing() {
    let tree = shop();
    let drawn = |format: &str| okf(&["graph", "--output", format]).at(tree.root()).run().exits(0).stdout;
    let dot = drawn("dot");
    says(&dot, &["digraph", "tables/orders", "->"]);
    never_says(&dot, &["x\"]"]);
    let mermaid = drawn("mermaid");
    assert!(mermaid.contains("flowchart") || mermaid.contains("graph"), "{mermaid}");
    never_says(&mermaid, &["x\"]", "evil[\"y"]);
}

#[test]
fn a_graph_that_cannot_be_asked_for_is_a_bad_invocation() {
    let tree = shop();
    for bad in
        [&["graph", "--output", "png"][..], &["graph", "--resolution", "broken"], &["graph", "--concept", "notes/b"]]
    {
        assert_eq!(okf(bad).at(tree.root()).run().exits(2).stdout, "", "{bad:?}");
    }
}

#[test]
fn search_prints_lines_like_grep() {
    let tree = shop();
    let run = okf(&["search", "Definition"]).at(tree.root()).run().exits(0);
    says(&run.stdout, &["metrics/churn:7: # Definition"]);
    let words = okf(&["search", "--words", "orders see"]).at(tree.root()).run().exits(0);
    says(&words.stdout, &["metrics/churn:9: "]);
    let regex = okf(&["search", "--regex", "^# Def.*n$"]).at(tree.root()).run().exits(0);
    says(&regex.stdout, &["metrics/churn:7: "]);
}

#[test]
fn search_exits_with_one_when_nothing_matches_and_two_when_it_cannot_search() {
    let tree = shop();
    okf(&["search", "xylophone"]).at(tree.root()).run().exits(1);
    let bad = okf(&["search", "--regex", "(a"]).at(tree.root()).run().exits(2);
    assert_eq!(bad.stdout, "");
    says(&bad.stderr, &["okf: "]);
    okf(&["search"]).at(tree.root()).run().exits(2);
}

#[test]
fn search_finds_what_the_tool_finds() {
    let tree = shop();
    let found = okf(&["search", "orders", "--output", "json"]).at(tree.root()).run().exits(0).json();
    let told = Server::serve(tree.root()).ask("search-concepts", json!({"query": "orders"}));
    assert_eq!(column(&found["matches"], "id"), column(&told["matches"], "id"));
    assert_eq!(found["total_hits"], told["total_hits"]);
}

#[test]
fn list_shows_every_concept() {
    let tree = shop();
    let text = okf(&["list"]).at(tree.root()).run().exits(0).stdout;
    says(&text, &["metrics/churn", "notes/a", "tables/orders", "Metric"]);
    tree.write("bytes.md", [0xff]);
    let mut server = Server::serve(tree.root());
    for (options, arguments) in [(&[][..], json!({})), (&["--prefix", "nowhere"], json!({"prefix": "nowhere"}))] {
        let command = [&["list", "--output", "json"], options].concat();
        let listed = okf(&command).at(tree.root()).run().exits(0).json();
        assert_eq!(listed, server.ask("list-concepts", arguments), "what could not be read and what there is too");
    }
    let chosen = okf(&["list", "--output", "json", "--type", "Metric"]).at(tree.root()).run().exits(0).json();
    assert_eq!(column(&chosen["concepts"], "id"), ["metrics/churn"]);
}

#[test]
fn show_prints_a_concept() {
    let tree = shop();
    let text = okf(&["show", "metrics/churn"]).at(tree.root()).run().exits(0).stdout;
    says(&text, &["# Definition", "See [orders](/tables/orders.md)."]);
    let shown = okf(&["show", "metrics/churn", "--output", "json"]).at(tree.root()).run().exits(0).json();
    assert!(keys(&shown).contains(&"revision") && keys(&shown).contains(&"markdown"));
    let missed = okf(&["show", "metrics/chrun"]).at(tree.root()).run();
    assert!(missed.code > 0 && missed.stdout.is_empty(), "{missed:?}");
    says(&missed.stderr, &["okf: ", "did you mean", "metrics/churn"]);
}

#[test]
fn control_characters_never_reach_a_terminal() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\ntitle: \"\\e[31mred\"\n---\n\n\u{1b}]0;owned\u{7} needle\n")]);
    for arguments in [&["list"][..], &["search", "needle"], &["graph", "--output", "mermaid"], &["mcp", "--describe"]] {
        never_says(&okf(arguments).at(tree.root()).run().stdout, &["\u{1b}", "\u{7}"]);
    }
}

#[test]
fn help_and_version() {
    let version = okf(&["--version"]).run().exits(0).stdout;
    says(&version, &["okf", env!("CARGO_PKG_VERSION")]);
    let help = okf(&["--help"]).run().exits(0).stdout;
    for command in ["validate", "graph", "search", "list", "show", "mcp"] {
        says(&help, &[command]);
        assert!(!okf(&[command, "--help"]).run().exits(0).stdout.is_empty());
    }
    okf(&[]).run().exits(2);
}

#[test]
fn unreadable_files_are_told_on_stderr_and_the_rest_is_served() {
    let tree = shop();
    tree.write("bytes.md", [0xff]);
    let run = okf(&["list"]).at(tree.root()).run().exits(0);
    says(&run.stdout, &["metrics/churn"]);
    says(&run.stderr, &["bytes"]);
    assert_eq!(array(&Server::serve(tree.root()).ask("list-concepts", json!({}))["unreadable"]).len(), 1);
}
