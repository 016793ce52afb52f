mod admission;

use serde_json::{Value, json};

use super::*;
use crate::identity::Sample;
use crate::tool::{Effect, ToolOutput, ToolSpec};

struct Named(&'static str, i32);

impl IdentityProvider for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn rank(&self) -> i32 {
        self.1
    }
}

/// A tool provider that offers what its function makes.
struct Offering(&'static str, fn() -> Vec<Tool>);

impl ToolProvider for Offering {
    fn name(&self) -> &str {
        self.0
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        (self.1)()
    }
}

fn identity() -> BundleIdentity {
    BundleIdentity {
        root: "/srv/sales".into(),
        title: "Sales".to_owned(),
        concept_count: 3,
        declared_version: None,
        areas: Vec::new(),
        types: Vec::new(),
        sample: Sample::default(),
    }
}

fn spec(name: &str) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": { "id": { "type": "string", "description": "A concept ID." } },
    });
    ToolSpec {
        name: name.to_owned(),
        title: "Title".to_owned(),
        description: "Does something.".to_owned(),
        input_schema: schema.as_object().expect("an object").clone(),
        effect: Effect::Read,
        search_hint: None,
        always_load: false,
        max_result_chars: None,
    }
}

fn tool(name: &str) -> Tool {
    Tool::new(spec(name), |_, _| Ok(ToolOutput { blocks: Vec::new() }))
}

fn tools_of(registrations: &[Registration]) -> Result<ToolSet, String> {
    Registry::from(registrations).and_then(|registry| registry.tool_set(&identity())).map_err(|error| error.0)
}

fn tools_from(crate_name: &'static str, provider: &'static Offering) -> Registration {
    Registration { crate_name, provider: Provider::Tools(provider) }
}

fn identity_from(crate_name: &'static str, provider: &'static dyn IdentityProvider) -> Registration {
    Registration { crate_name, provider: Provider::Identity(provider) }
}

#[test]
fn identity_providers_stand_by_rank_then_name() {
    static LATE: Named = Named("alpha", 100);
    static SAME: Named = Named("beta", 0);
    static BASE: Named = Named("gamma", 0);
    let registrations = [identity_from("c", &LATE), identity_from("b", &BASE), identity_from("a", &SAME)];
    let registry = Registry::from(&registrations).expect("three names");
    let names: Vec<&str> = registry.identity.iter().map(|(_, provider)| provider.name()).collect();
    assert_eq!(names, ["beta", "gamma", "alpha"]);
}

#[test]
fn providers_of_one_kind_and_name_stop_the_start() {
    static ONE: Named = Named("identity", 0);
    static OTHER: Named = Named("identity", 7);
    let error = Registry::from(&[identity_from("zebra", &ONE), identity_from("ant", &OTHER)]).err();
    let message = error.expect("a conflict").to_string();
    assert!(message.starts_with("two identity providers are named `identity`"), "{message}");
    assert!(message.contains("crate `ant`, one from crate `zebra`"), "{message}");

    static TOOLS: Offering = Offering("identity", Vec::new);
    let both_kinds = [identity_from("zebra", &ONE), tools_from("ant", &TOOLS)];
    assert!(Registry::from(&both_kinds).is_ok(), "providers of two kinds may share a name");
}

#[test]
fn tools_come_by_name_whatever_the_order_of_linking() {
    static FIRST: Offering = Offering("first", || vec![tool("zeta"), tool("alpha")]);
    static SECOND: Offering = Offering("second", || vec![tool("mu")]);
    for registrations in
        [[tools_from("a", &FIRST), tools_from("b", &SECOND)], [tools_from("b", &SECOND), tools_from("a", &FIRST)]]
    {
        let tools = tools_of(&registrations).expect("a sound set");
        let names: Vec<String> = tools.specs().into_iter().map(|spec| spec.name).collect();
        assert_eq!(names, ["alpha", "mu", "zeta"]);
        assert!(tools.get("mu").is_some());
        assert!(tools.get("nu").is_none());
    }
}

#[test]
fn tools_of_one_name_stop_the_start() {
    static FIRST: Offering = Offering("first", || vec![tool("same")]);
    static SECOND: Offering = Offering("second", || vec![tool("same")]);
    let message = tools_of(&[tools_from("crate-b", &FIRST), tools_from("crate-a", &SECOND)]).err().expect("a conflict");
    let expected = "two tools are named `same`: one from provider `second` of crate `crate-a`, one from provider `first` of \
                    crate `crate-b`; rename one or leave out its link line";
    assert_eq!(message, expected);
    static BOTH: Offering = Offering("both", || vec![tool("same"), tool("same")]);
    let message = tools_of(&[tools_from("c", &BOTH)]).err().expect("a conflict");
    assert!(
        message.contains("one from provider `both` of crate `c`, one from provider `both` of crate `c`"),
        "{message}"
    );
}

