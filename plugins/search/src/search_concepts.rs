//! `search-concepts`: find text.

use okf_core::area::Area;
use okf_core::listing::Filter;
use okf_core::search::{Mode, Scope, SearchRequest};
use okf_mcp::answers::page::{PAGE_BUDGET, Question};
use okf_mcp::answers::search::{Shown, search};
use okf_mcp::context::Context;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Asked {
    query: String,
    mode: Option<String>,
    #[serde(default)]
    case_sensitive: bool,
    prefix: Option<String>,
    #[serde(rename = "type")]
    concept_type: Option<String>,
    tag: Option<String>,
    #[serde(rename = "in")]
    scope: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
    context: Option<usize>,
}

pub(super) fn tool() -> Tool {
    let spec = ToolSpec {
        name: "search-concepts".to_owned(),
        title: "Search concepts".to_owned(),
        description: "Find text in this knowledge bundle: words, a phrase or a regular expression, over metadata and bodies, best concepts \
                      first, with matching lines, line numbers, sections and true totals. Always fresh. Use it instead of grep or ripgrep."
            .to_owned(),
        input_schema: object_schema(
            json!({
                "query": {"type": "string", "minLength": 1, "description": "Text, words, a question, or a pattern with mode `regex`."},
                "mode": {"type": "string", "enum": ["literal", "regex", "words"], "default": "literal", "description": "`literal`: substring, answered as words when nothing holds it; `regex`: line by line; `words`: all words, any order."},
                "case_sensitive": {"type": "boolean", "default": false, "description": "Whether case matters."},
                "prefix": {"type": "string", "description": "Only concepts in this area."},
                "type": {"type": "string", "description": "Only concepts of exactly this type."},
                "tag": {"type": "string", "description": "Only concepts with exactly this tag."},
                "in": {"type": "string", "enum": ["all", "frontmatter", "body"], "default": "all", "description": "Which part of a concept."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "Concepts in a page."},
                "cursor": {"type": "string", "description": "`next_cursor` of the page before."},
                "context": {"type": "integer", "minimum": 0, "maximum": 5, "default": 1, "description": "Lines of context around a hit; when left out, answers by words show hit lines alone."},
            }),
            &["query"],
        ),
        effect: Effect::Read,
        search_hint: None,
        always_load: true,
        max_result_chars: Some(40_000),
    };
    Tool::new(spec, answer)
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let question = Question::new("search-concepts", &arguments);
    let asked: Asked = arguments.read()?;
    let bundle = context.bundle()?;
    let request = SearchRequest {
        query: &asked.query,
        mode: match asked.mode.as_deref() {
            Some("regex") => Mode::Regex,
            Some("words") => Mode::Words,
            _ => Mode::Literal,
        },
        case_sensitive: asked.case_sensitive,
        filter: Filter {
            area: asked.prefix.as_deref().map(Area::new),
            concept_type: asked.concept_type,
            tag: asked.tag,
            ..Filter::default()
        },
        scope: match asked.scope.as_deref() {
            Some("frontmatter") => Scope::Frontmatter,
            Some("body") => Scope::Body,
            _ => Scope::All,
        },
        now: context.now,
    };
    let shown = Shown {
        limit: asked.limit.unwrap_or(20),
        cursor: asked.cursor.as_deref(),
        budget: PAGE_BUDGET,
        context: asked.context,
    };
    ToolOutput::json(&search(&bundle, &request, shown, question, context.cancelled())?)
}
