//! Stories of `query-graph`.

use serde_json::{Value, json};

use crate::harness::{Server, Tree, array, column, keys, never_says, says};

fn shop() -> Tree {
    Tree::bundle(&[
        (
            "a.md",
            "---\ntype: Note\ntitle: Alpha\nresource: https://example.org/a\nstale_after: 2026-12-31T00:00:00Z\n---\n\n\
             [b](b.md) [again](b.md) [c](/deep/c.md#part) [gone](gone.md) [out](../../etc/passwd) [pic](pic.png)\n",
        ),
        ("b.md", "---\ntype: Table\nstatus: draft\n---\n\n[c](deep/c)\n"),
        ("deep/c.md", "---\ntype: Table\n---\n\n[d](/d.md)\n"),
        ("d.md", "---\ntype: Note\n---\n"),
        ("pic.png", "not read"),
    ])
}

fn edges(answer: &Value) -> Vec<String> {
    array(&answer["edges"])
        .iter()
        .map(|edge| {
            let part = |key: &str| edge[key].as_str().unwrap_or("-");
            format!("{} {} {} {}", part("source"), part("raw_target"), part("resolution"), part("target_concept"))
        })
        .collect()
}

fn nodes(answer: &Value) -> Vec<&str> {
    column(&answer["nodes"], "id")
}

/// The edges of one concept `a` with this frontmatter and body, beside the given paths.
fn edges_of(frontmatter: &str, body: &str, others: &[&str]) -> Vec<Value> {
    let tree = Tree::bundle(&[("n/a.md", &format!("---\ntype: Note\n{frontmatter}---\n\n{body}\n"))]);
    for path in others {
        tree.write(path, "---\ntype: Note\n---\n");
    }
    array(&Server::serve(tree.root()).ask("query-graph", json!({"concept": "n/a"}))["edges"]).to_vec()
}

fn brief(edges: &[Value]) -> Vec<String> {
    let part = |edge: &Value, key: &str| edge[key].as_str().unwrap_or("-").to_owned();
    edges
        .iter()
        .map(|edge| [part(edge, "raw_target"), part(edge, "resolution"), part(edge, "resolved_path")].join(" | "))
        .collect()
}

#[test]
fn the_graph_is_closed_ordered_and_without_duplicates() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("query-graph", json!({}));
    assert_eq!(keys(&answer), ["edges", "nodes", "schema_version"]);
    assert_eq!(answer["schema_version"], "1");
    assert_eq!(nodes(&answer), ["a", "b", "d", "deep/c"]);
    assert_eq!(
        answer["nodes"][0],
        json!({"id": "a", "path": "a.md", "type": "Note", "title": "Alpha", "status": "stable",
               "trust_tier": "unverified", "stale_after": "2026-12-31T00:00:00Z"})
    );
    assert_eq!(keys(&answer["nodes"][1]), ["id", "path", "status", "title", "trust_tier", "type"]);
    assert_eq!(
        edges(&answer),
        [
            "a ../../etc/passwd invalid -",
            "a /deep/c.md#part resolved-concept deep/c",
            "a b.md resolved-concept b",
            "a gone.md unresolved -",
            "a pic.png resolved-asset -",
            "a https://example.org/a external -",
            "b deep/c resolved-concept deep/c",
            "deep/c /d.md resolved-concept d",
        ]
    );
    let unresolved = &answer["edges"][3];
    assert_eq!(keys(unresolved), ["origin", "raw_target", "resolution", "resolved_path", "source"]);
    assert_eq!(unresolved["resolved_path"], "gone.md");
    assert_eq!(answer["edges"][5]["origin"], "resource");
}

#[test]
fn filters_combine_over_nodes_and_edges() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    let tables = server.ask("query-graph", json!({"types": ["Table"]}));
    assert_eq!(
        (nodes(&tables), edges(&tables)),
        (vec!["b", "deep/c"], vec!["b deep/c resolved-concept deep/c".to_owned()])
    );
    let deep = server.ask("query-graph", json!({"path_prefixes": ["/deep/"]}));
    assert_eq!((nodes(&deep), edges(&deep).len()), (vec!["deep/c"], 0), "the target is not chosen");
    let open = server.ask("query-graph", json!({"resolutions": ["unresolved", "invalid"]}));
    assert_eq!(edges(&open), ["a ../../etc/passwd invalid -", "a gone.md unresolved -"]);
    let both = server.ask("query-graph", json!({"types": ["Table", "Note"], "path_prefixes": ["deep", "d"]}));
    assert_eq!(nodes(&both), ["d", "deep/c"]);
}

#[test]
fn the_neighbourhood_of_a_concept_follows_direction_and_depth() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    let mut around = |arguments: Value| nodes(&server.ask("query-graph", arguments)).join(" ");
    assert_eq!(around(json!({"concept": "b"})), "b deep/c");
    assert_eq!(around(json!({"concept": "b", "depth": 2})), "b d deep/c");
    assert_eq!(around(json!({"concept": "b", "direction": "in"})), "a b");
    assert_eq!(around(json!({"concept": "b", "direction": "both"})), "a b deep/c");
    assert_eq!(around(json!({"concept": "d", "direction": "in", "depth": 5})), "a b d deep/c");
    says(&server.refused("query-graph", json!({"concept": "dep/c"})), &["dep/c", "did you mean", "deep/c"]);
}

