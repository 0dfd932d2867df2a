//! What a run says, read from its spool: texts, calls, results, and the events of the host.
//!
//! The events of a `Follower` have no calls and no results, which a person at a terminal wants to
//! see; they are read from the client's lines here. Lines that are not known are left out.

use std::collections::VecDeque;
use std::io;

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;
use unspool_drive::folders::DriveFolders;
use unspool_drive::json::DriveEventJson;
use unspool_drive::socket::{HostConnection, SpoolGrowths};
use unspool_drive::spool::{SpoolLine, SpoolReader, SpoolSource};
use unspool_drive::wire::{ClientFrame, ClientSaid, ClientTurnEnd, StreamPart};
use unspool_drive::{DriveError, RunId};

/// Something that a run said.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum RunSaid {
    /// A piece of a text that is being written, of the main conversation.
    Piece(String),
    /// A prompt that the client took up.
    Prompt(String),
    /// A text, whole.
    Text { text: String, is_agent: bool },
    /// A call.
    Call {
        name: String,
        input: Value,
        is_agent: bool,
    },
    /// The result of a call.
    Output {
        text: String,
        is_error: bool,
        is_agent: bool,
    },
    /// A turn ended; with words if it failed.
    TurnEnd { failure: Option<String> },
    /// Something that the host noted.
    Event(Box<DriveEventJson>),
}

/// Reads what a run says, and waits for more.
pub(crate) struct RunReader {
    spool: Option<SpoolReader>,
    growths: Option<SpoolGrowths>,
    ready: VecDeque<RunSaid>,
}

impl RunReader {
    /// Begins at an offset of the spool and follows it until the run is over.
    pub(crate) fn follow(folders: &DriveFolders, run: &RunId, since: u64) -> Result<Self> {
        let host = HostConnection::open(folders.sockets(), run);
        let growths = host.and_then(|host| host.subscribe(since, false));
        Ok(Self {
            // A run without a host says nothing more.
            growths: growths.ok(),
            ..Self::past(folders, run, since)?
        })
    }

    /// Reads what was said, and waits for nothing.
    pub(crate) fn past(folders: &DriveFolders, run: &RunId, since: u64) -> Result<Self> {
        let path = folders.spool(run);
        let spool = match SpoolReader::open(&path, since) {
            Ok(spool) => Some(spool),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(DriveError::File { path, error }.into()),
        };
        Ok(Self {
            spool,
            growths: None,
            ready: VecDeque::new(),
        })
    }

    /// Returns what ends the waiting when it is called from another thread.
    pub(crate) fn stopper(&self) -> Option<Box<dyn Fn() + Send>> {
        let stop = self.growths.as_ref()?.stopper().ok()?;
        Some(Box::new(stop))
    }

    /// Takes lines that are there; tells whether there were any.
    fn read(&mut self) -> bool {
        let lines = self.spool.as_mut().map(SpoolReader::read_some);
        let Some(Ok(lines)) = lines else {
            return false;
        };
        self.ready.extend(lines.iter().flat_map(said));
        !lines.is_empty()
    }
}

impl Iterator for RunReader {
    type Item = RunSaid;

    fn next(&mut self) -> Option<RunSaid> {
        loop {
            if let Some(said) = self.ready.pop_front() {
                return Some(said);
            }
            if self.read() {
                continue;
            }
            let growths = self.growths.as_mut();
            if growths.and_then(SpoolGrowths::next_length).is_none() {
                // What was written between the last look and the end.
                self.growths = None;
                if !self.read() {
                    return None;
                }
            }
        }
    }
}

/// Returns why the last turn of a run failed; none if it did not.
pub(crate) fn last_failure(folders: &DriveFolders, run: &RunId) -> Option<String> {
    let said = RunReader::past(folders, run, 0).ok()?;
    let ends = said.filter_map(|said| match said {
        RunSaid::TurnEnd { failure } => Some(failure),
        _ => None,
    });
    ends.last().flatten()
}

