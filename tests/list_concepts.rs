//! Stories of `list-concepts`.

use serde_json::{Value, json};

use crate::harness::{Server, Tree, array, column, concept, keys, number, says};

fn shop() -> Tree {
    Tree::bundle(&[
        (
            "metrics/churn.md",
            "---\ntype: Metric\ntitle: Churn\ndescription: Customers lost per month.\ntags: [retention, kpi]\n\
             verified: {by: human:ann, at: 2026-06-01T00:00:00Z}\nstale_after: 2026-06-15T12:00:00Z\n---\n\nBody.\n",
        ),
        ("metrics/mrr.md", "---\ntype: Metric\nstatus: draft\nstale_after: 2026-06-15T12:00:01Z\n---\n\nBody.\n"),
        ("notes/beta.md", "---\ntype: Note\nstatus: deprecated\ntags: [kpi]\n---\n\nBody.\n"),
        ("notes-archive/gamma.md", "---\ntype: Note\nstatus: archived\n---\n\nBody.\n"),
        ("tables/orders.md", "---\ntype: Table\nverified: [{by: process:nightly}]\n---\n\nBody.\n"),
    ])
}

fn ids(answer: &Value) -> Vec<&str> {
    column(&answer["concepts"], "id")
}

#[test]
fn lists_every_concept_by_id_with_what_it_says_about_itself() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("list-concepts", json!({}));
    assert_eq!(keys(&answer), ["concepts", "total"]);
    assert_eq!(answer["total"], 5);
    assert_eq!(
        answer["concepts"],
        json!([
            {"id": "metrics/churn", "type": "Metric", "title": "Churn", "description": "Customers lost per month.",
             "status": "stable", "trust_tier": "human-reviewed", "stale": true},
            {"id": "metrics/mrr", "type": "Metric", "status": "draft", "trust_tier": "unverified"},
            {"id": "notes-archive/gamma", "type": "Note", "status": "unknown", "trust_tier": "unverified"},
            {"id": "notes/beta", "type": "Note", "status": "deprecated", "trust_tier": "unverified"},
            {"id": "tables/orders", "type": "Table", "status": "stable", "trust_tier": "machine-confirmed"},
        ])
    );
}

#[test]
fn filters_combine() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    let mut chosen = |arguments: Value| {
        let answer = server.ask("list-concepts", arguments);
        assert_eq!(number(&answer["total"]), ids(&answer).len());
        ids(&answer).join(" ")
    };
    assert_eq!(chosen(json!({"type": "Metric"})), "metrics/churn metrics/mrr");
    assert_eq!(chosen(json!({"tag": "kpi"})), "metrics/churn notes/beta");
    assert_eq!(chosen(json!({"status": "draft"})), "metrics/mrr");
    assert_eq!(chosen(json!({"prefix": "metrics", "tag": "kpi"})), "metrics/churn");
    assert_eq!(chosen(json!({"query": "CHURN"})), "metrics/churn");
    assert_eq!(chosen(json!({"query": "lost per month"})), "metrics/churn");
}

#[test]
fn an_area_is_whole_segments_however_it_is_spelled() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    for area in ["notes", "notes/", "./notes", "/notes", "notes/."] {
        let answer = server.ask("list-concepts", json!({"prefix": area}));
        assert_eq!(ids(&answer), ["notes/beta"], "{area}");
    }
    for whole in ["", ".", "/", "./"] {
        assert_eq!(server.ask("list-concepts", json!({"prefix": whole}))["total"], 5, "`{whole}`");
    }
    assert_eq!(ids(&server.ask("list-concepts", json!({"prefix": "notes/beta"}))), ["notes/beta"], "an ID is an area");
}

#[test]
fn an_area_that_matches_nothing_is_named_with_near_misses() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    for area in ["NOTES", "nots", "metrics/nope", "no*"] {
        let answer = server.ask("list-concepts", json!({"prefix": area}));
        assert_eq!((number(&answer["total"]), ids(&answer).len()), (0, 0), "{area}");
        says(answer["message"].as_str().expect("it says why"), &["no such area"]);
    }
    says(&server.ask("list-concepts", json!({"prefix": "NOTES"})).to_string(), &["notes"]);
}

#[test]
fn an_empty_answer_says_what_there_is() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("list-concepts", json!({"type": "Nothing"}));
    assert_eq!(answer["total"], 0);
    let types = answer["available_types"].to_string();
    says(&types, &["Metric", "Note", "Table"]);
    assert!(types.find("Note") < types.find("Table"), "largest first: {types}");
    let areas = answer["available_areas"].to_string();
    says(&areas, &["metrics", "notes", "notes-archive", "tables", "2"]);
    assert!(areas.find("metrics") < areas.find("tables"), "largest first: {areas}");
}

#[test]
fn pages_go_on_to_the_end_with_the_true_total() {
    let tree = Tree::bundle(&[]);
    for n in 0..25 {
        tree.write(&format!("c{n:02}.md"), "---\ntype: Note\n---\n");
    }
    let mut server = Server::serve(tree.root());
    let pages = server.pages("list-concepts", &json!({"limit": 10}));
    assert_eq!(pages.iter().map(|page| ids(page).len()).collect::<Vec<_>>(), [10, 10, 5]);
    assert!(pages.iter().all(|page| page["total"] == 25));
    let seen: Vec<&str> = pages.iter().flat_map(ids).collect();
    let expected: Vec<String> = (0..25).map(|n| format!("c{n:02}")).collect();
    assert_eq!(seen, expected, "each once, in order");
    assert_eq!(pages, server.pages("list-concepts", &json!({"limit": 10})), "pages are stable");
}

