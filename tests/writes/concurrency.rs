//! Many writers and readers at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::{NOTE, text};
use crate::harness::{Server, Tree, array, number};

const WRITERS: usize = 8;
const READERS: usize = 4;

/// Concepts that each writer creates, and updates that it makes: 50 of each when `OKF_FULL_LOAD` is set,
/// else fewer, so that the suite stays quick.
fn rounds() -> usize {
    if std::env::var_os("OKF_FULL_LOAD").is_some() { 50 } else { 6 }
}

/// Calls a write tool until the lock was free in time; nothing else may go wrong. Counts the repetitions.
fn insist(server: &mut Server, tool: &str, arguments: &Value, retries: &AtomicUsize) {
    loop {
        let answer = server.call(tool, arguments.clone());
        if !answer.is_error {
            return;
        }
        assert!(answer.blocks[0].contains("lock"), "{tool} {arguments}: {}", answer.blocks[0]);
        retries.fetch_add(1, Ordering::Relaxed);
    }
}

fn write(tree: &Tree, writer: usize, retries: &AtomicUsize) {
    let mut server = Server::serve(tree.root());
    for n in 0..rounds() {
        let id = format!("area{}/w{writer}-{n:02}", n % 3);
        let new = json!({"id": id, "type": "Note", "title": format!("W{writer} {n}"), "body": "Some wombats."});
        insist(&mut server, "create-concept", &new, retries);
    }
    for n in 0..rounds() {
        let update = json!({"id": format!("shared{}", n % 4), "description": format!("By {writer} at {n}.")});
        insist(&mut server, "update-concept", &update, retries);
    }
    assert_eq!(server.close().code, Some(0));
}

/// Looks as long as somebody writes. No state is broken: no error, and what is logged as created is there.
fn read(tree: &Tree, done: &AtomicBool) -> usize {
    let mut server = Server::serve(tree.root());
    let (mut looks, mut last) = (0, 0);
    while !done.load(Ordering::Relaxed) || looks == 0 {
        let report = server.ask("validate", json!({}));
        assert_eq!(report["totals"]["errors"], 0, "{report}");
        assert_eq!(report.get("unreadable"), None, "{report}");
        let total = number(&server.ask("list-concepts", json!({"limit": 1}))["total"]);
        assert!(total >= last, "{total} concepts after {last}");
        last = total;
        let found = server.ask("search-concepts", json!({"query": "wombats", "limit": 1}));
        assert!(number(&found["total_concepts"]) + 4 >= total, "a concept was seen without its body: {found}");
        looks += 1;
    }
    looks
}

#[test]
fn nothing_is_lost_and_nobody_sees_a_broken_state() {
    let tree = Tree::bundle(&[("log.md", "# Log\n")]);
    for n in 0..4 {
        tree.write(&format!("shared{n}.md"), NOTE);
    }
    let retries = AtomicUsize::new(0);
    let done = AtomicBool::new(false);
    let looks: usize = thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(|| read(&tree, &done))).collect();
        let (tree, retries) = (&tree, &retries);
        let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(tree, writer, retries))).collect();
        let failed: Vec<_> = writers.into_iter().filter_map(|writer| writer.join().err()).collect();
        done.store(true, Ordering::Relaxed);
        let looks = readers.into_iter().map(|reader| reader.join().expect("readers see sound states")).sum();
        assert!(failed.is_empty(), "{} writers failed", failed.len());
        looks
    });
    eprintln!("{looks} looks by {READERS} readers; {} calls repeated for want of the lock", retries.into_inner());
    let made = WRITERS * rounds();
    let mut server = Server::serve(tree.root());
    assert_eq!(number(&server.ask("list-concepts", json!({"limit": 1}))["total"]), made + 4);
    let log = text(&tree, "log.md");
    let lines: Vec<&str> = log.lines().filter(|line| line.starts_with("* ")).collect();
    let whole = |line: &&str| {
        let (action, link) = line.split_once("**: [").expect("an action and a link");
        matches!(action, "* **Created" | "* **Updated") && link.ends_with(".md)")
    };
    assert!(lines.iter().all(whole), "{log}");
    let count = |action: &str| lines.iter().filter(|line| line.contains(action)).count();
    // Each update says who and when, so that all of them change something.
    assert_eq!((count("Created"), count("Updated")), (made, made));
    assert_eq!(log.matches("## ").count(), 1);
    let listed = server.ask("validate", json!({"links": true}));
    assert_eq!(listed["totals"]["errors"], 0);
    let left: Vec<_> =
        std::fs::read_dir(tree.root()).expect("it exists").flatten().map(|entry| entry.file_name()).collect();
    let hidden: Vec<_> = left.iter().filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert_eq!(hidden, [".okf.lock"], "nothing else is left behind");
    assert!(array(&server.ask("list-concepts", json!({"prefix": "area0"}))["concepts"]).len() >= WRITERS);
}
