//! What `tools/list` shows.

use serde_json::{Value, json};

use crate::harness::{Server, TOOLS, Tree, column, keys, says};

fn tools() -> Vec<Value> {
    let tree = Tree::bundle(&[("alpha.md", "---\ntype: Note\n---\nBody.\n")]);
    Server::serve(tree.root()).tools()
}

#[test]
fn this_build_serves_exactly_these_tools() {
    assert_eq!(column(&json!(tools()), "name"), TOOLS);
}

#[test]
fn the_list_is_the_same_on_every_call_and_connection() {
    let tree = Tree::bundle(&[("alpha.md", "---\ntype: Note\n---\nBody.\n")]);
    let mut server = Server::serve(tree.root());
    let first = server.tools();
    assert_eq!(server.tools(), first);
    assert_eq!(Server::serve(tree.root()).tools(), first);
}

#[test]
fn every_tool_says_what_it_may_do() {
    for tool in tools() {
        let (reads, destroys, repeats) = match tool["name"].as_str().expect("a name") {
            "create-concept" => (false, false, false),
            "link-concepts" => (false, false, true),
            "update-concept" | "deprecate-concept" => (false, true, true),
            _ => (true, false, true),
        };
        let hints = json!({"readOnlyHint": reads, "destructiveHint": destroys, "idempotentHint": repeats, "openWorldHint": false});
        assert_eq!(tool["annotations"], hints, "{tool}");
        let title = tool["title"].as_str().expect("a title for people");
        assert!(!title.is_empty() && title != tool["name"]);
        assert!(tool.get("outputSchema").is_none(), "results are text");
    }
}

#[test]
fn entry_tools_are_hinted_to_clients() {
    let tools = tools();
    let meta = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect("it is served")["_meta"].clone();
    for name in ["list-concepts", "search-concepts"] {
        assert!(meta(name)["anthropic/searchHint"].as_str().is_some_and(|hint| !hint.is_empty()), "{name}");
    }
    assert_eq!(meta("search-concepts")["anthropic/alwaysLoad"], true);
    assert!(tools.iter().any(|tool| tool["_meta"]["anthropic/alwaysLoad"] != true), "not every tool is an entry");
    let longest = meta("lookup-concept")["anthropic/maxResultSizeChars"].clone();
    assert!(longest.as_u64().is_some_and(|longest| longest <= 500_000), "{longest}");
}

#[test]
fn schemas_are_closed_flat_and_described() {
    for tool in tools() {
        let schema = &tool["inputSchema"];
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)), "{tool}");
        if let Some(dialect) = schema.get("$schema") {
            assert_eq!(dialect, "https://json-schema.org/draft/2020-12/schema");
        }
        let text = schema.to_string();
        for keyword in ["$ref", "$defs", "oneOf", "anyOf", "allOf", "\"not\"", "\"null\""] {
            assert!(!text.contains(keyword), "{keyword} in {text}");
        }
        for (name, property) in schema["properties"].as_object().expect("properties") {
            let described = property["description"].as_str().is_some_and(|text| text.len() > 5);
            assert!(described, "{} of {}", name, tool["name"]);
            assert!(property["type"].is_string(), "{name}: one plain type");
            assert!(property.get("properties").is_none(), "{name} is nested");
        }
    }
}

#[test]
fn arguments_are_those_of_the_contract() {
    for tool in tools() {
        let schema = &tool["inputSchema"];
        let (arguments, required): (&[&str], Value) = match tool["name"].as_str().expect("a name") {
            "list-concepts" => (&["cursor", "limit", "prefix", "query", "status", "tag", "type"], json!([])),
            "lookup-concept" => (&["full", "id", "outline", "section"], json!(["id"])),
            "search-concepts" => (
                &["case_sensitive", "context", "cursor", "in", "limit", "mode", "prefix", "query", "tag", "type"],
                json!(["query"]),
            ),
            "query-graph" => {
                (&["concept", "depth", "direction", "full", "path_prefixes", "resolutions", "types"], json!([]))
            }
            "validate" => (&["cursor", "limit", "links", "prefix", "strict"], json!([])),
            "create-concept" => (&["body", "description", "id", "tags", "title", "type"], json!(["id", "type"])),
            "update-concept" => {
                (&["body", "description", "expected_revision", "id", "tags", "title", "type"], json!(["id"]))
            }
            "link-concepts" => (
                &["expected_revision", "relationship", "source", "target"],
                json!(["source", "target", "relationship"]),
            ),
            "deprecate-concept" => (&["expected_revision", "id", "note"], json!(["id"])),
            other => panic!("an unexpected tool `{other}`"),
        };
        assert_eq!(keys(&schema["properties"]), arguments, "{}", tool["name"]);
        assert_eq!(schema.get("required").cloned().unwrap_or(json!([])), required, "{}", tool["name"]);
    }
}

#[test]
fn tools_that_write_say_what_else_they_keep() {
    let writing = tools().into_iter().filter(|tool| tool["annotations"]["readOnlyHint"] == false);
    let descriptions: Vec<_> = writing.map(|tool| tool["description"].as_str().expect("text").to_owned()).collect();
    assert_eq!(descriptions.len(), 4);
    for description in descriptions {
        says(&description, &["log current"]);
        let own = description.lines().next().expect("its own words come first");
        assert!(own.len() <= 330, "{} bytes: {own}", own.len());
    }
}

#[test]
fn limits_and_their_defaults_are_published() {
    let tools = tools();
    let property = |tool: &str, name: &str| {
        let spec = tools.iter().find(|spec| spec["name"] == tool).expect("it is served");
        spec["inputSchema"]["properties"][name].clone()
    };
    for (tool, name, least, most) in [
        ("list-concepts", "limit", 1, 1000),
        ("search-concepts", "limit", 1, 100),
        ("search-concepts", "context", 0, 5),
        ("validate", "limit", 1, 1000),
        ("query-graph", "depth", 1, 5),
    ] {
        let limit = property(tool, name);
        assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(least), &json!(most)), "{tool} {name}");
    }
    assert_eq!(property("search-concepts", "mode")["enum"], json!(["literal", "regex", "words"]));
    assert_eq!(property("search-concepts", "in")["enum"], json!(["all", "frontmatter", "body"]));
    assert_eq!(property("query-graph", "direction")["enum"], json!(["out", "in", "both"]));
}
