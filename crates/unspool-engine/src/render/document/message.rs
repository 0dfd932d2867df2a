//! From a message to what is shown of it.

use std::fmt::Write as _;

use unspool_model::entry::MessageKind;

use super::{Call, Media, Part, Passage, Weight};
use crate::ops::message::{BlockText, CompactionText, MediaText, MessageText};
use crate::render::human;

/// The remark that says how long a turn took, which every turn has.
const TURN_DURATION: &str = "turn_duration";

impl Passage {
    /// Decides what is shown of a message.
    pub fn of(message: MessageText) -> Self {
        let label = label(&message);
        let weight = weight(&message);
        let MessageText {
            kind,
            entries,
            time,
            model,
            blocks,
            ..
        } = message;
        let parts = match kind {
            MessageKind::Prompt | MessageKind::Queued => parts(blocks, Part::Typed),
            MessageKind::Answer => parts(blocks, Part::Prose),
            MessageKind::Summary => joined(blocks, |text| vec![Part::Prose(text)]),
            MessageKind::AgentReport => joined(blocks, |text| report(&text)),
            MessageKind::Command => joined(blocks, |text| vec![command(&text)]),
            // The label says it all.
            MessageKind::Boundary => Vec::new(),
            MessageKind::Meta
            | MessageKind::Interruption
            | MessageKind::Error
            | MessageKind::Notice => joined(blocks, |text| vec![Part::Typed(text)]),
        };
        Self {
            kind,
            entries,
            time,
            model,
            label,
            weight,
            parts,
        }
    }

    /// Tells whether there is anything in it beside its label.
    pub fn says_something(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Prose(text) | Part::Typed(text) => !text.trim().is_empty(),
            _ => true,
        })
    }

    /// Returns the texts of a message without calls, one below the other.
    pub fn said(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Prose(text) | Part::Typed(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

fn label(message: &MessageText) -> Option<String> {
    match message.kind {
        MessageKind::Boundary => Some(compaction(message.compaction.as_ref())),
        MessageKind::Summary => Some("summary".to_owned()),
        MessageKind::Meta => Some("injected".to_owned()),
        MessageKind::AgentReport => Some("agent report".to_owned()),
        MessageKind::Notice => {
            let name = message.name.as_deref().unwrap_or("notice");
            Some(name.to_owned())
        }
        MessageKind::Prompt
        | MessageKind::Queued
        | MessageKind::Answer
        | MessageKind::Command
        | MessageKind::Interruption
        | MessageKind::Error => None,
    }
}

fn weight(message: &MessageText) -> Weight {
    match message.kind {
        MessageKind::Notice if message.name.as_deref() == Some(TURN_DURATION) => Weight::Hidden,
        MessageKind::Summary
        | MessageKind::Meta
        | MessageKind::AgentReport
        | MessageKind::Notice => Weight::Folded,
        _ => Weight::Open,
    }
}

/// Takes the blocks of a message one by one.
fn parts(blocks: Vec<BlockText>, text: fn(String) -> Part) -> Vec<Part> {
    let blocks = blocks.into_iter();
    blocks
        .map(|block| match block {
            BlockText::Text(said) => text(said),
            BlockText::Thinking(said) => Part::Thinking(said),
            BlockText::Call(call) => Part::Call(Box::new(Call::of(*call))),
            BlockText::Media(media) => Part::Media(media.into()),
            BlockText::Other { name } => Part::Unknown { name },
        })
        .collect()
}

/// Takes the texts of a message together, and everything else behind them.
fn joined(blocks: Vec<BlockText>, text: impl FnOnce(String) -> Vec<Part>) -> Vec<Part> {
    let mut said: Vec<String> = Vec::new();
    let mut rest = Vec::new();
    for block in blocks {
        match block {
            BlockText::Text(text) => said.push(text),
            other => rest.push(other),
        }
    }
    let mut all = match said.len() {
        0 => Vec::new(),
        1 => text(said.swap_remove(0)),
        _ => text(said.join("\n")),
    };
    all.extend(parts(rest, Part::Typed));
    all
}

/// Says who compacted and how much it saved.
fn compaction(compaction: Option<&CompactionText>) -> String {
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

/// Takes what a task or an agent reported out of its tags: the summary, and what it brought.
fn report(text: &str) -> Vec<Part> {
    let Some(summary) = tagged(text, "summary") else {
        return vec![Part::Prose(text.to_owned())];
    };
    let result = tagged(text, "result").filter(|result| !result.is_empty());
    let texts = std::iter::once(summary).chain(result);
    texts.map(|text| Part::Prose(text.to_owned())).collect()
}

/// Takes a slash or `!` command, or its output, out of the tags around it.
fn command(text: &str) -> Part {
    let tag = |name: &str| tagged(text, name);
    let line = tag("command-name")
        .map(|name| format!("{name} {}", tag("command-args").unwrap_or_default()))
        .or_else(|| tag("bash-input").map(|command| format!("! {command}")))
        .map(|line| line.trim().to_owned());
    let outputs = [
        "local-command-stdout",
        "local-command-stderr",
        "bash-stdout",
        "bash-stderr",
    ];
    let tagged: Vec<&str> = outputs.into_iter().filter_map(tag).collect();
    let output = match (&line, tagged.is_empty()) {
        (None, true) => text.to_owned(),
        _ => tagged.join("\n"),
    };
    Part::Command { line, output }
}

/// Returns what stands between a tag and its end.
fn tagged<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{name}>"))? + name.len() + 2;
    let length = text[start..].find(&format!("</{name}>"))?;
    Some(text[start..start + length].trim())
}

impl From<MediaText> for Media {
    fn from(media: MediaText) -> Self {
        Self {
            kind: media.kind,
            media_type: media.media_type,
            bytes: media.bytes,
            data: media.data,
        }
    }
}
