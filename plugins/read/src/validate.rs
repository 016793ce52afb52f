//! `validate`: reproduce the CI gate.

use okf_core::validate::{Options, validate_unless};
use okf_mcp::answers::page::Question;
use okf_mcp::answers::validate::{Shown, validate};
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    links: bool,
    prefix: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "validate".to_owned(),
        title: "Validate the bundle".to_owned(),
        description: "Judge whether this knowledge bundle conforms to the Open Knowledge Format: errors and advisories with path, line \
                      and column, totals and the exit code that the command line and CI give. Use it after edits."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "strict": {"type": "boolean", "default": false, "description": "Let advisories fail the verdict."},
                "links": {"type": "boolean", "default": false, "description": "Report broken links too, as advisories."},
                "prefix": {"type": "string", "description": "Show only findings in this area; verdict and totals stay the bundle's."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100, "description": "Findings in a page."},
                "cursor": {"type": "string", "description": "`next_cursor` of the page before."},
            }),
            &[],
        ),
        effect: Effect::Read,
        search_hint: None,
        always_load: false,
        max_result_chars: Some(60_000),
    };
    Tool::new(spec, answer)
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let question = Question::new("validate", &arguments);
    let asked: Asked = arguments.read()?;
    let bundle = context.bundle()?;
    let report = validate_unless(&bundle, Options { links: asked.links }, context.cancelled())
        .ok_or_else(|| ToolError::new("the call was cancelled"))?;
    let profiles = context.profiles().judge(&bundle).map_err(|error| ToolError::new(error.to_string()))?;
    let shown = Shown {
        strict: asked.strict,
        prefix: asked.prefix.as_deref(),
        limit: asked.limit.unwrap_or(100),
        cursor: asked.cursor.as_deref(),
    };
    ToolOutput::json(&validate(&bundle, &report, &profiles, shown, question)?)
}
