//! What a user without privileges may not do: the old state stands, and it is said why. Root may run these
//! stories as well; the binary then runs as somebody else.

use serde_json::{Value, json};

use super::{NOTE, difference, files};
use crate::harness::{Invocation, Run, Server, ToolResult, Tree, Unprivileged, says};

fn user() -> Unprivileged {
    user_with(&[])
}

/// A user with a bundle that holds these files as well.
fn user_with(files: &[(&str, &str)]) -> Unprivileged {
    let tree = Tree::bundle(&[("a.md", NOTE), ("z/b.md", NOTE), ("z/index.md", "# Note\n\n* [b](b.md)\n")]);
    tree.write("log.md", "# Log\n");
    for (path, text) in files {
        tree.write(path, text);
    }
    Unprivileged::own(tree)
}

fn run(user: &Unprivileged, command: &[&str]) -> Run {
    let arguments = command.iter().copied().chain([user.tree().shown()]);
    Invocation::from(user.command(arguments)).run()
}

fn call(user: &Unprivileged, tool: &str, arguments: Value) -> ToolResult {
    let mut server = Server::start(user.command(["mcp", user.tree().shown()]));
    server.initialize("2025-06-18");
    server.call(tool, arguments)
}

fn retitle(user: &Unprivileged, id: &str) -> ToolResult {
    call(user, "update-concept", json!({"id": id, "title": "Another"}))
}

/// While something has a mode: reading works, and the given writes fail with a message that holds the parts.
/// Nothing is changed, and with the mode as before the writes succeed and leave nothing behind.
#[track_caller]
fn refuses(user: &Unprivileged, path: &str, mode: u32, id: &str, parts: &[&str]) {
    let before = files(user.tree().root());
    let message = user.with_mode(path, mode, || {
        run(user, &["list"]).exits(0);
        assert_eq!(call(user, "list-concepts", json!({})).json()["total"], 2);
        retitle(user, id).error()
    });
    says(&message, parts);
    assert_eq!(difference(&before, &files(user.tree().root())), [""; 0], "{message}");
    retitle(user, id).json();
    assert!(!user.tree().path(".okf-stage").exists());
}

#[test]
fn a_read_only_directory_is_read_and_not_written() {
    let user = user();
    refuses(&user, "", 0o555, "a", &["cannot open the lock", "Permission denied", "the old state stands"]);
    let user = self::user();
    user.with_mode("", 0o555, || {
        let index = run(&user, &["index", "--regenerate"]).exits(2);
        says(&index.stderr, &["okf: cannot open the lock", "Permission denied", "the old state stands"]);
        run(&user, &["validate"]).exits(0);
    });
    assert!(!user.tree().path(".okf.lock").exists());
}

#[test]
fn a_read_only_file_is_not_replaced() {
    refuses(&user(), "a.md", 0o444, "a", &["`a.md` is read-only; the old state stands"]);
    refuses(&user(), "log.md", 0o444, "a", &["`log.md` is read-only; the old state stands"]);
}

#[test]
fn a_lock_file_that_may_not_be_written_stops_writers_alone() {
    let user = user();
    retitle(&user, "z/b").json();
    refuses(&user, ".okf.lock", 0o444, "a", &["cannot open the lock", "Permission denied", "the old state stands"]);
}

#[test]
fn a_lock_file_that_may_not_be_read_stops_everybody_with_the_reason() {
    let user = user();
    retitle(&user, "z/b").json();
    let before = files(user.tree().root());
    user.with_mode(".okf.lock", 0o000, || {
        says(&run(&user, &["list"]).exits(2).stderr, &[".okf.lock", "Permission denied"]);
    });
    assert_eq!(files(user.tree().root()), before);
}

#[test]
fn a_stage_that_may_not_be_emptied_stops_writers_alone() {
    let user = user_with(&[(".okf.lock", ""), (".okf-stage/0.new", "left behind")]);
    refuses(&user, ".okf-stage", 0o555, "a", &[".okf-stage", "Permission denied", "the old state stands"]);
}

#[test]
fn a_directory_that_may_not_be_written_is_noticed_after_the_commit_point_and_all_is_taken_back() {
    refuses(&user(), "z", 0o555, "z/b", &["cannot replace `z/", "Permission denied", "the old state stands"]);
    let user = user();
    let before = files(user.tree().root());
    let new = json!({"id": "z/new/c", "type": "Note"});
    let message = user.with_mode("z", 0o555, || call(&user, "create-concept", new.clone()).error());
    says(&message, &["cannot make the new directories", "the old state stands"]);
    assert_eq!(difference(&before, &files(user.tree().root())), [""; 0]);
    call(&user, "create-concept", new).json();
}

#[test]
fn canonical_form_passes_over_a_directory_that_may_not_be_written() {
    let user =
        user_with(&[("loose.md", "---\ntype: Note\n---\nBody.\n"), ("z/loose.md", "---\ntype: Note\n---\nBody.\n")]);
    let before = files(user.tree().root());
    user.with_mode("z", 0o555, || {
        let format = run(&user, &["format"]).exits(1);
        assert_eq!(format.stdout, "loose.md\n");
        says(&format.stderr, &["left alone: z/loose.md: its directory may not be written", "Permission denied"]);
    });
    assert_eq!(difference(&before, &files(user.tree().root())), ["loose.md"]);
}

#[test]
fn an_unreadable_file_is_left_alone_and_the_rest_is_written() {
    let user = user();
    let before = files(user.tree().root());
    user.with_mode("a.md", 0o000, || {
        let list = call(&user, "list-concepts", json!({})).json();
        assert_eq!(list["unreadable"][0]["path"], "a.md", "{list}");
        says(&retitle(&user, "a").error(), &["a", "cannot be read"]);
        retitle(&user, "z/b").json();
    });
    assert_eq!(difference(&before, &files(user.tree().root())), ["log.md", "z/b.md", "z/index.md"]);
}

#[test]
fn a_directory_that_may_not_be_searched_is_left_alone_and_the_rest_is_written() {
    for mode in [0o000, 0o600, 0o300] {
        let user = user();
        let before = files(user.tree().root());
        user.with_mode("z", mode, || {
            run(&user, &["list"]).exits(0);
            run(&user, &["validate"]).exits(1);
            let message = "#/id: `z` cannot be listed, so nothing is written below it";
            assert_eq!(call(&user, "create-concept", json!({"id": "z/c", "type": "Note"})).error(), message);
            assert_eq!(retitle(&user, "z/b").error(), message);
            retitle(&user, "a").json();
        });
        let changed = difference(&before, &files(user.tree().root()));
        assert_eq!(changed, ["a.md", "index.md", "log.md"], "mode {mode:o}");
    }
}
