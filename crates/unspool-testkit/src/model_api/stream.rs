//! Answers a request for a message, as a stream or as one response.

use std::collections::HashSet;
use std::io::{self, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::ModelRequest;
use super::http;
use crate::client::{locked, new_id};
use crate::script::{ScriptDirective, megabyte, streamed};

/// The parts of the server that an answer uses.
#[derive(Debug)]
pub(super) struct AnswerPlace<'a> {
    /// The prompts whose answers were begun and did not end.
    pub(super) begun: &'a Mutex<HashSet<String>>,
    pub(super) folder: &'a Path,
    pub(super) connection: &'a TcpStream,
    /// Whether the server must stop.
    pub(super) is_over: &'a AtomicBool,
}

impl AnswerPlace<'_> {
    fn begun(&self) -> MutexGuard<'_, HashSet<String>> {
        locked(self.begun)
    }

    /// Waits a moment, and returns whether the client is still connected.
    fn goes_on(&self) -> bool {
        thread::sleep(Duration::from_millis(2));
        !self.is_over.load(Ordering::Relaxed) && !is_gone(self.connection)
    }
}

/// Tells whether the client closed the connection.
fn is_gone(connection: &TcpStream) -> bool {
    let mut byte = [0];
    let looked = connection.set_nonblocking(true).and_then(|()| connection.peek(&mut byte));
    let _ = connection.set_nonblocking(false);
    match looked {
        Ok(read) => read == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

/// Answers a request; returns whether the connection can be used again.
pub(super) fn answer(
    request: &ModelRequest,
    place: &AnswerPlace<'_>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let (reply, obeyed) = {
        let mut begun = place.begun();
        let (reply, obeyed) = request.reply(&begun);
        begun.extend(obeyed.iter().cloned());
        (reply, obeyed)
    };
    if let Some((status, kind, text)) = reply.iter().find_map(error_of) {
        let error = json!({"type": kind, "message": text});
        http::write_json(out, status, &json!({"type": "error", "error": error}))?;
        return Ok(true);
    }
    let message = MessageStart::new(request);
    if request.body["stream"] != true {
        let blocks: Vec<Value> = reply.iter().flat_map(|part| blocks_of(part, place)).collect();
        http::write_json(out, 200, &message.whole(&blocks))?;
        place.begun().retain(|text| !obeyed.contains(text));
        return Ok(true);
    }
    http::begin_stream(out)?;
    http::write_event(out, &json!({"type": "message_start", "message": message.body()}))?;
    if let Some(stop) = write_parts(out, &reply, place)? {
        let delta = json!({"stop_reason": stop, "stop_sequence": null});
        let usage = json!({"input_tokens": 10, "output_tokens": 10});
        http::write_event(out, &json!({"type": "message_delta", "delta": delta, "usage": usage}))?;
        http::write_event(out, &json!({"type": "message_stop"}))?;
        place.begun().retain(|text| !obeyed.contains(text));
    }
    Ok(false)
}

/// Writes the parts of a message and returns its stop reason; `None` if the message is cut off.
fn write_parts(
    out: &mut impl Write,
    reply: &[ScriptDirective],
    place: &AnswerPlace<'_>,
) -> io::Result<Option<&'static str>> {
    let mut index = 0;
    let mut stop = "end_turn";
    for part in reply {
        match part {
            ScriptDirective::WaitFile(path) => {
                if !wait_file(&place.folder.join(path), place) {
                    return Ok(None);
                }
            }
            ScriptDirective::Silence => {
                while place.goes_on() {}
                return Ok(None);
            }
            ScriptDirective::Die => {
                // Begins a block of text and never ends it.
                let block = json!({"type": "text", "text": ""});
                let start = json!({
                    "type": "content_block_start", "index": index, "content_block": block,
                });
                http::write_event(out, &start)?;
                return Ok(None);
            }
            part => {
                for block in blocks_of(part, place) {
                    if block["type"] == "tool_use" {
                        stop = "tool_use";
                    }
                    write_block(out, index, &block)?;
                    index += 1;
                }
            }
        }
    }
    Ok(Some(stop))
}

/// Waits for a file; returns false if the client disconnects first.
fn wait_file(path: &Path, place: &AnswerPlace<'_>) -> bool {
    while !path.exists() {
        if !place.goes_on() {
            return false;
        }
    }
    true
}

fn error_of(part: &ScriptDirective) -> Option<(u16, &'static str, &'static str)> {
    match part {
        ScriptDirective::RateLimit => Some((429, "rate_limit_error", "scripted limit")),
        ScriptDirective::NotLoggedIn => Some((401, "authentication_error", "scripted login")),
        ScriptDirective::ResultError => Some((400, "invalid_request_error", "scripted error")),
        _ => None,
    }
}

/// Returns the content blocks of a directive.
fn blocks_of(part: &ScriptDirective, place: &AnswerPlace<'_>) -> Vec<Value> {
    let text = |text: String| vec![json!({"type": "text", "text": text})];
    match part {
        ScriptDirective::Say(said) => text(said.clone()),
        ScriptDirective::Flood(megabytes) => {
            let block = json!({"type": "text", "text": megabyte()});
            vec![block; *megabytes]
        }
        ScriptDirective::Parallel(parts) => {
            parts.iter().flat_map(|part| blocks_of(part, place)).collect()
        }
        part => {
            let call = part.tool_call(place.folder).into_iter();
            let id = new_id("toolu_01");
            call.map(
                |(name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input}),
            )
            .collect()
        }
    }
}

fn write_block(out: &mut impl Write, index: usize, block: &Value) -> io::Result<()> {
    let (start, deltas) = streamed(block);
    let mut event = |kind: &str, field: &str, value: Value| {
        http::write_event(out, &json!({"type": kind, "index": index, field: value}))
    };
    event("content_block_start", "content_block", start)?;
    for delta in deltas {
        event("content_block_delta", "delta", delta)?;
    }
    http::write_event(out, &json!({"type": "content_block_stop", "index": index}))
}

/// The id and the model of a message.
#[derive(Debug)]
struct MessageStart {
    id: String,
    model: Value,
}

impl MessageStart {
    fn new(request: &ModelRequest) -> Self {
        Self { id: new_id("msg_01"), model: request.body["model"].clone() }
    }

    fn body(&self) -> Value {
        json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model,
            "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {
                "input_tokens": 10, "output_tokens": 1, "service_tier": "standard",
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            },
        })
    }

    fn whole(&self, blocks: &[Value]) -> Value {
        let is_call = blocks.iter().any(|block| block["type"] == "tool_use");
        let mut body = self.body();
        body["content"] = json!(blocks);
        body["stop_reason"] = json!(if is_call { "tool_use" } else { "end_turn" });
        body
    }
}
