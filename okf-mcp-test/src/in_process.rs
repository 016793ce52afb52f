//! The linked providers, without a binary.

use std::path::Path;

use okf_mcp::in_process;
use okf_mcp::registry::Registry;
use serde_json::Value;

use crate::{NOW, ToolResult};

/// A server of the test's own process: the tools of the providers that are linked into it.
///
/// Everything but the wire is what a client gets: checked arguments, composed texts, the gates of a write,
/// and a panic that is the error of one call.
pub struct InProcess {
    server: in_process::InProcess,
}

impl InProcess {
    /// Serves a bundle with the linked providers.
    ///
    /// # Panics
    ///
    /// The providers do not make a server, or the bundle cannot be read.
    #[must_use]
    #[track_caller]
    pub fn serve(root: impl AsRef<Path>) -> Self {
        let registry = Registry::linked().unwrap_or_else(|error| panic!("no server: {error}"));
        Self::with(registry, root)
    }

    /// Serves a bundle with these providers.
    ///
    /// # Panics
    ///
    /// As for [`InProcess::serve`].
    #[must_use]
    #[track_caller]
    pub fn with(registry: Registry, root: impl AsRef<Path>) -> Self {
        let product = okf_mcp::Product { name: "test", version: "0.0.0" };
        let server = in_process::InProcess::open(product, registry, root.as_ref())
            .unwrap_or_else(|error| panic!("no server: {error}"));
        Self { server: server.at(NOW.parse().expect("it is an instant")) }
    }

    /// What `tools/list` shows.
    #[must_use]
    pub fn tools(&self) -> Vec<Value> {
        self.server.tools()
    }

    /// The names of the tools, in order.
    #[must_use]
    pub fn tool_names(&self) -> Vec<String> {
        self.tools().iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The instructions that a client is given; empty when no provider has any.
    #[must_use]
    pub fn instructions(&self) -> String {
        self.server.instructions().unwrap_or_default()
    }

    /// What did not fit the byte budgets and was left out, one line each.
    #[must_use]
    pub fn left_out(&self) -> Vec<String> {
        self.server.left_out()
    }

    /// Calls a tool.
    pub fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.server.call(tool, arguments).into()
    }

    /// The JSON of a call that succeeds.
    ///
    /// # Panics
    ///
    /// It fails.
    #[track_caller]
    pub fn ask(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).json()
    }

    /// The message of a call that fails.
    ///
    /// # Panics
    ///
    /// It succeeds.
    #[track_caller]
    pub fn refused(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).error()
    }
}
