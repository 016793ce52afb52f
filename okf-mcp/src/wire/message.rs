//! Messages: from a frame to what rmcp understands, and back to bytes.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, ErrorData, GetMeta, InitializeRequestParams, JsonRpcMessage,
    PaginatedRequestParams, ProtocolVersion, RequestId, SubscriptionsListenRequestParams,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a frame turned out to be.
pub(super) enum Inbound {
    /// A message for the session.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A malformed message, and its answer. The ID is absent where none can be made out.
    Malformed(ErrorData, Option<RequestId>),
    /// No JSON at all: nothing to answer to.
    NotJson(serde_json::Error),
    /// A notification outside the protocol.
    Ignored,
}

/// Reads one frame.
pub(super) fn read(frame: &[u8]) -> Inbound {
    let value: Value = match serde_json::from_slice(frame) {
        Ok(value) => value,
        Err(error) => return unreadable(frame, error),
    };
    // Only a request has an answer; the ID of a broken response belongs to a request of ours.
    let id = value.get("method").and_then(|_| serde_json::from_value::<RequestId>(value.get("id")?.clone()).ok());
    let is_call = value.get("jsonrpc").is_some_and(|version| version == "2.0")
        && value.get("method").is_some_and(Value::is_string);
    let is_notification = is_call && value.get("id").is_none();
    match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(value) {
        Ok(JsonRpcMessage::Request(request)) => match malformed_params(&request.request) {
            Some(message) => Inbound::Malformed(ErrorData::invalid_params(message, None), Some(request.id)),
            None => Inbound::Message(Box::new(JsonRpcMessage::Request(request))),
        },
        Ok(message) => Inbound::Message(Box::new(message)),
        Err(_) if is_notification => Inbound::Ignored,
        Err(_) if is_call && id.is_some() => {
            Inbound::Malformed(ErrorData::invalid_params("`params` must be an object", None), id)
        }
        Err(_) => Inbound::Malformed(ErrorData::invalid_request("not a JSON-RPC 2.0 message of MCP", None), id),
    }
}

/// What to do with a frame of which no value can be made: JSON may nest too deeply, or hold a number
/// beyond all bounds. Such a request has an ID all the same, and whoever sent it waits.
fn unreadable(frame: &[u8], error: serde_json::Error) -> Inbound {
    /// The members that are read; the others are skipped without recursion.
    #[derive(Deserialize)]
    struct Envelope {
        id: RequestId,
        #[serde(rename = "method")]
        _method: String,
    }
    match serde_json::from_slice::<Envelope>(frame) {
        Ok(envelope) => Inbound::Malformed(ErrorData::invalid_request(error.to_string(), None), Some(envelope.id)),
        Err(_) => Inbound::NotJson(error),
    }
}

/// Writes one message as a line. U+2028 and U+2029 are escaped: some readers take them for line breaks.
pub(super) fn write(message: &TxJsonRpcMessage<RoleServer>) -> serde_json::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(256);
    message.serialize(&mut serde_json::Serializer::with_formatter(&mut line, OneLine))?;
    line.push(b'\n');
    Ok(line)
}

/// Whether a request decides the session's protocol era, after which notifications are in order.
pub(super) fn opens_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
                && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

/// What is wrong with the parameters of a method that the server has. rmcp takes a request whose
/// parameters do not fit for one of an unknown method.
fn malformed_params(request: &ClientRequest) -> Option<String> {
    let ClientRequest::CustomRequest(request) = request else { return None };
    let params = request.params.clone();
    let problem = match request.method.as_str() {
        "initialize" => misfit::<InitializeRequestParams>(params),
        "tools/call" => misfit::<CallToolRequestParams>(params),
        "tools/list" => misfit::<Option<PaginatedRequestParams>>(params),
        "subscriptions/listen" => misfit::<SubscriptionsListenRequestParams>(params),
        "server/discover" => request.params.is_none().then(|| "`params` with `_meta` is missing".to_owned()),
        "ping" => None,
        _ => return None,
    };
    let problem = problem.unwrap_or_else(|| "`_meta` does not have the shape of request metadata".to_owned());
    Some(format!("invalid params of `{}`: {problem}", request.method))
}

