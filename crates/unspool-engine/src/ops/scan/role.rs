//! Who or what a text is from.

use unspool_model::entry::{BlockKind, Entry, EntryKind, MessageKind};
use unspool_model::log::Log;
use unspool_model::query::Role;

use super::texts::Part;

/// Returns the role of a text, from its part and the entry that it is in.
pub(super) fn role(part: Part, log: &Log, entry: &Entry) -> Role {
    match part {
        Part::Thinking => Role::Thinking,
        Part::Input => Role::Tool,
        Part::Result => Role::Result,
        Part::Title => Role::Title,
        // Of a torn record nobody knows who said it.
        Part::Message if entry.kind == EntryKind::Fragment => Role::System,
        Part::Message => said(log, entry),
        Part::Remark => remarked(log, entry),
    }
}

fn said(log: &Log, entry: &Entry) -> Role {
    let thinks = |block: &unspool_model::entry::Block| block.kind == BlockKind::Thinking;
    match (entry.kind, entry.says) {
        // In the flat dialect thinking is a message of its own.
        _ if log.blocks_of(entry).first().is_some_and(thinks) => Role::Thinking,
        (EntryKind::Assistant, _) => Role::Assistant,
        (EntryKind::User, Some(MessageKind::Summary)) => Role::Summary,
        (
            EntryKind::User,
            Some(MessageKind::Meta | MessageKind::Interruption | MessageKind::AgentReport),
        ) => Role::System,
        (EntryKind::User, _) => Role::User,
        _ => Role::System,
    }
}

fn remarked(log: &Log, entry: &Entry) -> Role {
    let name = entry.name.map(|name| log.text(name));
    match (entry.says, name) {
        (Some(MessageKind::Queued | MessageKind::Command), _)
        | (None, Some("queue-operation" | "last-prompt")) => Role::User,
        _ => Role::System,
    }
}
