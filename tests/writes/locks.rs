//! The lock file in other hands (contract §8, Locking), and edits made between a crash and the recovery.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::thread;

use rustix::fs::{CWD, FileType, FlockOperation, Mode, fcntl_lock, mknodat};
use serde_json::json;

use super::{NOTE, difference, fails, files, text, writes};
use crate::harness::{Server, Tree, binary, okf, says};

fn bundle() -> Tree {
    Tree::bundle(&[("a.md", NOTE), ("log.md", "# Log\n")])
}

#[test]
fn a_lock_file_that_is_deleted_is_made_again() {
    let tree = bundle();
    let mut server = Server::serve(tree.root());
    for title in ["One", "Two"] {
        writes(&mut server, &tree, "update-concept", json!({"id": "a", "title": title}));
        tree.remove(".okf.lock");
    }
}

#[test]
fn a_link_in_place_of_the_lock_file_harms_no_victim() {
    let outside = Tree::new(&[("victim", "okf-journal 1\nprecious\n")]);
    for hard in [false, true] {
        let tree = bundle();
        let (victim, place) = (outside.path("victim"), tree.path(".okf.lock"));
        let message = if hard {
            fs::hard_link(&victim, &place).expect("both lie on one file system");
            "is a hard link to another file: remove it to write to this bundle"
        } else {
            symlink(&victim, &place).expect("links can be made");
            "is not a regular file: move it away to write to this bundle"
        };
        refuses_all(&tree, message);
        assert_eq!(text(&outside, "victim"), "okf-journal 1\nprecious\n");
    }
}

#[test]
fn a_pipe_or_directory_in_place_of_the_lock_file_is_refused_at_once() {
    for pipe in [false, true] {
        let tree = bundle();
        if pipe {
            let made = mknodat(CWD, tree.path(".okf.lock"), FileType::Fifo, Mode::from_raw_mode(0o600), 0);
            made.expect("pipes can be made");
        } else {
            tree.directory(".okf.lock");
        }
        refuses_all(&tree, "is not a regular file: move it away to write to this bundle");
    }
}

/// Reading goes on; every way to write says what is wrong and changes nothing.
#[track_caller]
fn refuses_all(tree: &Tree, message: &str) {
    okf(&["list", tree.shown()]).run().exits(0);
    let mut server = Server::serve(tree.root());
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
    // The story's own look at the tree does not open pipes.
    let before = text(tree, "a.md");
    let answer = server.refused("update-concept", json!({"id": "a", "title": "T"}));
    says(&answer, &[".okf.lock", message]);
    says(&okf(&["index", "--regenerate", tree.shown()]).run().exits(2).stderr, &[".okf.lock", message]);
    assert_eq!((text(tree, "a.md"), text(tree, "log.md")), (before, "# Log\n".to_owned()));
}

#[test]
fn foreign_bytes_in_the_lock_file_are_no_journal() {
    let forged = "okf-journal 1\ncreate 00000000000000000000000000000000 x.md\nend 0\n";
    for bytes in [b"12345\n".to_vec(), forged.into(), vec![0; 5_000], vec![0xff; 100_000]] {
        let tree = bundle();
        tree.write(".okf.lock", bytes);
        assert_eq!(okf(&["list", tree.shown()]).run().exits(0).stderr, "");
        writes(&mut Server::serve(tree.root()), &tree, "update-concept", json!({"id": "a", "title": "T"}));
        assert_eq!(fs::read(tree.path(".okf.lock")).expect("it exists"), b"", "the journal is over");
    }
}

