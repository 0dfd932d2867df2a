//! The kind of a request to the model, and the message that answers it.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::script::{ScriptDirective, content_blocks, replies};

/// The text with which the client introduces a prompt that arrived during a turn.
const FOLDED: &str = "The user sent a new message while you were working:\n";

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// A request for the next message of the session.
    Session,
    /// A request for the next message of an agent.
    Agent,
    /// A request for a value of a given schema, such as a title.
    Shaped,
    /// Any other request without tools: a test of the connection, a summary.
    Plain,
    /// A request for the number of tokens.
    Count,
}

/// A request that the client sent to the model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The kind of the request.
    pub kind: RequestKind,
    /// The body.
    pub body: Value,
}

impl ModelRequest {
    /// Parses the body of a request.
    pub(super) fn new(body: Value) -> Self {
        Self { kind: kind_of(&body), body }
    }

    /// Returns a short form of the texts, calls and results that were sent: `U text`, `A text`, `call Bash`,
    /// `result text`, `error text`. Reminders of the client are left out.
    pub fn conversation(&self) -> Vec<String> {
        brief_blocks(self.body["messages"].as_array().map_or(&[], Vec::as_slice))
    }

    /// Returns the parts of the message that answers the request, and the prompts that it follows.
    pub(super) fn reply(&self, begun: &HashSet<String>) -> (Vec<ScriptDirective>, Vec<String>) {
        let text = |text: &str| (vec![ScriptDirective::Say(text.to_owned())], Vec::new());
        match self.kind {
            RequestKind::Session | RequestKind::Agent => reply_to(&self.body, begun),
            RequestKind::Shaped => text(&shaped(&self.body).to_string()),
            RequestKind::Plain | RequestKind::Count => text("ok"),
        }
    }
}

/// Returns a short form of the texts, calls and results of messages.
pub fn brief_blocks(messages: &[Value]) -> Vec<String> {
    let mut brief = Vec::new();
    for message in messages {
        let side = match message["role"].as_str() {
            Some("user") => "U",
            Some("assistant") => "A",
            _ => continue,
        };
        for block in content_blocks(&message["content"]) {
            brief.extend(brief_block(side, &block));
        }
    }
    brief
}

fn brief_block(side: &str, block: &Value) -> Option<String> {
    match block["type"].as_str()? {
        "text" => {
            let text = block["text"].as_str().unwrap_or_default().trim();
            (!is_reminder(text)).then(|| format!("{side} {text}"))
        }
        "tool_use" => Some(format!("call {}", block["name"].as_str().unwrap_or_default())),
        "tool_result" => {
            let word = if block["is_error"] == true { "error" } else { "result" };
            Some(format!("{word} {}", texts(&block["content"]).join("\n")))
        }
        other => Some(other.to_owned()),
    }
}

/// Returns the texts of a content, which is a string or blocks.
fn texts(content: &Value) -> Vec<String> {
    let blocks = content_blocks(content);
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    texts.map(str::to_owned).collect()
}

fn is_reminder(text: &str) -> bool {
    ["<system-reminder>", "<command-", "<local-command", "Caveat:"]
        .iter()
        .any(|start| text.starts_with(start))
}

fn kind_of(body: &Value) -> RequestKind {
    let has_shape = |name: &str| {
        let shape = &body[name];
        shape["format"].is_object() || shape["schema"].is_object()
    };
    if has_shape("output_config") || has_shape("output_format") {
        return RequestKind::Shaped;
    }
    let system = texts(&body["system"]).join("\n");
    match body["tools"].as_array() {
        Some(tools) if !tools.is_empty() && system.contains("cc_is_subagent=true") => {
            RequestKind::Agent
        }
        Some(tools) if !tools.is_empty() => RequestKind::Session,
        _ => RequestKind::Plain,
    }
}

/// Returns a value that matches the JSON Schema of a request.
fn shaped(body: &Value) -> Value {
    let config = [&body["output_config"], &body["output_format"]];
    let format = config.into_iter().find(|config| config.is_object());
    let format = format.map_or(Value::Null, |config| match &config["format"] {
        Value::Null => config.clone(),
        format => format.clone(),
    });
    of_schema(&format["schema"])
}

fn of_schema(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("object") => {
            let members = schema["properties"].as_object().into_iter().flatten();
            let members = members.map(|(name, schema)| (name.clone(), of_schema(schema)));
            Value::Object(members.collect())
        }
        Some("array") => json!([]),
        Some("boolean") => json!(false),
        Some("integer" | "number") => json!(1),
        _ => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("scripted")),
    }
}

/// Returns the parts of the next message. The messages that the model has written since the prompt are the
/// part of the script that is done.
fn reply_to(body: &Value, begun: &HashSet<String>) -> (Vec<ScriptDirective>, Vec<String>) {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let (place, obeyed) = last_prompt(messages, begun);
    let since = &messages[place..];
    let is_answer = |message: &&Value| message["role"] == "assistant";
    let mut prompt = obeyed.join("\n");
    for message in since.iter().filter(|message| !is_answer(message)) {
        for text in texts(&message["content"]) {
            if let Some((_, folded)) = text.split_once(FOLDED) {
                prompt.push_str(folded);
            }
        }
    }
    let done = since.iter().filter(is_answer).count();
    let mut replies = replies(&prompt);
    let last = replies.len() - 1;
    (replies.swap_remove(done.min(last)), obeyed)
}

