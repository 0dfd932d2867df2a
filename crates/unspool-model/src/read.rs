//! Reads the bytes of a log and returns the messages of its active path as text.
//!
//! Only combines the steps of other modules. A program that shows more than texts, or a log of
//! any size, calls these steps itself: see [`crate::conversation`].

use std::borrow::Cow;

use crate::conversation::{Conversation, Speaker};
use crate::entry::{Entry, EntryKind, MessageKind};
use crate::graph::{Rule, Scope};
use crate::log::Log;
use crate::record::{Record, RecordPart};

/// A parsed log, together with its bytes.
pub struct ReadLog<'b> {
    bytes: &'b [u8],
    log: Log,
}

/// A message as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaidMessage {
    /// The speaker.
    pub speaker: Speaker,
    /// The kind of the message.
    pub kind: MessageKind,
    /// The texts of the message, joined with newlines; empty if the message only calls tools.
    pub text: String,
}

/// Parses the bytes of a log. Parsing never fails: see [`Log::diagnostics`].
pub fn read(bytes: &[u8]) -> ReadLog<'_> {
    ReadLog { bytes, log: Log::read(bytes) }
}

impl ReadLog<'_> {
    /// Returns the log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the messages of the active path, which a resume of the session would continue.
    pub fn active_messages(&self) -> Vec<SaidMessage> {
        let conversation = Conversation::new(&self.log, Rule::Current, Scope::Session);
        let Some(path) = conversation.paths.active() else {
            return Vec::new();
        };
        let view = conversation.history(path);
        let said = view.messages.iter().map(|message| {
            let nodes = view.nodes(message).iter();
            let entries = nodes.map(|&node| conversation.graph.entry(&self.log, node));
            let texts: Vec<String> =
                entries.flat_map(|entry| self.texts(entry, message.kind)).collect();
            SaidMessage { speaker: message.speaker, kind: message.kind, text: texts.join("\n") }
        });
        said.collect()
    }

    /// Returns the texts of one record of a message.
    fn texts(&self, entry: &Entry, kind: MessageKind) -> Vec<String> {
        let span = entry.span.start as usize..entry.span.end() as usize;
        let record = Record::read(self.bytes.get(span).unwrap_or_default());
        let reply = record.reply().filter(|_| kind == MessageKind::Reply);
        let has_remark = matches!(entry.kind, EntryKind::System | EntryKind::Attachment);
        let remark = record.text.filter(|_| has_remark).map(Cow::into_owned);
        let parts = record.parts.into_iter().filter_map(|part| match part {
            RecordPart::Text(text) => Some(text.into_owned()),
            _ => None,
        });
        reply.into_iter().chain(remark).chain(parts).collect()
    }
}
