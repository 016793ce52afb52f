use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::path::Path;

use serde_json::json;
use tokio::net::unix::pipe::{Receiver, Sender};

use super::*;
use crate::cli::Product;
use crate::identity::BundleIdentity;
use crate::provider::{IdentityProvider, Provider, Registration, ToolProvider, ToolText};
use crate::registry::Registry;
use crate::tool::{Arguments, Effect, Tool};
use crate::wire::Wire;

struct Tools;

impl ToolProvider for Tools {
    fn name(&self) -> &str {
        "tools"
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        let write = Effect::Write { destructive: false, idempotent: true };
        vec![
            tool("count", Effect::Read, |context, _| {
                ToolOutput::json(&json!({ "count": context.bundle()?.concept_count() }))
            }),
            tool("fail", Effect::Read, |_, _| {
                Err(ToolError { message: "refused".to_owned(), report: Some("{}".to_owned()) })
            }),
            tool("panic", Effect::Read, |_, _| panic!("a secret")),
            tool("wait", Effect::Read, |context, _| {
                while !context.is_cancelled() {
                    std::thread::yield_now();
                }
                Err(ToolError::new("cancelled"))
            }),
            tool("write", write, |_, _| ToolOutput::json(&json!({}))),
        ]
    }
}

type Handle = fn(&Context<'_>, Arguments) -> Result<ToolOutput, ToolError>;

fn tool(name: &str, effect: Effect, handler: Handle) -> Tool {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": { "limit": { "type": "integer", "maximum": 5, "description": "How many." } },
    });
    let spec = ToolSpec {
        name: name.to_owned(),
        title: name.to_owned(),
        description: "Does it.".to_owned(),
        input_schema: schema.as_object().expect("an object").clone(),
        effect,
        search_hint: None,
        always_load: false,
        max_result_chars: None,
    };
    Tool::new(spec, handler)
}

struct Titles;

impl IdentityProvider for Titles {
    fn name(&self) -> &str {
        "titles"
    }

    fn instructions(&self, identity: &BundleIdentity) -> Option<String> {
        Some(format!("The bundle is {}.", identity.title))
    }

    fn augment(&self, identity: &BundleIdentity, tools: &[ToolSpec]) -> Vec<ToolText> {
        let text = |tool: &ToolSpec| ToolText {
            tool: tool.name.clone(),
            clause: Some(format!("In {}.", identity.title)),
            ..ToolText::default()
        };
        tools.iter().map(text).collect()
    }
}

fn write_bundle(root: &Path, title: &str) {
    let index = format!("---\nokf_version: \"0.2\"\n---\n# {title}\n\n## Tables\n\n* [A](a.md)\n");
    std::fs::write(root.join("index.md"), index).expect("a writable directory");
    std::fs::write(root.join("a.md"), "---\ntype: Table\n---\n\nText.\n").expect("a writable directory");
}

/// A client of a server that runs in a thread until the client hangs up.
struct Client {
    root: tempfile::TempDir,
    to_server: Option<PipeWriter>,
    from_server: BufReader<PipeReader>,
    server: std::thread::JoinHandle<()>,
}

impl Client {
    fn connect(read_only: bool) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        write_bundle(root.path(), "Sales");
        let registrations = [
            Registration { crate_name: "test", provider: Provider::Identity(&Titles) },
            Registration { crate_name: "test", provider: Provider::Tools(&Tools) },
        ];
        let registry = Registry::from(&registrations).expect("two providers");
        let product = Product { name: "okf", version: "1.2.3" };
        let path = root.path().canonicalize().expect("an existing directory");
        let (catalogue, _) =
            Catalogue::open(product, registry, path.clone(), read_only).expect("a readable bundle and sound tools");
        let (input, to_server) = pipe().expect("a pipe");
        let (from_server, output) = pipe().expect("a pipe");
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let input = Receiver::from_owned_fd(input.into()).expect("a pipe");
                let output = Sender::from_owned_fd(output.into()).expect("a pipe");
                let wire = Wire::new(input, output, "test".to_owned());
                let ends = wire.ends();
                let snapshot = Arc::new(Snapshot::new(&path));
                let server = Server::new(catalogue, snapshot, Clock::System, ends.input.clone());
                tokio::spawn(server.clone().follow_bundle());
                session::speak(server, wire, &ends).await;
            });
        });
        Self { root, to_server: Some(to_server), from_server: BufReader::new(from_server), server }
    }

    /// Connects and initializes a session.
    fn initialized() -> (Self, Value) {
        let mut client = Self::connect(false);
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" },
        });
        client.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        let answer = client.answer(0);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        (client, answer)
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.to_server.as_mut().expect("still connected").write_all(line.as_bytes()).expect("the server reads");
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.answer(id)
    }

    fn call(&mut self, id: u64, name: &str, arguments: &Value) -> Value {
        self.request(id, "tools/call", &json!({ "name": name, "arguments": arguments }))["result"].take()
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.from_server.read_line(&mut line).expect("the server answers in UTF-8");
        serde_json::from_str(&line).expect("every line is JSON")
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Closes the input and waits until the server has ended.
    fn hang_up(mut self) {
        self.to_server = None;
        self.server.join().expect("the server ends by itself");
    }
}

