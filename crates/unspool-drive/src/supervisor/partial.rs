//! Text of answers that are being written, put together from its pieces.

use std::collections::BTreeMap;

use crate::json::DriveEventJson;
use crate::wire::StreamPart;

/// An answer that is being written.
#[derive(Debug)]
struct OpenAnswer {
    message: String,
    text: String,
    /// Where its first line stands in the spool.
    start: u64,
    has_changed: bool,
}

/// The answers that are being written: at most one of the main conversation and one of each agent.
#[derive(Debug, Default)]
pub(super) struct PartialTexts {
    open: BTreeMap<Option<String>, OpenAnswer>,
}

impl PartialTexts {
    /// Takes a piece whose line begins at a place of the spool.
    pub(super) fn take(&mut self, part: StreamPart, start: u64) {
        match part {
            StreamPart::Begin { message, parent } => {
                let answer = OpenAnswer {
                    message,
                    text: String::new(),
                    start,
                    has_changed: false,
                };
                self.open.insert(parent, answer);
            }
            StreamPart::Text { text, parent } => {
                if let Some(answer) = self.open.get_mut(&parent) {
                    answer.text.push_str(&text);
                    answer.has_changed = true;
                }
            }
            StreamPart::End { parent } => {
                self.open.remove(&parent);
            }
        }
    }

    /// Forgets everything: the turn has ended.
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Returns what has changed since the last call.
    pub(super) fn changed(&mut self) -> Vec<DriveEventJson> {
        let changed = self
            .open
            .iter_mut()
            .filter(|(_, answer)| answer.has_changed);
        changed
            .map(|(parent, answer)| {
                answer.has_changed = false;
                DriveEventJson::Partial {
                    message_id: answer.message.clone(),
                    text: answer.text.clone(),
                    parent: parent.clone(),
                }
            })
            .collect()
    }

    /// Returns a cursor from which on nothing is missing: `end`, or the beginning of an answer that
    /// is being written.
    pub(super) fn cursor(&self, end: u64) -> u64 {
        let starts = self.open.values().map(|answer| answer.start);
        starts.min().unwrap_or(end).min(end)
    }
}
