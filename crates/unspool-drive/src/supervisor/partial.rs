//! Collects the text of answers that are being written from its pieces.

use std::collections::BTreeMap;

use crate::json::DriveEventJson;
use crate::wire::StreamPart;

/// An answer that is being written.
#[derive(Debug)]
struct OpenAnswer {
    message: String,
    text: String,
    /// The offset of its first line in the spool.
    start: u64,
    has_changed: bool,
}

impl OpenAnswer {
    /// Returns the text if it has changed since the last event.
    fn untold(&mut self, parent: Option<&str>) -> Option<DriveEventJson> {
        if !std::mem::take(&mut self.has_changed) {
            return None;
        }
        Some(DriveEventJson::Partial {
            message_id: self.message.clone(),
            text: self.text.clone(),
            parent: parent.map(str::to_owned),
        })
    }
}

/// The answers that are being written: at most one of the main conversation and one of each agent.
#[derive(Debug, Default)]
pub(super) struct PartialTexts {
    open: BTreeMap<Option<String>, OpenAnswer>,
}

impl PartialTexts {
    /// Adds a piece whose line is at an offset of the spool. If the piece ends an answer, returns the text
    /// that has no event yet: an answer may begin and end between two calls of [`Self::changed`].
    pub(super) fn take(&mut self, part: StreamPart, start: u64) -> Option<DriveEventJson> {
        match part {
            StreamPart::Begin { message, parent } => {
                let answer = OpenAnswer { message, text: String::new(), start, has_changed: false };
                let before = self.open.insert(parent.clone(), answer);
                before.and_then(|mut before| before.untold(parent.as_deref()))
            }
            StreamPart::Text { text, parent } => {
                if let Some(answer) = self.open.get_mut(&parent) {
                    answer.text.push_str(&text);
                    answer.has_changed = true;
                }
                None
            }
            StreamPart::End { parent } => {
                let ended = self.open.remove(&parent);
                ended.and_then(|mut ended| ended.untold(parent.as_deref()))
            }
        }
    }

    /// Removes all answers after the end of a turn.
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Returns the texts that have changed since the last call.
    pub(super) fn changed(&mut self) -> Vec<DriveEventJson> {
        let open = self.open.iter_mut();
        open.filter_map(|(parent, answer)| answer.untold(parent.as_deref())).collect()
    }

    /// Returns a cursor for continuing without a gap: `end`, or the beginning of an answer that is being
    /// written.
    pub(super) fn cursor(&self, end: u64) -> u64 {
        let starts = self.open.values().map(|answer| answer.start);
        starts.min().unwrap_or(end).min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(message: &str) -> StreamPart {
        StreamPart::Begin { message: message.to_owned(), parent: None }
    }

    fn text(text: &str) -> StreamPart {
        StreamPart::Text { text: text.to_owned(), parent: None }
    }

    fn partial(message: &str, text: &str) -> DriveEventJson {
        DriveEventJson::Partial {
            message_id: message.to_owned(),
            text: text.to_owned(),
            parent: None,
        }
    }

    #[test]
    fn an_answer_that_ends_before_it_was_told_is_told_when_it_ends() {
        let mut texts = PartialTexts::default();
        let end = || StreamPart::End { parent: None };
        assert_eq!(texts.take(begin("m1"), 0), None);
        assert_eq!(texts.take(text("hel"), 10), None);
        assert_eq!(texts.take(text("lo"), 20), None);
        assert_eq!(texts.cursor(30), 0);
        assert_eq!(texts.take(end(), 30), Some(partial("m1", "hello")));
        assert_eq!(texts.cursor(40), 40);
        assert_eq!(texts.changed(), []);
        assert_eq!(texts.take(begin("m2"), 40), None);
        assert_eq!(texts.take(text("one"), 50), None);
        assert_eq!(texts.changed(), [partial("m2", "one")]);
        // No text was added after the last event.
        assert_eq!(texts.take(end(), 60), None);
    }

    #[test]
    fn an_answer_that_another_one_replaces_is_told_first() {
        let mut texts = PartialTexts::default();
        assert_eq!(texts.take(begin("m1"), 0), None);
        assert_eq!(texts.take(text("cut"), 10), None);
        assert_eq!(texts.take(begin("m2"), 20), Some(partial("m1", "cut")));
        assert_eq!(texts.cursor(30), 20);
    }
}
