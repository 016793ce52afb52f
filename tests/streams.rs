//! What a client may give as stdin and stdout, and what it gets back: the same session over everything,
//! and streams that are as they were.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_getfl, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::harness::{HANG, READING, Tree, binary, column, initialize_params};

fn bundle() -> Tree {
    Tree::bundle(&[("alpha.md", "---\ntype: Note\n---\nBody.\n")])
}

/// The messages of a short session: `initialize`, `tools/list`, and a call.
fn messages() -> [Value; 4] {
    [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params("2025-06-18")}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
               "params": {"name": "list-concepts", "arguments": {"limit": 1}}}),
    ]
}

fn is_answered(message: &Value, answer: &Value) {
    assert_eq!(message["id"], answer["id"]);
    let result = &answer["result"];
    match message["id"].as_u64() {
        Some(1) => assert_eq!(result["serverInfo"]["name"], "okf", "{answer}"),
        Some(2) => assert!(READING.iter().all(|tool| column(&result["tools"], "name").contains(tool)), "{answer}"),
        _ => assert!(result["content"][0]["text"].to_string().contains("alpha"), "{answer}"),
    }
}

fn serve(tree: &Tree, stdin: impl Into<Stdio>, stdout: impl Into<Stdio>) -> Child {
    let mut command = binary();
    command.arg("mcp").arg(tree.root()).stdin(stdin).stdout(stdout).stderr(Stdio::piped());
    command.spawn().expect("the binary was built with the tests")
}

/// Does something with a server that must end in good order afterwards.
fn ends_well(mut server: Child, talk: impl FnOnce() + Send + 'static) {
    let process = Pid::from_child(&server);
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        talk();
        sender.send(server.wait())
    });
    match ended.recv_timeout(HANG) {
        Ok(status) => assert_eq!(status.expect("it is our child").code(), Some(0)),
        Err(reason) => {
            let _ = kill_process(process, Signal::KILL);
            panic!("it hangs, or the talk has failed: {reason}");
        }
    }
}

/// A session over two streams, of which the server's ends are checked while it runs. The last act of the client is
/// to hang up.
fn converse<W: Write + Send + 'static>(
    server: Child,
    theirs: [OwnedFd; 2],
    mut to_server: W,
    from_server: impl Read + Send + 'static,
    hang_up: impl FnOnce(W) + Send + 'static,
) {
    let process = server.id();
    ends_well(server, move || {
        let mut from_server = BufReader::new(from_server);
        for message in messages() {
            to_server.write_all(format!("{message}\n").as_bytes()).expect("the server reads");
            if message.get("id").is_some() {
                let mut line = String::new();
                from_server.read_line(&mut line).expect("the server writes");
                is_answered(&message, &serde_json::from_str(&line).expect("every line is JSON"));
            }
        }
        assert!(theirs.iter().all(waits), "`O_NONBLOCK` would hold for whoever shares the stream");
        drop(theirs);
        if cfg!(target_os = "linux") {
            let stream = |number| fs::read_link(format!("/proc/{process}/fd/{number}")).expect("it is open");
            assert_eq!(stream(1), stream(2), "what is printed by accident goes to stderr");
        }
        hang_up(to_server);
        let mut rest = String::new();
        from_server.read_to_string(&mut rest).expect("the server closes its end");
        assert_eq!(rest, "");
    });
}

fn waits(stream: impl AsFd) -> bool {
    !fcntl_getfl(stream).expect("it is open").contains(OFlags::NONBLOCK)
}

fn named_pipe(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a writable directory");
    path
}

/// Both ends of a named pipe: the reading one, the writing one.
fn open(path: &Path) -> (File, File) {
    // Nobody has to wait for the other end when one process holds both.
    let both = OpenOptions::new().read(true).write(true).open(path).expect("a named pipe");
    let ends = (File::open(path), OpenOptions::new().write(true).open(path));
    drop(both);
    (ends.0.expect("a named pipe"), ends.1.expect("a named pipe"))
}

