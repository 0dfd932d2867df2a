//! Reads a spool from a cursor.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use memchr::memchr;

use super::SpoolSource;

/// The size of a read.
const CHUNK: usize = 256 << 10;

/// A line of a spool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpoolLine {
    /// The offset of the line.
    pub start: u64,
    /// The offset of the next line.
    pub end: u64,
    /// The source of the line.
    pub source: SpoolSource,
    /// The content without the letter and the newline.
    pub text: Vec<u8>,
}

/// Reads a spool, which may be written at the same time.
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

    /// Returns the cursor: the offset of the next line.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Reads some of the whole lines after the cursor; returns none at the end of the spool.
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
            // A line with an unknown letter was written by a newer release.
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

/// Returns the result of `take` for the last line for which it has one. Reads the end of the spool first,
/// then four times as much each time, so the cost is proportional to the length of the spool after that line.
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
            // The first line may be the rest of a line that begins before `from`.
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
