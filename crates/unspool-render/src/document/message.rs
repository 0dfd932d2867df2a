//! Decides how a message is presented.

use std::fmt::Write as _;

use unspool_model::entry::MessageKind;
use unspool_model::words::InjectedAuthor;
use unspool_text::human;

use super::folder::StartFolder;
use super::words;
use super::{DisplayWeight, Passage, PassagePart, ShownCall};
use unspool_engine::ops::message::{BlockText, CompactionText, MessageText};

impl Passage {
    /// Decides how a message is presented; `folder` shortens its paths.
    pub fn of(message: MessageText, folder: &StartFolder) -> Self {
        let voice = message.voice();
        let MessageText {
            kind,
            left_out,
            entries,
            time,
            model,
            name,
            compaction,
            deleted,
            blocks,
            ..
        } = message;
        let shown = match kind {
            MessageKind::Prompt | MessageKind::Queued => {
                ShownMessage::open(parts(blocks, folder, |text| words::typed(&text, folder)))
            }
            // A reply is never a long paste.
            MessageKind::Reply => {
                ShownMessage::open(parts(blocks, folder, |text| vec![PassagePart::Typed(text)]))
            }
            MessageKind::Answer => {
                ShownMessage::open(parts(blocks, folder, |text| vec![PassagePart::Prose(text)]))
            }
            MessageKind::Summary => {
                let parts =
                    joined(blocks, folder, |text| vec![PassagePart::Prose(words::in_words(text))]);
                ShownMessage::aside("summary", DisplayWeight::Folded, parts)
            }
            MessageKind::Meta if voice == Some(InjectedAuthor::Session) => report(blocks, folder),
            MessageKind::Meta => meta(blocks, folder),
            MessageKind::AgentReport => report(blocks, folder),
            MessageKind::Command => {
                ShownMessage::open(joined(blocks, folder, |text| vec![words::command(&text)]))
            }
            // The label contains everything.
            MessageKind::Boundary => {
                ShownMessage::aside(compacted(compaction.as_ref()), DisplayWeight::Open, Vec::new())
            }
            MessageKind::Interruption => {
                ShownMessage::open(joined(blocks, folder, |text| vec![PassagePart::Typed(text)]))
            }
            MessageKind::Error => ShownMessage::open(error(blocks, folder)),
            MessageKind::Notice => notice(name.as_deref(), blocks, folder),
        };
        Self {
            kind,
            entries,
            time,
            model,
            label: shown.label,
            left_out,
            // Texts addressed to the model are shown whole.
            weight: voice.map_or(shown.weight, |_| DisplayWeight::Open),
            deleted,
            parts: shown.parts,
        }
    }

    /// Returns whether the message has content apart from its label.
    pub fn says_something(&self) -> bool {
        self.parts.iter().any(|part| match part {
            PassagePart::Prose(text) | PassagePart::Typed(text) | PassagePart::Pasted(text) => {
                !text.trim().is_empty()
            }
            _ => true,
        })
    }

