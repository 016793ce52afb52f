//! Snapshots: every tool as it is served, and one typical answer of each.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{READING, Server, Tree, okf, placeholders};

/// A small bundle that shows a bit of everything.
fn shop() -> Tree {
    let tree = Tree::named(
        "shop",
        &[
            (
                "index.md",
                "---\nokf_version: \"0.2\"\n---\n\n# Acme Knowledge\n\n## Areas\n\n* [metrics](metrics/) - what we count\n* [tables](tables/) - where it lies\n",
            ),
            (
                "metrics/index.md",
                "# Metric\n\n* [Churn](churn.md) - Customers lost per month.\n* [Recurring revenue](mrr.md)\n",
            ),
            (
                "metrics/churn.md",
                "---\ntype: Metric\ntitle: Churn\ndescription: Customers lost per month.\ntags: [retention, kpi]\nverified: {by: human:ann, at: 2026-06-01T00:00:00Z}\n---\n\n# Definition\n\nCustomers who left, by [orders](/tables/orders.md).\n\n# Owner\n\nFinance.\n",
            ),
            (
                "metrics/mrr.md",
                "---\ntype: Metric\ntitle: Recurring revenue\nstatus: draft\nstale_after: 2026-06-01\n---\n\nThe opposite of [churn](churn.md); see [finance](finance.md).\n",
            ),
            ("tables/index.md", "# BigQuery Table\n\n* [Orders](orders.md) - One row per order.\n"),
            (
                "tables/orders.md",
                "---\ntype: BigQuery Table\ntitle: Orders\ndescription: One row per order.\nresource: https://example.org/orders\nstatus: archived\n---\n\n# Schema\n\nNothing yet.\n",
            ),
        ],
    );
    tree.write("tables/broken.md", "---\ntype: Table\ntitle: a: b\n---\n");
    tree
}

fn pretty(value: &Value, tree: &Tree) -> String {
    placeholders(&serde_json::to_string_pretty(value).expect("JSON is JSON"), tree)
}

#[test]
fn tools() {
    let tree = shop();
    for tool in Server::serve(tree.root()).tools() {
        let name = format!("tool_{}", tool["name"].as_str().expect("a name"));
        assert_snapshot!(name, pretty(&tool, &tree));
    }
}

#[test]
fn introductions() {
    let tree = shop();
    let told = Server::spawn(tree.root()).initialize("2025-11-25");
    assert_snapshot!("server_info", pretty(&told["serverInfo"], &tree));
    assert_snapshot!("instructions", placeholders(told["instructions"].as_str().expect("text"), &tree));
}

#[test]
fn answers() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    for (tool, arguments) in READING.into_iter().zip([
        json!({}),
        json!({"id": "metrics/churn"}),
        json!({"concept": "metrics/churn", "direction": "both"}),
        json!({"query": "churn"}),
        json!({"links": true}),
    ]) {
        let answer = server.ask(tool, arguments);
        assert_snapshot!(format!("answer_{tool}"), pretty(&answer, &tree));
    }
}

#[test]
fn writes() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    let answer = server.ask(
        "create-concept",
        json!({"id": "metrics/arpu", "type": "Metric", "title": "ARPU", "description": "Revenue per user.", "body": "Per month."}),
    );
    assert_snapshot!("answer_create-concept", pretty(&answer, &tree));
    server.ask("update-concept", json!({"id": "metrics/mrr", "title": "MRR"}));
    server.ask(
        "link-concepts",
        json!({"source": "metrics/arpu", "target": "metrics/mrr", "relationship": "derived-from"}),
    );
    server.ask("deprecate-concept", json!({"id": "metrics/churn", "note": "Use ARPU."}));
    let written = ["log.md", "metrics/index.md", "metrics/arpu.md", "metrics/mrr.md", "metrics/churn.md"];
    let told = written.map(|path| {
        let text = std::fs::read_to_string(tree.path(path)).expect("it was written");
        format!("=== {path}\n{text}")
    });
    assert_snapshot!("written", told.concat());
    let refusal = server.call("create-concept", json!({"id": "new", "type": " "}));
    assert_snapshot!("refusal_write", placeholders(&refusal.blocks.join("\n"), &tree));
}

#[test]
fn refusals() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    for (name, tool, arguments) in [
        ("arguments", "search-concepts", json!({"limit": 0, "mode": "fuzzy", "limt": 1, "context": null})),
        ("near_miss", "lookup-concept", json!({"id": "metrics/chrun"})),
        ("suffix", "lookup-concept", json!({"id": "metrics/churn.md"})),
        ("reserved", "lookup-concept", json!({"id": "metrics/index"})),
        ("cursor", "list-concepts", json!({"cursor": "nonsense"})),
        ("exists", "create-concept", json!({"id": "metrics/churn", "type": "Metric"})),
        ("stale", "update-concept", json!({"id": "metrics/churn", "title": "x", "expected_revision": "0"})),
    ] {
        assert_snapshot!(format!("refusal_{name}"), placeholders(&server.refused(tool, arguments), &tree));
    }
}

#[test]
fn commands() {
    let tree = shop();
    for (name, arguments) in [
        ("validate", &["validate", "--links"][..]),
        ("list", &["list"]),
        ("search", &["search", "churn"]),
        ("show", &["show", "metrics/churn"]),
        ("graph_dot", &["graph", "--output", "dot"]),
        ("graph_mermaid", &["graph", "--output", "mermaid"]),
    ] {
        let run = okf(arguments).at(tree.root()).run();
        let told = format!("exit: {}\n--- stdout\n{}--- stderr\n{}", run.code, run.stdout, run.stderr);
        assert_snapshot!(format!("command_{name}"), placeholders(&told, &tree));
    }
}
