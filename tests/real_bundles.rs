//! Public bundles that nobody here wrote, and a large generated one.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use okf_core::bundle::Bundle;
use serde_json::{Value, json};

use crate::harness::{Server, array, column, note_skipped, number, okf, shared};

/// A bundle: its name, its concepts, and how many files break the spec.
const BUNDLES: [(&str, usize, Breach); 12] = [
    ("blockchain", 45, Breach::Files(11)),
    ("copperbox-okf", 35, Breach::None),
    ("crossplane-v2", 94, Breach::None),
    ("deutsches-recht", 202, Breach::Files(7)),
    ("google-acme-retail", 9, Breach::None),
    ("google-crypto-bitcoin", 9, Breach::None),
    ("google-ga4", 9, Breach::None),
    ("google-stackoverflow", 26, Breach::None),
    ("graphql", 25, Breach::Only("okf/invalid-log-date")),
    ("js-ecosystem", 90, Breach::None),
    ("okf-gem-core", 34, Breach::None),
    ("okq-docs", 52, Breach::Both("okf/invalid-document", "okf/missing-frontmatter")),
];

/// How a bundle breaks the spec.
#[derive(Clone, Copy)]
enum Breach {
    /// It conforms.
    None,
    /// This many files hold YAML that does not parse, and nothing else is wrong.
    Files(usize),
    /// All errors are of this kind.
    Only(&'static str),
    /// There are errors of both kinds.
    Both(&'static str, &'static str),
}

fn each(story: &str, mut tell: impl FnMut(&Path, usize, Breach)) {
    let Some(directory) = shared("bundles") else { return note_skipped(story) };
    for (name, concepts, breach) in BUNDLES {
        eprintln!("{story}: {name}");
        tell(&directory.join(name), concepts, breach);
    }
}

fn errors(report: &Value) -> Vec<&Value> {
    array(&report["findings"]).iter().filter(|finding| finding["severity"] == "error").collect()
}

#[test]
fn every_concept_is_counted() {
    each("counting", |root, concepts, _| {
        let bundle = Bundle::load(root).expect("it is a directory");
        assert_eq!(bundle.concept_count(), concepts);
        assert_eq!(bundle.concepts().count() + bundle.unreadable().len(), concepts);
    });
}

#[test]
fn the_verdicts_are_those_of_an_independent_reading() {
    each("judging", |root, _, breach| {
        let root = root.to_str().expect("UTF-8");
        let run = okf(&["validate", "--json", root]).run();
        let report = run.json();
        let errors = errors(&report);
        let ids: BTreeSet<&str> = errors.iter().map(|error| error["id"].as_str().expect("an ID")).collect();
        let paths: BTreeSet<&str> =
            errors.iter().map(|error| error["location"]["path"].as_str().expect("a path")).collect();
        match breach {
            Breach::None => assert!(errors.is_empty(), "{root}: {errors:#?}"),
            Breach::Files(count) => {
                assert_eq!(
                    (ids, paths.len()),
                    (BTreeSet::from(["okf/invalid-document"]), count),
                    "{root}: {errors:#?}"
                );
            }
            Breach::Only(id) => assert_eq!(ids, BTreeSet::from([id]), "{root}: {errors:#?}"),
            Breach::Both(one, other) => assert!(ids.contains(one) && ids.contains(other), "{root}: {errors:#?}"),
        }
        assert_eq!(run.code == 0, errors.is_empty());
        for error in errors {
            let about_the_whole_file = error["id"] == "okf/missing-frontmatter";
            assert!(error["location"]["line"].is_u64() || about_the_whole_file, "{error}");
        }
    });
}

#[test]
fn every_tool_answers_within_its_bounds() {
    each("serving", |root, concepts, _| {
        let mut server = Server::serve(root);
        let pages = server.pages("list-concepts", &json!({"limit": 20}));
        let ids: Vec<&str> = pages.iter().flat_map(|page| column(&page["concepts"], "id")).collect();
        let unreadable = pages[0].get("unreadable").map_or(0, |unreadable| array(unreadable).len());
        assert_eq!(ids.len() + unreadable, concepts);
        assert!(ids.is_sorted(), "by ID");
        for page in &pages {
            assert_eq!(number(&page["total"]), ids.len());
        }
        for (tool, arguments, most) in [
            ("list-concepts", json!({}), 60_000),
            ("search-concepts", json!({"query": "the"}), 40_000),
            ("search-concepts", json!({"query": "[a-z]+ing", "mode": "regex"}), 40_000),
            ("validate", json!({"links": true}), 40_000),
            ("query-graph", json!({}), 60_000),
        ] {
            let answer = server.call(tool, arguments);
            assert!(answer.size() < most, "{tool}: {} bytes", answer.size());
            assert!(!answer.is_error || tool == "query-graph", "{tool}: {}", answer.blocks[0]);
        }
        for id in ids.iter().step_by(10) {
            let found = server.ask("lookup-concept", json!({"id": id, "full": true}));
            let file = std::fs::read_to_string(root.join(format!("{id}.md"))).expect("it is listed");
            assert_eq!(found["markdown"].as_str().expect("text"), file.trim_start_matches('\u{feff}'), "{id}");
        }
        let findings: usize = server
            .pages("validate", &json!({"links": true}))
            .iter()
            .map(|page| array(&page["report"]["findings"]).len())
            .sum();
        let line = okf(&["validate", "--json", "--links", root.to_str().expect("UTF-8")]).run().json();
        assert_eq!(array(&line["findings"]).len(), findings);
    });
}

#[test]
fn the_graph_leads_only_to_concepts_that_exist() {
    each("drawing", |root, _, _| {
        let graph = Server::serve(root).ask("query-graph", json!({"full": true}));
        let ids: BTreeSet<&str> = column(&graph["nodes"], "id").into_iter().collect();
        for edge in array(&graph["edges"]) {
            assert!(ids.contains(edge["source"].as_str().expect("a source")), "{edge}");
            let target = edge.get("target_concept").and_then(Value::as_str);
            assert_eq!(target.is_some(), edge["resolution"] == "resolved-concept", "{edge}");
        }
    });
}

#[test]
fn ten_thousand_concepts_are_answered_in_pages() {
    const CONCEPTS: usize = 10_000;
    let Some(generator) = shared("gen_bundle.py") else { return note_skipped("the generated bundle") };
    let directory = tempfile::tempdir().expect("temporary directories exist");
    let root = directory.path().join("large");
    let made = Command::new("python3").arg(generator).arg(&root).arg(CONCEPTS.to_string()).output();
    if !made.is_ok_and(|output| output.status.success()) {
        return note_skipped("the generated bundle (and python3)");
    }
    let mut server = Server::serve(&root);
    let mut default = |tool: &str, arguments: Value| {
        let answer = server.call(tool, arguments);
        assert!(answer.size() < 60_000, "{tool}: {} bytes", answer.size());
        answer
    };
    let list = default("list-concepts", json!({})).json();
    assert_eq!(list["total"], CONCEPTS);
    assert!(list["next_cursor"].is_string());
    let search = default("search-concepts", json!({"query": "partition"})).json();
    assert!(number(&search["total_concepts"]) > 20 && search["next_cursor"].is_string());
    let report = default("validate", json!({"links": true})).json();
    let totals = &report["totals"];
    assert_eq!(totals["errors"], 0, "the rough edges all conform: {totals}");
    assert!(number(&totals["by_id"]["okf/broken-link"]) > 100);
    assert!(default("query-graph", json!({})).is_error, "it is summed up");
    let listed: usize =
        server.pages("list-concepts", &json!({"limit": 1000})).iter().map(|page| array(&page["concepts"]).len()).sum();
    assert_eq!(listed, CONCEPTS);
}
