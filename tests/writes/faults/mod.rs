//! Writes of the real binary that are killed, or of which one operation fails (contract §8, Crash safety).

mod random;
mod steps;
mod system_calls;

use std::ffi::OsString;
use std::process::Command;

use serde_json::{Value, json};

use super::{Files, NOTE, difference, files};
use crate::harness::{Invocation, Server, Tree, okf};

/// A write to disturb: a commit of several files, and what asks for it.
struct Write {
    name: &'static str,
    tree: fn() -> Tree,
    /// The tool to call on a server; without one, the command line writes.
    call: Option<fn() -> (&'static str, Value)>,
}

/// How a write ended.
#[derive(Debug)]
enum End {
    Done,
    Killed,
    /// What it said.
    Failed(String),
}

/// One file replaced at the root and in a directory each, two created.
const INDEX: Write = Write { name: "okf index --regenerate", tree: to_index, call: None };

/// A concept, the index that lists it and the log, all of them replaced.
const UPDATE: Write = Write {
    name: "update-concept",
    tree: bundle,
    call: Some(|| ("update-concept", json!({"id": "a/one", "title": "Another", "body": "New text."}))),
};

/// Two directories with their indexes and a concept created, and the index above and the log replaced.
const CREATE: Write = Write {
    name: "create-concept",
    tree: bundle,
    call: Some(|| ("create-concept", json!({"id": "new/area/three", "type": "Note", "title": "Three"}))),
};

fn to_index() -> Tree {
    Tree::new(&[
        ("index.md", "---\nokf_version: \"0.2\"\n---\n\n# Mine\n\n* [Old](old.md)\n"),
        ("a/index.md", "# Mine\n\n* [One](one.md)\n"),
        ("a/one.md", NOTE),
        ("b/two.md", NOTE),
        ("b/c/three.md", NOTE),
    ])
}

fn bundle() -> Tree {
    let tree = Tree::bundle(&[
        ("a/index.md", "# Note\n\n* [one](one.md)\n"),
        ("a/one.md", NOTE),
        ("log.md", "# Log\n\n## 2026-01-01\n\n* Old.\n"),
    ]);
    tree.write("index.md", "---\nokf_version: \"0.2\"\n---\n\n# Acme\n\n* [a](a/)\n");
    tree
}

impl Write {
    /// The arguments of the binary.
    fn arguments(&self, tree: &Tree) -> Vec<OsString> {
        let command: &[&str] = if self.call.is_some() { &["mcp"] } else { &["index", "--regenerate"] };
        command.iter().map(OsString::from).chain([tree.root().into()]).collect()
    }

    /// Runs the binary by a command that has its arguments.
    fn run(&self, command: Command) -> End {
        let Some(call) = self.call else {
            let run = Invocation::from(command).run();
            return match run.code {
                0 => End::Done,
                -1 => End::Killed,
                _ => End::Failed(run.stderr),
            };
        };
        let (tool, arguments) = call();
        let mut server = Server::start(command);
        server.initialize("2025-06-18");
        let Some(answer) = server.call_until_killed(tool, arguments) else { return End::Killed };
        assert_eq!(server.close().code, Some(0), "the server goes on");
        if answer.is_error { End::Failed(answer.blocks.join("\n")) } else { End::Done }
    }

    /// The bundle before and after the write, undisturbed.
    fn states(&self) -> (Files, Files) {
        let tree = (self.tree)();
        let old = files(tree.root());
        let mut command = crate::harness::binary();
        command.args(self.arguments(&tree));
        assert!(matches!(self.run(command), End::Done), "{}", self.name);
        let new = files(tree.root());
        assert!(difference(&old, &new).len() >= 3, "{}: several files are written", self.name);
        (old, new)
    }
}

/// Runs the command after the write: it finds the old or the new state, and leaves nothing else. Tells whether
/// it is the new one.
#[track_caller]
fn is_new_after_the_next_command(tree: &Tree, (old, new): &(Files, Files), context: &str) -> bool {
    okf(&["list", tree.shown()]).run().exits(0);
    let now = files(tree.root());
    assert!(now == *old || now == *new, "{context}: {:?} differ from the old state", difference(old, &now));
    let journal = std::fs::read(tree.path(".okf.lock")).unwrap_or_default();
    assert!(journal.is_empty(), "{context}: a journal is left");
    now == *new
}

/// Checks a write that was disturbed and not killed: what it says is what stands, at once and after the next
/// command. Tells whether that is the new state.
#[track_caller]
fn is_as_said(end: &End, tree: &Tree, states: &(Files, Files), context: &str) -> bool {
    let mut now = files(tree.root());
    now.retain(|path, _| !path.starts_with(".okf-stage"));
    let stands = match end {
        End::Done => Some(&states.1),
        End::Failed(message) if message.contains("the old state stands") => Some(&states.0),
        End::Failed(message) if message.contains("the new state stands") => Some(&states.1),
        End::Failed(message) if message.contains("the change is pending") => None,
        End::Failed(message) => panic!("{context}: it is not said which state stands: {message}"),
        End::Killed => panic!("{context}: the process is gone"),
    };
    if let Some(stands) = stands {
        assert_eq!(difference(&now, stands), [""; 0], "{context}: {end:?}");
    }
    let is_new = is_new_after_the_next_command(tree, states, context);
    if let Some(stands) = stands {
        assert_eq!(is_new, *stands == states.1, "{context}: the next command changed its mind");
    }
    is_new
}
