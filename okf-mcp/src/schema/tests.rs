use serde_json::json;

use super::*;

fn check(arguments: Value) -> Result<Value, String> {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["query"],
        "properties": {
            "query": { "type": "string", "minLength": 1 },
            "mode": { "type": "string", "enum": ["literal", "regex", "words"] },
            "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
            "case_sensitive": { "type": "boolean" },
            "tags": { "type": "array", "maxItems": 3, "uniqueItems": true, "items": { "type": "string" } },
        },
    });
    let check = ArgumentCheck::new(schema.as_object().expect("an object")).expect("a schema that compiles");
    let arguments = arguments.as_object().expect("an object").clone();
    check.check(arguments).map(|arguments| Value::Object(arguments.0)).map_err(|error| error.message)
}

#[test]
fn every_violation_is_a_line_that_names_the_field() {
    let table = [
        (json!({}), "#/query: is required and missing"),
        (json!({ "query": "" }), "#/query: must not be empty"),
        (json!({ "query": null }), "#/query: must be a string, not null; leave the argument out instead"),
        (json!({ "query": 7 }), "#/query: must be a string, not the number 7"),
        (json!({ "query": "x", "limit": 0 }), "#/limit: must be at least 1, is 0"),
        (json!({ "query": "x", "limit": 101 }), "#/limit: must be at most 100, is 101"),
        (json!({ "query": "x", "limit": "5" }), "#/limit: must be an integer, not a string"),
        (json!({ "query": "x", "limit": 1.5 }), "#/limit: must be an integer, not the number 1.5"),
        (json!({ "query": "x", "mode": "fuzzy" }), "#/mode: must be one of `literal`, `regex`, `words`, is `fuzzy`"),
        (json!({ "query": "x", "tags": ["a", 1] }), "#/tags/1: must be a string, not the number 1"),
        (json!({ "query": "x", "tags": "a" }), "#/tags: must be an array, not a string"),
        (json!({ "query": "x", "tags": ["a", "b", "c", "d"] }), "#/tags: must have at most 3 items"),
        (json!({ "query": "x", "tags": ["a", "a"] }), "#/tags: must not hold the same item twice"),
        (json!({ "query": "x", "quiery": "y" }), "#/quiery: unknown argument `quiery`, did you mean `query`?"),
        (
            json!({ "query": "x", "caseSensitive": true }),
            "#/caseSensitive: unknown argument `caseSensitive`, did you mean `case_sensitive`?",
        ),
        (
            json!({ "query": "x", "a/b~c": 1 }),
            "#/a~1b~0c: unknown argument `a/b~c`; \
             the arguments are `query`, `mode`, `limit`, `case_sensitive`, `tags`",
        ),
    ];
    for (arguments, expected) in table {
        assert_eq!(check(arguments.clone()), Err(expected.to_owned()), "{arguments}");
    }
}

#[test]
fn fields_come_in_the_order_of_their_pointers_and_once() {
    let message = check(json!({ "mode": 3, "limit": 0, "zzzz": 1 })).expect_err("four problems");
    let pointers: Vec<&str> = message.lines().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    assert_eq!(pointers, ["#/limit", "#/mode", "#/query", "#/zzzz"], "{message}");
}

#[test]
fn a_flood_of_problems_is_cut_and_counted() {
    let mut arguments = json!({ "query": "x" });
    for n in 0..50 {
        arguments[format!("unheard{n}")] = json!(1);
    }
    let message = check(arguments).expect_err("fifty unknown names");
    assert_eq!(message.lines().count(), MAX_LINES + 1);
    assert!(message.ends_with("and 30 more"), "{message}");
}

#[test]
fn hostile_names_and_values_stay_on_their_line() {
    let long = "é\n\u{202e}".repeat(1000);
    let message = check(json!({ "query": "x", "mode": long, "new\nline": 1 })).expect_err("two problems");
    assert_eq!(message.lines().count(), 2, "{message}");
    assert!(message.len() < 700, "{message}");
}

#[test]
fn whole_numbers_with_a_fraction_are_integers() {
    assert_eq!(check(json!({ "query": "x", "limit": 5.0 })), Ok(json!({ "query": "x", "limit": 5 })));
}

#[test]
fn edits_counts_characters() {
    assert_eq!(edits("", "abc"), 3);
    assert_eq!(edits("query", "quiery"), 1);
    assert_eq!(edits("tägs", "tags"), 1);
}
