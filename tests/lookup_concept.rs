//! Stories of `lookup-concept`.

use serde_json::json;

use crate::harness::{Server, Tree, array, concept, keys, never_says, says};

const CHURN: &str = "---\ntype: Metric\ntitle: Churn   # keep\ndescription: Customers lost.\n---\n\n# Definition\n\n\
                     Lost customers.\n\n## Scope\n\nAll of them.\n\n```\n# not a heading\n```\n\n# Owner\n\nFinance.\n";

fn shop() -> Tree {
    Tree::bundle(&[
        ("metrics/churn.md", CHURN),
        ("metrics/churned.md", "---\ntype: Metric\n---\n"),
        ("v1.2.md", "---\ntype: Note\n---\n"),
        ("Index.md", "---\ntype: Note\n---\n"),
        ("set up guide.md", "---\ntype: Note\n---\n"),
    ])
}

#[test]
fn returns_summary_revision_and_the_text_of_the_file() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("lookup-concept", json!({"id": "metrics/churn"}));
    assert_eq!(
        keys(&answer),
        ["description", "id", "markdown", "revision", "status", "title", "trust_tier", "type"],
        "{answer}"
    );
    assert_eq!(answer["markdown"], CHURN, "byte for byte");
    assert_eq!((&answer["id"], &answer["title"]), (&json!("metrics/churn"), &json!("Churn")));
}

#[test]
fn the_revision_follows_the_content() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    let mut revision = |id: &str| server.ask("lookup-concept", json!({"id": id}))["revision"].clone();
    let before = revision("v1.2");
    assert!(before.is_string());
    assert_eq!(before, revision("v1.2"));
    tree.write("v1.2.md", "---\ntype: Text\n---\n");
    assert_ne!(before, revision("v1.2"));
}

#[test]
fn the_outline_stands_for_the_text() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("lookup-concept", json!({"id": "metrics/churn", "outline": true}));
    assert!(answer.get("markdown").is_none(), "{answer}");
    let outline = array(&answer["outline"]);
    assert_eq!(
        outline.iter().map(|heading| heading["line"].as_u64()).collect::<Vec<_>>(),
        [Some(7), Some(11), Some(19)]
    );
    assert!(outline.iter().all(|heading| heading["size"].is_u64()), "{answer}");
    says(&answer["outline"].to_string(), &["Definition", "Scope", "Owner"]);
    never_says(&answer["outline"].to_string(), &["not a heading"]);
}

#[test]
fn a_section_is_a_heading_with_its_subtree() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    let mut section = |name: &str| {
        let answer = server.ask("lookup-concept", json!({"id": "metrics/churn", "section": name}));
        answer["markdown"].as_str().expect("text").to_owned()
    };
    let definition = section("Definition");
    says(&definition, &["# Definition", "Lost customers.", "## Scope", "# not a heading"]);
    never_says(&definition, &["Owner", "Finance", "type: Metric"]);
    let scope = section("Scope");
    says(&scope, &["All of them."]);
    never_says(&scope, &["Lost customers", "Finance"]);
}

#[test]
fn a_section_that_is_not_there_is_a_tool_error_that_helps() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    let message = server.refused("lookup-concept", json!({"id": "metrics/churn", "section": "(a+)+b"}));
    says(&message, &["(a+)+b", "Definition"]);
}

#[test]
fn a_long_text_comes_as_its_outline_unless_asked_for_in_full() {
    let text = concept("type: Note", &format!("# Alpha\n\n{}\n\n# Omega\n\nend", "words and words\n".repeat(4_000)));
    let tree = Tree::bundle(&[("long.md", &text), ("short.md", &concept("type: Note", &"x".repeat(40_000)))]);
    let mut server = Server::serve(tree.root());
    let answer = server.ask("lookup-concept", json!({"id": "long"}));
    assert_eq!(answer["truncated"], true);
    assert!(answer.get("markdown").is_none());
    says(&answer["outline"].to_string(), &["Alpha", "Omega"]);
    assert!(answer.to_string().len() < 48_000);
    let full = server.ask("lookup-concept", json!({"id": "long", "full": true}));
    assert_eq!(full["markdown"], text);
    assert!(full.get("truncated").is_none_or(|truncated| truncated == false));
    assert!(server.ask("lookup-concept", json!({"id": "short"}))["markdown"].is_string(), "40 kB is not long");
    let omega = server.ask("lookup-concept", json!({"id": "long", "section": "Omega"}));
    says(omega["markdown"].as_str().expect("text"), &["end"]);
}

