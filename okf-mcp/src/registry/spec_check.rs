//! Tool specs that clients do not choke on: names that fit, schemas that every client can read.

use serde_json::{Map, Value};

use crate::compose::DESCRIPTION_BYTES;
use crate::tool::ToolSpec;

/// Clients stop at 60 to 64 characters for server and tool name together.
const NAME_CHARS: usize = 30;

/// A title is a label for people.
const TITLE_BYTES: usize = 100;

/// A search hint is one phrase.
const HINT_BYTES: usize = 200;

/// One tool as its provider wrote it, in bytes of compact JSON: more leaves too little of the list for others.
const SPEC_BYTES: usize = 4_000;

/// The one dialect that a schema may name.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords that some client rejects, rewrites or drops the tool for.
const FORBIDDEN: [&str; 24] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$defs",
    "definitions",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "contains",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Checks a spec.
///
/// # Errors
///
/// The first problem, as the end of a sentence that names the tool.
pub(super) fn check(spec: &ToolSpec) -> Result<(), String> {
    let name_fits = spec.name.starts_with(|c: char| c.is_ascii_lowercase())
        && spec.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
        && spec.name.len() <= NAME_CHARS;
    if !name_fits {
        return Err(format!(
            "its name must be a lower-case letter, then lower-case letters, digits, `-` or `_`, \
             at most {NAME_CHARS} characters"
        ));
    }
    check_text("title", &spec.title, TITLE_BYTES, char::is_control)?;
    check_text("description", &spec.description, DESCRIPTION_BYTES, |c| c.is_control() && c != '\n')?;
    if let Some(hint) = &spec.search_hint {
        check_text("search hint", hint, HINT_BYTES, char::is_control)?;
    }
    if serde_json::to_string(&spec.to_json()).map_or(0, |json| json.len()) > SPEC_BYTES {
        return Err(format!("it is longer than {SPEC_BYTES} bytes as JSON"));
    }
    if spec.input_schema.get("$schema").is_some_and(|dialect| dialect != DIALECT) {
        return Err(format!("input schema: `$schema` must be `{DIALECT}` or absent"));
    }
    if spec.input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("input schema: `#` must have `type` `object`".to_owned());
    }
    check_schema(&spec.input_schema, "#")
}

/// Checks one of the texts of a tool; which characters have no place in it depends on the text.
fn check_text(what: &str, text: &str, bytes: usize, is_foreign: impl Fn(char) -> bool) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("its {what} is empty"));
    }
    if text.len() > bytes {
        return Err(format!("its {what} is longer than {bytes} bytes"));
    }
    if text.contains(is_foreign) {
        return Err(format!("its {what} has a control character"));
    }
    Ok(())
}

/// Checks one schema and those within it; the depth is the author's, not a client's.
fn check_schema(schema: &Map<String, Value>, at: &str) -> Result<(), String> {
    if let Some(keyword) = FORBIDDEN.iter().find(|keyword| schema.contains_key(**keyword)) {
        return Err(format!("input schema: `{at}` uses `{keyword}`, which not every client reads"));
    }
    match schema.get("type").and_then(Value::as_str) {
        None => Err(format!("input schema: `{at}` must have one `type`")),
        Some("object") => check_object(schema, at),
        Some("array") => match schema.get("items") {
            Some(Value::Object(items)) => check_schema(items, &format!("{at}/items")),
            _ => Err(format!("input schema: `{at}` must say what its `items` are")),
        },
        Some(_) => Ok(()),
    }
}

fn check_object(schema: &Map<String, Value>, at: &str) -> Result<(), String> {
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Err(format!("input schema: `{at}` must be closed (`additionalProperties: false`)"));
    }
    let none = Map::new();
    let properties = match schema.get("properties") {
        None => &none,
        Some(Value::Object(properties)) => properties,
        Some(_) => return Err(format!("input schema: `{at}/properties` must be an object")),
    };
    for (name, property) in properties {
        let at = format!("{at}/properties/{name}");
        let Value::Object(property) = property else {
            return Err(format!("input schema: `{at}` must be an object"));
        };
        let described = property
            .get("description")
            .and_then(Value::as_str)
            .is_some_and(|description| !description.trim().is_empty());
        if !described {
            return Err(format!("input schema: `{at}` must have a `description`"));
        }
        check_schema(property, &at)?;
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    match required.filter_map(Value::as_str).find(|name| !properties.contains_key(*name)) {
        Some(name) => Err(format!("input schema: `{at}` requires `{name}`, which is no property")),
        None => Ok(()),
    }
}
