//! `okf discover`: would a tool search find the bundle for a question.

use serde_json::{Value, json};

use crate::harness::{Tree, array, keys, never_says, number, okf, says};

fn sales() -> Tree {
    Tree::bundle(&[
        (
            "metrics/churn.md",
            "---\ntype: Metric\ntitle: Customer churn\ndescription: Share of subscribers who cancel within a billing period.\ntags: [retention]\n---\n",
        ),
        (
            "metrics/gross-margin.md",
            "---\ntype: Metric\ntitle: Gross margin\ndescription: Net revenue less cost of goods sold.\ntags: [finance]\n---\n",
        ),
        (
            "tables/shipments.md",
            "---\ntype: BigQuery Table\ntitle: Shipments\ndescription: One row per parcel that left a warehouse.\ntags: [fulfillment]\n---\n",
        ),
    ])
}

fn asked(tree: &Tree, question: &str, code: i32) -> Value {
    okf(&["discover", question, "--output", "json"]).at(tree.root()).run().exits(code).json()
}

#[test]
fn a_question_about_the_subject_is_found_and_another_is_not() {
    let tree = sales();
    for question in ["how is customer churn defined", "gross margin", "parcels per warehouse"] {
        let answer = asked(&tree, question, 0);
        assert_eq!((&answer["found"], &answer["query"]), (&json!(true), &json!(question)), "{answer}");
    }
    for question in ["weather forecast for tomorrow", "merge my pull request", "zymurgy"] {
        assert_eq!(asked(&tree, question, 1)["found"], false, "{question}");
    }
}

#[test]
fn the_answer_says_where_by_which_tool_and_on_which_words() {
    let tree = sales();
    let answer = asked(&tree, "churn of zymurgy subscribers", 0);
    assert_eq!(answer["missing"], json!(["zymurgy"]));
    assert!(number(&answer["pool_tools"]) >= 60);
    let searches = array(&answer["searches"]);
    let told: Vec<_> = searches.iter().map(|search| (search["search"].as_str(), number(&search["top"]))).collect();
    assert_eq!(told, [(Some("wide"), 8), (Some("narrow"), 5)]);
    for search in searches {
        assert_eq!(keys(search), ["found", "rank", "search", "tool", "top", "words"]);
        assert!((1..=5).contains(&number(&search["rank"])), "{search}");
        let words = array(&search["words"]);
        let heaviest_first = words.is_sorted_by(|a, b| a["weight"].as_f64() >= b["weight"].as_f64());
        assert!(heaviest_first && !words.is_empty(), "{search}");
        for word in words {
            assert!(["churn", "subscribers"].contains(&word["word"].as_str().expect("a word")), "{search}");
        }
    }
}

#[test]
fn people_read_it() {
    let tree = sales();
    let run = okf(&["discover", "customer", "churn", "zymurgy"]).at(tree.root()).run().exits(0);
    says(&run.stdout, &["found, against", "wide search", "narrow search", " ranks ", "churn", "zymurgy"]);
    assert_eq!(run.stderr, "");
    let missed = okf(&["discover", "weather\u{1b}[31m tomorrow"]).at(tree.root()).run().exits(1);
    says(&missed.stdout, &["not found", "words that no tool of the bundle has: weather"]);
    never_says(&missed.stdout, &["\u{1b}"]);
    assert_eq!(missed.stderr.lines().count(), 1, "one summary line: {}", missed.stderr);
}

#[test]
fn it_judges_what_the_server_would_say() {
    let tree = sales();
    asked(&tree, "volcanology", 1);
    tree.write("notes/lava.md", "---\ntype: Note\ntitle: Volcanology\n---\n");
    asked(&tree, "volcanology", 0);
}

#[test]
fn the_bundle_is_found_as_by_every_command_or_named() {
    let tree = sales();
    let elsewhere = Tree::new(&[]);
    okf(&["discover", "churn", "--bundle", tree.shown()]).at(elsewhere.root()).run().exits(0);
    okf(&["-C", tree.shown(), "discover", "churn"]).at(elsewhere.root()).run().exits(0);
    okf(&["discover", "churn"]).at(elsewhere.root()).run().exits(2);
    okf(&["discover", "churn", "--bundle", "gone"]).at(elsewhere.root()).run().exits(2);
}

#[test]
fn a_question_that_cannot_be_asked_is_a_bad_invocation() {
    let tree = sales();
    for bad in [&["discover"][..], &["discover", ""], &["discover", "what is it?"]] {
        let run = okf(bad).at(tree.root()).run().exits(2);
        assert_eq!(run.stdout, "", "{bad:?}");
        assert!(!run.stderr.is_empty(), "{bad:?}");
    }
}

#[test]
fn describe_says_why_each_word_was_chosen() {
    let tree = sales();
    let text = okf(&["mcp", "--describe"]).at(tree.root()).run().exits(0).stdout;
    says(&text, &["why (identity):", "subject words from 3 concepts"]);
    let why = text.split("why (identity):").nth(1).expect("it was just found");
    let lines: Vec<&str> = why.lines().skip(2).collect();
    assert!(lines.len() >= 5, "{why}");
    for line in lines {
        let (tool, rest) = line.trim().split_once(": ").unwrap_or_else(|| panic!("no tool: {line}"));
        let (term, reason) = rest.split_once(" (").unwrap_or_else(|| panic!("no reason: {line}"));
        let count = reason.split_once(", ").and_then(|(count, _)| count.parse::<u32>().ok());
        assert!(count.is_some_and(|count| (1..=3).contains(&count)), "{line}");
        let served = text.split(&format!("\n{tool} - ")).nth(1).unwrap_or_else(|| panic!("no tool {tool}"));
        says(served.split("\n\n").next().expect("a block"), &[term]);
    }
}