#[test]
fn read_only_leaves_out_what_writes() {
    static MIXED: Offering = Offering("mixed", || {
        let mut writing = tool("write");
        writing.spec.effect = Effect::Write { destructive: false, idempotent: true };
        vec![writing, tool("read")]
    });
    let tools = tools_of(&[tools_from("a", &MIXED)]).expect("a sound set").read_only();
    let names: Vec<String> = tools.specs().into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["read"]);
    assert!(tools.get("write").is_none());
}

#[test]
fn a_panicking_provider_is_named_with_its_crate() {
    static BAD: Offering = Offering("bad", || panic!("no index at {}", "/x"));
    let message = tools_of(&[tools_from("bad-crate", &BAD)]).err().expect("a panic");
    assert_eq!(message, "tool provider `bad` (crate `bad-crate`) panicked: no index at /x");
}

#[test]
fn specs_that_clients_choke_on_are_refused() {
    fn with_schema(schema: Value) -> ToolSpec {
        ToolSpec { input_schema: schema.as_object().expect("an object").clone(), ..spec("tool") }
    }
    fn with_property(property: Value) -> ToolSpec {
        with_schema(json!({ "type": "object", "additionalProperties": false, "properties": { "p": property } }))
    }
    let table = [
        (spec("Bad"), "its name must be"),
        (spec(""), "its name must be"),
        (spec("9lives"), "its name must be"),
        (spec("dotted.name"), "its name must be"),
        (spec(&"a".repeat(31)), "its name must be"),
        (ToolSpec { title: " ".to_owned(), ..spec("tool") }, "its title is empty"),
        (ToolSpec { title: "T".repeat(101), ..spec("tool") }, "its title is longer than 100 bytes"),
        (ToolSpec { title: "a\nb".to_owned(), ..spec("tool") }, "its title has a control character"),
        (ToolSpec { description: "\n".to_owned(), ..spec("tool") }, "its description is empty"),
        (ToolSpec { description: "a\u{1b}[31m".to_owned(), ..spec("tool") }, "its description has a control character"),
        (ToolSpec { search_hint: Some("h".repeat(201)), ..spec("tool") }, "its search hint is longer than 200 bytes"),
        (ToolSpec { search_hint: Some("a\0".to_owned()), ..spec("tool") }, "its search hint has a control character"),
        (ToolSpec { description: "é".repeat(451), ..spec("tool") }, "its description is longer than 900 bytes"),
        (with_schema(json!({})), "`#` must have `type` `object`"),
        (with_schema(json!({ "type": "object" })), "`#` must be closed"),
        (with_property(json!(true)), "`#/properties/p` must be an object"),
        (with_property(json!({ "type": "string" })), "`#/properties/p` must have a `description`"),
        (with_property(json!({ "description": "x" })), "`#/properties/p` must have one `type`"),
        (with_property(json!({ "description": "x", "type": ["string", "null"] })), "must have one `type`"),
        (with_property(json!({ "description": "x", "$ref": "#/$defs/a" })), "uses `$ref`"),
        (with_property(json!({ "description": "x", "oneOf": [] })), "uses `oneOf`"),
        (with_property(json!({ "description": "x", "type": "array" })), "must say what its `items` are"),
        (with_property(json!({ "description": "x", "type": "array", "items": {} })), "`#/properties/p/items` must"),
        (with_property(json!({ "description": "x", "type": "object" })), "`#/properties/p` must be closed"),
        (
            with_property(json!({ "description": "x", "type": "string", "pattern": "(" })),
            "input schema: `#/properties/p/pattern`: ",
        ),
        (
            with_property(json!({ "description": "x", "type": "strnig" })),
            "input schema: `#/properties/p/type`: \"strnig\" is not valid",
        ),
        (
            with_property(json!({ "description": "x", "type": "integer", "minimum": "one" })),
            "input schema: `#/properties/p/minimum`: \"one\" is not of type",
        ),
        (with_property(json!({ "description": "x", "type": "string", "$id": "urn:x" })), "uses `$id`"),
        (with_property(json!({ "description": "x", "type": "string", "$recursiveRef": "#" })), "uses `$recursiveRef`"),
        (
            with_schema(json!({
                "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
            })),
            "input schema: `$schema` must be `https://json-schema.org/draft/2020-12/schema` or absent",
        ),
        (
            with_property(json!({ "description": "x".repeat(4_000), "type": "string" })),
            "it is longer than 4000 bytes as JSON",
        ),
        (
            with_schema(json!({ "type": "object", "additionalProperties": false, "required": ["q"] })),
            "`#` requires `q`, which is no property",
        ),
    ];
    for (spec, expected) in table {
        let checked = spec_check::check(&spec).and_then(|()| ArgumentCheck::new(&spec.input_schema).map(drop));
        let message = checked.expect_err(expected);
        assert!(message.contains(expected), "expected {expected:?}, got {message:?}");
    }
    assert_eq!(spec_check::check(&spec("a-good_name2")), Ok(()));
    assert_eq!(spec_check::check(&ToolSpec { description: "Two\nlines.".to_owned(), ..spec("tool") }), Ok(()));
    let dialect = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
    });
    assert_eq!(spec_check::check(&with_schema(dialect)), Ok(()));
}
