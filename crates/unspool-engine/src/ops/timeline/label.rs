//! Names and labels of spans, read from the files.

use std::io;

use unspool_model::conversation::{Message, View};
use unspool_model::positions::NodeId;

use crate::ops::message::{CallHeading, MessageReader};

/// The maximum length of a label in characters, as of a first prompt in a list.
const LABEL: usize = 200;

/// Reads the labels of one conversation.
pub(super) struct Labels<'l> {
    reader: MessageReader<'l>,
    /// The calls of the entry that was opened last.
    calls: Vec<CallHeading>,
}

impl<'l> Labels<'l> {
    pub(super) fn new(reader: MessageReader<'l>) -> Self {
        Self { reader, calls: Vec::new() }
    }

    /// Reads the calls of an entry.
    pub(super) fn open_entry(&mut self, node: NodeId) -> io::Result<()> {
        self.calls = self.reader.call_headings(node)?;
        Ok(())
    }

    /// Returns the name and the label of a call in the open entry.
    pub(super) fn call(&mut self, position: usize, name: &str) -> (String, Option<String>) {
        let found = self.calls.iter().find(|call| call.position == position);
        match found {
            Some(call) => (call.name.clone(), one_line(&call.summary)),
            None => (name.to_owned(), None),
        }
    }

    /// Returns the text of a message, cut to a line.
    pub(super) fn said(&mut self, view: &View, message: &Message) -> io::Result<Option<String>> {
        let text = self.reader.read(view, message)?;
        Ok(one_line(&text.said()))
    }

    /// Returns the duration of a compaction, if its boundary has one.
    pub(super) fn compaction_ms(&mut self, node: NodeId) -> io::Result<Option<u64>> {
        self.reader.compaction_ms(node)
    }
}

/// Returns the beginning of a text on one line; `None` for a blank text.
fn one_line(text: &str) -> Option<String> {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count() + usize::from(!line.is_empty());
        if count + length > LABEL {
            let room = LABEL.saturating_sub(count + usize::from(!line.is_empty()));
            if line.is_empty() {
                line.extend(word.chars().take(room));
            }
            line.push('…');
            return Some(line);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        count += length;
    }
    (!line.is_empty()).then_some(line)
}
