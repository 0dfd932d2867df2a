//! From a message to what is shown of it.

use std::fmt::Write as _;

use unspool_model::entry::MessageKind;
use unspool_model::words::Voice;
use unspool_text::human;

use super::folder::Folder;
use super::words;
use super::{Call, Part, Passage, Weight};
use unspool_engine::ops::message::{BlockText, CompactionText, MessageText};

impl Passage {
    /// Decides what is shown of a message of a session in this folder.
    pub fn of(message: MessageText, folder: &Folder) -> Self {
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
                Shown::open(parts(blocks, folder, |text| words::typed(&text, folder)))
            }
            // It is never a long paste.
            MessageKind::Reply => {
                Shown::open(parts(blocks, folder, |text| vec![Part::Typed(text)]))
            }
            MessageKind::Answer => {
                Shown::open(parts(blocks, folder, |text| vec![Part::Prose(text)]))
            }
            MessageKind::Summary => {
                let parts = joined(blocks, folder, |text| {
                    vec![Part::Prose(words::in_words(text))]
                });
                Shown::aside("summary", Weight::Folded, parts)
            }
            MessageKind::Meta if voice == Some(Voice::Session) => report(blocks, folder),
            MessageKind::Meta => meta(blocks, folder),
            MessageKind::AgentReport => report(blocks, folder),
            MessageKind::Command => {
                Shown::open(joined(blocks, folder, |text| vec![words::command(&text)]))
            }
            // The label says it all.
            MessageKind::Boundary => {
                Shown::aside(compacted(compaction.as_ref()), Weight::Open, Vec::new())
            }
            MessageKind::Interruption => {
                Shown::open(joined(blocks, folder, |text| vec![Part::Typed(text)]))
            }
            MessageKind::Error => Shown::open(error(blocks, folder)),
            MessageKind::Notice => notice(name.as_deref(), blocks, folder),
        };
        Self {
            kind,
            entries,
            time,
            model,
            label: shown.label,
            left_out,
            // What is said to the model is shown whole.
            weight: voice.map_or(shown.weight, |_| Weight::Open),
            deleted,
            parts: shown.parts,
        }
    }

    /// Tells whether there is anything in it apart from its label.
    pub fn says_something(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Prose(text) | Part::Typed(text) | Part::Pasted(text) => !text.trim().is_empty(),
            _ => true,
        })
    }

    /// Returns the texts of a message without calls, one below the other.
    pub fn said(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Prose(text) | Part::Typed(text) | Part::Pasted(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// What was decided about a message.
struct Shown {
    label: Option<String>,
    weight: Weight,
    parts: Vec<Part>,
}

impl Shown {
    /// Shows a part of the conversation.
    fn open(parts: Vec<Part>) -> Self {
        Self {
            label: None,
            weight: Weight::Open,
            parts,
        }
    }

    /// Shows something outside the conversation, under words that say what it is.
    fn aside(label: impl Into<String>, weight: Weight, parts: Vec<Part>) -> Self {
        Self {
            label: Some(label.into()),
            weight,
            parts,
        }
    }
}

/// Shows what the client put in.
fn meta(blocks: Vec<BlockText>, folder: &Folder) -> Shown {
    let (said, rest) = apart(blocks);
    let injected = words::injected(said.unwrap_or_default(), folder);
    let mut all = Vec::new();
    if !injected.text.is_empty() {
        all.push(Part::Typed(injected.text));
    }
    all.extend(parts(rest, folder, |_| Vec::new()));
    Shown::aside(injected.label, injected.weight, all)
}

/// Shows what went wrong. The client's remark that it tries again has no text.
fn error(blocks: Vec<BlockText>, folder: &Folder) -> Vec<Part> {
    let parts = joined(blocks, folder, |text| vec![Part::Typed(text)]);
    if parts.is_empty() {
        let words = "The API gave no answer; the client tried again.";
        return vec![Part::Typed(words.to_owned())];
    }
    parts
}

/// Shows a remark of the client. That a turn took so long, and that hooks ran and said nothing,
/// is written after every turn; what went wrong in a hook is read at once.
fn notice(name: Option<&str>, blocks: Vec<BlockText>, folder: &Folder) -> Shown {
    let parts = joined(blocks, folder, |text| vec![Part::Typed(text)]);
    let weight = match name {
        Some("turn_duration") => Weight::Hidden,
        Some("stop_hook_summary") if parts.is_empty() => Weight::Hidden,
        Some("stop_hook_summary") => {
            return Shown::aside("errors of stop hooks", Weight::Open, parts);
        }
        _ => Weight::Folded,
    };
    Shown::aside(words::notice(name.unwrap_or("notice")), weight, parts)
}

/// Takes the blocks of a message one by one.
fn parts(blocks: Vec<BlockText>, folder: &Folder, text: impl Fn(String) -> Vec<Part>) -> Vec<Part> {
    let blocks = blocks.into_iter();
    blocks
        .flat_map(|block| match block {
            BlockText::Text(said) => text(said),
            BlockText::Thinking(said) => vec![Part::Thinking(said)],
            BlockText::Call(call) => vec![Part::Call(Box::new(Call::of(*call, folder)))],
            BlockText::Media(media) => vec![Part::Media(media)],
            BlockText::Other { name } => vec![Part::Unknown { name }],
        })
        .collect()
}

/// Takes the texts of a message together, and everything else after them.
fn joined(
    blocks: Vec<BlockText>,
    folder: &Folder,
    text: impl FnOnce(String) -> Vec<Part>,
) -> Vec<Part> {
    let (said, rest) = apart(blocks);
    let mut all = said.map(text).unwrap_or_default();
    all.extend(parts(rest, folder, |_| Vec::new()));
    all
}

/// Tells the texts of a message, one below the other, from everything else.
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

/// Says who compacted and how much it saved.
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

/// Shows what a task, an agent or a teammate reported: the summary, and what it brought.
fn report(blocks: Vec<BlockText>, folder: &Folder) -> Shown {
    let mut label = "agent report".to_owned();
    let parts = joined(blocks, folder, |text| {
        let report = words::report(&text);
        label = report.label;
        report.texts.into_iter().map(Part::Prose).collect()
    });
    Shown::aside(label, Weight::Folded, parts)
}
