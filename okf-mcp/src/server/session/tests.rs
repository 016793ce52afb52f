use std::io::{BufRead, BufReader, Write, pipe};

use serde_json::{Value, json};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::*;
use crate::identity::BundleIdentity;
use crate::provider::{Provider, Registration, ToolProvider};
use crate::tool::Tool;

/// Cannot say what it offers.
struct Fragile;

impl ToolProvider for Fragile {
    fn name(&self) -> &str {
        "fragile"
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        panic!("no tools today")
    }
}

#[test]
fn providers_that_make_no_server_end_the_session_with_the_reason() {
    let root = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(root.path().join("a.md"), "---\ntype: Note\n---\n").expect("a writable directory");
    let registration = Registration { crate_name: "house", provider: Provider::Tools(&Fragile) };
    let registry = Registry::from(&[registration]).expect("one provider");
    let options = Options {
        product: Product { name: "okf", version: "1.2.3" },
        clock: Clock::System,
        root: root.path().canonicalize().expect("an existing directory"),
        read_only: false,
        watch: true,
    };
    let (input, mut to_server) = pipe().expect("a pipe");
    let (from_server, output) = pipe().expect("a pipe");
    let session = std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let opened = Catalogue::open(options.product, registry, options.root.clone(), options.read_only);
        runtime.block_on(async {
            let input = Receiver::from_owned_fd(input.into()).expect("a pipe");
            let output = Sender::from_owned_fd(output.into()).expect("a pipe");
            let wire = Wire::new(input, output, "okf mcp".to_owned());
            run(opened.map_err(StartError::Catalogue)?, options, wire, &Arc::default()).await
        })
    });
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ] {
        to_server.write_all(format!("{message}\n").as_bytes()).expect("the server reads");
    }
    // The client does not hang up: the server does.
    let answers: Vec<Value> = BufReader::new(from_server)
        .lines()
        .map(|line| serde_json::from_str(&line.expect("UTF-8")).expect("every line is JSON"))
        .collect();
    let ended = session.join().expect("the session does not panic");
    drop(to_server);
    // On a slow machine the session may be over before the request is read.
    for refused in answers.iter().filter(|answer| answer["id"] == 1) {
        assert_eq!(refused["error"]["message"], "the server cannot offer tools; its stderr says why");
    }
    let Err(StartError::Catalogue(error)) = ended else { panic!("a session without tools: {ended:?}") };
    assert_eq!(error.to_string(), "tool provider `fragile` (crate `house`) panicked: no tools today");
}
