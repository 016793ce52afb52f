//! Every answer reflects the files at the time of the call.

use std::fs::{self, File, FileTimes};
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Server, Tree, column};

fn note(word: &str) -> String {
    format!("---\ntype: Note\n---\n{word}\n")
}

fn found(server: &mut Server, word: &str) -> String {
    let answer = server.ask("search-concepts", json!({"query": word}));
    column(&answer["matches"], "id").join(" ")
}

fn total(server: &mut Server) -> Value {
    server.ask("list-concepts", json!({}))["total"].clone()
}

/// Writes a file and gives it the times that another one has.
fn write_with_times_of(path: &Path, content: &str, times: &fs::Metadata) {
    fs::write(path, content).expect("it can be written");
    let times = FileTimes::new()
        .set_modified(times.modified().expect("it has one"))
        .set_accessed(times.accessed().expect("it has one"));
    File::options().write(true).open(path).and_then(|file| file.set_times(times)).expect("times can be set");
}

#[test]
fn a_rewrite_that_keeps_size_and_time_is_seen() {
    let tree = Tree::bundle(&[("alpha.md", &note("apple"))]);
    let mut server = Server::serve(tree.root());
    for (old, new) in [("apple", "grape"), ("grape", "peach"), ("peach", "lemon")] {
        assert_eq!(found(&mut server, old), "alpha");
        let before = fs::metadata(tree.path("alpha.md")).expect("it exists");
        write_with_times_of(&tree.path("alpha.md"), &note(new), &before);
        assert_eq!((found(&mut server, new), found(&mut server, old)), ("alpha".to_owned(), String::new()));
    }
}

#[test]
fn a_rename_over_a_file_that_keeps_size_and_time_is_seen() {
    let tree = Tree::bundle(&[("alpha.md", &note("apple"))]);
    let mut server = Server::serve(tree.root());
    assert_eq!(found(&mut server, "apple"), "alpha");
    let before = fs::metadata(tree.path("alpha.md")).expect("it exists");
    write_with_times_of(&tree.path(".new"), &note("grape"), &before);
    fs::rename(tree.path(".new"), tree.path("alpha.md")).expect("same directory");
    assert_eq!((found(&mut server, "grape"), found(&mut server, "apple")), ("alpha".to_owned(), String::new()));
}

#[test]
fn bursts_of_rewrites_are_seen_one_by_one() {
    let tree = Tree::bundle(&[("alpha.md", &note("word00"))]);
    let mut server = Server::serve(tree.root());
    for round in 0..40 {
        let word = format!("word{round:02}");
        tree.write("alpha.md", note(&word));
        assert_eq!(found(&mut server, &word), "alpha", "round {round}");
    }
}

#[test]
fn files_and_directories_come_and_go() {
    let tree = Tree::bundle(&[("alpha.md", &note("apple"))]);
    let mut server = Server::serve(tree.root());
    assert_eq!(total(&mut server), 1);
    tree.write("deep/down/beta.md", note("banana"));
    assert_eq!((total(&mut server), found(&mut server, "banana")), (json!(2), "deep/down/beta".to_owned()));
    tree.write("deep/down/gamma.md", note("cherry"));
    assert_eq!(total(&mut server), 3, "a file in a directory that is new itself");
    fs::rename(tree.path("deep"), tree.path("moved")).expect("same directory");
    assert_eq!(found(&mut server, "cherry"), "moved/down/gamma");
    tree.write("moved/down/gamma.md", note("dates!"));
    assert_eq!(found(&mut server, "dates!"), "moved/down/gamma", "an edit in a moved directory");
    tree.remove("alpha.md");
    assert_eq!((total(&mut server), found(&mut server, "apple")), (json!(2), String::new()));
    tree.write("alpha.md", note("apple"));
    assert_eq!(found(&mut server, "apple"), "alpha");
    fs::remove_dir_all(tree.path("moved")).expect("it exists");
    assert_eq!(total(&mut server), 1);
}

#[test]
fn a_directory_can_be_replaced_by_another() {
    let tree = Tree::bundle(&[("area/alpha.md", &note("apple")), (".next/beta.md", &note("banana"))]);
    let mut server = Server::serve(tree.root());
    assert_eq!(found(&mut server, "apple"), "area/alpha");
    fs::rename(tree.path("area"), tree.path(".last")).expect("same directory");
    fs::rename(tree.path(".next"), tree.path("area")).expect("same directory");
    assert_eq!((found(&mut server, "banana"), found(&mut server, "apple")), ("area/beta".to_owned(), String::new()));
}

#[test]
fn every_tool_is_fresh() {
    let tree = Tree::bundle(&[("alpha.md", &note("apple"))]);
    let mut server = Server::serve(tree.root());
    assert_eq!(server.ask("validate", json!({}))["exit_code"], 0);
    assert_eq!(server.ask("query-graph", json!({}))["edges"], json!([]));
    tree.write("alpha.md", "no frontmatter any more\n").write("beta.md", note("[a](alpha.md)"));
    assert_eq!(server.ask("validate", json!({}))["exit_code"], 1);
    assert_eq!(server.ask("query-graph", json!({}))["edges"][0]["source"], "beta");
    assert_eq!(server.ask("lookup-concept", json!({"id": "beta"}))["id"], "beta");
}

#[test]
fn the_bundle_may_disappear_and_return() {
    let tree = Tree::new(&[]);
    tree.write("kb/index.md", "---\nokf_version: \"0.2\"\n---\n# KB\n").write("kb/alpha.md", note("apple"));
    let mut server = Server::serve(tree.path("kb"));
    assert_eq!(found(&mut server, "apple"), "alpha");
    fs::rename(tree.path("kb"), tree.path("away")).expect("same directory");
    for (tool, arguments) in [
        ("list-concepts", json!({})),
        ("lookup-concept", json!({"id": "alpha"})),
        ("search-concepts", json!({"query": "apple"})),
        ("query-graph", json!({})),
        ("validate", json!({})),
    ] {
        assert!(!server.refused(tool, arguments).is_empty());
    }
    assert!(!tree.path("kb").exists(), "nothing is recreated");
    fs::rename(tree.path("away"), tree.path("kb")).expect("same directory");
    assert_eq!(found(&mut server, "apple"), "alpha");
    fs::remove_dir_all(tree.path("kb")).expect("it exists");
    server.refused("list-concepts", json!({}));
    tree.write("kb/beta.md", note("banana"));
    assert_eq!(found(&mut server, "banana"), "beta", "another directory of the same name");
    tree.write("kb/beta.md", note("cherry"));
    assert_eq!(found(&mut server, "cherry"), "beta", "which is watched as well");
}

#[test]
fn reading_leaves_no_trace() {
    let tree = Tree::bundle(&[("alpha.md", &note("apple"))]);
    let mut server = Server::serve(tree.root());
    for tool in ["list-concepts", "query-graph", "validate"] {
        server.ask(tool, json!({}));
    }
    drop(server);
    let mut names: Vec<_> =
        fs::read_dir(tree.root()).expect("it exists").map(|entry| entry.expect("readable").file_name()).collect();
    names.sort();
    assert_eq!(names, ["alpha.md", "index.md"]);
}