#[test]
fn filter_arrays_are_checked() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    for (arguments, field) in [
        (json!({"types": ["Note", "Note"]}), "#/types"),
        (json!({"types": [""]}), "#/types/0"),
        (json!({"types": "Note"}), "#/types"),
        (json!({"path_prefixes": ["a", 5]}), "#/path_prefixes/1"),
        (json!({"resolutions": ["broken"]}), "#/resolutions/0"),
        (json!({"concept": "a", "depth": 6}), "#/depth"),
        (json!({"concept": "a", "depth": 0}), "#/depth"),
        (json!({"concept": "a", "direction": "up"}), "#/direction"),
    ] {
        says(&server.refused("query-graph", arguments), &[field]);
    }
}

#[test]
fn links_are_what_commonmark_says() {
    let body = "[1](<./bla je.md>) [2](</n/bla je.md#ha>) [3](bla je.md) ![i](pic.png) `[c](c.md)` <https://example.org>\n\n\
                ```\n[c](c.md)\n```\n\n<!-- [c](c.md) -->\n\n\\[c](c.md)\n\n[ref]\n\n[ref]: c.md\n\n[^f]: [c](c.md#foot)\n\n\
                Text.[^f] [e]() [f](#frag) [g](<>)";
    let found = brief(&edges_of("", body, &["n/bla je.md", "n/c.md"]));
    assert_eq!(
        found,
        [
            "./bla je.md | resolved-concept | n/bla je.md",
            "/n/bla je.md#ha | resolved-concept | n/bla je.md",
            "c.md | resolved-concept | n/c.md",
            "c.md#foot | resolved-concept | n/c.md",
            "https://example.org | external | -",
        ]
    );
}

#[test]
fn targets_are_decoded_once_and_never_leave_the_root() {
    let body = "[1](../x%20y.md) [2](%2e%2e/%2e%2e/up.md) [3](a%2fb.md) [4](50%.md) [5](mailto:a@example.org) \
                [6](//example.org/x) [7](../d/) [8](../d) [10](c.md?raw=1) [11](~/x.md)";
    let found = brief(&edges_of("", body, &["x y.md", "d/index.md", "e/f.md", "n/c.md", "n/50%.md"]));
    assert_eq!(
        found,
        [
            "%2e%2e/%2e%2e/up.md | invalid | -",
            "../d | resolved-asset | d/index.md",
            "../d/ | resolved-asset | d/index.md",
            "../x%20y.md | resolved-concept | x y.md",
            "//example.org/x | external | -",
            "50%.md | resolved-concept | n/50%.md",
            "a%2fb.md | invalid | -",
            "c.md?raw=1 | resolved-concept | n/c.md",
            "mailto:a@example.org | external | -",
            "~/x.md | unresolved | n/~/x.md",
        ]
    );
}

#[test]
fn a_directory_without_an_index_resolves_to_nothing() {
    let edges = edges_of("", "[1](../e/) [2](../e)", &["e/f.md"]);
    assert!(edges.len() == 2 && edges.iter().all(|edge| edge["resolution"] == "unresolved"), "{edges:?}");
}

#[test]
fn path_valued_fields_are_edges_with_their_origin() {
    let frontmatter = "resource: c.md\ncomputation: lib/x.sql\nexecutor: {resource: /run.md}\nattester: {resource: gone.py}\n\
                       sources: [{resource: all queries in project X}, {resource: ref/y.md}, {resource: ../n/../n/c.md}, \
                       {resource: word}]\n";
    let edges = edges_of(frontmatter, "", &["n/c.md", "run.md", "n/ref/y.md"]);
    let mut found: Vec<String> = edges
        .iter()
        .map(|edge| {
            let part = |key: &str| edge[key].as_str().unwrap_or("-");
            format!("{} {} {}", part("origin"), part("raw_target"), part("resolution"))
        })
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "attester.resource gone.py unresolved",
            "computation lib/x.sql unresolved",
            "executor.resource /run.md resolved-concept",
            "resource c.md resolved-concept",
            "sources.resource ../n/../n/c.md resolved-concept",
            "sources.resource all queries in project X descriptor",
            "sources.resource ref/y.md resolved-concept",
            "sources.resource word descriptor",
        ]
    );
}

#[test]
fn unreadable_concepts_come_in_a_second_block() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    assert_eq!(server.call("query-graph", json!({})).blocks.len(), 1);
    tree.write("broken.md", "---\n- a\n---\n");
    let answer = server.call("query-graph", json!({}));
    assert_eq!(keys(&answer.json()), ["edges", "nodes", "schema_version"], "the graph stays closed");
    assert_eq!(answer.blocks.len(), 2);
    says(&answer.blocks[1], &["unreadable", "broken"]);
}

#[test]
fn a_graph_too_large_for_a_client_is_summed_up_instead() {
    let tree = Tree::bundle(&[]);
    for n in 0..600 {
        let area = if n % 3 == 0 { "tables" } else { "metrics" };
        let text = format!("---\ntype: Metric\n---\n[next](/{area}/c{}.md)\n", n + 3);
        tree.write(&format!("{area}/c{n}.md"), text);
    }
    let mut server = Server::serve(tree.root());
    let refusal = server.call("query-graph", json!({}));
    assert!(refusal.size() < 10_000, "{} bytes", refusal.size());
    let message = refusal.error();
    says(&message, &["600", "tables", "200", "metrics", "400", "Metric", "full"]);
    never_says(&message, &["metrics/c1"]);
    let full = server.ask("query-graph", json!({"full": true}));
    assert_eq!((array(&full["nodes"]).len(), array(&full["edges"]).len()), (600, 600));
    let narrowed = server.ask("query-graph", json!({"concept": "tables/c0"}));
    assert_eq!(nodes(&narrowed), ["tables/c0", "tables/c3"]);
}
