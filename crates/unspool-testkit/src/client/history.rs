//! Reads the conversation from a log that a scripted client continues.
//!
//! Follows the rules of the real client for the cases that tests create: every line that is an object counts;
//! the last of several records with one uuid counts; the conversation ends at the last entry with a message,
//! unless the last `last-prompt` line names an entry on another branch; the path ends at the first missing
//! parent. Bridges over missing parents, compactions and lines out of order are not supported.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::entropy;
use crate::script::content_blocks;

/// The result of a call whose real result was never recorded.
pub const INTERRUPTED_CALL: &str = "[Tool call interrupted: the session ended before this call's \
     result was recorded, so its outcome is unknown. Check whether it took effect before relying \
     on it or running it again.]";

/// The answer that the client makes up for a prompt that was never answered.
pub const NO_RESPONSE: &str = "No response requested.";

/// The conversation at the end of a log.
#[derive(Debug, Default)]
pub(super) struct ClientHistory {
    /// The entries of the path, from the first to the last.
    pub(super) entries: Vec<Value>,
    /// The ids of prompts with an answer anywhere in the log.
    pub(super) answered: HashSet<String>,
    /// Whether the entries come from another session.
    pub(super) is_forked: bool,
}

impl ClientHistory {
    /// Reads a log, up to the entry `at` if it is set.
    pub(super) fn read(log: &[u8], at: Option<&str>) -> Result<Self, String> {
        let lines: Vec<Value> = log.split(|&byte| byte == b'\n').filter_map(object).collect();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (place, line) in lines.iter().enumerate() {
            if let Some(uuid) = uuid_of(line) {
                places.insert(uuid, place);
            }
        }
        let walk = |from: usize| walk(&lines, &places, from);
        let end = match at {
            Some(uuid) => {
                let place = places.get(uuid).copied();
                Some(
                    place
                        .ok_or_else(|| format!("No message found with message.uuid of: {uuid}"))?,
                )
            }
            None => end_of(&lines, &places),
        };
        let chain = end.map(walk).unwrap_or_default();
        Ok(Self {
            entries: chain.into_iter().map(|place| lines[place].clone()).collect(),
            answered: answered(&lines, &places),
            is_forked: false,
        })
    }

    /// Returns the parent of the next entry.
    pub(super) fn tip(&self) -> Option<String> {
        self.entries.last().and_then(uuid_of).map(str::to_owned)
    }

    /// Returns the messages for the model.
    pub(super) fn messages(&self) -> Vec<Value> {
        let mut messages = Vec::new();
        for entry in &self.entries {
            push_message(&mut messages, entry);
        }
        messages
    }

    /// Returns the ids of calls without a result, each with the uuid of its entry.
    pub(super) fn open_calls(&self) -> Vec<(String, String)> {
        let results: HashSet<&str> =
            self.entries.iter().flat_map(blocks).filter_map(result_of).collect();
        let mut open = Vec::new();
        for entry in &self.entries {
            let uuid = uuid_of(entry).unwrap_or_default();
            let calls = blocks(entry).filter(|block| block["type"] == "tool_use");
            let ids = calls.filter_map(|block| block["id"].as_str());
            open.extend(
                ids.filter(|id| !results.contains(id)).map(|id| (id.to_owned(), uuid.to_owned())),
            );
        }
        open
    }

    /// Tells whether the last message is the user's.
    pub(super) fn ends_with_prompt(&self) -> bool {
        let last = self.entries.iter().rev().find(|entry| is_message(entry));
        last.is_some_and(|entry| entry["type"] == "user")
    }

    /// Removes everything after the last prompt of a person, and returns that prompt.
    pub(super) fn rewind_to_prompt(&mut self) -> Option<Value> {
        let place = self.entries.iter().rposition(is_prompt)?;
        self.entries.truncate(place + 1);
        self.entries.last().cloned()
    }
}

fn object(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok().filter(Value::is_object)
}

fn uuid_of(line: &Value) -> Option<&str> {
    let is_entry =
        matches!(line["type"].as_str(), Some("user" | "assistant" | "system" | "attachment"));
    line["uuid"].as_str().filter(|_| is_entry)
}

fn is_message(line: &Value) -> bool {
    matches!(line["type"].as_str(), Some("user" | "assistant"))
}

/// Tells whether an entry is a prompt: a message of the user without a tool result.
pub(super) fn is_prompt(entry: &Value) -> bool {
    entry["type"] == "user" && blocks(entry).all(|block| block["type"] != "tool_result")
}

fn blocks(entry: &Value) -> impl Iterator<Item = &Value> {
    let blocks = entry["message"]["content"].as_array();
    blocks.into_iter().flatten()
}

fn result_of(block: &Value) -> Option<&str> {
    block["tool_use_id"].as_str()
}

