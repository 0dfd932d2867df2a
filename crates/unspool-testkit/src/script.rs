//! The directives in prompts that a scripted client or a scripted model follows.
//!
//! A directive is `[[name]]` or `[[name: argument]]`; other text in a prompt is ignored. Directives are
//! carried out in order:
//!
//! | directive | effect |
//! |---|---|
//! | `[[say: text]]` | the model writes the text |
//! | `[[bash: command]]` | a `Bash` call |
//! | `[[edit: path]]`, `[[edit: path \| old \| new]]` | an `Edit` call that creates or changes a file |
//! | `[[ask: question \| A \| B]]` | an `AskUserQuestion` call |
//! | `[[plan: text]]` | an `ExitPlanMode` call |
//! | `[[agent: prompt]]` | an `Agent` call; the agent follows the directives of its prompt |
//! | `[[parallel: ((bash: a)) ((agent: x))]]` | several calls in one message |
//! | `[[wait-file: path]]` | waits until the file exists |
//! | `[[silence]]` | writes nothing until it is interrupted |
//! | `[[flood: n]]` | n megabytes of text: n blocks, streamed in pieces |
//! | `[[rate-limit]]`, `[[not-logged-in]]`, `[[result-error]]` | the turn fails |
//! | `[[die]]` | the client kills itself; the model closes the connection |
//!
//! Only a scripted client supports these:
//!
//! | directive | effect |
//! |---|---|
//! | `[[form: message]]` | an MCP server asks for a form with a field of each kind |
//! | `[[die-after-call: command]]` | writes the call to the log, and dies before it asks |
//! | `[[die-unwritten: command]]` | asks, and dies before the turn is in the log |
//! | `[[torn]]` | one frame in two writes |
//! | `[[half-line]]` | writes half a frame, and dies |
//! | `[[half-log]]` | writes half a line of the log, and dies |
//! | `[[wrong]]` | frames and answers that a host does not expect |
//! | `[[background: name]]`, `[[background-done: name]]` | a background task begins or ends |
//! | `[[cost: cents]]` | adds to the cost of the session |
//!
//! Inside an argument a directive is written with round brackets, `((bash: ls))`, to any depth: each level of
//! a `parallel` or an `agent` replaces the outermost ones by square ones. A model sends one message per call,
//! with the texts before it; after the last call it sends a message with the remaining texts, or [`CLOSING`].

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The text at the end of a turn whose directives do not end with a text.
pub const CLOSING: &str = "Done.";

/// The size of the pieces of a streamed text.
const PIECE: usize = 4096;

/// Returns a megabyte of text, the unit of `[[flood]]`.
pub(crate) fn megabyte() -> String {
    let mut text = "flood ".repeat(174_763);
    text.truncate(1 << 20);
    text
}

/// One directive of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptDirective {
    /// Write a text.
    Say(String),
    /// Call `Bash` with a command.
    Bash(String),
    /// Call `Edit`.
    Edit {
        /// The path of the file.
        path: String,
        /// The text to replace; empty for a new file.
        old: String,
        /// The replacement.
        new: String,
    },
    /// Call `AskUserQuestion`.
    Ask {
        /// The question.
        question: String,
        /// The labels of the choices.
        choices: Vec<String>,
    },
    /// Call `ExitPlanMode` with a plan.
    Plan(String),
    /// Call `Agent` with a prompt, which has its directives in square brackets.
    Agent(String),
    /// Make several calls in one message.
    Parallel(Vec<ScriptDirective>),
    /// Wait until a file exists.
    WaitFile(PathBuf),
    /// Write nothing until the turn is interrupted.
    Silence,
    /// Write a number of megabytes.
    Flood(usize),
    /// Fail as if a limit were reached.
    RateLimit,
    /// Fail as if the login were missing.
    NotLoggedIn,
    /// Fail for another reason.
    ResultError,
    /// Die at once.
    Die,
    /// Let an MCP server ask for a form with a message.
    Form(String),
    /// Write a `Bash` call to the log and die before asking.
    DieAfterCall(String),
    /// Ask for a `Bash` call and die before the turn is in the log.
    DieUnwritten(String),
    /// Write one frame in two writes.
    Torn,
    /// Write half a frame and die.
    HalfLine,
    /// Write half a line of the log and die.
    HalfLog,
    /// Write frames and answers that a host does not expect.
    Wrong,
    /// Begin a background task.
    Background(String),
    /// End a background task.
    BackgroundDone(String),
    /// Add a number of cents to the cost of the session.
    Cost(u32),
    /// An unknown directive.
    Unknown(String),
}

