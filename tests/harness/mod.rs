//! What every story needs: bundles on disk, the real binary, a client that checks the wire.

mod cli;
mod normalise;
mod server;
mod shared;
mod tree;
mod unprivileged;

pub use cli::{Invocation, Run, okf};
pub use normalise::placeholders;
pub use server::{REVISIONS, Server, ToolResult, initialize_params, modern_meta};
pub use shared::{note_skipped, shared};
pub use tree::{Tree, concept};
pub use unprivileged::Unprivileged;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

/// The instant at which every story happens.
pub const NOW: &str = "2026-06-15T12:00:00Z";

/// How long anything may hang before a story gives up on it. No story measures time with it.
pub const HANG: Duration = Duration::from_secs(60);

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

/// The binary under test with nothing of the developer's environment.
pub fn binary() -> Command {
    binary_at(&executable())
}

/// The binary that was built with the tests, or another one that `OKF_BINARY` names.
fn executable() -> PathBuf {
    std::env::var_os("OKF_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_okf").into(), PathBuf::from)
}

/// The same for a binary that lies elsewhere.
pub fn binary_at(path: &Path) -> Command {
    let home = concat!(env!("CARGO_TARGET_TMPDIR"), "/home");
    std::fs::create_dir_all(home).expect("the target directory is writable");
    let mut command = Command::new(path);
    command.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin").env("OKF_NOW", NOW).current_dir(home);
    command
}

/// The keys of a JSON object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().unwrap_or_else(|| panic!("not an object: {value}")).keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The strings under one key of every element of an array.
pub fn column<'a>(rows: &'a Value, key: &str) -> Vec<&'a str> {
    array(rows).iter().map(|row| row[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {row}"))).collect()
}

/// An array's elements.
pub fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("not an array: {value}"))
}

/// A count.
pub fn number(value: &Value) -> usize {
    let number = value.as_u64().unwrap_or_else(|| panic!("not a count: {value}"));
    usize::try_from(number).expect("counts fit")
}

/// Fails unless the text holds every one of the parts.
#[track_caller]
pub fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

/// Fails when the text holds one of the parts.
#[track_caller]
pub fn never_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "`{part}` does not belong in:\n{text}");
    }
}
