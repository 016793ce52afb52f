//! The write tools (contract §8, §9).

mod concurrency;
mod create;
mod deprecate;
mod errors;
mod faults;
mod injection;
mod link;
mod locks;
mod permissions;
mod update;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Server, Tree, array};

/// Contents by path.
type Files = BTreeMap<String, Vec<u8>>;

const NOTE: &str = "---\ntype: Note\n---\n\nBody.\n";

/// Every file below a directory with its content, but for the lock file, which the first writer leaves.
fn files(root: &Path) -> Files {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            let shown = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
            let kind = fs::symlink_metadata(&path).expect("it exists").file_type();
            if kind.is_dir() {
                found.insert(format!("{shown}/"), Vec::new());
                pending.push(path);
            } else if kind.is_symlink() {
                found.insert(format!("{shown}@"), Vec::new());
            } else if shown != ".okf.lock" {
                found.insert(shown, fs::read(&path).expect("it can be read"));
            }
        }
    }
    found
}

/// The paths that differ between two states.
fn difference(before: &Files, after: &Files) -> Vec<String> {
    let mut paths: Vec<_> =
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().cloned().collect()
}

/// Makes a change that succeeds: the answer names exactly the files that are different now, and the concept's
/// revision.
#[track_caller]
fn writes(server: &mut Server, tree: &Tree, tool: &str, arguments: Value) -> Vec<String> {
    let before = files(tree.root());
    let answer = server.ask(tool, arguments.clone());
    let changed: Vec<String> = serde_json::from_value(answer["changed_paths"].clone()).expect("a list of paths");
    let different: Vec<_> =
        difference(&before, &files(tree.root())).into_iter().filter(|path| !path.ends_with('/')).collect();
    assert_eq!(changed, different, "{tool} {arguments}");
    let id = arguments.get("id").unwrap_or(&arguments["source"]);
    assert_eq!(server.ask("lookup-concept", json!({"id": id}))["revision"], answer["revision"]);
    changed
}

/// Makes a change that fails: nothing is written. Gives the blocks of the answer.
#[track_caller]
fn fails(server: &mut Server, tree: &Tree, tool: &str, arguments: Value) -> Vec<String> {
    let before = files(tree.root());
    let answer = server.call(tool, arguments.clone());
    assert!(answer.is_error, "{tool} {arguments}: {:?}", answer.blocks);
    assert_eq!(difference(&before, &files(tree.root())), [""; 0], "{tool} {arguments}");
    answer.blocks
}

/// The message of a change that describes no state of the bundle: there is no report.
#[track_caller]
fn impossible(server: &mut Server, tree: &Tree, tool: &str, arguments: Value) -> String {
    let blocks = fails(server, tree, tool, arguments);
    let [message] = &blocks[..] else { panic!("more than a message: {blocks:?}") };
    message.clone()
}

/// The findings of a change that is refused.
#[track_caller]
fn refusal(server: &mut Server, tree: &Tree, tool: &str, arguments: Value) -> Vec<(String, String)> {
    let blocks = fails(server, tree, tool, arguments);
    let [message, report] = &blocks[..] else { panic!("no report: {blocks:?}") };
    let report: Value = serde_json::from_str(report).expect("the report is JSON");
    assert_eq!(crate::harness::keys(&report), ["findings"]);
    let found: Vec<_> = array(&report["findings"])
        .iter()
        .map(|finding| {
            assert_eq!(finding["severity"], "error", "advisories never refuse");
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            (text(&finding["id"]), text(&finding["location"]["path"]))
        })
        .collect();
    assert!(message.contains(&found[0].0), "{message}");
    found
}

fn text(tree: &Tree, path: &str) -> String {
    fs::read_to_string(tree.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
