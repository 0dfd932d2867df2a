//! Decides whether a slash command in a log is a prompt, by reading on.
//!
//! A hit knows one line. Whether the model answered the command on that line is decided by the
//! lines after it, so a growing stretch of them is read until it contains an answer.

use std::path::Path;

use unspool_model::commands::AnsweredCommands;
use unspool_model::entry::{Entry, MessageKind};
use unspool_model::log::Log;

use super::source::read_stretch;

/// How many bytes are read at first, and how many at most. What the client writes before an answer
/// is usually some ten kilobytes; with its large records of requests it may be a megabyte.
const STRETCHES: [u64; 2] = [128 * 1024, 4 * 1024 * 1024];

/// Returns the kind of the message at an offset of a log; `says` is the kind by its own line alone.
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
        // A short read has reached the end of the log: no answer can follow.
        let settled = (bytes.len() as u64) < stretch || log.entries.iter().any(answers);
        if settled && let Some(command) = log.entries.first() {
            return AnsweredCommands::of(&log).kind_of(command);
        }
    }
    says
}
