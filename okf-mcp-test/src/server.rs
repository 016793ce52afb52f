//! A client over stdio: it checks every line it is sent.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use okf_mcp::tool::{ToolError, ToolOutput};
use serde_json::{Value, json};

use crate::HANG;
use crate::check::{array, column};

/// The protocol revisions that open with `initialize`.
pub const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// A running server and the client that talks to it.
///
/// Its methods panic, which ends the test, when the server hangs, has gone, or sends anything but JSON-RPC.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Result<Value, String>>,
    stderr: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
    next_id: u64,
    modern: bool,
    answers: HashMap<String, Value>,
    /// What came without an ID that somebody waits for: notifications, and errors about bad frames.
    pub strays: Vec<Value>,
}

/// How a server ended.
#[derive(Debug)]
pub struct Exit {
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// All it said on standard error.
    pub stderr: String,
    /// What it still sent after the last answer that was read.
    pub rest: Vec<Value>,
}

/// The answer to a tool call.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// `isError`
    pub is_error: bool,
    /// The text blocks.
    pub blocks: Vec<String>,
}

/// The parameters of `initialize`.
pub fn initialize_params(revision: &str) -> Value {
    json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "okf-mcp-test", "version": "1"}})
}

/// What every request of the stateless revision carries in `_meta`.
pub fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "okf-mcp-test", "version": "1"},
    })
}

impl Server {
    /// Starts a server by any command.
    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{:?} cannot be started: {error}", command.get_program()));
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is piped");
        let mut errors = child.stderr.take().expect("it is piped");
        let (sender, lines) = mpsc::channel();
        let stderr = Arc::new(Mutex::new(String::new()));
        let collected = Arc::clone(&stderr);
        let readers = vec![
            thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                loop {
                    let mut line = Vec::new();
                    match stdout.read_until(b'\n', &mut line) {
                        Ok(0) | Err(_) => return,
                        Ok(_) if sender.send(parse(&line)).is_err() => return,
                        Ok(_) => {}
                    }
                }
            }),
            thread::spawn(move || {
                let mut chunk = [0; 4096];
                while let Ok(read @ 1..) = errors.read(&mut chunk) {
                    collected.lock().expect("no holder panics").push_str(&String::from_utf8_lossy(&chunk[..read]));
                }
            }),
        ];
        Self {
            child,
            stdin,
            lines,
            stderr,
            readers,
            next_id: 1,
            modern: false,
            answers: HashMap::new(),
            strays: Vec::new(),
        }
    }

    /// The same server with a client of the stateless revision, which shakes no hands.
    #[must_use]
    pub fn modern(mut self) -> Self {
        self.modern = true;
        self
    }

    /// Shakes hands in a revision and returns the result of `initialize`.
    pub fn initialize(&mut self, revision: &str) -> Value {
        let answer = self.request("initialize", initialize_params(revision));
        self.notify("notifications/initialized");
        result(&answer)
    }

    /// Sends a request and waits for its answer, the whole message.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Sends a request and does not wait.
    pub fn post(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if self.modern {
            params["_meta"] = modern_meta();
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str) {
        self.send(&json!({"jsonrpc": "2.0", "method": method}).to_string());
    }

    /// Sends a line as it is.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        if let Err(error) = stdin.write_all(bytes).and_then(|()| stdin.flush()) {
            panic!("the server reads no more: {error}\n{}", self.stderr());
        }
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        let wanted = id.to_string();
        loop {
            if let Some(answer) = self.answers.remove(&wanted) {
                return answer;
            }
            self.receive();
        }
    }

    /// Calls a tool of a server that may be killed meanwhile: `None` when it ends before it has answered.
    pub fn call_until_killed(&mut self, tool: &str, arguments: Value) -> Option<ToolResult> {
        let id = self.next_id;
        self.next_id += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string() + "\n";
        self.stdin.as_mut()?.write_all(line.as_bytes()).ok()?;
        loop {
            if let Some(answer) = self.answers.remove(&id.to_string()) {
                return Some(tool_result(&answer));
            }
            match self.lines.recv_timeout(HANG) {
                Ok(Ok(message)) => self.sort_in(message),
                // Killed in the middle of a line.
                Ok(Err(complaint)) if !complaint.ends_with('\n') => return None,
                Ok(Err(complaint)) => panic!("{complaint}\n{}", self.stderr()),
                Err(RecvTimeoutError::Timeout) => panic!("no answer; stderr:\n{}", self.stderr()),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Waits for a notification and returns it.
    pub fn notification(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.strays.iter().position(|stray| stray["method"] == method) {
                return self.strays.remove(at);
            }
            self.receive();
        }
    }

    fn receive(&mut self) {
        match self.lines.recv_timeout(HANG) {
            Ok(Ok(message)) => self.sort_in(message),
            Ok(Err(complaint)) => panic!("{complaint}\n{}", self.stderr()),
            Err(RecvTimeoutError::Timeout) => panic!("no answer; stderr:\n{}", self.stderr()),
            Err(RecvTimeoutError::Disconnected) => panic!("the server is gone; stderr:\n{}", self.stderr()),
        }
    }

    fn sort_in(&mut self, message: Value) {
        match message.get("id") {
            Some(id @ (Value::Number(_) | Value::String(_))) => {
                let before = self.answers.insert(id.to_string(), message.clone());
                assert!(before.is_none(), "answered twice: {message}");
            }
            _ => self.strays.push(message),
        }
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> ToolResult {
        let id = self.post_call(tool, arguments);
        self.tool_result(id)
    }

    /// Calls a tool and does not wait.
    pub fn post_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.post("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Waits for the result of a tool call.
    pub fn tool_result(&mut self, id: u64) -> ToolResult {
        tool_result(&self.answer(id))
    }

    /// The JSON of a call that succeeds.
    #[track_caller]
    pub fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).json()
    }

    /// The message of a call that fails.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).error()
    }

    /// Every page of a paged answer, with the arguments of the first.
    pub fn pages(&mut self, tool: &str, arguments: &Value) -> Vec<Value> {
        let mut arguments = arguments.clone();
        let mut pages: Vec<Value> = Vec::new();
        loop {
            let page = self.ask(tool, arguments.clone());
            let cursor = page.get("next_cursor").cloned();
            pages.push(page);
            assert!(pages.len() < 2_000, "the pages of {tool} do not end");
            match cursor {
                Some(cursor) => arguments["cursor"] = cursor,
                None => return pages,
            }
        }
    }

    /// The served tools.
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", json!({}));
        array(&result(&answer)["tools"]).to_vec()
    }

    /// The names of the served tools, in order.
    pub fn tool_names(&mut self) -> Vec<String> {
        let tools = Value::Array(self.tools());
        column(&tools, "name").into_iter().map(str::to_owned).collect()
    }

    /// What was said on standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("no holder panics").clone()
    }

    /// The process.
    pub fn process(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Closes standard input and waits for the end.
    pub fn close(mut self) -> Exit {
        drop(self.stdin.take());
        self.ended()
    }

    /// Waits for the end.
    pub fn ended(mut self) -> Exit {
        let mut waited = Duration::ZERO;
        let step = Duration::from_millis(5);
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                break status;
            }
            assert!(waited < HANG, "the server does not end; stderr:\n{}", self.stderr());
            thread::sleep(step);
            waited += step;
        };
        for reader in self.readers.drain(..) {
            reader.join().expect("readers do not panic");
        }
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.try_recv() {
            rest.push(line.unwrap_or_else(|complaint| panic!("{complaint}")));
        }
        Exit { code: status.code(), stderr: self.stderr(), rest }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let complete = self.lines.try_iter().find_map(Result::err).filter(|complaint| complaint.ends_with('\n'));
        if let Some(complaint) = complete.filter(|_| !thread::panicking()) {
            panic!("{complaint}");
        }
    }
}

