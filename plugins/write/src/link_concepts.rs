//! `link-concepts`: one concept derives from another.

use okf_core::change::Change;
use okf_mcp::answers::write::write;
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::Deserialize;
use serde_json::json;

use crate::property;

#[derive(Deserialize)]
struct Asked {
    source: String,
    target: String,
    relationship: String,
    expected_revision: Option<String>,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "link-concepts".to_owned(),
        title: "Link concepts".to_owned(),
        description: "Record in this knowledge bundle that a concept relates to another: adds the target with the relationship to the \
                      `sources` of the source. The write keeps the log current; the same link twice changes nothing. The target may be \
                      missing still."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "source": property::text("ID of the concept that gets the link."),
                "target": property::text("ID of the concept that it leads to."),
                "relationship": {"type": "string", "minLength": 1, "description": "What the target is to the source, such as `derived-from`."},
                "expected_revision": property::expected_revision(),
            }),
            &["source", "target", "relationship"],
        ),
        effect: Effect::Write { destructive: false, idempotent: true },
        search_hint: None,
        always_load: false,
        max_result_chars: None,
    };
    Tool::new(spec, answer)
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let Asked { source, target, relationship, expected_revision } = arguments.read()?;
    write(context, Change::Link { source, target, relationship, expected_revision })
}