#[test]
fn an_outline_does_not_flood_and_says_what_it_leaves_out() {
    let tree = Tree::bundle(&[
        ("many.md", &concept("type: Note", &"# A heading\n\ntext\n\n".repeat(5_000))),
        ("none.md", &concept("type: Note", &"words without a heading\n".repeat(5_000))),
    ]);
    let mut server = Server::serve(tree.root());
    for arguments in [json!({"id": "many"}), json!({"id": "many", "outline": true})] {
        let answer = server.ask("lookup-concept", arguments);
        assert!(answer.to_string().len() < 48_000, "{} bytes", answer.to_string().len());
        let shown = array(&answer["outline"]).len();
        says(answer["message"].as_str().expect("it says so"), &[&format!("first {shown} of 5000 headings")]);
    }
    let all = server.ask("lookup-concept", json!({"id": "many", "outline": true, "full": true}));
    assert_eq!((array(&all["outline"]).len(), all.get("message")), (5_000, None));
    let none = server.ask("lookup-concept", json!({"id": "none"}));
    says(none["message"].as_str().expect("it says so"), &["search-concepts", "full: true"]);
}

#[test]
fn a_miss_names_what_was_probably_meant() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    for near in ["metrics/chrun", "metrics/Churn", "churn"] {
        says(&server.refused("lookup-concept", json!({"id": near})), &[near, "did you mean", "metrics/churn"]);
    }
    says(&server.refused("lookup-concept", json!({"id": "zzzzzzzzzzzz"})), &["zzzzzzzzzzzz", "does not exist"]);
}

#[test]
fn the_suffix_is_not_part_of_an_id_unless_that_very_concept_exists() {
    let tree = shop();
    tree.write("odd.md.md", "---\ntype: Note\n---\nodd one\n");
    let mut server = Server::serve(tree.root());
    says(&server.refused("lookup-concept", json!({"id": "metrics/churn.md"})), &["metrics/churn", ".md"]);
    says(server.ask("lookup-concept", json!({"id": "odd.md"}))["markdown"].as_str().expect("text"), &["odd one"]);
    assert_eq!(server.ask("lookup-concept", json!({"id": "v1.2"}))["id"], "v1.2", "dots are part of the name");
}

#[test]
fn reserved_names_are_not_found_and_index_with_a_capital_is() {
    let tree = shop();
    tree.write("log.md", "# Log\n").write("metrics/index.md", "# Metrics\n");
    let mut server = Server::serve(tree.root());
    for id in ["index", "log", "metrics/index", "metrics/log"] {
        says(&server.refused("lookup-concept", json!({"id": id})), &["reserved"]);
    }
    assert_eq!(server.ask("lookup-concept", json!({"id": "Index"}))["id"], "Index");
}

#[test]
fn an_id_never_leaves_the_bundle() {
    let tree = Tree::new(&[("secret.md", "---\ntype: Note\n---\nTOP SECRET\n")]);
    tree.write("kb/index.md", "---\nokf_version: \"0.2\"\n---\n").write("kb/alpha.md", "---\ntype: Note\n---\n");
    let mut server = Server::serve(tree.path("kb"));
    for (id, why) in [
        ("", "non-empty"),
        ("/etc/hosts", "relative"),
        ("../secret", "segments"),
        ("kb/../../secret", "segments"),
        ("sub//x", "segments"),
        (".", "segments"),
        ("..", "segments"),
        ("alpha/../alpha", "segments"),
        ("alpha\\x", "separators"),
        ("alpha\u{0}", "control"),
        ("alpha\u{85}", "control"),
        ("%2e%2e/secret", "does not exist"),
        ("..%2fsecret", "does not exist"),
        ("file:///etc/hosts", "segments"),
    ] {
        let message = server.refused("lookup-concept", json!({"id": id}));
        says(&message, &[why]);
        never_says(&message, &["TOP SECRET", "localhost"]);
    }
}

#[test]
fn ids_are_never_percent_decoded() {
    let tree = shop();
    let mut server = Server::serve(tree.root());
    assert_eq!(server.ask("lookup-concept", json!({"id": "set up guide"}))["id"], "set up guide");
    server.refused("lookup-concept", json!({"id": "set%20up%20guide"}));
}

#[test]
fn a_name_is_found_in_either_normal_form_when_that_is_unique() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    let tree = Tree::bundle(&[]);
    tree.write(&format!("{decomposed}.md"), "---\ntype: Note\n---\n");
    let mut server = Server::serve(tree.root());
    assert_eq!(server.ask("lookup-concept", json!({"id": composed}))["id"], decomposed);
    tree.write(&format!("{composed}.md"), "---\ntype: Note\n---\ncomposed\n");
    let exact = server.ask("lookup-concept", json!({"id": composed}));
    says(exact["markdown"].as_str().expect("text"), &["composed"]);
    assert_eq!(server.ask("lookup-concept", json!({"id": decomposed}))["id"], decomposed);
}

#[test]
fn an_unreadable_concept_says_why() {
    let tree = shop();
    tree.write("bytes.md", b"---\ntype: Note\n---\n\xff\n").write("broken.md", "---\ntype: Note\ntype: Page\n---\n");
    let mut server = Server::serve(tree.root());
    says(&server.refused("lookup-concept", json!({"id": "bytes"})), &["bytes", "UTF-8"]);
    let broken = server.call("lookup-concept", json!({"id": "broken"}));
    says(&broken.blocks.join("\n"), &["duplicate"]);
    let other = server.ask("lookup-concept", json!({"id": "v1.2"}));
    assert_eq!(array(&other["unreadable"]).len(), 2, "carried next to every answer");
}
