//! The content of spool lines for a person: texts, calls, results, and events of the host.
//!
//! The events of a [`crate::Follower`] contain no calls and no results. This module parses them from the
//! client's lines, in the same way as records of a log. Unknown lines are left out.

use unspool_model::record::{Record, RecordPart};
use unspool_model::tool;

use crate::json::DriveEventJson;
use crate::spool::{SpoolLine, SpoolSource};
use crate::wire::{ClientFrame, ClientMessage, StreamPart};

/// A part of a spool line.
#[derive(Clone, PartialEq, Debug)]
pub enum SpoolPart {
    /// A piece of text of the main conversation that is being written.
    Piece(String),
    /// A prompt that the client has taken up.
    Prompt(String),
    /// A whole text.
    Text {
        /// The text.
        text: String,
        /// Whether the text is an agent's.
        is_agent: bool,
    },
    /// A tool call.
    Call {
        /// The tool.
        name: String,
        /// A summary of the call on one line.
        summary: String,
        /// Whether the call is an agent's.
        is_agent: bool,
    },
    /// The result of a call.
    Output {
        /// The text of the result.
        text: String,
        /// Whether the call failed.
        is_error: bool,
        /// Whether the call is an agent's.
        is_agent: bool,
    },
    /// The end of a turn.
    TurnEnd {
        /// The error of the turn, if it failed.
        failure: Option<String>,
    },
    /// An event of the host.
    Event(Box<DriveEventJson>),
}

impl SpoolPart {
    /// Parses a line of a spool.
    pub fn of(line: &SpoolLine) -> Vec<Self> {
        match line.source {
            SpoolSource::Said => client_said(&line.text),
            SpoolSource::Note => {
                let event = serde_json::from_slice(&line.text).ok();
                event.map(Self::Event).into_iter().collect()
            }
            SpoolSource::Marker => vec![Self::Event(Box::new(DriveEventJson::LeftOut {}))],
            SpoolSource::Complained => Vec::new(),
        }
    }

    fn part(part: RecordPart<'_>, is_agent: bool) -> Option<Self> {
        match part {
            RecordPart::Text(text) => Some(Self::Text { text: text.into_owned(), is_agent }),
            RecordPart::Call { name, input } => Some(Self::Call {
                summary: tool::parse(&name, input).summary(),
                name: name.into_owned(),
                is_agent,
            }),
            RecordPart::Result(result) => Some(Self::Output {
                text: result.text.into_owned(),
                is_error: result.is_error,
                is_agent,
            }),
            _ => None,
        }
    }
}

fn client_said(line: &[u8]) -> Vec<SpoolPart> {
    let Some(frame) = ClientFrame::read(line) else {
        return Vec::new();
    };
    let parts = || Record::read(line).parts.into_iter();
    match (frame.kind.as_deref(), frame.said) {
        (_, ClientMessage::Part(StreamPart::Text { text, parent: None })) => {
            vec![SpoolPart::Piece(text)]
        }
        (_, ClientMessage::TurnEnd(end)) => vec![SpoolPart::TurnEnd { failure: end.failure() }],
        (Some("user"), ClientMessage::Prompt { .. }) => {
            let texts = parts().filter_map(|part| match part {
                RecordPart::Text(text) => Some(text),
                _ => None,
            });
            vec![SpoolPart::Prompt(texts.collect::<Vec<_>>().join("\n"))]
        }
        (Some("assistant" | "user"), _) => {
            parts().filter_map(|part| SpoolPart::part(part, frame.is_agent)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<SpoolPart> {
        client_said(line.as_bytes())
    }

    #[test]
    fn lines_of_the_client_become_texts_calls_and_results() {
        let said = of(
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}"#,
        );
        let call =
            SpoolPart::Call { name: "Bash".to_owned(), summary: "ls".to_owned(), is_agent: false };
        let text = SpoolPart::Text { text: "hi".to_owned(), is_agent: false };
        assert_eq!(said, [text, call]);
        let output = of(
            r#"{"type":"user","parent_tool_use_id":"t9","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"}],"is_error":true}]}}"#,
        );
        let expected = SpoolPart::Output { text: "a".to_owned(), is_error: true, is_agent: true };
        assert_eq!(output, [expected]);
        let prompt = of(r#"{"type":"user","isReplay":true,"uuid":"u","message":{"content":"go"}}"#);
        assert_eq!(prompt, [SpoolPart::Prompt("go".to_owned())]);
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
        assert_eq!(failed, [SpoolPart::TurnEnd { failure }]);
    }
}