impl From<Result<ToolOutput, ToolError>> for ToolResult {
    fn from(outcome: Result<ToolOutput, ToolError>) -> Self {
        match outcome {
            Ok(output) => Self { is_error: false, blocks: output.blocks },
            Err(error) => Self { is_error: true, blocks: std::iter::once(error.message).chain(error.report).collect() },
        }
    }
}

impl ToolResult {
    /// The JSON of a successful answer.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!(!self.is_error, "the call failed: {}", self.blocks.join("\n"));
        serde_json::from_str(&self.blocks[0]).unwrap_or_else(|error| panic!("not JSON: {error}: {}", self.blocks[0]))
    }

    /// The message of a failed call.
    #[track_caller]
    pub fn error(&self) -> String {
        assert!(self.is_error, "the call should have failed: {}", self.blocks.join("\n"));
        self.blocks[0].clone()
    }

    /// Length of the answer in bytes.
    pub fn size(&self) -> usize {
        self.blocks.iter().map(String::len).sum()
    }
}

/// The result of a tool call.
fn tool_result(answer: &Value) -> ToolResult {
    let answer = result(answer);
    assert!(answer.get("structuredContent").is_none(), "the text is the only copy: {answer}");
    let blocks = array(&answer["content"])
        .iter()
        .map(|block| {
            assert_eq!(block["type"], "text", "{block}");
            block["text"].as_str().expect("text blocks hold text").to_owned()
        })
        .collect();
    ToolResult { is_error: answer["isError"].as_bool().unwrap_or(false), blocks }
}

/// The result of an answer that must be none of the protocol's errors.
fn result(answer: &Value) -> Value {
    answer.get("result").cloned().unwrap_or_else(|| panic!("a protocol error: {answer}"))
}

/// Reads one line of the wire; the complaint ends with the line.
fn parse(line: &[u8]) -> Result<Value, String> {
    let complain = |what: &str| format!("stdout carries {what}: {}", String::from_utf8_lossy(line));
    let text = std::str::from_utf8(line).map_err(|_| complain("bytes that are not UTF-8"))?;
    if text.contains(['\u{2028}', '\u{2029}']) {
        return Err(complain("an unescaped line separator"));
    }
    let Some(text) = text.strip_suffix('\n') else { return Err(complain("half a line")) };
    let message: Value = serde_json::from_str(text).map_err(|_| complain("a line that is not JSON"))?;
    let body = ["method", "result", "error"].iter().filter(|key| message.get(**key).is_some()).count();
    if message["jsonrpc"] == "2.0" && body == 1 { Ok(message) } else { Err(complain("a line that is not JSON-RPC")) }
}
