//! `update-concept`: other values for some fields of a concept.

use okf_core::change::{Change, Fields};
use okf_mcp::answers::write::write;
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::Deserialize;
use serde_json::json;

use crate::property;

#[derive(Deserialize)]
struct Asked {
    id: String,
    #[serde(rename = "type")]
    concept_type: Option<String>,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    body: Option<String>,
    expected_revision: Option<String>,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "update-concept".to_owned(),
        title: "Update a concept".to_owned(),
        description: "Change fields or the body of a concept of this knowledge bundle; what is not given, and every other byte, stays. \
                      The write keeps index and log current and is checked against the format before anything is saved. Use it instead of \
                      editing the file."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "id": property::text("ID of the concept."),
                "type": property::text("New type."),
                "title": property::text("New title; an empty text is a value."),
                "description": property::text("New description, which the index shows."),
                "tags": property::tags("All tags, which replace those it has."),
                "body": property::text("Markdown that replaces the whole body."),
                "expected_revision": property::expected_revision(),
            }),
            &["id"],
        ),
        effect: Effect::Write { destructive: true, idempotent: true },
        search_hint: None,
        always_load: false,
        max_result_chars: None,
    };
    Tool::new(spec, answer)
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let asked: Asked = arguments.read()?;
    let fields = Fields {
        concept_type: asked.concept_type,
        title: asked.title,
        description: asked.description,
        tags: asked.tags,
        body: asked.body,
    };
    write(context, Change::Update { id: asked.id, fields, expected_revision: asked.expected_revision })
}
