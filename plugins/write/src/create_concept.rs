//! `create-concept`: a new concept where nothing is.

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
    concept_type: String,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    body: Option<String>,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "create-concept".to_owned(),
        title: "Create a concept".to_owned(),
        description: "Add a new concept to this knowledge bundle. The write keeps index and log current and is checked against the \
                      format before anything is saved; an existing file is never replaced. Use it instead of writing a file."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "id": property::text("ID of the new concept: its path without `.md`, such as `tables/orders`."),
                "type": property::text("What kind of thing it is; reuse a type of the bundle where one fits."),
                "title": property::text("Title for people."),
                "description": property::text("One sentence, which the index shows."),
                "tags": property::tags("Tags, each one string."),
                "body": property::text("Markdown below the frontmatter."),
            }),
            &["id", "type"],
        ),
        effect: Effect::Write { destructive: false, idempotent: false },
        search_hint: None,
        always_load: false,
        max_result_chars: None,
    };
    Tool::new(spec, answer)
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let asked: Asked = arguments.read()?;
    let fields = Fields {
        concept_type: Some(asked.concept_type),
        title: asked.title,
        description: asked.description,
        tags: asked.tags,
        body: asked.body,
    };
    write(context, Change::Create { id: asked.id, fields })
}
