//! The built-in read plugin: enumerate, read, follow and judge.

mod list_concepts;
mod lookup_concept;
mod query_graph;
mod validate;

use okf_mcp::identity::BundleIdentity;
use okf_mcp::provider::ToolProvider;
use okf_mcp::tool::Tool;

struct Read;

impl ToolProvider for Read {
    fn name(&self) -> &str {
        "read"
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        vec![list_concepts::tool(), lookup_concept::tool(), query_graph::tool(), validate::tool()]
    }
}

okf_mcp::register_tool_provider!(Read);
