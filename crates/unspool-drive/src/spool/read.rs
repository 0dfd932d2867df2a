//! Reads a spool from any cursor on.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use memchr::memchr;

use super::SpoolSource;

/// How much is read at a time.
const CHUNK: usize = 256 << 10;

/// A line of a spool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpoolLine {
    /// Where it begins.
    pub start: u64,
    /// Where the next one begins.
    pub end: u64,
    /// Where it comes from.
    pub source: SpoolSource,
    /// What it says, without the newline.
    pub text: Vec<u8>,
}

/// Reads a spool, also while it is written.
#[derive(Debug)]
pub struct SpoolReader {
    file: File,
    at: u64,
}

impl SpoolReader {
    /// Opens a spool at a cursor.
    pub fn open(path: &Path, at: u64) -> io::Result<Self> {
        let file = File::open(path)?;
        Ok(Self { file, at })
    }

    /// Returns the cursor: where the next line begins.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Reads whole lines that are there, some at a time; none if there is nothing more now.
    pub fn read_some(&mut self) -> io::Result<Vec<SpoolLine>> {
        let mut buffer = Vec::new();
        let mut whole = 0;
        while whole == 0 {
            let filled = buffer.len();
            buffer.resize(filled + CHUNK.max(filled), 0);
            let count = self.file.read_at(&mut buffer[filled..], self.at + filled as u64)?;
            buffer.truncate(filled + count);
            if count == 0 {
                return Ok(Vec::new());
            }
            let newline = memchr::memrchr(b'\n', &buffer[filled..]);
            whole = newline.map_or(0, |at| filled + at + 1);
        }
        Ok(self.take(&buffer[..whole]))
    }

    fn take(&mut self, mut bytes: &[u8]) -> Vec<SpoolLine> {
        let mut lines = Vec::new();
        while let Some(newline) = memchr(b'\n', bytes) {
            let start = self.at;
            self.at += newline as u64 + 1;
            let line = &bytes[..newline];
            bytes = &bytes[newline + 1..];
            let source = line.first().copied().and_then(SpoolSource::from_letter);
            // A line that begins with another letter is of a newer release.
            lines.extend(source.map(|source| SpoolLine {
                start,
                end: self.at,
                source,
                text: line[1..].to_vec(),
            }));
        }
        lines
    }
}

/// Returns what the last line says of which something is taken. Looks at the end of the spool first,
/// then at four times as much, so that the work is in proportion to what follows the line.
pub fn last_in_spool<T>(
    path: &Path,
    take: impl Fn(&SpoolLine) -> Option<T>,
) -> io::Result<Option<T>> {
    let mut reader = SpoolReader::open(path, 0)?;
    let length = reader.file.metadata()?.len();
    let mut looked_at = CHUNK as u64;
    loop {
        let from = length.saturating_sub(looked_at);
        reader.at = from;
        let mut last = None;
        loop {
            let lines = reader.read_some()?;
            if lines.is_empty() {
                break;
            }
            // The first one may be the end of a line that begins before it.
            let mut whole = lines.iter().rev();
            let found =
                whole.find_map(|line| (line.start > from || from == 0).then(|| take(line))?);
            last = found.or(last);
        }
        if last.is_some() || from == 0 {
            return Ok(last);
        }
        looked_at = looked_at.saturating_mul(4);
    }
}