impl ScriptDirective {
    /// Tells whether the directive is a call, which ends its message.
    pub fn is_call(&self) -> bool {
        matches!(
            self,
            Self::Bash(_)
                | Self::Edit { .. }
                | Self::Ask { .. }
                | Self::Plan(_)
                | Self::Agent(_)
                | Self::Parallel(_)
                | Self::Form(_)
                | Self::DieAfterCall(_)
                | Self::DieUnwritten(_)
        )
    }

    /// Returns the tool and the input of a call that a model makes in a folder.
    pub(crate) fn tool_call(&self, folder: &Path) -> Option<(&'static str, Value)> {
        Some(match self {
            Self::Bash(command) => ("Bash", bash_input(command)),
            Self::Edit { path, old, new } => (
                "Edit",
                json!({"file_path": folder.join(path), "old_string": old, "new_string": new}),
            ),
            Self::Ask { question, choices } => {
                ("AskUserQuestion", question_input(question, choices))
            }
            Self::Plan(plan) => ("ExitPlanMode", json!({"plan": plan})),
            Self::Agent(prompt) => (
                "Agent",
                json!({
                    "description": "scripted", "prompt": prompt,
                    "subagent_type": "general-purpose", "run_in_background": false,
                }),
            ),
            _ => return None,
        })
    }

    fn parse(text: &str) -> Self {
        let (name, argument) = text.split_once(':').unwrap_or((text, ""));
        let (name, argument) = (name.trim(), argument.trim());
        let owned = || argument.to_owned();
        match name {
            "say" => Self::Say(owned()),
            "bash" => Self::Bash(owned()),
            "edit" => edit(argument),
            "ask" => ask(argument),
            "plan" => Self::Plan(owned()),
            "agent" => Self::Agent(unnested(argument)),
            "parallel" => Self::Parallel(directives(&unnested(argument))),
            "wait-file" => Self::WaitFile(argument.into()),
            "silence" => Self::Silence,
            "flood" => Self::Flood(argument.parse().unwrap_or(1)),
            "rate-limit" => Self::RateLimit,
            "not-logged-in" => Self::NotLoggedIn,
            "result-error" => Self::ResultError,
            "die" => Self::Die,
            "form" => Self::Form(owned()),
            "die-after-call" => Self::DieAfterCall(owned()),
            "die-unwritten" => Self::DieUnwritten(owned()),
            "torn" => Self::Torn,
            "half-line" => Self::HalfLine,
            "half-log" => Self::HalfLog,
            "wrong" => Self::Wrong,
            "background" => Self::Background(owned()),
            "background-done" => Self::BackgroundDone(owned()),
            "cost" => Self::Cost(argument.parse().unwrap_or(1)),
            _ => Self::Unknown(text.to_owned()),
        }
    }
}

fn edit(argument: &str) -> ScriptDirective {
    let mut parts = argument.splitn(3, '|').map(|part| part.trim().to_owned());
    let path = parts.next().unwrap_or_default();
    let old = parts.next().unwrap_or_default();
    let new = parts.next().unwrap_or_else(|| "edited\n".to_owned());
    ScriptDirective::Edit { path, old, new }
}

fn ask(argument: &str) -> ScriptDirective {
    let mut parts = argument.split('|').map(|part| part.trim().to_owned());
    let question = parts.next().unwrap_or_default();
    ScriptDirective::Ask { question, choices: parts.collect() }
}

/// Parses the directives of a prompt.
pub fn directives(prompt: &str) -> Vec<ScriptDirective> {
    let mut found = Vec::new();
    let mut rest = prompt;
    while let Some((_, inner)) = rest.split_once("[[") {
        let Some((text, after)) = inner.split_once("]]") else {
            break;
        };
        found.push(ScriptDirective::parse(text.trim()));
        rest = after;
    }
    found
}

/// Returns the input of a `Bash` call.
pub(crate) fn bash_input(command: &str) -> Value {
    json!({"command": command, "description": format!("Run {command}")})
}

/// Returns the input of a question in a model's format.
fn question_input(question: &str, choices: &[String]) -> Value {
    let options: Vec<Value> =
        choices.iter().map(|label| json!({"label": label, "description": label})).collect();
    json!({"questions": [{
        "question": question, "header": "Question", "options": options, "multiSelect": false,
    }]})
}

/// Returns the blocks of a content; a string becomes one text block.
pub(crate) fn content_blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        content => content.as_array().cloned().unwrap_or_default(),
    }
}

