//! Stories of the tool `validate`, and the same judgement on every surface.

use okf_core::bundle::Bundle;
use okf_core::validate::{Options, validate};
use serde_json::{Value, json};

use crate::harness::{Server, Tree, array, column, keys, number, okf};

fn flawed() -> Tree {
    let tree = Tree::bundle(&[
        ("a.md", "---\ntype: Note\nstatus: archived\n---\n\n[gone](gone.md)\n"),
        ("notes/b.md", "no frontmatter\n"),
        ("notes/c.md", "---\ntype: Note\ntype: Page\n---\n"),
        ("notes/log.md", "# Log\n\n## 2026-02-30\n* x\n"),
        ("d e.md", "---\ntype: 5\ntags: one\n---\n"),
    ]);
    tree.link("linked.md", "a.md");
    tree
}

fn by_library(tree: &Tree, links: bool) -> Value {
    let bundle = Bundle::load(tree.root()).expect("the root exists");
    let report = validate(&bundle, Options { links });
    report
        .findings()
        .iter()
        .map(|finding| {
            let mut row = json!({"id": finding.id, "severity": finding.severity.as_str(), "message": finding.message});
            if let Some(location) = &finding.location {
                row["location"] = json!({"path": location.path});
                for (key, value) in [("line", location.line), ("column", location.column)] {
                    if let Some(value) = value {
                        row["location"][key] = json!(value);
                    }
                }
            }
            row
        })
        .collect()
}

#[test]
fn the_answer_has_these_keys() {
    let tree = flawed();
    let answer = Server::serve(tree.root()).ask("validate", json!({}));
    let mut found = keys(&answer);
    found.retain(|key| *key != "unreadable");
    assert_eq!(found, ["exit_code", "report", "strict", "totals"]);
    assert_eq!(keys(&answer["report"]), ["findings"]);
    assert_eq!(keys(&answer["totals"]), ["advisories", "by_id", "errors"]);
    assert_eq!((&answer["strict"], &answer["exit_code"]), (&json!(false), &json!(1)));
    assert_eq!(answer["totals"]["errors"], 3);
    assert_eq!(answer["totals"]["by_id"]["okf/missing-frontmatter"], 1);
    for finding in array(&answer["report"]["findings"]) {
        assert!(matches!(finding["severity"].as_str(), Some("error" | "advisory")), "{finding}");
        assert!(keys(finding).iter().all(|key| ["id", "location", "message", "severity"].contains(key)), "{finding}");
    }
}

#[test]
fn tool_command_line_and_library_judge_alike() {
    let tree = flawed();
    let mut server = Server::serve(tree.root());
    for links in [false, true] {
        let tool = server.ask("validate", json!({"links": links}));
        let arguments: &[&str] =
            if links { &["validate", "--output", "json", "--links"] } else { &["validate", "--output", "json"] };
        let line = okf(&[arguments, &[tree.shown()]].concat()).run().exits(1).json();
        let library = by_library(&tree, links);
        assert_eq!(tool["report"]["findings"], library);
        assert_eq!(line["findings"], library);
        assert_eq!(keys(&line), ["findings"]);
        assert_eq!(column(&library, "id").contains(&"okf/broken-link"), links);
    }
}

#[test]
fn findings_are_ordered_by_place() {
    let tree = flawed();
    let report = by_library(&tree, true);
    let places: Vec<(String, u64, u64, String)> = array(&report)
        .iter()
        .map(|finding| {
            let at = &finding["location"];
            let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
            (
                text(&at["path"]),
                at["line"].as_u64().unwrap_or(0),
                at["column"].as_u64().unwrap_or(0),
                text(&finding["id"]),
            )
        })
        .collect();
    assert!(places.is_sorted(), "{places:#?}");
}

#[test]
fn strict_counts_advisories() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\nstatus: archived\n---\n\n[gone](gone.md)\n")]);
    let mut server = Server::serve(tree.root());
    assert_eq!(server.ask("validate", json!({}))["exit_code"], 0);
    let strict = server.ask("validate", json!({"strict": true}));
    assert_eq!((&strict["strict"], &strict["exit_code"]), (&json!(true), &json!(1)));
    tree.write("a.md", "---\ntype: Note\n---\n\n[gone](gone.md)\n").write("index.md", "# T\n\n* [A](a.md)\n");
    assert_eq!(server.ask("validate", json!({"strict": true}))["exit_code"], 0, "links count when asked for");
    assert_eq!(server.ask("validate", json!({"strict": true, "links": true}))["exit_code"], 1);
    assert_eq!(server.ask("validate", json!({"links": true}))["exit_code"], 0, "never an error");
}

#[test]
fn an_area_can_be_judged_alone() {
    let tree = flawed();
    let answer = Server::serve(tree.root()).ask("validate", json!({"prefix": "./notes/"}));
    let findings = array(&answer["report"]["findings"]);
    assert!(!findings.is_empty());
    for finding in findings {
        assert!(finding["location"]["path"].as_str().is_some_and(|path| path.starts_with("notes/")), "{finding}");
    }
}

#[test]
fn pages_carry_the_totals_of_the_whole_report() {
    let tree = Tree::bundle(&[]);
    for n in 0..250 {
        tree.write(&format!("c{n:03}.md"), "no frontmatter\n");
    }
    let mut server = Server::serve(tree.root());
    for arguments in [json!({}), json!({"limit": 30}), json!({"limit": 1000})] {
        let pages = server.pages("validate", &arguments);
        let findings: Vec<&Value> = pages.iter().flat_map(|page| array(&page["report"]["findings"])).collect();
        for page in &pages {
            assert!(page.to_string().len() <= 21_000, "{} bytes", page.to_string().len());
            assert_eq!(page["totals"], pages[0]["totals"]);
            assert_eq!(page["exit_code"], 1);
        }
        let errors = findings.iter().filter(|finding| finding["severity"] == "error").count();
        assert_eq!((errors, number(&pages[0]["totals"]["errors"])), (250, 250));
        let advisories = number(&pages[0]["totals"]["advisories"]);
        assert_eq!(findings.len(), errors + advisories, "nothing is lost between pages");
    }
    assert_eq!(array(&server.ask("validate", json!({"limit": 30}))["report"]["findings"]).len(), 30);
    server.refused("validate", json!({"cursor": "nonsense"}));
}
