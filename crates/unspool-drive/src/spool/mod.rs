//! The spool: every line of a client in order, with the host's notes in between.
//!
//! An append-only file for each run. Each line begins with a letter for its source ([`SpoolSource`]) and ends
//! with a newline; the byte offset after a line is a cursor that stays valid. Readers may start at any time,
//! read at their own pace and wait for more. The file is not synced, because it only shows a run while it
//! happens: the log has the conversation, and the store has everything that is pending.
//!
//! Limits ([`SpoolLimits`]): past 64 MB, pieces of answers that are being written (`stream_event`) are left
//! out, since the whole answer follows; past 256 MB each line of the client is replaced by its type and size;
//! a line of more than 64 MB is never kept in memory. Notes of the host are always kept. A marker records
//! what was left out. If the disk is full, lines are left out too, and a marker has their number once there
//! is space.

mod read;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use read::{SpoolLine, SpoolReader, last_in_spool};

/// The longest line of a client that is kept in memory.
pub const LONGEST_LINE: usize = 64 << 20;
/// The number of bytes that are buffered before they are written.
const CHUNK: usize = 256 << 10;

/// The source of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpoolSource {
    /// The client's standard output.
    Said,
    /// The client's standard error.
    Complained,
    /// The host: a state, an approval or the queue.
    Note,
    /// The host: a marker for lines that were left out.
    Marker,
}

impl SpoolSource {
    fn letter(self) -> u8 {
        match self {
            Self::Said => b'o',
            Self::Complained => b'e',
            Self::Note => b'h',
            Self::Marker => b'x',
        }
    }

    fn from_letter(letter: u8) -> Option<Self> {
        [Self::Said, Self::Complained, Self::Note, Self::Marker]
            .into_iter()
            .find(|source| source.letter() == letter)
    }
}

/// The lines that were left out of a spool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "left_out", rename_all = "snake_case")]
pub enum SpoolMarker {
    /// All further pieces of answers.
    Pieces,
    /// One line of the client.
    Line {
        /// The type of the line.
        kind: Option<String>,
        /// The length of the line.
        bytes: u64,
    },
    /// Lines that could not be written.
    Unwritten {
        /// The number of lines.
        lines: u64,
    },
}

/// Limits on the size of a spool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpoolLimits {
    /// The size in bytes past which pieces of answers are left out.
    pub pieces: u64,
    /// The size in bytes past which all lines of the client are left out.
    pub lines: u64,
}

impl Default for SpoolLimits {
    fn default() -> Self {
        // By judgement: a long day in one session writes a few megabytes.
        Self { pieces: 64 << 20, lines: 256 << 20 }
    }
}

/// Writes a spool.
#[derive(Debug)]
pub struct SpoolWriter {
    file: File,
    limits: SpoolLimits,
    /// The length of the file, up to the last line that was written whole.
    length: u64,
    buffer: Vec<u8>,
    /// The number of lines in the buffer.
    buffered: u64,
    /// The number of lines that could not be written since the last marker.
    unwritten: u64,
    /// Whether a marker for pieces was written.
    leaves_out_pieces: bool,
}

impl SpoolWriter {
    /// Creates a spool; fails if the file exists.
    #[expect(clippy::disallowed_methods, reason = "a spool is a file of our own")]
    pub fn create(path: &Path, limits: SpoolLimits) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(true).mode(0o600);
        Ok(Self::of(options.open(path)?, limits))
    }

    fn of(file: File, limits: SpoolLimits) -> Self {
        Self {
            file,
            limits,
            length: 0,
            buffer: Vec::new(),
            buffered: 0,
            unwritten: 0,
            leaves_out_pieces: false,
        }
    }

    /// Returns the length of the spool without buffered lines.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Appends a line of the client; `kind` is its type.
    pub fn say(&mut self, line: &[u8], kind: Option<&str>) {
        let size = self.length + self.buffer.len() as u64;
        if kind == Some("stream_event") && size >= self.limits.pieces {
            if !self.leaves_out_pieces {
                self.leaves_out_pieces = true;
                self.mark(&SpoolMarker::Pieces);
            }
        } else if size >= self.limits.lines {
            self.leave_out(kind, line.len() as u64);
        } else {
            self.add(SpoolSource::Said, line);
        }
    }

    /// Appends a line of the client's standard error.
    pub fn complain(&mut self, line: &[u8]) {
        let size = self.length + self.buffer.len() as u64;
        if size < self.limits.lines {
            self.add(SpoolSource::Complained, line);
        }
    }

    /// Appends a note of the host.
    pub fn note(&mut self, note: &[u8]) {
        self.add(SpoolSource::Note, note);
    }

    /// Appends a marker for a line that is left out.
    pub fn leave_out(&mut self, kind: Option<&str>, bytes: u64) {
        let kind = kind.map(|kind| kind.chars().take(60).collect());
        self.mark(&SpoolMarker::Line { kind, bytes });
    }

    fn mark(&mut self, marker: &SpoolMarker) {
        // Plain data always serializes.
        let text = serde_json::to_vec(marker).unwrap_or_default();
        self.add(SpoolSource::Marker, &text);
    }

    fn add(&mut self, source: SpoolSource, line: &[u8]) {
        self.buffer.push(source.letter());
        self.buffer.extend_from_slice(line);
        self.buffer.push(b'\n');
        self.buffered += 1;
        if self.buffer.len() >= CHUNK {
            self.flush();
        }
    }

    /// Writes the buffered lines. If that fails, counts them and truncates the file to its last whole line.
    pub fn flush(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        if self.unwritten > 0 {
            let lines = self.unwritten;
            let marker = serde_json::to_vec(&SpoolMarker::Unwritten { lines });
            let mut line = vec![SpoolSource::Marker.letter()];
            line.extend(marker.unwrap_or_default());
            line.push(b'\n');
            self.buffer.splice(..0, line);
        }
        if self.file.write_all(&self.buffer).is_ok() {
            self.length += self.buffer.len() as u64;
            self.unwritten = 0;
        } else {
            self.unwritten += self.buffered;
            // The rest of a partial line would be read as the beginning of the next one.
            let _ = self.file.set_len(self.length);
        }
        self.buffer.clear();
        self.buffer.shrink_to(CHUNK);
        self.buffered = 0;
    }
}
