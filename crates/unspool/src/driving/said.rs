//! What a run says, read from its spool: texts, calls, results, and the events of the host.
//!
//! The events of a `Follower` have no calls and no results, which a person at a terminal wants to
//! see; they are read from the client's lines here. Lines that are not known are left out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use unspool_drive::folders::DriveFolders;
use unspool_drive::json::DriveEventJson;
use unspool_drive::socket::{HostConnection, SpoolGrowths};
use unspool_drive::spool::{SpoolLine, SpoolReader, SpoolSource};
use unspool_drive::wire::{ClientFrame, ClientSaid, StreamPart};
use unspool_drive::{Drive, RunId};

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

/// How often a host is looked for that has just started, or is about to be over.
const MOST_TRIES: usize = 2_500;
/// How long to wait before it is looked for again.
const BETWEEN_TRIES: Duration = Duration::from_millis(2);

/// Ends a [`RunReader`] from another thread.
#[derive(Clone, Default)]
pub(crate) struct ReaderStop(Arc<Mutex<ReaderStopState>>);

#[derive(Default)]
struct ReaderStopState {
    is_stopped: bool,
    /// Ends the waiting.
    wake: Option<Box<dyn Fn() + Send>>,
}

impl ReaderStop {
    fn state(&self) -> MutexGuard<'_, ReaderStopState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the reader: it returns none, now and from then on.
    pub(crate) fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        if let Some(wake) = &state.wake {
            wake();
        }
    }
}

/// Reads what a run says, and waits for more until the run is over.
pub(crate) struct RunReader<'a> {
    drive: &'a Drive,
    folders: &'a DriveFolders,
    run: &'a RunId,
    since: u64,
    spool: Option<SpoolReader>,
    growths: Option<SpoolGrowths>,
    stop: ReaderStop,
    ready: VecDeque<RunSaid>,
}

impl<'a> RunReader<'a> {
    /// Begins at an offset of the spool.
    pub(crate) fn new(
        drive: &'a Drive,
        folders: &'a DriveFolders,
        run: &'a RunId,
        since: u64,
    ) -> Self {
        Self {
            drive,
            folders,
            run,
            since,
            spool: None,
            growths: None,
            stop: ReaderStop::default(),
            ready: VecDeque::new(),
        }
    }

    /// Returns what ends this from another thread.
    pub(crate) fn stopper(&self) -> ReaderStop {
        self.stop.clone()
    }

    /// Takes lines that are there; tells whether there were any.
    fn read(&mut self) -> bool {
        if self.spool.is_none() {
            // A run that has just been started has none yet.
            self.spool = SpoolReader::open(&self.folders.spool(self.run), self.since).ok();
        }
        let lines = self.spool.as_mut().map(SpoolReader::read_some);
        let Some(Ok(lines)) = lines else {
            return false;
        };
        self.ready.extend(lines.iter().flat_map(said));
        !lines.is_empty()
    }

    /// Waits until the run has said more; false when it is over.
    fn wait(&mut self) -> bool {
        loop {
            if self.stop.state().is_stopped {
                return false;
            }
            let growths = self.growths.as_mut();
            if growths.and_then(SpoolGrowths::next_length).is_some() {
                return true;
            }
            if !self.connect() {
                return false;
            }
        }
    }

    /// Looks for the host; false when there is none any more.
    fn connect(&mut self) -> bool {
        let known = self.spool.as_ref().map_or(0, SpoolReader::position);
        for _ in 0..MOST_TRIES {
            let host = HostConnection::open(self.folders.sockets(), self.run);
            if let Ok(growths) = host.and_then(|host| host.subscribe(known, false)) {
                let wake = growths.stopper().ok();
                self.stop.state().wake = wake.map(|wake| Box::new(wake) as Box<dyn Fn() + Send>);
                self.growths = Some(growths);
                return true;
            }
            let run = self.drive.run(self.run);
            if run.map_or(true, |view| view.run.state.is_over()) {
                return false;
            }
            thread::sleep(BETWEEN_TRIES);
        }
        false
    }
}

impl Iterator for RunReader<'_> {
    type Item = RunSaid;

    fn next(&mut self) -> Option<RunSaid> {
        loop {
            if let Some(said) = self.ready.pop_front() {
                return Some(said);
            }
            // What was written between the last look and the end is read too.
            if !self.read() && !self.wait() && (self.stop.state().is_stopped || !self.read()) {
                return None;
            }
        }
    }
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
        (_, ClientSaid::TurnEnd(end)) => vec![RunSaid::TurnEnd {
            failure: end.failure(),
        }],
        (Some("assistant" | "user"), _) => {
            let message = serde_json::from_slice(line).ok();
            message.map(SpokenFrame::said).unwrap_or_default()
        }
        _ => Vec::new(),
    }
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