/// Returns the first event of a block in a stream, and its pieces.
pub(crate) fn streamed(block: &Value) -> (Value, Vec<Value>) {
    if block["type"] == "tool_use" {
        let mut start = block.clone();
        start["input"] = json!({});
        let input = block["input"].to_string();
        return (start, vec![json!({"type": "input_json_delta", "partial_json": input})]);
    }
    let text = block["text"].as_str().unwrap_or_default();
    let deltas = pieces(text, PIECE).into_iter();
    let deltas = deltas.map(|piece| json!({"type": "text_delta", "text": piece}));
    (json!({"type": "text", "text": ""}), deltas.collect())
}

/// Splits a text into pieces of about `size` bytes.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(size));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Replaces the outermost round double brackets of an argument by square ones.
fn unnested(argument: &str) -> String {
    let mut text = String::with_capacity(argument.len());
    let mut depth = 0_usize;
    let mut rest = argument;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("((") {
            text.push_str(if depth == 0 { "[[" } else { "((" });
            depth += 1;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("))").filter(|_| depth > 0) {
            depth -= 1;
            text.push_str(if depth == 0 { "]]" } else { "))" });
            rest = after;
        } else {
            let next = rest.chars().next().expect("not empty");
            text.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    text
}

/// Removes the parts of the model's next message from the rest of a script. The last message has no call and
/// ends with a text.
pub fn next_reply(left: &mut VecDeque<ScriptDirective>) -> Vec<ScriptDirective> {
    let mut reply = Vec::new();
    while let Some(directive) = left.pop_front() {
        let ends = directive.is_call();
        reply.push(directive);
        if ends {
            return reply;
        }
    }
    let says = |part: &ScriptDirective| {
        matches!(part, ScriptDirective::Say(_) | ScriptDirective::Flood(_))
    };
    if !reply.last().is_some_and(says) {
        reply.push(ScriptDirective::Say(CLOSING.to_owned()));
    }
    reply
}

/// Returns the model's messages for a prompt, the last one without a call.
pub fn replies(prompt: &str) -> Vec<Vec<ScriptDirective>> {
    let mut left = VecDeque::from(directives(prompt));
    let mut replies = Vec::new();
    loop {
        let reply = next_reply(&mut left);
        let goes_on = reply.last().is_some_and(ScriptDirective::is_call);
        replies.push(reply);
        if !goes_on {
            return replies;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(text: &str) -> ScriptDirective {
        ScriptDirective::Say(text.to_owned())
    }

    fn bash(command: &str) -> ScriptDirective {
        ScriptDirective::Bash(command.to_owned())
    }

    #[test]
    fn directives_are_found_between_other_text() {
        let found =
            directives("do [[say: hi: you]] and [[bash: ls -l | wc]], [[die]] [[nope: 1]] [[x");
        let expected = [
            say("hi: you"),
            bash("ls -l | wc"),
            ScriptDirective::Die,
            ScriptDirective::Unknown("nope: 1".to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn arguments_have_parts() {
        let found =
            directives("[[edit: a.txt]][[edit: a | b | c]][[ask: Why? | A | B]][[flood: 7]]");
        let edit = |path: &str, old: &str, new: &str| ScriptDirective::Edit {
            path: path.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
        };
        let ask = ScriptDirective::Ask {
            question: "Why?".to_owned(),
            choices: vec!["A".to_owned(), "B".to_owned()],
        };
        let expected =
            [edit("a.txt", "", "edited\n"), edit("a", "b", "c"), ask, ScriptDirective::Flood(7)];
        assert_eq!(found, expected);
    }

    #[test]
    fn each_level_opens_one_pair_of_brackets() {
        let found = directives("[[parallel: ((bash: a)) ((agent: x ((bash: b)) ((say: c))))]]");
        let agent = ScriptDirective::Agent("x [[bash: b]] [[say: c]]".to_owned());
        assert_eq!(found, [ScriptDirective::Parallel(vec![bash("a"), agent])]);
    }

    #[test]
    fn pieces_are_the_text() {
        assert_eq!(pieces("aäaä", 2), ["aä", "aä"]);
        assert_eq!(pieces("", 2), [] as [&str; 0]);
        assert_eq!(pieces(&megabyte(), 4096).len(), 256);
    }

    #[test]
    fn a_message_ends_with_its_call() {
        let found = replies("[[say: one]] [[bash: a]] [[bash: b]] [[say: two]]");
        let expected = [vec![say("one"), bash("a")], vec![bash("b")], vec![say("two")]];
        assert_eq!(found, expected);
        assert_eq!(replies("hello"), [[say(CLOSING)]]);
        assert_eq!(replies("[[bash: a]]")[1], [say(CLOSING)]);
    }
}