#[test]
fn a_cursor_survives_a_concept_that_appears_before_it() {
    let tree = Tree::bundle(&[]);
    for id in ["b", "c", "d", "e"] {
        tree.write(&format!("{id}.md"), "---\ntype: Note\n---\n");
    }
    let mut server = Server::serve(tree.root());
    let first = server.ask("list-concepts", json!({"limit": 2}));
    tree.write("a.md", "---\ntype: Note\n---\n");
    let second = server.call("list-concepts", json!({"limit": 2, "cursor": first["next_cursor"]}));
    // A server may also say that the cursor is out of date; it may not repeat or skip in silence.
    if !second.is_error {
        assert_eq!(ids(&second.json()), ["d", "e"]);
    }
}

#[test]
fn an_invalid_cursor_is_a_tool_error() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    for cursor in ["nonsense", "999999999999999999999999", "\u{0}", "é"] {
        says(&server.refused("list-concepts", json!({"cursor": cursor})), &["cursor"]);
    }
}

#[test]
fn a_page_never_outgrows_a_client() {
    let tree = Tree::bundle(&[]);
    for n in 0..400 {
        let text = concept(&format!("type: Note\ndescription: {}", "long words ".repeat(40)), "x");
        tree.write(&format!("c{n:03}.md"), text);
    }
    tree.write("huge.md", concept(&format!("type: Note\ntitle: {}", "y".repeat(2_000_000)), "x"));
    let mut server = Server::serve(tree.root());
    let first = server.call("list-concepts", json!({"limit": 1000}));
    assert!(first.size() <= 41_000, "{} bytes", first.size());
    assert!(first.size() > 20_000, "a page is used: {} bytes", first.size());
    let mut seen = Vec::new();
    for page in server.pages("list-concepts", &json!({"limit": 1000})) {
        assert!(page.to_string().len() <= 41_000);
        assert_eq!(page["total"], 401);
        seen.extend(ids(&page).into_iter().map(str::to_owned));
    }
    assert_eq!(seen.len(), 401, "the huge title is on a page, too");
    seen.dedup();
    assert_eq!(seen.len(), 401);
}

#[test]
fn what_cannot_be_read_is_carried_beside_the_answer() {
    let tree = shop();
    tree.write("tables/broken.md", "---\ntype: [\n---\n").write("tables/bytes.md", [0xff, 0xfe]);
    let answer = Server::serve(tree.root()).ask("list-concepts", json!({}));
    assert_eq!(ids(&answer).len(), 5, "the rest is served");
    let unreadable = &answer["unreadable"];
    assert_eq!(column(unreadable, "id"), ["tables/broken", "tables/bytes"]);
    assert_eq!(column(unreadable, "path"), ["tables/broken.md", "tables/bytes.md"]);
    assert!(array(unreadable).iter().all(|entry| keys(entry) == ["id", "message", "path"]), "{unreadable}");
    assert!(column(unreadable, "message").iter().all(|message| !message.is_empty()));
}

#[test]
fn a_path_that_breaks_the_rules_is_unreadable_and_breaks_nothing() {
    let tree = shop();
    tree.write("a\\b.md", "---\ntype: Note\n---\n");
    let answer = Server::serve(tree.root()).ask("list-concepts", json!({}));
    assert_eq!(answer["total"], 5);
    says(&answer["unreadable"].to_string(), &["b.md"]);
}

#[test]
fn scalars_are_shown_as_they_are_spelled() {
    let tree = Tree::bundle(&[
        ("a.md", "---\ntype: 42\ntitle: 0.10\n---\n"),
        ("b.md", "---\ntype: NO\ntitle: yes\n---\n"),
        ("c.md", "---\ntype: on\ntitle: 1e3\n---\n"),
        ("d.md", "---\ntype: Note\ntitle: 2026-01-02\n---\n"),
    ]);
    let answer = Server::serve(tree.root()).ask("list-concepts", json!({}));
    assert_eq!(column(&answer["concepts"], "type"), ["42", "NO", "on", "Note"]);
    assert_eq!(column(&answer["concepts"], "title"), ["0.10", "yes", "1e3", "2026-01-02"]);
}

#[test]
fn reserved_files_links_and_hidden_directories_are_no_concepts() {
    let tree = shop();
    tree.write("log.md", "# Log\n").write("notes/index.md", "# Notes\n").write(".git/x.md", "---\ntype: Note\n---\n");
    tree.write("Index.md", "---\ntype: Note\n---\n").write("READ.MD", "no concept").link("linked.md", "Index.md");
    let answer = Server::serve(tree.root()).ask("list-concepts", json!({}));
    assert_eq!(answer["total"], 6);
    assert!(ids(&answer).contains(&"Index"), "an `Index.md` is an ordinary concept");
}
