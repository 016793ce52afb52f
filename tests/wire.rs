//! stdout is the wire: JSON-RPC alone, in every situation, and a session that goes on or ends well.
//!
//! The client of the harness checks every line that it is sent; these stories make it hard.

use std::io::Write;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;

use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::harness::{HANG, READING, Server, TOOLS, Tree, binary, column, initialize_params, never_says, okf, says};

fn bundle() -> Tree {
    Tree::bundle(&[("alpha.md", "---\ntype: Note\n---\nBody.\n")])
}

fn broken() -> Tree {
    let tree = Tree::new(&[("index.md", "---\nokf_version: \"9.9\"\n---\n"), ("bad.md", "no block\n")]);
    tree.write("bytes.md", [0xff, 0xfe, 0x00]).write("sub/log.md", "---\n").link("loop", ".");
    tree.write("separators.md", "---\ntype: Note\ntitle: \"a\u{2028}b\u{2029}c\"\n---\na\u{2028}b\n");
    tree
}

fn initialize_line() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params("2025-06-18")}).to_string()
        + "\n"
}

#[test]
fn a_broken_bundle_under_trace_logging_keeps_the_wire_clean() {
    let tree = broken();
    let mut command = binary();
    command.arg("mcp").arg(tree.root()).env("RUST_LOG", "trace").env("RUST_BACKTRACE", "1");
    let mut server = Server::start(command);
    server.initialize("2025-11-25");
    for tool in TOOLS {
        server.call(tool, json!({}));
        server.call(tool, json!({"id": "separators", "query": "a"}));
    }
    server.ask("lookup-concept", json!({"id": "separators"}));
    server.ask("search-concepts", json!({"query": "b"}));
    let exit = server.close();
    assert_eq!(exit.code, Some(0));
    says(&exit.stderr, &["okf mcp: serving", "concept(s) from", tree.shown(), "unreadable file(s)"]);
}

#[test]
fn the_start_up_line_counts() {
    let tree = bundle();
    tree.write("beta.md", "---\ntype: Note\n---\n").write("broken.md", "---\n[\n---\n");
    let mut server = Server::serve(tree.root());
    server.ask("list-concepts", json!({}));
    let said = server.close().stderr;
    says(&said, &[&format!("okf mcp: serving 3 concept(s) from {}", tree.shown()), "1 unreadable file(s)"]);
    let clean = bundle();
    let said = Server::serve(clean.root()).close().stderr;
    says(&said, &[&format!("okf mcp: serving 1 concept(s) from {}", clean.shown())]);
    never_says(&said, &["unreadable"]);
}

#[test]
fn malformed_frames_do_not_end_the_session() {
    let tree = bundle();
    let mut server = Server::serve(tree.root());
    for frame in [
        "",
        "   ",
        "not json",
        "{",
        "[]",
        "[1, 2]",
        "\"text\"",
        "null",
        "{}",
        "{\"jsonrpc\":\"1.0\",\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":5}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such/notification\"}",
        "Content-Length: 12",
    ] {
        server.send(frame);
    }
    server.send_bytes(b"\xff\xfe\n\0\0\n");
    server.send(&"[".repeat(100_000));
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
    assert!(server.request("no/such/method", json!({}))["error"]["code"].is_i64());
    assert!(server.request("tools/call", json!({"name": 5}))["error"]["code"].is_i64());
    assert!(server.request("tools/call", json!({"arguments": {}}))["error"]["code"].is_i64());
    let odd = server.request("tools/call", json!({"name": "list-concepts", "arguments": [1]}));
    assert!(odd["error"].is_object() || odd["result"]["isError"] == true, "{odd}");
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
    let exit = server.close();
    assert_eq!(exit.code, Some(0));
    says(&exit.stderr, &["JSON"]);
}

#[test]
fn a_large_request_in_small_pieces_is_answered() {
    let tree = bundle();
    let mut server = Server::serve(tree.root());
    let call = json!({"jsonrpc": "2.0", "id": 500, "method": "tools/call",
                      "params": {"name": "search-concepts", "arguments": {"query": "x".repeat(5_000_000)}}});
    let line = call.to_string() + "\n";
    let (bytewise, rest) = line.as_bytes().split_at(5_000);
    for byte in bytewise {
        server.send_bytes(&[*byte]);
    }
    for chunk in rest.chunks(64 * 1024) {
        server.send_bytes(chunk);
    }
    server.tool_result(500);
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
}