fn misfit<T: DeserializeOwned>(params: Option<Value>) -> Option<String> {
    serde_json::from_value::<T>(params.unwrap_or(Value::Null)).err().map(|error| error.to_string())
}

/// Compact JSON in which no string holds a line break of any kind.
struct OneLine;

impl serde_json::ser::Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(['\u{2028}', '\u{2029}']) {
            let (before, from) = rest.split_at(at);
            writer.write_all(before.as_bytes())?;
            writer.write_all(if from.starts_with('\u{2028}') { b"\\u2028" } else { b"\\u2029" })?;
            rest = &from['\u{2028}'.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolResult, ContentBlock, ServerResult};

    use super::*;

    fn answer(frame: &str) -> (i32, Option<String>) {
        match read(frame.as_bytes()) {
            Inbound::Malformed(error, id) => (error.code.0, id.map(|id| id.to_string())),
            _ => panic!("expected a malformed message: {frame}"),
        }
    }

    #[test]
    fn misfit_params_of_known_methods_are_invalid_params() {
        for params in [r#"{"name":"x","arguments":[1]}"#, r#"{"arguments":{}}"#, "[]", r#"{"name":1}"#] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{params}}}"#);
            assert_eq!(answer(&frame), (-32602, Some("a".to_owned())), "{params}");
        }
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#), (-32602, Some("1".to_owned())));
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#), (-32602, Some("1".to_owned())));
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
        assert_eq!(answer(initialize), (-32602, Some("1".to_owned())));
    }

    #[test]
    fn messages_of_the_wrong_shape_are_invalid_requests() {
        let table = [
            (r#"{"id":7,"method":"ping"}"#, Some("7")),
            (r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, Some("7")),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None),
            (r#"{"id":7,"result":3}"#, None),
            ("[]", None),
            ("1", None),
        ];
        for (frame, id) in table {
            assert_eq!(answer(frame), (-32600, id.map(str::to_owned)), "{frame}");
        }
    }

    #[test]
    fn what_is_not_json_is_told_apart() {
        for frame in ["{", "nonsense", "\u{0}", r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#] {
            assert!(matches!(read(frame.as_bytes()), Inbound::NotJson(_)), "{frame}");
        }
        assert!(matches!(read(b"\xff\xfe"), Inbound::NotJson(_)));
        assert!(matches!(read("[".repeat(100_000).as_bytes()), Inbound::NotJson(_)));
    }

    #[test]
    fn requests_that_go_beyond_the_limits_of_json_values_are_answered() {
        for argument in ["[".repeat(100_000) + &"]".repeat(100_000), "1e999".to_owned()] {
            let params = format!(r#"{{"name":"x","arguments":{{"a":{argument}}}}}"#);
            let frame = format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{params}}}"#);
            assert_eq!(answer(&frame), (-32600, Some("3".to_owned())));
        }
    }

    #[test]
    fn unknown_methods_and_good_requests_pass() {
        for method in ["no/such", "tools/list", "ping"] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
            assert!(matches!(read(frame.as_bytes()), Inbound::Message(_)), "{method}");
        }
    }

    #[test]
    fn line_separators_are_escaped_and_mean_the_same() {
        let text = "a\u{2028}\u{2029}b\nc\"";
        let result = CallToolResult::success(vec![ContentBlock::text(text)]);
        let message = JsonRpcMessage::response(ServerResult::CallToolResult(result), RequestId::Number(1));
        let line = String::from_utf8(write(&message).expect("it has a JSON form")).expect("UTF-8");
        assert!(line.contains("a\\u2028\\u2029b\\nc"), "{line}");
        assert_eq!(line.find('\n'), Some(line.len() - 1));
        let value: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(value["result"]["content"][0]["text"], text);
    }
}
