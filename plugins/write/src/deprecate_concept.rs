//! `deprecate-concept`: a concept that is no longer to be relied on.

use okf_core::change::Change;
use okf_mcp::answers::write::write;
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::Deserialize;
use serde_json::json;

use crate::property;

#[derive(Deserialize)]
struct Asked {
    id: String,
    note: Option<String>,
    expected_revision: Option<String>,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "deprecate-concept".to_owned(),
        title: "Deprecate a concept".to_owned(),
        description: "Mark a concept of this knowledge bundle as deprecated, with a reason in the log, instead of deleting its file: links to \
                      it keep working, and it ranks lower. The write keeps index and log current."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "id": property::text("ID of the concept."),
                "note": property::text("Why, and what to use instead; written to the log only."),
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
    let Asked { id, note, expected_revision } = arguments.read()?;
    write(context, Change::Deprecate { id, note, expected_revision })
}
