//! The profile seen from outside: the real binary, beside okf's own plugins in this process.

mod introduction;
mod reports;
mod writes;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use okf_mcp_test::{Program, Tree};

// What okf links, and so what `InProcess` serves here: everything but the profile.
use okf_plugin_identity as _;
use okf_plugin_read as _;
use okf_plugin_search as _;
use okf_plugin_write as _;

/// The tools of okf, by name.
const OKF: [&str; 9] = [
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

/// The binary under test.
fn okfp() -> Program {
    Program::new(env!("CARGO_BIN_EXE_okfp"))
}

/// A copy of the sample.
fn sample() -> Tree {
    copy(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/sample")))
}

fn copy(root: &Path) -> Tree {
    let tree = Tree::new(&[]);
    for (path, bytes) in files(root) {
        tree.write(&path, bytes);
    }
    tree
}

/// Every file of a bundle with its content. The lock file and what an interrupted write leaves are none of it.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            let shown = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
            if shown.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                pending.push(path);
            } else {
                found.insert(shown, fs::read(&path).expect("it can be read"));
            }
        }
    }
    found
}
