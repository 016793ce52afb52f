//! `list-concepts`: enumerate.

use okf_core::area::Area;
use okf_core::listing::Filter;
use okf_core::metadata::Status;
use okf_mcp::answers::list::list;
use okf_mcp::answers::page::Question;
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Asked {
    prefix: Option<String>,
    #[serde(rename = "type")]
    concept_type: Option<String>,
    query: Option<String>,
    tag: Option<String>,
    status: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "list-concepts".to_owned(),
        title: "List concepts".to_owned(),
        description: "Enumerate the concepts of this knowledge bundle, or of one area, type, tag or status: ID, type, title, \
                      description, status and trust of each, with the true total. Use it to see what is known instead of \
                      listing or globbing files."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "prefix": {"type": "string", "description": "Area: only IDs that equal it or lie below it. Whole segments, no globs."},
                "type": {"type": "string", "description": "Only concepts of exactly this type."},
                "query": {"type": "string", "description": "Only concepts whose ID, title, description, tags or type hold every one of these words."},
                "tag": {"type": "string", "description": "Only concepts with exactly this tag."},
                "status": {"type": "string", "enum": ["draft", "stable", "deprecated", "unknown"], "description": "Only concepts of this status."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 500, "description": "Concepts in a page."},
                "cursor": {"type": "string", "description": "`next_cursor` of the page before."},
            }),
            &[],
        ),
        effect: Effect::Read,
        search_hint: None,
        always_load: true,
        max_result_chars: Some(60_000),
    };
    Tool::new(spec, answer)
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let question = Question::new("list-concepts", &arguments);
    let asked: Asked = arguments.read()?;
    let bundle = context.bundle()?;
    let filter = Filter {
        area: asked.prefix.as_deref().map(Area::new),
        concept_type: asked.concept_type,
        tag: asked.tag,
        status: asked.status.as_deref().and_then(Status::named),
        query: asked.query,
    };
    let limit = asked.limit.unwrap_or(500);
    ToolOutput::json(&list(&bundle, &filter, question, asked.cursor.as_deref(), limit, context.now)?)
}