/// Returns the position of the last prompt of a person, and its texts.
///
/// Prompts without an answer between them are one message. Prompts whose answer was begun and not ended, such
/// as interrupted ones, are not followed again with the next prompt.
fn last_prompt(messages: &[Value], begun: &HashSet<String>) -> (usize, Vec<String>) {
    for (place, message) in messages.iter().enumerate().rev() {
        if message["role"] != "user" {
            continue;
        }
        let blocks = content_blocks(&message["content"]);
        let has_result = blocks.iter().any(|block| block["type"] == "tool_result");
        let texts = texts(&Value::Array(blocks));
        // The client puts line breaks between prompts that it joins.
        let texts = texts.iter().map(|text| text.trim().to_owned());
        let texts = texts.filter(|text| !is_reminder(text));
        let (notes, texts): (Vec<String>, Vec<String>) =
            texts.partition(|text| text.starts_with("[Request interrupted"));
        // The message of a result may also contain notes of the client.
        let is_prompt =
            !has_result || !notes.is_empty() || texts.iter().any(|text| text.contains("[["));
        if let Some(last) = texts.last().filter(|_| is_prompt) {
            let new = texts.iter().filter(|text| !begun.contains(*text)).cloned();
            let new: Vec<String> = new.collect();
            return (place, if new.is_empty() { vec![last.clone()] } else { new });
        }
    }
    (0, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(messages: &[Value]) -> ModelRequest {
        ModelRequest::new(json!({"tools": [{"name": "Bash"}], "messages": messages}))
    }

    fn user(text: &str) -> Value {
        json!({"role": "user", "content": [{"type": "text", "text": text}]})
    }

    fn last_part(messages: &[Value], begun: &[&str]) -> ScriptDirective {
        let begun = begun.iter().map(|text| (*text).to_owned()).collect();
        let (mut reply, _) = request(messages).reply(&begun);
        reply.pop().expect("a part")
    }

    #[test]
    fn the_next_message_follows_from_what_was_said_since_the_prompt() {
        let prompt = user("[[bash: a]] [[bash: b]] [[say: end]]");
        let call = json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {}},
        ]});
        let result = json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "out"},
            {"type": "text", "text": "<system-reminder>x</system-reminder>"},
        ]});
        let bash = |command: &str| ScriptDirective::Bash(command.to_owned());
        let mut messages = vec![user("old [[bash: old]]"), user("<system-reminder>"), prompt];
        assert_eq!(last_part(&messages, &[]), bash("a"));
        messages.extend([call.clone(), result.clone()]);
        assert_eq!(last_part(&messages, &[]), bash("b"));
        messages.extend([call, result]);
        let end = ScriptDirective::Say("end".to_owned());
        assert_eq!(last_part(&messages, &[]), end);
        let text = format!("{FOLDED}[[bash: c]]\n\nThis is how");
        messages.push(json!({"role": "system", "content": [{"type": "text", "text": text}]}));
        assert_eq!(last_part(&messages, &[]), bash("c"));
        let brief = request(&messages).conversation();
        let expected = [
            "U old [[bash: old]]",
            "U [[bash: a]] [[bash: b]] [[say: end]]",
            "call Bash",
            "result out",
            "call Bash",
            "result out",
        ];
        assert_eq!(brief, expected);
    }

    #[test]
    fn a_prompt_whose_answer_was_cut_is_not_obeyed_with_the_next() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let texts = [
            json!({"type": "tool_result", "tool_use_id": "t", "content": "rejected"}),
            text("[Request interrupted by user for tool use]"),
            text("one [[silence]]\n"),
            text("two [[say: 2]]"),
        ];
        let messages = [user("zero [[bash: a]]"), json!({"role": "user", "content": texts})];
        let begun = ["zero [[bash: a]]", "one [[silence]]"];
        let said = ScriptDirective::Say("2".to_owned());
        assert_eq!(last_part(&messages, &begun), said);
        let both = ["one [[silence]]", "two [[say: 2]]"];
        assert_eq!(last_part(&messages, &both), said, "sent again");
    }

    #[test]
    fn other_requests_have_short_answers() {
        let schema = json!({"type": "object", "properties": {
            "title": {"type": "string"}, "n": {"type": "integer"}, "kind": {"enum": ["a", "b"]},
        }});
        let body = json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}});
        let request = ModelRequest::new(body);
        assert_eq!(request.kind, RequestKind::Shaped);
        let expected = r#"{"kind":"a","n":1,"title":"scripted"}"#;
        let expected = [ScriptDirective::Say(expected.to_owned())];
        assert_eq!(request.reply(&HashSet::new()).0, expected);
        let plain = ModelRequest::new(json!({"messages": [user("Hi")]}));
        assert_eq!(plain.kind, RequestKind::Plain);
        let agent =
            json!({"tools": [{}], "system": [{"type": "text", "text": "cc_is_subagent=true;"}]});
        assert_eq!(ModelRequest::new(agent).kind, RequestKind::Agent);
    }
}
