//! Both eras of the protocol.

use serde_json::{Value, json};

use crate::harness::{REVISIONS, Server, TOOLS, Tree, array, column, initialize_params, says};

fn bundle() -> Tree {
    Tree::bundle(&[("alpha.md", "---\ntype: Note\n---\nBody.\n")])
}

fn check_server_info(info: &Value, tree: &Tree) {
    assert_eq!((&info["name"], &info["version"]), (&json!("okf"), &json!(env!("CARGO_PKG_VERSION"))));
    says(&format!("{} {}", info["title"], info["description"]), &["Acme Knowledge", tree.shown()]);
    assert!(info["title"].is_string() && info["description"].is_string(), "{info}");
}

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    let tree = bundle();
    for revision in REVISIONS {
        let mut server = Server::spawn(tree.root());
        let result = server.initialize(revision);
        assert_eq!(result["protocolVersion"], revision);
        says(result["instructions"].as_str().expect("they are there"), &["Acme Knowledge", tree.shown()]);
        check_server_info(&result["serverInfo"], &tree);
        assert_eq!(result["capabilities"]["tools"]["listChanged"], true);
        assert_eq!(column(&json!(server.tools()), "name"), TOOLS);
        assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
    }
}

#[test]
fn an_unknown_revision_is_answered_with_one_that_is_spoken() {
    let tree = bundle();
    for revision in ["2027-01-01", "1.0", ""] {
        let mut server = Server::spawn(tree.root());
        let answered = server.initialize(revision)["protocolVersion"].clone();
        assert!(REVISIONS.contains(&answered.as_str().expect("a revision")), "{answered}");
    }
}

#[test]
fn a_stateless_client_needs_no_handshake() {
    let tree = bundle();
    let mut server = Server::serve_modern(tree.root());
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
    let list = server.request("tools/list", json!({}));
    assert_eq!(column(&list["result"]["tools"], "name"), TOOLS);
    assert_eq!(list["result"]["resultType"], "complete");
    assert!(list["result"]["ttlMs"].is_u64() && list["result"]["cacheScope"].is_string(), "{list}");
    let answer = server.request("tools/call", json!({"name": "list-concepts", "arguments": {}}));
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[test]
fn discover_tells_what_initialize_tells() {
    let tree = bundle();
    let told = Server::spawn(tree.root()).initialize("2025-11-25");
    let mut server = Server::serve_modern(tree.root());
    let result = server.request("server/discover", json!({}))["result"].clone();
    assert_eq!(result["instructions"], told["instructions"]);
    let versions: Vec<&str> = array(&result["supportedVersions"]).iter().filter_map(Value::as_str).collect();
    assert!(versions.contains(&"2026-07-28"), "{versions:?}");
    assert!(result["capabilities"]["tools"].is_object());
    check_server_info(&result["_meta"]["io.modelcontextprotocol/serverInfo"], &tree);
}

#[test]
fn tool_lists_do_not_depend_on_the_era() {
    let tree = bundle();
    assert_eq!(Server::serve(tree.root()).tools(), Server::serve_modern(tree.root()).tools());
}

#[test]
fn a_client_may_probe_with_discover_and_shake_hands_afterwards() {
    let tree = bundle();
    let mut server = Server::spawn(tree.root());
    server.request("server/discover", json!({"_meta": crate::harness::modern_meta()}));
    assert_eq!(server.initialize("2025-06-18")["protocolVersion"], "2025-06-18");
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
}

#[test]
fn ping_is_answered() {
    let tree = bundle();
    assert_eq!(Server::serve(tree.root()).request("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_notification_before_the_handshake_is_survived() {
    let tree = bundle();
    let mut server = Server::spawn(tree.root());
    server.notify("notifications/initialized");
    server
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}).to_string());
    server.send(&json!({"jsonrpc": "2.0", "id": 77, "result": {}}).to_string());
    assert_eq!(server.initialize("2025-06-18")["protocolVersion"], "2025-06-18");
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
}

#[test]
fn a_byte_order_mark_and_carriage_returns_are_survived() {
    let tree = bundle();
    let mut server = Server::spawn(tree.root());
    let initialize =
        json!({"jsonrpc": "2.0", "id": 901, "method": "initialize", "params": initialize_params("2025-06-18")});
    server.send(&format!("\u{feff}{initialize}\r"));
    assert_eq!(server.answer(901)["result"]["protocolVersion"], "2025-06-18");
    server.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r");
    server.send("\r");
    server.send("{\"jsonrpc\":\"2.0\",\"id\":902,\"method\":\"tools/list\"}\r");
    assert_eq!(column(&server.answer(902)["result"]["tools"], "name"), TOOLS);
}

#[test]
fn there_are_no_resources_to_promise() {
    let tree = bundle();
    let mut server = Server::spawn(tree.root());
    let capabilities = server.initialize("2025-11-25")["capabilities"].clone();
    assert!(capabilities.get("logging").is_none() && capabilities.get("resources").is_none(), "{capabilities}");
}
