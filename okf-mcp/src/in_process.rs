//! A server without a wire: for tests of providers, and for programs that have a client of their own.

use std::path::Path;
use std::sync::Arc;

use okf_core::disk;
use okf_core::snapshot::Snapshot;
use okf_core::timestamp::Timestamp;
use serde_json::Value;

use crate::cli::Product;
use crate::clock::Clock;
use crate::compose::Introduction;
use crate::context::Context;
use crate::registry::Registry;
pub use crate::server::OpenError;
use crate::server::{Catalogue, Offer};
use crate::tool::{ToolError, ToolOutput, ToolSpec};

/// A server in the caller's process: the texts that a client would be told, and tools that run in place.
///
/// Arguments are checked, texts keep their budgets, writes pass their gates, and a panic in a handler is the
/// error of its call, all by the code that serves clients.
///
/// ```standalone_crate
/// use okf_mcp::in_process::InProcess;
/// use okf_mcp::registry::Registry;
///
/// # let directory = tempfile::tempdir()?;
/// # let root = directory.path();
/// let product = okf_mcp::Product { name: "my-okf", version: "1.0.0" };
/// let server = InProcess::open(product, Registry::linked()?, root)?;
/// assert!(server.tools().is_empty(), "this example links no plugin");
/// assert!(server.call("list-concepts", serde_json::json!({})).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct InProcess {
    catalogue: Catalogue,
    snapshot: Snapshot,
    clock: Clock,
}

impl InProcess {
    /// Serves the bundle at a root with the tools of a registry.
    ///
    /// # Errors
    ///
    /// The bundle cannot be read, or the providers do not make a server.
    pub fn open(product: Product, registry: Registry, root: &Path) -> Result<Self, OpenError> {
        let root = disk::resolve_root(root).map_err(OpenError::Disk)?;
        let (catalogue, _) = Catalogue::open(product, registry, root.clone(), false)?;
        catalogue.offer().map_err(OpenError::Registry)?;
        Ok(Self { catalogue, snapshot: Snapshot::new(&root), clock: Clock::System })
    }

    /// The same server with the clock pinned to an instant.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        Self { clock: Clock::Pinned(now), ..self }
    }

    /// The instructions that a client is given.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.introduction().greeting.instructions.clone()
    }

    /// The tools as `tools/list` shows them.
    #[must_use]
    pub fn tools(&self) -> Vec<Value> {
        self.introduction().tools.iter().map(ToolSpec::to_json).collect()
    }

    /// What did not fit the byte budgets and was left out, one line each.
    #[must_use]
    pub fn left_out(&self) -> Vec<String> {
        self.introduction().left_out.clone()
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// There is no such tool, the arguments do not fit its schema, or what its handler says.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        let Value::Object(arguments) = arguments else { return Err(ToolError::new("arguments are a JSON object")) };
        let offer = self.offer();
        if offer.tools.get(tool).is_none() {
            return Err(ToolError::new(format!("unknown tool `{}`", okf_core::finding::Escaped(tool))));
        }
        let context =
            Context::new(self.clock.now(), &self.snapshot, &|| false).with_profiles(self.catalogue.profiles());
        offer.call(tool, arguments, &context)
    }

    /// The texts as the disk says now.
    fn introduction(&self) -> Arc<Introduction> {
        // An offer that was made once does not fail; what cannot be read keeps the last texts.
        let _ = self.catalogue.refresh();
        self.offer().current()
    }

    fn offer(&self) -> &Offer {
        self.catalogue.made_offer().expect("it was made when the server was opened")
    }
}