/// Returns what a line of a spool says.
fn said(line: &SpoolLine) -> Vec<RunSaid> {
    match line.source {
        SpoolSource::Said => client_said(&line.text),
        SpoolSource::Note => {
            let event = serde_json::from_slice(&line.text).ok();
            event.map(RunSaid::Event).into_iter().collect()
        }
        SpoolSource::Marker => vec![RunSaid::Event(Box::new(DriveEventJson::LeftOut {}))],
        SpoolSource::Complained => Vec::new(),
    }
}

fn client_said(line: &[u8]) -> Vec<RunSaid> {
    let Some(frame) = ClientFrame::read(line) else {
        return Vec::new();
    };
    match (frame.kind.as_deref(), frame.said) {
        (_, ClientSaid::Part(StreamPart::Text { text, parent: None })) => {
            vec![RunSaid::Piece(text)]
        }
        (_, ClientSaid::TurnEnd(end)) => vec![turn_end(end)],
        (Some("assistant" | "user"), _) => {
            let message = serde_json::from_slice(line).ok();
            message.map(SpokenFrame::said).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn turn_end(end: ClientTurnEnd) -> RunSaid {
    let failure = end.is_error.then(|| {
        let reason = end.message.or(end.startup_failure);
        reason.unwrap_or_else(|| "the client gives no reason".to_owned())
    });
    RunSaid::TurnEnd { failure }
}

/// A line with a message in it.
#[derive(Deserialize)]
struct SpokenFrame {
    message: SpokenMessage,
    #[serde(default)]
    parent_tool_use_id: Option<String>,
    #[serde(default, rename = "isReplay")]
    is_replay: bool,
}

#[derive(Deserialize)]
struct SpokenMessage {
    #[serde(default)]
    content: Value,
}

impl SpokenFrame {
    fn said(self) -> Vec<RunSaid> {
        let is_agent = self.parent_tool_use_id.is_some();
        if self.is_replay {
            return vec![RunSaid::Prompt(text_of(&self.message.content))];
        }
        let blocks = self.message.content.as_array().into_iter().flatten();
        blocks
            .filter_map(|block| match block["type"].as_str()? {
                "text" => Some(RunSaid::Text {
                    text: block["text"].as_str()?.to_owned(),
                    is_agent,
                }),
                "tool_use" => Some(RunSaid::Call {
                    name: block["name"].as_str()?.to_owned(),
                    input: block["input"].clone(),
                    is_agent,
                }),
                "tool_result" => Some(RunSaid::Output {
                    text: text_of(&block["content"]),
                    is_error: block["is_error"].as_bool().unwrap_or_default(),
                    is_agent,
                }),
                _ => None,
            })
            .collect()
    }
}

/// Returns the text of a content, which is a text or a list of blocks.
fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<RunSaid> {
        client_said(line.as_bytes())
    }

    #[test]
    fn lines_of_the_client_become_texts_calls_and_results() {
        let said = of(
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}"#,
        );
        let call = RunSaid::Call {
            name: "Bash".to_owned(),
            input: serde_json::json!({ "command": "ls" }),
            is_agent: false,
        };
        let text = RunSaid::Text {
            text: "hi".to_owned(),
            is_agent: false,
        };
        assert_eq!(said, [text, call]);
        let output = of(
            r#"{"type":"user","parent_tool_use_id":"t9","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"}],"is_error":true}]}}"#,
        );
        let expected = RunSaid::Output {
            text: "a".to_owned(),
            is_error: true,
            is_agent: true,
        };
        assert_eq!(output, [expected]);
        let prompt = of(r#"{"type":"user","isReplay":true,"uuid":"u","message":{"content":"go"}}"#);
        assert_eq!(prompt, [RunSaid::Prompt("go".to_owned())]);
    }

    #[test]
    fn lines_that_say_nothing_to_a_person_are_left_out() {
        for line in [
            "not json",
            "[1]",
            r#"{"type":"system","subtype":"init"}"#,
            r#"{"type":"assistant"}"#,
            r#"{"type":"assistant","message":{"content":7}}"#,
            r#"{"type":"user","message":{"content":[{"type":"odd"}]}}"#,
        ] {
            assert_eq!(of(line), [], "{line}");
        }
        let failed = of(r#"{"type":"result","is_error":true,"result":"Not logged in"}"#);
        let failure = Some("Not logged in".to_owned());
        assert_eq!(failed, [RunSaid::TurnEnd { failure }]);
    }
}
