//! Roles of texts: whom or what a text is from, according to its kind, which its key determines
//! ([`crate::schema`]), and its entry.

use crate::entry::{Block, BlockKind, Entry, EntryKind, Flags, MessageKind};
use crate::log::Log;
use crate::query::TextRole;
use crate::schema::{QUEUE_OPERATION, TextKind};

/// Returns the role of a text, from its kind and its entry.
pub fn role(kind: TextKind, log: &Log, entry: &Entry) -> TextRole {
    match kind {
        // A torn record does not show who said it.
        _ if entry.kind == EntryKind::Fragment => TextRole::System,
        TextKind::Thinking => TextRole::Thinking,
        TextKind::Input => TextRole::Tool,
        // Words that a person gives with a refusal, or as a free answer, are in the result of the call.
        TextKind::Result if is_reply(log, entry) => TextRole::User,
        TextKind::Result => TextRole::Result,
        TextKind::Title if entry.kind == EntryKind::Metadata => TextRole::Title,
        TextKind::Prompt | TextKind::AgentAsked => TextRole::User,
        TextKind::AgentAnswered => TextRole::Assistant,
        TextKind::Title | TextKind::Remark => TextRole::System,
        TextKind::Said => said(log, entry),
    }
}

/// Returns the role of the texts in an entry's message.
fn said(log: &Log, entry: &Entry) -> TextRole {
    let thinks = |block: &Block| block.kind == BlockKind::Thinking;
    match (entry.kind, entry.says) {
        // In the flat dialect, thinking is a message of its own.
        _ if entry.flags.has(Flags::FLAT) && log.blocks_of(entry).first().is_some_and(thinks) => {
            TextRole::Thinking
        }
        // API errors take the place of an answer.
        (EntryKind::Assistant, _) => TextRole::Assistant,
        (EntryKind::Metadata, _) if is_queue_operation(log, entry) => TextRole::User,
        (EntryKind::User, None) => TextRole::Result,
        (
            _,
            Some(
                MessageKind::Prompt
                | MessageKind::Reply
                | MessageKind::Command
                | MessageKind::Queued,
            ),
        ) => TextRole::User,
        (_, Some(MessageKind::Answer)) => TextRole::Assistant,
        (_, Some(MessageKind::Summary)) => TextRole::Summary,
        _ => TextRole::System,
    }
}

/// Tells whether the results of an entry are a person's words, and the entry has no other blocks.
fn is_reply(log: &Log, entry: &Entry) -> bool {
    let is_result = |block: &Block| matches!(block.kind, BlockKind::Result(_));
    entry.says == Some(MessageKind::Reply) && log.blocks_of(entry).iter().all(is_result)
}

/// Tells whether an entry is about a queued prompt, which has another entry when it is sent.
pub fn is_queue_operation(log: &Log, entry: &Entry) -> bool {
    let name = entry.name.map(|name| log.text(name));
    entry.kind == EntryKind::Metadata && name == Some(QUEUE_OPERATION)
}

/// Tells whether an entry is a call of the flat dialect.
pub fn is_flat_call(log: &Log, entry: &Entry) -> bool {
    entry.flags.has(Flags::FLAT) && log.calls_of(entry).next().is_some()
}

/// Tells whether an entry is the result of a call of the flat dialect, provided that the
/// conversation's entry before it is such a call.
pub fn is_flat_result(entry: &Entry) -> bool {
    entry.kind == EntryKind::System && entry.flags.has(Flags::FLAT)
}
