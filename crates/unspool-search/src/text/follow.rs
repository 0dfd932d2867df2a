//! What follows a slash command in its log, which decides whether it is a prompt.
//!
//! A hit knows one line. Whether the model answered the command on it is in the lines
//! after it, so those are read, a stretch at a time, until an answer is among them.

use std::path::Path;

use unspool_model::commands::AnsweredCommands;
use unspool_model::entry::{Entry, MessageKind};
use unspool_model::log::Log;

use super::source::read_stretch;

/// How much is read at first, and at most. What the client adds before an answer is usually
/// some ten kilobytes; with its large records of requests it may be a megabyte.
const STRETCHES: [u64; 2] = [128 * 1024, 4 * 1024 * 1024];

/// Returns what the message at an offset of a log is; `says` is what its own line says.
pub(crate) fn kind_at(path: &Path, offset: u64, says: Option<MessageKind>) -> Option<MessageKind> {
    if says != Some(MessageKind::Command) {
        return says;
    }
    let answers = |entry: &Entry| entry.says == Some(MessageKind::Answer);
    for stretch in STRETCHES {
        let Ok(bytes) = read_stretch(path, offset, stretch) else {
            return says;
        };
        let log = Log::read(&bytes);
        let settled = (bytes.len() as u64) < stretch || log.entries.iter().any(answers);
        if settled && let Some(command) = log.entries.first() {
            return AnsweredCommands::of(&log).kind_of(command);
        }
    }
    says
}
