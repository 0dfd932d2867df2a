//! Marks of all messages of a transcript, computed without reading their texts.
//!
//! A reader that shows a part of a long session needs to know where all prompts, errors and changes
//! are, and roughly how much room each message takes. The tables of the log contain all of this.

use unspool_model::conversation::{CallStatus, Message};
use unspool_model::entry::{BlockKind, MessageKind};
use unspool_model::log::text_hash;
use unspool_model::tool;

use super::transcript::Transcript;

/// The facts about a message in the tables of its log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageMark {
    /// The hash of its first entry's uuid, which finds the message again after others were inserted
    /// before it.
    pub id: u64,
    /// The kind of the message.
    pub kind: MessageKind,
    /// The size of its records in bytes, including the results of its calls.
    pub bytes: u64,
    /// The number of its calls.
    pub calls: u32,
    /// The number of failed calls.
    pub failed: u32,
    /// The number of pending calls.
    pub pending: u32,
    /// The number of calls that change files.
    pub changes: u32,
}

impl MessageMark {
    /// Reports whether the message is an error or has a failed call.
    pub fn is_error(&self) -> bool {
        self.failed > 0 || self.kind == MessageKind::Error
    }
}

/// Returns the marks of all messages of the view, in order.
pub fn marks(shown: &Transcript<'_>) -> Vec<MessageMark> {
    let messages = shown.view.messages.iter();
    messages.map(|message| mark(shown, message)).collect()
}

fn mark(shown: &Transcript<'_>, message: &Message) -> MessageMark {
    let (conversation, view) = (&shown.conversation, &shown.view);
    let (log, graph) = (conversation.log, &conversation.graph);
    let mut mark = MessageMark {
        id: 0,
        kind: message.kind,
        bytes: 0,
        calls: 0,
        failed: 0,
        pending: 0,
        changes: 0,
    };
    for &node in view.nodes(message) {
        let entry = graph.entry(log, node);
        if let (0, Some(uuid)) = (mark.id, entry.uuid) {
            mark.id = text_hash(log.text(uuid));
        }
        mark.bytes += entry.span.len;
        for (place, block) in entry.blocks.indices().zip(log.blocks_of(entry)) {
            if block.kind != BlockKind::Call || !view.has_block(place as u32) {
                continue;
            }
            let result = block.call.and_then(|call| conversation.result_in(view, node, call));
            mark.calls += 1;
            let status = conversation.call_status(node, result, shown.live);
            mark.failed += u32::from(status == CallStatus::Failed);
            mark.pending += u32::from(status == CallStatus::Pending);
            let name = block.name.map_or("", |name| log.text(name));
            mark.changes += u32::from(tool::changes_files(name));
            mark.bytes += result.map_or(0, |result| log.entries[result.entry].span.len);
        }
    }
    mark
}
