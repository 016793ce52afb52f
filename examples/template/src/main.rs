//! The smallest custom bundle server worth having: copy this crate, rename it, and make it yours.
//!
//! It chooses built-in plugins by linking them, adds a paragraph about its bundle, and offers one tool of
//! its own. It links no write plugin, so it can only read. `docs/guides/plugins.md` walks through it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use okf_core::bundle::Bundle;
use okf_mcp::context::Context;
use okf_mcp::identity::BundleIdentity;
use okf_mcp::provider::{IdentityProvider, ToolProvider};
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde_json::{Value, json};

// A crate that is only listed in Cargo.toml links nothing; these lines do.
use okf_plugin_identity as _;
use okf_plugin_read as _;

/// Adds a paragraph to the instructions, after the built-in identity.
struct House;

okf_mcp::register_identity_provider!(House);

impl IdentityProvider for House {
    fn name(&self) -> &str {
        "template-house"
    }

    fn instructions(&self, _: &BundleIdentity) -> Option<String> {
        Some("To see how the concepts are tagged, call count-tags.".to_owned())
    }
}

/// Offers one tool.
struct Tags;

okf_mcp::register_tool_provider!(Tags);

impl ToolProvider for Tags {
    fn name(&self) -> &str {
        "template-tags"
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        let at_least =
            json!({"type": "integer", "minimum": 1, "default": 1, "description": "Only tags on so many concepts."});
        let spec = ToolSpec {
            name: "count-tags".to_owned(),
            title: "Count tags".to_owned(),
            description: "Count how many concepts of this knowledge bundle carry each tag, most frequent first."
                .to_owned(),
            input_schema: object_schema(json!({ "at_least": at_least }), &[]),
            effect: Effect::Read,
            search_hint: None,
            always_load: false,
            max_result_chars: None,
        };
        vec![Tool::new(spec, answer)]
    }
}

/// The handler. The server has checked the arguments against the schema before it calls one.
fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let at_least = arguments.0.get("at_least").and_then(Value::as_u64).unwrap_or(1);
    let tags = count_tags(&*context.bundle()?, at_least)?;
    ToolOutput::json(&json!({ "tags": tags }))
}

/// The tags that at least so many concepts carry, most frequent first.
fn count_tags(bundle: &Bundle, at_least: u64) -> Result<Vec<Value>, ToolError> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for concept in bundle.concepts() {
        for tag in &concept.metadata().tags {
            *counts.entry(tag).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count >= at_least).collect();
    if counts.is_empty() {
        // An error says what helps, so that a model can correct itself.
        return Err(ToolError::new(format!("no tag is on {at_least} or more concepts; try a smaller `at_least`")));
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    Ok(counts.into_iter().map(|(tag, count)| json!({"tag": tag, "count": count})).collect())
}

fn main() -> ExitCode {
    okf_mcp::run(okf_mcp::Product { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_counted_and_the_most_frequent_comes_first() {
        let files = [("a.md", "---\ntype: Note\ntags: [x, y]\n---\n"), ("b.md", "---\ntype: Note\ntags: [y]\n---\n")];
        let bundle = Bundle::from_files(files).expect("the paths are bundle paths");
        let tags = count_tags(&bundle, 1).expect("there are tags");
        assert_eq!(tags, [json!({"tag": "y", "count": 2}), json!({"tag": "x", "count": 1})]);
    }
}
