use std::io::{PipeReader, PipeWriter, Read, Write, pipe};

use rmcp::model::ClientRequest;
use tokio::net::unix::pipe::{Receiver, Sender};

use super::*;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

/// A wire in a runtime, and the client's ends of it.
fn wire() -> (Wire, PipeWriter, PipeReader) {
    let (input, to_server) = pipe().expect("a pipe");
    let (from_server, output) = pipe().expect("a pipe");
    let input = Receiver::from_owned_fd(input.into()).expect("a pipe");
    let output = Sender::from_owned_fd(output.into()).expect("a pipe");
    (Wire::new(input, output, "test".to_owned()), to_server, from_server)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn answer(text: impl Into<String>) -> TxJsonRpcMessage<RoleServer> {
    TxJsonRpcMessage::<RoleServer>::error(ErrorData::internal_error(text.into(), None), None)
}

/// Everything the wire received from an input, and everything it answered on its own.
fn receive_all(input: &str) -> (Vec<RxJsonRpcMessage<RoleServer>>, String) {
    let input = input.to_owned();
    runtime().block_on(async {
        let (mut wire, mut to_server, mut from_server) = wire();
        let writer = std::thread::spawn(move || to_server.write_all(input.as_bytes()));
        let mut received = Vec::new();
        while let Some(message) = wire.receive().await {
            received.push(message);
        }
        writer.join().expect("the writer does not panic").expect("the wire reads everything");
        let ends = wire.ends();
        drop(wire);
        ends.drained.cancelled().await;
        let mut answers = String::new();
        from_server.read_to_string(&mut answers).expect("answers are UTF-8");
        (received, answers)
    })
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
fn a_frame_that_is_parsed_elsewhere_keeps_its_place() {
    let long = PING.replace("}", &format!(r#","params":{{"x":"{}"}}}}"#, "x".repeat(LONG_FRAME)));
    let short = PING.replace(r#""id":2"#, r#""id":3"#);
    let (received, _) = receive_all(&format!("{long}\n{short}\n{long}\n"));
    let ids = received.iter().map(|message| match message {
        JsonRpcMessage::Request(request) => request.id.to_string(),
        other => panic!("no request: {other:?}"),
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["2", "3", "2"]);
}

#[test]
fn the_end_of_input_is_told() {
    runtime().block_on(async {
        let (mut wire, to_server, _from_server) = wire();
        let ends = wire.ends();
        drop(to_server);
        assert!(wire.receive().await.is_none());
        ends.input.cancelled().await;
    });
}

#[test]
fn the_end_of_input_is_told_while_nobody_receives() {
    runtime().block_on(async {
        let (mut wire, mut to_server, _from_server) = wire();
        writeln!(to_server, "{PING}").expect("the pipe has room");
        drop(to_server);
        wire.ends().input.cancelled().await;
        assert!(wire.receive().await.is_some(), "what was read ahead is kept");
        assert!(wire.receive().await.is_none());
    });
}

#[test]
fn no_more_is_read_ahead_than_the_session_may_need() {
    runtime().block_on(async {
        let (mut wire, mut to_server, _from_server) = wire();
        to_server.write_all(format!("{PING}\n").repeat(READ_AHEAD + 2).as_bytes()).expect("the pipe has room");
        drop(to_server);
        while wire.inbound.len() < READ_AHEAD {
            tokio::task::yield_now().await;
        }
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!wire.ends.input.is_cancelled(), "one message waits for a place, one is not read");
        for _ in 0..READ_AHEAD + 2 {
            assert!(wire.receive().await.is_some());
        }
        assert!(wire.receive().await.is_none());
    });
}

#[test]
fn a_client_that_takes_no_output_is_told_and_is_no_error() {
    runtime().block_on(async {
        let (mut wire, _to_server, from_server) = wire();
        let ends = wire.ends();
        drop(from_server);
        for _ in 0..2 {
            wire.send(answer("x")).await.expect("a client that has gone is no error");
        }
        ends.output.cancelled().await;
    });
}

#[test]
fn a_client_that_stops_reading_holds_up_its_answers_alone() {
    const ANSWERS: usize = 40;
    runtime().block_on(async {
        let (mut wire, mut to_server, mut from_server) = wire();
        let ends = wire.ends();
        // Far more than a pipe holds.
        let sent: Vec<_> = (0..ANSWERS).map(|n| tokio::spawn(wire.send(answer(format!("{n} {:0>9999}", 0))))).collect();
        writeln!(to_server, "{PING}").expect("the pipe has room");
        assert!(wire.receive().await.is_some());
        drop(to_server);
        ends.input.cancelled().await;
        assert!(sent.iter().any(|sent| !sent.is_finished()), "the pipe is full");
        drop(wire);
        let reader = std::thread::spawn(move || {
            let mut answers = String::new();
            from_server.read_to_string(&mut answers).map(|_| answers)
        });
        for sent in sent {
            sent.await.expect("nothing panics").expect("it is written");
        }
        ends.drained.cancelled().await;
        let answers = reader.join().expect("the reader does not panic").expect("answers are UTF-8");
        let numbers: Vec<usize> = answers
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("every line is JSON"))
            .map(|line| line["error"]["message"].as_str().and_then(|text| text.split(' ').next()?.parse().ok()))
            .map(|number| number.expect("an answer of ours"))
            .collect();
        assert_eq!(numbers, (0..ANSWERS).collect::<Vec<_>>());
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_socket_carries_more_than_it_holds_and_stays_as_it_was() {
    use std::os::unix::net::UnixStream;

    use tokio::io::Interest;

    runtime().block_on(async {
        let (mut client, server) = UnixStream::pair().expect("a pair of sockets");
        let ours = || server.try_clone().expect("a descriptor").into();
        let input = socket::Socket::new(ours(), Interest::READABLE).expect("a socket can be watched");
        let output = socket::Socket::new(ours(), Interest::WRITABLE).expect("a socket can be watched");
        let mut wire = Wire::new(input, output, "test".to_owned());
        let ends = wire.ends();
        let text = "x".repeat(3_000_000);
        let request = PING.replace("}", &format!(r#","params":{{"x":"{text}"}}}}"#)) + "\n";
        let talk = std::thread::spawn(move || {
            client.write_all(request.as_bytes())?;
            let mut answers = Vec::new();
            client.shutdown(std::net::Shutdown::Write)?;
            client.read_to_end(&mut answers)?;
            std::io::Result::Ok(answers)
        });
        assert!(wire.receive().await.is_some());
        wire.send(answer(text)).await.expect("it is written");
        assert!(wire.receive().await.is_none());
        drop(wire);
        ends.drained.cancelled().await;
        let flags = rustix::fs::fcntl_getfl(&server).expect("it is open");
        assert!(!flags.contains(rustix::fs::OFlags::NONBLOCK), "others may share it");
        drop(server);
        let answers = talk.join().expect("the client does not panic").expect("the client is served");
        assert!(answers.len() > 3_000_000 && answers.ends_with(b"\n"));
    });
}
