//! The framework of the okf server: the provider seam, the MCP adapter and the command line.
//!
//! Start reading at [`provider`]. Everything that a server says or does comes from providers; the
//! built-in plugins register through the same macros as anybody's.

pub mod answers;
mod cli;
mod clock;
mod compose;
pub mod context;
mod discover;
pub mod discovery;
pub mod identity;
pub mod in_process;
mod logging;
pub mod profiles;
pub mod provider;
pub mod registry;
mod schema;
mod server;
pub mod tool;
mod wire;

pub use cli::{Product, run};
pub use inventory;
