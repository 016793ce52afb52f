//! Wrong arguments are tool errors from which a model can correct itself, on every tool alike.

use serde_json::{Value, json};

use crate::harness::{Server, TOOLS, Tree, says};

fn server(tree: &Tree) -> Server {
    Server::serve(tree.root())
}

fn bundle() -> Tree {
    Tree::bundle(&[("alpha.md", "---\ntype: Note\n---\nBody.\n")])
}

/// Arguments that are right for a tool.
fn good(tool: &str) -> Value {
    match tool {
        "lookup-concept" => json!({"id": "alpha"}),
        "search-concepts" => json!({"query": "Body"}),
        "create-concept" => json!({"id": "beta", "type": "Note"}),
        "update-concept" | "deprecate-concept" => json!({"id": "alpha"}),
        "link-concepts" => json!({"source": "alpha", "target": "beta", "relationship": "derived-from"}),
        _ => json!({}),
    }
}

/// The line of an error that is about a field.
#[track_caller]
fn line_about<'a>(message: &'a str, field: &str) -> &'a str {
    message
        .lines()
        .find(|line| line.trim_start().starts_with('#') && line.contains(field))
        .unwrap_or_else(|| panic!("no line about `{field}` in:\n{message}"))
}

#[test]
fn right_arguments_are_accepted() {
    let tree = bundle();
    let mut server = server(&tree);
    for tool in TOOLS {
        server.ask(tool, good(tool));
    }
}

#[test]
fn unknown_properties_are_named_on_every_tool() {
    let tree = bundle();
    let mut server = server(&tree);
    for tool in TOOLS {
        let mut arguments = good(tool);
        arguments["limt"] = json!(1);
        line_about(&server.refused(tool, arguments), "#/limt");
    }
}

#[test]
fn null_is_not_absence() {
    let tree = bundle();
    let mut server = server(&tree);
    for tool in TOOLS {
        let tools = server.tools();
        let spec = tools.iter().find(|spec| spec["name"] == tool).expect("it is served");
        for property in spec["inputSchema"]["properties"].as_object().expect("properties").keys() {
            let mut arguments = good(tool);
            arguments[property] = Value::Null;
            line_about(&server.refused(tool, arguments), &format!("#/{property}"));
        }
    }
}

#[test]
fn types_are_never_coerced() {
    let tree = bundle();
    let mut server = server(&tree);
    for (tool, field, value) in [
        ("list-concepts", "limit", json!("3")),
        ("list-concepts", "limit", json!(1.5)),
        ("list-concepts", "prefix", json!(5)),
        ("list-concepts", "tag", json!(["a"])),
        ("list-concepts", "status", json!("archived")),
        ("lookup-concept", "id", json!(5)),
        ("lookup-concept", "outline", json!("true")),
        ("search-concepts", "query", json!(5)),
        ("search-concepts", "mode", json!("fuzzy")),
        ("search-concepts", "case_sensitive", json!(1)),
        ("search-concepts", "in", json!("title")),
        ("validate", "strict", json!("yes")),
        ("validate", "links", json!(0)),
        ("query-graph", "full", json!("no")),
        ("create-concept", "id", json!(5)),
        ("create-concept", "tags", json!("a, b")),
        ("update-concept", "title", json!(42)),
        ("update-concept", "expected_revision", json!(42)),
        ("link-concepts", "relationship", json!("")),
        ("deprecate-concept", "note", json!(["why"])),
    ] {
        let mut arguments = good(tool);
        arguments[field] = value;
        line_about(&server.refused(tool, arguments), &format!("#/{field}"));
    }
}

#[test]
fn limits_out_of_range_are_refused_and_never_clamped() {
    let tree = bundle();
    let mut server = server(&tree);
    for (tool, field, most) in [
        ("list-concepts", "limit", 1000),
        ("search-concepts", "limit", 100),
        ("search-concepts", "context", 5),
        ("validate", "limit", 1000),
    ] {
        let least = i64::from(field == "limit");
        let mut with = |value: i64| {
            let mut arguments = good(tool);
            arguments[field] = json!(value);
            server.call(tool, arguments)
        };
        assert!(!with(least).is_error && !with(most).is_error, "{tool} {field}");
        for value in [least - 1, most + 1, i64::MAX] {
            line_about(&with(value).error(), &format!("#/{field}"));
        }
    }
}

#[test]
fn each_wrong_field_has_its_line() {
    let tree = bundle();
    let message = server(&tree).refused("search-concepts", json!({"limit": 0, "mode": 5, "limt": 1}));
    for field in ["#/limit", "#/mode", "#/limt", "query"] {
        line_about(&message, field);
    }
}

#[test]
fn a_missing_required_argument_is_named() {
    let tree = bundle();
    let mut server = server(&tree);
    line_about(&server.refused("lookup-concept", json!({})), "id");
    line_about(&server.refused("search-concepts", json!({})), "query");
    line_about(&server.refused("create-concept", json!({"id": "beta"})), "type");
    for argument in ["source", "target", "relationship"] {
        line_about(&server.refused("link-concepts", json!({})), argument);
    }
    let id = server.post("tools/call", json!({"name": "search-concepts"}));
    line_about(&server.tool_result(id).error(), "query");
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let tree = bundle();
    let mut server = server(&tree);
    for name in ["delete-concept", "search", "", "List-Concepts"] {
        let answer = server.request("tools/call", json!({"name": name, "arguments": {}}));
        assert!(answer["error"]["code"].is_i64(), "{answer}");
    }
    says(&server.ask("list-concepts", json!({})).to_string(), &["alpha"]);
}