#[test]
fn pipes() {
    let tree = bundle();
    let (stdin, to_server) = pipe().expect("a pipe");
    let (from_server, stdout) = pipe().expect("a pipe");
    let theirs = [stdin.try_clone().expect("a descriptor").into(), stdout.try_clone().expect("a descriptor").into()];
    converse(serve(&tree, stdin, stdout), theirs, to_server, from_server, drop);
}

#[test]
fn one_socket_for_both() {
    let tree = bundle();
    let (client, theirs) = UnixStream::pair().expect("a pair of sockets");
    let ours = || OwnedFd::from(theirs.try_clone().expect("a descriptor"));
    let server = serve(&tree, ours(), ours());
    let from_server = client.try_clone().expect("a descriptor");
    let hang_up = |client: UnixStream| client.shutdown(std::net::Shutdown::Write).expect("it is connected");
    converse(server, [ours(), theirs.into()], client, from_server, hang_up);
}

#[test]
fn a_socket_for_each() {
    let tree = bundle();
    let (to_server, stdin) = UnixStream::pair().expect("a pair of sockets");
    let (from_server, stdout) = UnixStream::pair().expect("a pair of sockets");
    let theirs = [stdin.try_clone().expect("a descriptor").into(), stdout.try_clone().expect("a descriptor").into()];
    let server = serve(&tree, OwnedFd::from(stdin), OwnedFd::from(stdout));
    converse(server, theirs, to_server, from_server, drop);
}

#[test]
fn named_pipes() {
    let tree = bundle();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (stdin, to_server) = open(&named_pipe(directory.path(), "in"));
    let (from_server, stdout) = open(&named_pipe(directory.path(), "out"));
    let theirs = [stdin.try_clone().expect("a descriptor").into(), stdout.try_clone().expect("a descriptor").into()];
    converse(serve(&tree, stdin, stdout), theirs, to_server, from_server, drop);
}

#[test]
fn a_named_pipe_whose_writer_has_gone_before() {
    let tree = bundle();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (stdin, mut to_server) = open(&named_pipe(directory.path(), "in"));
    let [initialize, ..] = messages();
    writeln!(to_server, "{initialize}").expect("the pipe has room");
    drop(to_server);
    let mut server = serve(&tree, stdin, Stdio::piped());
    let mut stdout = server.stdout.take().expect("it is piped");
    ends_well(server, move || {
        let mut answer = String::new();
        stdout.read_to_string(&mut answer).expect("the server writes");
        is_answered(&initialize, &serde_json::from_str(&answer).expect("one line of JSON"));
    });
}

#[test]
fn files() {
    let tree = bundle();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    fs::write(&input, messages().map(|message| format!("{message}\n")).concat()).expect("a writable directory");
    let stdin = File::open(&input).expect("it was written");
    let stdout = File::create(&output).expect("a writable directory");
    ends_well(serve(&tree, stdin, stdout), || {});
    let written = fs::read_to_string(&output).expect("UTF-8");
    let mut answers: Vec<Value> =
        written.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let requests = messages().into_iter().filter(|message| message.get("id").is_some());
    assert_eq!(answers.len(), 3);
    requests.zip(&answers).for_each(|(request, answer)| is_answered(&request, answer));
}

#[test]
fn nothing() {
    let tree = bundle();
    ends_well(serve(&tree, Stdio::null(), Stdio::null()), || {});
}

#[test]
fn a_read_that_waits_in_a_thread_does_not_hold_up_the_end() {
    let tree = bundle();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (stdin, to_server) = open(&named_pipe(directory.path(), "in"));
    let mut server = serve(&tree, stdin, Stdio::null());
    let stderr = server.stderr.take().expect("it is piped");
    let process = Pid::from_child(&server);
    ends_well(server, move || {
        let said = BufReader::new(stderr).lines().next().expect("it says what it serves").expect("UTF-8");
        assert!(said.contains("serving"), "{said}");
        kill_process(process, Signal::TERM).expect("it runs");
    });
    // Open until now: the input does not end by itself.
    drop(to_server);
}
