//! The built-in search plugin: find text.

mod search_concepts;

use okf_mcp::identity::BundleIdentity;
use okf_mcp::provider::ToolProvider;
use okf_mcp::tool::Tool;

struct Search;

impl ToolProvider for Search {
    fn name(&self) -> &str {
        "search"
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        vec![search_concepts::tool()]
    }
}

okf_mcp::register_tool_provider!(Search);