fn stateless(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text block")
}

#[test]
fn both_eras_hear_the_same() {
    let (client, initialized) = Client::initialized();
    client.hang_up();
    let mut client = Client::connect(false);
    let discovered = client.request(1, "server/discover", &stateless(json!({})));
    let listed = client.request(2, "tools/list", &stateless(json!({})));
    let called = client.request(3, "tools/call", &stateless(json!({ "name": "count" })));
    client.hang_up();

    assert_eq!(initialized["result"]["instructions"], "The bundle is Sales.");
    assert_eq!(discovered["result"]["instructions"], "The bundle is Sales.");
    assert_eq!(initialized["result"]["serverInfo"]["name"], "okf");
    for answer in [discovered, listed, called] {
        let info = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!((&info["name"], &info["title"]), (&json!("okf"), &json!("Sales")), "{answer}");
    }
}

#[test]
fn the_list_is_complete_sorted_and_the_same_every_time() {
    let (mut client, _) = Client::initialized();
    let first = client.request(1, "tools/list", &json!({}));
    let second = client.request(1, "tools/list", &json!({}));
    client.hang_up();
    assert_eq!(first, second);
    let tools = first["result"]["tools"].as_array().expect("a list");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["count", "fail", "panic", "wait", "write"]);
    assert_eq!(tools[0]["description"], "Does it.\nIn Sales.");
    let annotations = json!({
        "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
    });
    assert_eq!(tools[0]["annotations"], annotations);
}

#[test]
fn read_only_neither_lists_nor_runs_what_writes() {
    let mut client = Client::connect(true);
    let listed = client.request(1, "tools/list", &stateless(json!({})));
    let called = client.request(2, "tools/call", &stateless(json!({ "name": "write" })));
    client.hang_up();
    assert!(!listed.to_string().contains("\"write\""), "{listed}");
    assert_eq!(called["error"]["code"], -32602);
}

#[test]
fn every_failure_of_a_call_is_an_answer() {
    let (mut client, _) = Client::initialized();
    let unknown = client.request(1, "tools/call", &json!({ "name": "no-such-tool" }));
    let arguments = client.call(2, "count", &json!({ "limit": 6 }));
    let refused = client.call(3, "fail", &json!({}));
    let panicked = client.call(4, "panic", &json!({}));
    let alive = client.call(5, "count", &json!({}));
    client.hang_up();
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!((text(&arguments), &arguments["isError"]), ("#/limit: must be at most 5, is 6", &json!(true)));
    assert_eq!((text(&refused), refused["content"][1]["text"].as_str()), ("refused", Some("{}")));
    assert_eq!(panicked["isError"], true);
    assert!(text(&panicked).starts_with("internal error in tool `panic`"), "{panicked}");
    assert!(!panicked.to_string().contains("secret"), "{panicked}");
    assert_eq!((text(&alive), &alive["isError"]), (r#"{"count":1}"#, &json!(false)));
}

#[test]
fn slow_calls_block_nobody_and_stop_when_cancelled() {
    let (mut client, _) = Client::initialized();
    for id in 1..=30 {
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "wait" } }));
    }
    assert_eq!(text(&client.call(31, "count", &json!({}))), r#"{"count":1}"#);
    for id in 1..=30 {
        let params = json!({ "requestId": id });
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }
    // Ends only when all thirty have noticed.
    client.hang_up();
}

#[test]
fn a_new_title_is_announced_to_a_session() {
    let (mut client, _) = Client::initialized();
    client.call(1, "count", &json!({}));
    write_bundle(client.root.path(), "Finance");
    client.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "count" } }));
    let messages = [client.receive(), client.receive()];
    assert!(messages.iter().any(|message| message["method"] == "notifications/tools/list_changed"), "{messages:?}");
    let listed = client.request(3, "tools/list", &json!({}));
    client.hang_up();
    assert_eq!(listed["result"]["tools"][0]["description"], "Does it.\nIn Finance.");
}

#[test]
fn a_new_title_is_announced_to_a_subscription_which_ends_with_the_input() {
    let mut client = Client::connect(false);
    let listen = stateless(json!({ "notifications": { "toolsListChanged": true } }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": listen }));
    assert_eq!(client.receive()["method"], "notifications/subscriptions/acknowledged");
    write_bundle(client.root.path(), "Finance");
    let call = stateless(json!({ "name": "count" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }));
    let messages = [client.receive(), client.receive()];
    let notice = messages.iter().find(|message| message["method"] == "notifications/tools/list_changed");
    assert_eq!(notice.expect("a notice")["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
    client.hang_up();
}
