//! `query-graph`: follow relationships.

use okf_core::area::Area;
use okf_core::bundle::Bundle;
use okf_core::graph::{Direction, GraphQuery, Neighbourhood};
use okf_core::link::Resolution;
use okf_core::listing;
use okf_mcp::answers::graph::bounded;
use okf_mcp::answers::lookup::not_served;
use okf_mcp::answers::summary::Beside;
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    path_prefixes: Vec<String>,
    #[serde(default)]
    resolutions: Vec<String>,
    concept: Option<String>,
    direction: Option<String>,
    depth: Option<u8>,
    #[serde(default)]
    full: bool,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "query-graph".to_owned(),
        title: "Query the concept graph".to_owned(),
        description: "Follow relationships in this knowledge bundle: what a concept links to, what links to it, which sources and \
                      computations it names, which links lead nowhere. One concept's neighbourhood, or a part of the graph."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "concept": {"type": "string", "description": "Concept ID whose neighbourhood is wanted."},
                "direction": {"type": "string", "enum": ["out", "in", "both"], "default": "out", "description": "What `concept` links to, what links to it, or both."},
                "depth": {"type": "integer", "minimum": 1, "maximum": 5, "default": 1, "description": "How many links far from `concept`."},
                "types": strings("Only concepts of these types."),
                "path_prefixes": strings("Only concepts in these areas."),
                "resolutions": {
                    "type": "array", "uniqueItems": true,
                    "items": {"type": "string", "enum": ["resolved-concept", "resolved-asset", "external", "descriptor", "unresolved", "invalid"]},
                    "description": "Only edges that turned out so.",
                },
                "full": {"type": "boolean", "default": false, "description": "Send everything even above 60 kB."},
            }),
            &[],
        ),
        effect: Effect::Read,
        search_hint: None,
        always_load: false,
        max_result_chars: Some(100_000),
    };
    Tool::new(spec, answer)
}

/// The second block: the graph's own JSON is closed.
#[derive(Serialize)]
struct Second {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(flatten)]
    beside: Beside,
}

/// Says so when none of the areas asked for exists.
fn missing_area(bundle: &Bundle, prefixes: &[String]) -> Option<String> {
    let missing: Option<Vec<_>> =
        prefixes.iter().map(|prefix| listing::require_area(bundle, &Area::new(prefix)).err()).collect();
    missing?.first().map(ToString::to_string)
}

fn strings(description: &str) -> Value {
    json!({"type": "array", "uniqueItems": true, "items": {"type": "string", "minLength": 1}, "description": description})
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let asked: Asked = arguments.read()?;
    let bundle = context.bundle()?;
    let neighbourhood = match asked.concept {
        None if asked.direction.is_some() || asked.depth.is_some() => {
            return Err(ToolError::new("#/concept: `direction` and `depth` need a `concept`"));
        }
        None => None,
        Some(id) => {
            let document = bundle.lookup(&id).map_err(|error| not_served(&id, error).of_argument("concept"))?;
            let direction = match asked.direction.as_deref() {
                Some("in") => Direction::In,
                Some("both") => Direction::Both,
                _ => Direction::Out,
            };
            Some(Neighbourhood { concept: document.id().to_owned(), direction, depth: asked.depth.unwrap_or(1) })
        }
    };
    let query = GraphQuery {
        types: asked.types,
        path_prefixes: asked.path_prefixes,
        resolutions: asked.resolutions.iter().filter_map(|name| Resolution::named(name)).collect(),
        neighbourhood,
    };
    let mut blocks = vec![bounded(&bundle.graph().select(&query), asked.full)?];
    let beside = Second { message: missing_area(&bundle, &query.path_prefixes), beside: Beside::of(&bundle) };
    if beside.message.is_some() || !beside.beside.unreadable.is_empty() {
        blocks.extend(ToolOutput::json(&beside)?.blocks);
    }
    Ok(ToolOutput { blocks })
}
