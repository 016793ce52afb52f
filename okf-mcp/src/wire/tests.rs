use std::io::{PipeReader, PipeWriter, pipe};

use rmcp::model::ClientRequest;

use super::*;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

/// A wire, and the client's ends of it.
fn wire() -> (Wire, PipeWriter, PipeReader) {
    let (input, to_server) = pipe().expect("a pipe");
    let (from_server, output) = pipe().expect("a pipe");
    (Wire::new(input, output, "test".to_owned()), to_server, from_server)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Everything the wire received from an input, and everything it answered on its own.
fn receive_all(input: &str) -> (Vec<RxJsonRpcMessage<RoleServer>>, String) {
    let (mut wire, mut to_server, mut from_server) = wire();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || to_server.write_all(input.as_bytes()));
    let received = runtime().block_on(async {
        let mut received = Vec::new();
        while let Some(message) = wire.receive().await {
            received.push(message);
        }
        received
    });
    drop(wire);
    writer.join().expect("the writer does not panic").expect("the wire reads everything");
    let mut answers = String::new();
    from_server.read_to_string(&mut answers).expect("answers are UTF-8");
    (received, answers)
}

#[test]
fn notifications_and_responses_before_the_handshake_are_dropped() {
    let response = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;
    let (received, answers) = receive_all(&format!("{INITIALIZED}\n{response}\n{PING}\n{INITIALIZED}\n"));
    assert!(matches!(
        received.as_slice(),
        [JsonRpcMessage::Request(ping)] if matches!(ping.request, ClientRequest::PingRequest(_))
    ));
    assert_eq!(answers, "");
}

#[test]
fn notifications_after_the_handshake_pass() {
    let (received, _) = receive_all(&format!("{INITIALIZE}\n{INITIALIZED}\n"));
    assert!(matches!(received.as_slice(), [JsonRpcMessage::Request(_), JsonRpcMessage::Notification(_)]));
}

#[test]
fn a_stateless_request_opens_the_session_and_a_probe_does_not() {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let probe = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{meta}}}}}"#);
    let list = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{{{meta}}}}}"#);
    assert_eq!(receive_all(&format!("{probe}\n{INITIALIZED}\n")).0.len(), 1);
    assert_eq!(receive_all(&format!("{list}\n{INITIALIZED}\n")).0.len(), 2);
    let unknown = list.replace("2026-07-28", "2099-01-01");
    assert_eq!(receive_all(&format!("{unknown}\n{INITIALIZED}\n")).0.len(), 1);
}

#[test]
fn bad_frames_do_not_end_the_session_and_malformed_ones_are_answered() {
    let malformed = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":[1]}}"#;
    let (received, answers) = receive_all(&format!("nonsense\n{malformed}\n\n[1]\n{PING}"));
    assert_eq!(received.len(), 1, "the last line counts without its break");
    let answers: Vec<serde_json::Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("stdout holds JSON alone")).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&7.into(), &(-32602).into()));
    assert_eq!((answers[1].get("id"), &answers[1]["error"]["code"]), (None, &(-32600).into()));
}

#[test]
fn the_end_of_input_is_told() {
    let (mut wire, to_server, _from_server) = wire();
    let ends = wire.ends();
    drop(to_server);
    runtime().block_on(async {
        assert!(wire.receive().await.is_none());
        ends.input.cancelled().await;
    });
}

#[test]
fn a_client_that_takes_no_output_is_told_and_is_no_error() {
    let (mut wire, _to_server, from_server) = wire();
    let ends = wire.ends();
    drop(from_server);
    runtime().block_on(async {
        for _ in 0..2 {
            let answer = TxJsonRpcMessage::<RoleServer>::error(ErrorData::internal_error("x", None), None);
            wire.send(answer).await.expect("a client that has gone is no error");
        }
        ends.output.cancelled().await;
    });
}
