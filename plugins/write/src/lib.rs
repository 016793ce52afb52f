//! The built-in write plugin: create, update, link and deprecate concepts.
//!
//! Every tool describes one change and hands it to the write path of okf-core, which keeps index and log
//! and judges the outcome before a byte is written. Knows nothing about files or locks.

mod create_concept;
mod deprecate_concept;
mod link_concepts;
mod property;
mod update_concept;

use okf_mcp::identity::BundleIdentity;
use okf_mcp::provider::ToolProvider;
use okf_mcp::tool::Tool;

struct Write;

impl ToolProvider for Write {
    fn name(&self) -> &str {
        "write"
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        vec![create_concept::tool(), deprecate_concept::tool(), link_concepts::tool(), update_concept::tool()]
    }
}

okf_mcp::register_tool_provider!(Write);