#[test]
fn a_posix_lock_of_another_program_is_respected_and_the_wait_for_it_has_an_end() {
    let tree = bundle();
    tree.write(".okf.lock", "");
    let lock = File::options().read(true).write(true).open(tree.path(".okf.lock")).expect("it was just made");
    let (mut server, other) = (Server::serve(tree.root()), Server::serve(tree.root()));
    let mut other = other;
    // Shared: reading goes on, writing waits in vain.
    fcntl_lock(&lock, FlockOperation::NonBlockingLockShared).expect("nobody holds it");
    server.ask("list-concepts", json!({}));
    let says_so = ["another program holds the lock `", "/.okf.lock` (waited 10 s)", "try again when it has finished"];
    let writing = server.post_call("update-concept", json!({"id": "a", "title": "T"}));
    thread::scope(|scope| {
        let index = scope.spawn(|| okf(&["index", "--regenerate", tree.shown()]).run().exits(2));
        let refused = server.tool_result(writing).error();
        says(&refused, &says_so);
        says(&refused, &["the old state stands"]);
        says(&index.join().expect("it ends").stderr, &says_so);
    });
    // Exclusive: everybody waits, and has the lock once it is free.
    fcntl_lock(&lock, FlockOperation::NonBlockingLockExclusive).expect("nobody else holds it");
    let reading = other.post_call("list-concepts", json!({}));
    says(&okf(&["list", tree.shown()]).run().exits(2).stderr, &says_so);
    says(&other.tool_result(reading).error(), &says_so);
    let writing = server.post_call("update-concept", json!({"id": "a", "title": "T"}));
    fcntl_lock(&lock, FlockOperation::Unlock).expect("it is ours");
    server.tool_result(writing).json();
    says(&text(&tree, "a.md"), &["title: T\n"]);
}

#[test]
fn fifty_calls_mixed_with_writes_are_all_answered_and_no_reading_waits_for_a_writing() {
    let tree = bundle();
    tree.write(".okf.lock", "");
    let lock = File::options().read(true).write(true).open(tree.path(".okf.lock")).expect("it was just made");
    fcntl_lock(&lock, FlockOperation::NonBlockingLockShared).expect("nobody holds it");
    let mut server = Server::serve(tree.root());
    let (mut writings, mut readings) = (Vec::new(), Vec::new());
    for n in 0..10 {
        let new = json!({"id": format!("n{n}"), "type": "Note", "title": format!("New {n}"), "body": "Text.\n"});
        writings.push(server.post_call("create-concept", new));
        for (tool, arguments) in [
            ("list-concepts", json!({})),
            ("search-concepts", json!({"query": "note", "mode": "words"})),
            ("query-graph", json!({})),
            ("validate", json!({})),
        ] {
            readings.push(server.post_call(tool, arguments));
        }
    }
    readings.into_iter().for_each(|id| drop(server.tool_result(id).json()));
    assert!(!tree.path("n0.md").exists(), "no writing has begun");
    fcntl_lock(&lock, FlockOperation::Unlock).expect("it is ours");
    writings.into_iter().for_each(|id| drop(server.tool_result(id).json()));
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 11);
}

#[test]
fn an_edit_made_after_a_crash_stays_and_the_staged_text_is_kept_beside_it() {
    let mut beside = 0;
    for step in 1.. {
        let tree = bundle();
        let old = files(tree.root());
        let mut command = binary();
        command.args(["mcp", tree.shown()]).env("OKF_KILL_AT_STEP", step.to_string());
        let mut server = Server::start(command);
        server.initialize("2025-06-18");
        let update = json!({"id": "a", "title": "Theirs"});
        if server.call_until_killed("update-concept", update.clone()).is_some() {
            break;
        }
        let committed = fs::metadata(tree.path(".okf.lock")).is_ok_and(|lock| lock.len() > 0);
        tree.write("a.md", "---\ntype: Note\n---\n\nMine.\n");
        let said = okf(&["list", tree.shown()]).run().exits(0).stderr;
        assert_eq!(text(&tree, "a.md"), "---\ntype: Note\n---\n\nMine.\n", "killed at step {step}");
        let changed = difference(&old, &files(tree.root()));
        if !committed {
            // The old state with the edit, or the new one, which was complete before the edit.
            assert!(!changed.iter().any(|path| path.ends_with(".okf-kept")), "killed at step {step}: {changed:?}");
            continue;
        }
        says(&said, &["okf: finished an interrupted write", "`a.md` was edited since and is kept"]);
        if changed.iter().any(|path| path == "a.md.okf-kept") {
            beside += 1;
            says(&said, &["the other text is in `a.md.okf-kept`"]);
            says(&text(&tree, "a.md.okf-kept"), &["title: Theirs\n"]);
        }
        // The bundle goes on as it is.
        fails(&mut Server::serve(tree.root()), &tree, "create-concept", json!({"id": "a", "type": "Note"}));
        writes(&mut Server::serve(tree.root()), &tree, "update-concept", update);
    }
    assert!(beside > 0, "some crash came between the commit point and the first rename");
}