/// Returns the positions of the entries from the first to a given one.
fn walk(lines: &[Value], places: &HashMap<&str, usize>, from: usize) -> Vec<usize> {
    let mut chain = vec![from];
    let mut at = from;
    while let Some(&parent) = lines[at]["parentUuid"].as_str().and_then(|uuid| places.get(uuid)) {
        if chain.contains(&parent) {
            break;
        }
        chain.push(parent);
        at = parent;
    }
    chain.reverse();
    chain
}

fn end_of(lines: &[Value], places: &HashMap<&str, usize>) -> Option<usize> {
    let is_current =
        |place: usize| uuid_of(&lines[place]).is_some_and(|uuid| places[uuid] == place);
    let last =
        (0..lines.len()).rev().find(|&place| is_current(place) && is_message(&lines[place]))?;
    let pin = lines.iter().rev().find(|line| line["type"] == "last-prompt");
    let pinned = pin.and_then(|line| places.get(line["leafUuid"].as_str()?).copied());
    match pinned {
        Some(pinned) if !walk(lines, places, last).contains(&pinned) => Some(pinned),
        _ => Some(last),
    }
}

/// Returns the uuids of prompts with an answer below them.
fn answered(lines: &[Value], places: &HashMap<&str, usize>) -> HashSet<String> {
    let mut answered = HashSet::new();
    for (place, line) in lines.iter().enumerate() {
        if line["type"] != "assistant" {
            continue;
        }
        let chain = walk(lines, places, place);
        let prompt = chain.into_iter().rev().find(|&place| is_prompt(&lines[place]));
        if let Some(uuid) = prompt.and_then(|place| uuid_of(&lines[place])) {
            answered.insert(uuid.to_owned());
        }
    }
    answered
}

/// Appends the message of an entry; adjacent messages of one role become one.
pub(super) fn push_message(messages: &mut Vec<Value>, entry: &Value) {
    if !is_message(entry) {
        return;
    }
    let content = content_blocks(&entry["message"]["content"]);
    let role = &entry["message"]["role"];
    match messages.last_mut() {
        Some(last) if last["role"] == *role => {
            let into = last["content"].as_array_mut().expect("blocks");
            into.extend(content);
        }
        _ => messages.push(json!({"role": role, "content": content})),
    }
}

/// Returns the fields of a made-up result for an interrupted call.
pub(super) fn interrupted_result(call: &str) -> Value {
    json!({
        "type": "user", "promptId": entropy::new_uuid(),
        "message": {"role": "user", "content": [{
            "type": "tool_result", "content": INTERRUPTED_CALL, "is_error": true,
            "tool_use_id": call,
        }]},
        "toolUseResult": INTERRUPTED_CALL, "toolDenialKind": "interrupted",
    })
}

/// Returns the fields of a made-up answer.
pub(super) fn synthetic_answer() -> Value {
    json!({
        "type": "assistant", "isApiErrorMessage": false,
        "message": {
            "id": entropy::new_uuid(), "type": "message", "role": "assistant",
            "model": "<synthetic>", "stop_reason": "stop_sequence", "stop_sequence": "",
            "usage": {"input_tokens": 0, "output_tokens": 0},
            "content": [{"type": "text", "text": NO_RESPONSE}],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{session, uuid};

    fn names(log: &str, at: Option<&str>) -> String {
        let history = ClientHistory::read(log.as_bytes(), at).expect("a history");
        let known: Vec<(String, &str)> = ["u1", "a1", "u2", "a2", "u3", "a3"]
            .into_iter()
            .map(|name| (uuid(name), name))
            .collect();
        let name = |entry: &Value| {
            let found = known.iter().find(|(uuid, _)| entry["uuid"] == **uuid);
            found.map_or("?", |(_, name)| name)
        };
        history.entries.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    fn log(notation: &str) -> String {
        String::from_utf8(session(notation)).expect("text")
    }

    #[test]
    fn the_last_entry_is_the_end_unless_another_branch_is_pinned() {
        let text = log(r#"
            u1 user "one"
            a1 assistant "1"
            u2 user "two"
            a2 assistant "2"
            u3 user < a1 "three"
            a3 assistant "3"
        "#);
        assert_eq!(names(&text, None), "u1 a1 u3 a3");
        let pin = |leaf: &str| {
            format!("{text}{}\n", json!({"type": "last-prompt", "leafUuid": uuid(leaf)}))
        };
        assert_eq!(names(&pin("a2"), None), "u1 a1 u2 a2");
        assert_eq!(names(&pin("a1"), None), "u1 a1 u3 a3");
        assert_eq!(names(&text, Some(&uuid("a2"))), "u1 a1 u2 a2");
        assert!(ClientHistory::read(text.as_bytes(), Some("nope")).is_err());
        assert_eq!(names(&format!("{text}{{\"type\":\"us"), None), "u1 a1 u3 a3");
        assert_eq!(names("", None), "");
    }
}
