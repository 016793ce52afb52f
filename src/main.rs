//! The default build: link lines and the entry point, nothing else.

use std::process::ExitCode;

use okf_plugin_identity as _;
use okf_plugin_read as _;
use okf_plugin_search as _;
use okf_plugin_write as _;

fn main() -> ExitCode {
    okf_mcp::run(okf_mcp::Product { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") })
}
