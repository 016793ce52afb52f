//! What every story needs: the shared harness of okf-mcp-test with okf as the program.

mod normalise;
mod server;
mod shared;
mod unprivileged;

pub use normalise::placeholders;
pub use okf_mcp_test::check::{array, column, keys, never_says, number, says};
pub use okf_mcp_test::{
    HANG, Invocation, Program, REVISIONS, Run, ToolResult, Tree, concept, initialize_params, modern_meta,
};
pub use server::Server;
pub use shared::{note_skipped, shared};
pub use unprivileged::Unprivileged;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The tools of this build, by name.
pub const TOOLS: [&str; 9] = [
    "create-concept",
    "deprecate-concept",
    "link-concepts",
    "list-concepts",
    "lookup-concept",
    "query-graph",
    "search-concepts",
    "update-concept",
    "validate",
];

/// Those of them that read only.
pub const READING: [&str; 5] = ["list-concepts", "lookup-concept", "query-graph", "search-concepts", "validate"];

/// The binary under test.
pub fn program() -> Program {
    Program::new(executable())
}

/// The binary that was built with the tests, or another one that `OKF_BINARY` names.
fn executable() -> PathBuf {
    std::env::var_os("OKF_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_okf").into(), PathBuf::from)
}

/// Its bare command, with nothing of the developer's environment.
pub fn binary() -> Command {
    program().command()
}

/// The same for a binary that lies elsewhere.
pub fn binary_at(path: &Path) -> Command {
    Program::new(path).command()
}

/// Describes a run of the binary with these arguments.
pub fn okf(arguments: &[&str]) -> Invocation {
    program().run(arguments)
}
