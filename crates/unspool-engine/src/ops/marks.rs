//! What each message of a transcript is, without reading its text.
//!
//! A reader that shows a part of a long session wants to know where the prompts, the errors and the
//! changes are in all of it, and about how much room each message takes. All of that is in the
//! tables of the log.

use unspool_model::conversation::{CallStatus, Message};
use unspool_model::entry::{BlockKind, MessageKind};
use unspool_model::log::text_hash;
use unspool_model::tool;

use super::transcript::Transcript;

/// What is known of a message from the tables of its log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageMark {
    /// A hash of the uuid of its first entry, to find the message again when others have come before it.
    pub id: u64,
    /// What kind of message it is.
    pub kind: MessageKind,
    /// How many bytes its records have, those of the results of its calls included.
    pub bytes: u64,
    /// How many calls it has.
    pub calls: u32,
    /// How many of them failed.
    pub failed: u32,
    /// How many of them are still running.
    pub pending: u32,
    /// How many of them change files.
    pub changes: u32,
}

impl MessageMark {
    /// Tells whether something failed in it.
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
