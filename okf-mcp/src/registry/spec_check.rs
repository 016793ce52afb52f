//! Tool specs that clients do not choke on: names that fit, schemas that every client can read.

use serde_json::{Map, Value};

use crate::compose::DESCRIPTION_BYTES;
use crate::tool::ToolSpec;

/// Clients stop at 60 to 64 characters for server and tool name together.
const NAME_CHARS: usize = 30;

/// Keywords that some client rejects, rewrites or drops the tool for.
const FORBIDDEN: [&str; 19] = [
    "$ref",
    "$dynamicRef",
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
    if spec.title.trim().is_empty() {
        return Err("its title is empty".to_owned());
    }
    if spec.description.trim().is_empty() {
        return Err("its description is empty".to_owned());
    }
    if spec.description.len() > DESCRIPTION_BYTES {
        return Err(format!("its description is longer than {DESCRIPTION_BYTES} bytes"));
    }
    if spec.input_schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("input schema: `#` must have `type` `object`".to_owned());
    }
    check_schema(&spec.input_schema, "#")
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