#[test]
fn fifty_calls_at_once_are_each_answered_once() {
    let tree = Tree::bundle(&[]);
    for n in 0..50 {
        tree.write(&format!("c{n:02}.md"), format!("---\ntype: Note\n---\nword{n:02}\n"));
    }
    let mut server = Server::serve(tree.root());
    let posted: Vec<(u64, String)> = (0..50)
        .map(|n| (server.post_call("search-concepts", json!({"query": format!("word{n:02}")})), format!("c{n:02}")))
        .collect();
    for (id, expected) in posted.into_iter().rev() {
        assert_eq!(column(&server.tool_result(id).json()["matches"], "id"), [expected]);
    }
    assert!(server.close().rest.is_empty(), "nothing is answered twice");
}

#[test]
fn a_cancelled_call_disturbs_no_other() {
    let tree = bundle();
    let mut server = Server::serve(tree.root());
    let cancelled = server.post_call("search-concepts", json!({"query": "Body"}));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": cancelled}});
    server.send(&cancel.to_string());
    server.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4711}}).to_string(),
    );
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
}

#[test]
fn the_end_of_input_is_the_end() {
    let tree = bundle();
    assert_eq!(Server::spawn(tree.root()).close().code, Some(0), "before the handshake");
    assert_eq!(Server::serve(tree.root()).close().code, Some(0), "after it");
    let mut server = Server::serve(tree.root());
    for _ in 0..20 {
        server.post_call("validate", json!({}));
    }
    assert_eq!(server.close().code, Some(0), "in the middle of calls");
    let mut server = Server::serve(tree.root());
    server.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"meth");
    assert_eq!(server.close().code, Some(0), "in the middle of a line");
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let tree = bundle();
    let run = okf(&["mcp", tree.shown()]).stdin(initialize_line()).run().exits(0);
    says(&run.stdout, &["\"id\":1", "Acme Knowledge"]);
    assert_eq!(run.stdout.lines().count(), 1);
}

#[test]
fn a_termination_signal_ends_it_during_the_handshake_and_after() {
    let tree = bundle();
    let waiting = Server::spawn(tree.root());
    while !waiting.stderr().contains("serving") {
        thread::yield_now();
    }
    kill_process(waiting.process(), Signal::TERM).expect("it runs");
    assert!(waiting.ended().rest.is_empty());
    let serving = Server::serve(tree.root());
    kill_process(serving.process(), Signal::TERM).expect("it runs");
    assert!(serving.ended().rest.is_empty());
}

#[test]
fn a_client_that_stops_reading_does_not_keep_it_alive() {
    let tree = Tree::bundle(&[("long.md", &format!("---\ntype: Note\n---\n{}\n", "words ".repeat(6_000)))]);
    let mut child = binary()
        .arg("mcp")
        .arg(tree.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary was built with the tests");
    let process = rustix::process::Pid::from_child(&child);
    let unread = child.stdout.take();
    let mut stdin = child.stdin.take().expect("it is piped");
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(initialize_line().as_bytes());
        for id in 2..100 {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                              "params": {"name": "lookup-concept", "arguments": {"id": "long"}}});
            let _ = stdin.write_all(format!("{call}\n").as_bytes());
        }
    });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait()));
    let ended = receiver.recv_timeout(HANG);
    if ended.is_err() {
        let _ = kill_process(process, Signal::KILL);
        panic!("it waits for a client that is gone");
    }
    writer.join().expect("it writes or fails");
    drop(unread);
}

#[test]
fn describing_prints_what_a_client_is_told_and_ends() {
    let tree = bundle();
    let run = okf(&["mcp", "--describe", tree.shown()]).run().exits(0);
    says(&run.stdout, &["Acme Knowledge", tree.shown()]);
    says(&run.stdout, &TOOLS);
}

#[test]
fn reading_only_leaves_out_what_writes() {
    let tree = bundle();
    let mut command = binary();
    command.args(["mcp", "--read-only"]).arg(tree.root());
    let mut server = Server::start(command);
    server.initialize("2025-06-18");
    assert_eq!(column(&json!(server.tools()), "name"), READING);
    let answer = server.request("tools/call", json!({"name": "deprecate-concept", "arguments": {"id": "alpha"}}));
    assert_eq!(answer["error"]["code"], -32602, "it does not run either: {answer}");
}
