//! Tests that the scripted model answers like the Messages API.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};
use unspool_testkit::model_api::{ModelApi, RequestKind};

/// Sends a request and returns the connection.
fn send(api: &ModelApi, method: &str, path: &str, body: &Value) -> TcpStream {
    let address = api.url().replace("http://", "");
    let mut connection = TcpStream::connect(&address).expect("a connection");
    let body = body.to_string();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let request = format!("{head}{body}");
    connection.write_all(request.as_bytes()).expect("sent");
    connection
}

/// Returns the events of a streamed response.
fn events(mut connection: TcpStream) -> Vec<Value> {
    let mut text = String::new();
    connection.read_to_string(&mut text).expect("an answer");
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

/// Returns the status and the body of a response that is not a stream.
fn whole(connection: TcpStream) -> (String, Value) {
    connection.shutdown(std::net::Shutdown::Write).expect("no more");
    let mut connection = connection;
    let mut text = String::new();
    connection.read_to_string(&mut text).expect("an answer");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).expect("a status").to_owned();
    (status, serde_json::from_str(body).expect("JSON"))
}

fn ask(prompt: &str) -> Value {
    json!({
        "model": "m", "stream": true, "tools": [{"name": "Bash"}],
        "messages": [{"role": "user", "content": prompt}],
    })
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

#[test]
fn a_message_is_a_stream_of_blocks() {
    let api = ModelApi::start(Path::new("/nowhere"));
    let body = ask("[[say: hi]] [[parallel: ((bash: ls)) ((edit: f))]]");
    let events = events(send(&api, "POST", "/v1/messages?beta=true", &body));
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let mut expected = vec!["message_start"];
    expected.extend(block.repeat(3));
    expected.extend(["message_delta", "message_stop"]);
    assert_eq!(kinds(&events), expected);
    assert_eq!(events[2]["delta"]["text"], "hi");
    assert_eq!(events[4]["content_block"]["name"], "Bash");
    let input = events[8]["delta"]["partial_json"].as_str().expect("a text");
    assert!(input.contains(r#""file_path":"/nowhere/f""#), "{input}");
    assert_eq!(events[10]["delta"]["stop_reason"], "tool_use");
    let sent = api.sent();
    assert_eq!(sent[0].kind, RequestKind::Session);
    assert_eq!(sent[0].body, body);
}

#[test]
fn answers_without_a_stream_are_whole() {
    let api = ModelApi::start(Path::new("/nowhere"));
    let mut body = ask("[[bash: ls]]");
    body["stream"] = json!(false);
    let (status, message) = whole(send(&api, "POST", "/v1/messages", &body));
    assert_eq!((status.as_str(), &message["stop_reason"]), ("200", &json!("tool_use")));
    let (status, count) = whole(send(&api, "POST", "/v1/messages/count_tokens", &body));
    assert_eq!(status, "200");
    assert!(count["input_tokens"].as_u64().is_some_and(|tokens| tokens > 1));
    assert_eq!(whole(send(&api, "GET", "/v1/models", &json!({}))).0, "200");
    assert_eq!(whole(send(&api, "GET", "/v1/else", &json!({}))).0, "404");
}

#[test]
fn errors_have_their_status() {
    let api = ModelApi::start(Path::new("/nowhere"));
    for (directive, expected) in
        [("[[rate-limit]]", "429"), ("[[not-logged-in]]", "401"), ("[[result-error]]", "400")]
    {
        let (status, body) = whole(send(&api, "POST", "/v1/messages", &ask(directive)));
        assert_eq!(status, expected);
        assert_eq!(body["type"], "error");
    }
}

#[test]
fn an_answer_waits_for_its_file_and_ends_with_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let api = ModelApi::start(folder.path());
    let body = ask("[[wait-file: go]] [[say: went]]");
    let waiting = send(&api, "POST", "/v1/messages", &body);
    fs::write(folder.path().join("go"), "").expect("a file");
    let events_of = events(waiting);
    assert_eq!(events_of[2]["delta"]["text"], "went");
    let silent = send(&api, "POST", "/v1/messages", &ask("[[silence]]"));
    let cut = events(send(&api, "POST", "/v1/messages", &ask("[[die]]")));
    assert_eq!(kinds(&cut), ["message_start", "content_block_start"]);
    drop(api);
    assert!(kinds(&events(silent)).len() <= 1);
}

#[test]
fn a_flood_is_as_large_as_asked() {
    let api = ModelApi::start(Path::new("/nowhere"));
    let events = events(send(&api, "POST", "/v1/messages", &ask("[[flood: 3]]")));
    let texts = events.iter().filter_map(|event| event["delta"]["text"].as_str());
    assert!(texts.map(str::len).sum::<usize>() > 3_000_000);
}
