//! A test harness for servers built on okf-mcp.
//!
//! [`Tree`] makes a bundle on disk for one test. [`Program`] runs a binary the way clients do, and
//! [`Server`] is a client over stdio that fails the test at the first line which is not good JSON-RPC.
//! [`InProcess`] calls the tools of the providers that are linked into the test itself, which a plugin
//! without a binary of its own needs. None of it measures time, reads the developer's environment or leaves
//! anything behind.
//!
//! The test of a server of one's own, in `tests/` of its package:
//!
//! ```no_run
//! use okf_mcp_test::{Program, Tree, json};
//!
//! # macro_rules! env { ($name:literal) => { "my-okf" } }
//! let tree = Tree::bundle(&[("a.md", "---\ntype: Note\ntags: [x]\n---\n")]);
//! let mut server = Program::new(env!("CARGO_BIN_EXE_my-okf")).serve(tree.root());
//! assert_eq!(server.tool_names(), ["count-tags", "list-concepts", "lookup-concept", "query-graph", "validate"]);
//! assert_eq!(server.ask("count-tags", json!({}))["tags"][0]["tag"], "x");
//! assert!(server.refused("count-tags", json!({"at_least": 9})).contains("at_least"));
//! assert_eq!(server.close().code, Some(0));
//! ```

pub mod check;
mod in_process;
mod program;
mod run;
mod server;
mod tree;

use std::time::Duration;

pub use in_process::InProcess;
pub use program::Program;
pub use run::{Invocation, Run};
pub use serde_json::json;
pub use server::{Exit, REVISIONS, Server, ToolResult, initialize_params, modern_meta};
pub use tree::{Tree, concept};

/// The instant at which every test happens, so that dates and staleness can be compared.
pub const NOW: &str = "2026-06-15T12:00:00Z";

/// How long anything may hang before a test gives up on it. No test measures time with it.
pub const HANG: Duration = Duration::from_secs(60);