    /// Returns the texts of the message without calls, joined by line breaks.
    pub fn said(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            PassagePart::Prose(text) | PassagePart::Typed(text) | PassagePart::Pasted(text) => {
                Some(text.as_str())
            }
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// A message with its label, weight and parts.
struct ShownMessage {
    label: Option<String>,
    weight: DisplayWeight,
    parts: Vec<PassagePart>,
}

impl ShownMessage {
    /// Creates a part of the conversation.
    fn open(parts: Vec<PassagePart>) -> Self {
        Self { label: None, weight: DisplayWeight::Open, parts }
    }

    /// Creates something outside the conversation, with a label.
    fn aside(label: impl Into<String>, weight: DisplayWeight, parts: Vec<PassagePart>) -> Self {
        Self { label: Some(label.into()), weight, parts }
    }
}

/// Presents a text that the client injected.
fn meta(blocks: Vec<BlockText>, folder: &StartFolder) -> ShownMessage {
    let (said, rest) = apart(blocks);
    let injected = words::injected(said.unwrap_or_default(), folder);
    let mut all = Vec::new();
    if !injected.text.is_empty() {
        all.push(PassagePart::Typed(injected.text));
    }
    all.extend(parts(rest, folder, |_| Vec::new()));
    ShownMessage::aside(injected.label, injected.weight, all)
}

/// Presents an error. The client's remark that it retries has no text.
fn error(blocks: Vec<BlockText>, folder: &StartFolder) -> Vec<PassagePart> {
    let parts = joined(blocks, folder, |text| vec![PassagePart::Typed(text)]);
    if parts.is_empty() {
        let words = "The API gave no answer; the client tried again.";
        return vec![PassagePart::Typed(words.to_owned())];
    }
    parts
}

/// Presents a remark of the client. Durations of turns and hooks without output are hidden, since
/// they follow every turn; errors of hooks are open.
fn notice(name: Option<&str>, blocks: Vec<BlockText>, folder: &StartFolder) -> ShownMessage {
    let parts = joined(blocks, folder, |text| vec![PassagePart::Typed(text)]);
    let weight = match name {
        Some("turn_duration") => DisplayWeight::Hidden,
        Some("stop_hook_summary") if parts.is_empty() => DisplayWeight::Hidden,
        Some("stop_hook_summary") => {
            return ShownMessage::aside("errors of stop hooks", DisplayWeight::Open, parts);
        }
        _ => DisplayWeight::Folded,
    };
    ShownMessage::aside(words::notice(name.unwrap_or("notice")), weight, parts)
}

/// Converts the blocks of a message one by one.
fn parts(
    blocks: Vec<BlockText>,
    folder: &StartFolder,
    text: impl Fn(String) -> Vec<PassagePart>,
) -> Vec<PassagePart> {
    let blocks = blocks.into_iter();
    blocks
        .flat_map(|block| match block {
            BlockText::Text(said) => text(said),
            BlockText::Thinking(said) => vec![PassagePart::Thinking(said)],
            BlockText::Call(call) => {
                vec![PassagePart::Call(Box::new(ShownCall::of(*call, folder)))]
            }
            BlockText::Media(media) => vec![PassagePart::Media(media)],
            BlockText::Other { name } => vec![PassagePart::Unknown { name }],
        })
        .collect()
}

/// Joins the texts of a message and puts all other blocks after them.
fn joined(
    blocks: Vec<BlockText>,
    folder: &StartFolder,
    text: impl FnOnce(String) -> Vec<PassagePart>,
) -> Vec<PassagePart> {
    let (said, rest) = apart(blocks);
    let mut all = said.map(text).unwrap_or_default();
    all.extend(parts(rest, folder, |_| Vec::new()));
    all
}

/// Splits a message into its texts, joined by line breaks, and all other blocks.
fn apart(blocks: Vec<BlockText>) -> (Option<String>, Vec<BlockText>) {
    let mut said: Vec<String> = Vec::new();
    let mut rest = Vec::new();
    for block in blocks {
        match block {
            BlockText::Text(text) => said.push(text),
            other => rest.push(other),
        }
    }
    let said = match said.len() {
        0 => None,
        1 => said.pop(),
        _ => Some(said.join("\n")),
    };
    (said, rest)
}

/// Describes a compaction: its trigger, the tokens before and after, and the kept entries.
fn compacted(compaction: Option<&CompactionText>) -> String {
    let mut words = "context compacted".to_owned();
    let Some(compaction) = compaction else {
        return words;
    };
    // Writing to a string does not fail.
    if let Some(trigger) = &compaction.trigger {
        let _ = write!(words, " ({trigger})");
    }
    if let Some(before) = compaction.tokens_before {
        let _ = write!(words, ", {} tokens before", human::count(before));
    }
    if let Some(after) = compaction.tokens_after {
        let _ = write!(words, ", {} after", human::count(after));
    }
    if compaction.kept > 0 {
        let _ = write!(words, ", {} kept", human::plural(compaction.kept, "entry"));
    }
    words
}

/// Presents a report of a task, an agent or a teammate: its summary and its result.
fn report(blocks: Vec<BlockText>, folder: &StartFolder) -> ShownMessage {
    let mut label = "agent report".to_owned();
    let parts = joined(blocks, folder, |text| {
        let report = words::report(&text);
        label = report.label;
        report.texts.into_iter().map(PassagePart::Prose).collect()
    });
    ShownMessage::aside(label, DisplayWeight::Folded, parts)
}
