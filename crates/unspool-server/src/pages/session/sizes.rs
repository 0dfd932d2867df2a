//! The estimated sizes of messages, before any of them is read.
//!
//! The estimates come from the tables of the log: the length of records, the number of calls, and
//! how they ended. They determine where chunks end and how high empty ones are. A wrong estimate
//! makes the scroll bar move, but not the reader's position.

use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::{CallStatus, Message};
use unspool_model::entry::{Block, BlockKind, MessageKind};
use unspool_model::positions::NodeId;
use unspool_render::html::INLINE_BYTES;

use super::chunks::MessageSize;
use super::signs::changes_files;

/// The bytes of a record that are not content.
const ENVELOPE: u64 = 600;
/// The letters on a line of prose or code.
const LINE: u64 = 84;
/// The height of a line of prose, in pixels.
const PROSE: u64 = 26;
/// The height of a line of code, in pixels.
const CODE: u64 = 20;
/// The height of a folded call, thought or remark, in pixels.
const FOLDED: u64 = 35;
/// The maximum number of bytes that one record adds to a page; outputs beyond it are cut.
const MOST: u64 = INLINE_BYTES as u64 + 4096;

/// Estimates the sizes of all messages of a transcript, in order.
pub(super) fn sizes(shown: &Transcript<'_>) -> Vec<MessageSize> {
    let mut turns = shown.turns.iter().map(|turn| turn.messages.start).peekable();
    let messages = (0u32..).zip(&shown.view.messages);
    messages
        .map(|(at, message)| {
            let begins_turn = turns.next_if_eq(&at).is_some();
            size(shown, message, begins_turn)
        })
        .collect()
}

fn size(shown: &Transcript<'_>, message: &Message, begins_turn: bool) -> MessageSize {
    let mut sum = SizeSum {
        bytes: 400,
        pixels: match message.kind {
            MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => 76,
            _ => 14,
        },
    };
    if begins_turn {
        sum.pixels += 60;
    }
    let folds = !matches!(
        message.kind,
        MessageKind::Prompt
            | MessageKind::Queued
            | MessageKind::Reply
            | MessageKind::Answer
            | MessageKind::Command
            | MessageKind::Error
    );
    for &node in shown.view.nodes(message) {
        sum.node(shown, node, folds);
    }
    MessageSize {
        begins_turn,
        bytes: u32::try_from(sum.bytes).unwrap_or(u32::MAX),
        pixels: u32::try_from(sum.pixels).unwrap_or(u32::MAX),
    }
}

struct SizeSum {
    bytes: u64,
    pixels: u64,
}

impl SizeSum {
    fn node(&mut self, shown: &Transcript<'_>, node: NodeId, folds: bool) {
        let log = shown.conversation.log;
        let entry = shown.conversation.graph.entry(log, node);
        let content = entry.span.len.saturating_sub(ENVELOPE);
        self.bytes += content.min(MOST) * 5 / 4;
        if folds {
            self.pixels += FOLDED;
            return;
        }
        let blocks = log.blocks_of(entry);
        if blocks.is_empty() {
            self.pixels += prose(content);
        }
        let share = content / (blocks.len() as u64).max(1);
        for block in blocks {
            match block.kind {
                BlockKind::Call => self.call(shown, node, block, share),
                BlockKind::Thinking => self.pixels += FOLDED,
                BlockKind::Image => self.pixels += 300,
                BlockKind::Result(_) => {}
                _ => self.pixels += prose(share),
            }
        }
    }

    fn call(&mut self, shown: &Transcript<'_>, node: NodeId, block: &Block, given: u64) {
        let (conversation, log) = (&shown.conversation, shown.conversation.log);
        let result = block.call.and_then(|call| conversation.result_in(&shown.view, node, call));
        let answered = result.map_or(0, |result| log.entries[result.entry].span.len);
        let answered = answered.saturating_sub(ENVELOPE).min(MOST);
        self.bytes += 500 + answered;
        self.pixels += FOLDED;
        let name = block.name.map_or("", |name| log.text(name));
        if conversation.call_status(node, result, shown.live) == CallStatus::Failed {
            self.pixels += (answered / LINE + 1).min(20) * CODE + 30;
        } else if changes_files(name) {
            // A change is written twice: as it was requested and as it was made.
            self.pixels += (given / 40 + 1).min(40) * CODE + 30;
        }
    }
}

fn prose(bytes: u64) -> u64 {
    (bytes / LINE + 1) * PROSE + 14
}
