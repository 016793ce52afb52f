//! Questions to a server of two tools.

use serde_json::json;

use super::*;
use crate::tool::{Effect, object_schema};

fn tool(name: &str, description: &str, note: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        title: "Look into Zanzibar".to_owned(),
        description: description.to_owned(),
        input_schema: object_schema(json!({"query": {"type": "string", "description": note}}), &["query"]),
        effect: Effect::Read,
        search_hint: Some("hints are not searched: xylophone".to_owned()),
        always_load: false,
        max_result_chars: None,
    }
}

fn answer(query: &str) -> Answer {
    let tools = [
        tool("list-concepts", "Lists concepts. Subjects: gross margin, subscribers.", "Words."),
        tool("search-concepts", "Finds text. Subjects: churn, refunds.", "Words such as warehouse."),
    ];
    ask("okf", &tools, query).expect("it has words")
}

fn best(query: &str, search: usize) -> Option<(usize, String)> {
    answer(query).searches[search].best.as_ref().map(|best| (best.rank, best.tool.clone()))
}

#[test]
fn a_question_is_found_by_the_words_of_one_tool() {
    let found = answer("How do refunds change the CHURN?");
    assert!(found.found && found.searches.iter().all(|search| search.found));
    let best = found.searches[1].best.as_ref().expect("it is found");
    assert_eq!((best.rank, best.tool.as_str()), (1, "search-concepts"));
    let words: Vec<&str> = best.words.iter().map(|weight| weight.word.as_str()).collect();
    assert_eq!(words, ["CHURN", "refunds"], "the weightiest first, as asked");
    assert!(best.words.iter().all(|weight| weight.weight > 0.0));
    assert_eq!(found.missing, ["change"]);
}

#[test]
fn arguments_are_read_hints_are_not() {
    assert_eq!(best("warehouse", 1).expect("an argument says so").1, "search-concepts");
    let hint = answer("xylophone");
    assert!(!hint.found && hint.searches.iter().all(|search| search.best.is_none()));
    assert_eq!(hint.missing, ["xylophone"]);
}

#[test]
fn only_the_wide_search_reads_titles() {
    assert_eq!(best("Zanzibar", 0).map(|(rank, _)| rank), Some(1));
    assert_eq!(best("Zanzibar", 1), None);
    assert_eq!(answer("Zanzibar").missing, [""; 0], "one search has it");
}

#[test]
fn a_question_for_other_servers_is_theirs() {
    let mail = answer("send an email with an attachment to a recipient");
    assert!(!mail.found, "{mail:?}");
    let page = answer("open the web page and find text in the console messages of the browser tab");
    let best = page.searches[0].best.as_ref().expect("it shares a word");
    assert!(best.rank > SEARCHES[0].top, "a word shared is not enough: {best:?}");
}

#[test]
fn a_question_without_words_is_none() {
    for empty in ["", "  ", "?!", "what is it"] {
        assert!(ask("okf", &[], empty).is_none(), "{empty:?}");
    }
}

#[test]
fn the_answer_keeps_its_shape() {
    let value = serde_json::to_value(answer("churn frobnication")).expect("it has a JSON form");
    assert_eq!((&value["query"], &value["found"]), (&json!("churn frobnication"), &json!(true)));
    let wide = &value["searches"][0];
    assert_eq!((&wide["search"], &wide["top"], &wide["rank"]), (&json!("wide"), &json!(8), &json!(1)));
    assert_eq!(wide["words"][0]["word"], "churn");
    assert_eq!(value["missing"], json!(["frobnication"]));
}
