//! `lookup-concept`: read one concept.

use okf_mcp::answers::lookup::{Part, lookup};
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Asked {
    id: String,
    section: Option<String>,
    #[serde(default)]
    outline: bool,
    #[serde(default)]
    full: bool,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "lookup-concept".to_owned(),
        title: "Look up a concept".to_owned(),
        description: "Read one concept of this knowledge bundle by ID: its metadata, trust and revision with the Markdown text of \
                      the file, one section of it, or its outline. Use it instead of reading the file."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "id": {"type": "string", "description": "Concept ID: the path without `.md`, as listings and searches show it."},
                "section": {"type": "string", "description": "Only the section under this heading, as searches and outlines show it."},
                "outline": {"type": "boolean", "default": false, "description": "Headings with line and size in bytes instead of the text."},
                "full": {"type": "boolean", "default": false, "description": "The whole text even above 48 kB."},
            }),
            &["id"],
        ),
        effect: Effect::Read,
        search_hint: None,
        always_load: false,
        max_result_chars: Some(100_000),
    };
    Tool::new(spec, answer)
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let asked: Asked = arguments.read()?;
    let bundle = context.bundle()?;
    let part = Part { section: asked.section.as_deref(), outline: asked.outline, full: asked.full };
    ToolOutput::json(&lookup(&bundle, &asked.id, part, context.now)?)
}
