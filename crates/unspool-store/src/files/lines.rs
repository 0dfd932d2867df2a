//! Reads the whole lines of a byte range of a file, chunk by chunk.
//!
//! A file is read in chunks into one buffer, which grows only for a line that is longer than a
//! chunk. Several ranges of a large file can be read at once: a line belongs to the range that it
//! begins in.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::{ControlFlow, Range};

use memchr::{memchr, memrchr};

use super::line_length::{LONG, LineRest, rest_of_line};
use super::{FileReader, OpenFile};

/// How many bytes are read at a time. Chosen by judgement: the size that the benchmark reads with.
const CHUNK: usize = 256 * 1024;

/// Reads lines; reuses its buffer for the next file.
#[derive(Default)]
pub struct LineReader {
    buffer: Vec<u8>,
    filled: usize,
    /// The offset of the buffer in the file.
    at: u64,
    /// Set while the bytes up to the next newline are skipped.
    passing: bool,
    /// How many lines were too long to be kept in memory.
    pub overlong: u64,
}

impl LineReader {
    /// Calls `visit` with the lines that begin in a byte range of a file, several at a time, and
    /// their offset. Only the last line of the file may lack a newline.
    pub fn read(
        &mut self,
        file: &OpenFile,
        stretch: Range<u64>,
        visit: &mut dyn FnMut(&[u8], u64) -> ControlFlow<()>,
    ) -> io::Result<()> {
        if stretch.is_empty() {
            return Ok(());
        }
        self.filled = 0;
        // The byte before the range tells whether a line begins at its start.
        self.passing = stretch.start > 0;
        self.at = stretch.start.saturating_sub(1);
        let mut reader = file.reader();
        reader.seek(SeekFrom::Start(self.at))?;
        loop {
            self.look_ahead(file)?;
            let fresh = self.filled;
            if self.fill(&mut reader, stretch.end)? == 0 {
                break;
            }
            if self.step(fresh, stretch.end, visit).is_break() {
                return Ok(());
            }
        }
        if !self.passing && self.filled > 0 {
            let _ = visit(&self.buffer[..self.filled], self.at);
        }
        Ok(())
    }

    /// Reserves the memory for a long line, or skips the line if it is too long.
    fn look_ahead(&mut self, file: &OpenFile) -> io::Result<()> {
        if self.filled < LONG || self.buffer.capacity() >= self.filled + CHUNK {
            return Ok(());
        }
        let from = self.at + self.filled as u64;
        match rest_of_line(file, from, u64::MAX, self.filled)? {
            LineRest::Bytes(rest) => {
                let more = self.filled + rest + CHUNK - self.buffer.len();
                self.buffer.reserve_exact(more);
            }
            LineRest::TooMany(_) => {
                self.overlong += 1;
                self.passing = true;
                self.forget(self.filled);
            }
        }
        Ok(())
    }

    /// Reads the next chunk; reads past the end of the range only for its last line.
    fn fill(&mut self, reader: &mut FileReader<'_>, end: u64) -> io::Result<usize> {
        if self.buffer.len() > 4 * CHUNK && self.filled < CHUNK {
            self.buffer.truncate(4 * CHUNK);
            self.buffer.shrink_to_fit();
        }
        if self.buffer.len() - self.filled < CHUNK {
            self.buffer.resize(self.filled + CHUNK, 0);
        }
        let position = self.at + self.filled as u64;
        let wanted = match end.saturating_sub(position) {
            0 => CHUNK,
            left => CHUNK.min(left as usize),
        };
        let length = reader.read(&mut self.buffer[self.filled..self.filled + wanted])?;
        self.filled += length;
        Ok(length)
    }

    /// Passes whole lines to `visit` and moves the rest to the front.
    fn step(
        &mut self,
        fresh: usize,
        end: u64,
        visit: &mut dyn FnMut(&[u8], u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut fresh = fresh;
        if self.passing {
            let newline = memchr(b'\n', &self.buffer[..self.filled]);
            self.forget(newline.map_or(self.filled, |newline| newline + 1));
            self.passing = newline.is_none();
            fresh = 0;
            if self.at >= end {
                return ControlFlow::Break(());
            }
        }
        // Past the end of the range, only the rest of the line that began in it is wanted.
        let following = self.at + self.filled as u64 > end;
        let bytes = &self.buffer[fresh..self.filled];
        let newline = if following { memchr(b'\n', bytes) } else { memrchr(b'\n', bytes) };
        if let Some(newline) = newline {
            let whole = fresh + newline + 1;
            visit(&self.buffer[..whole], self.at)?;
            self.forget(whole);
            if self.at >= end {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn forget(&mut self, length: usize) {
        self.buffer.copy_within(length..self.filled, 0);
        self.filled -= length;
        self.at += length as u64;
    }
}

/// Returns the range of the line that contains an offset; `at` may be the end of `lines`.
pub fn line_around(lines: &[u8], at: usize) -> Range<usize> {
    let start = memrchr(b'\n', &lines[..at]).map_or(0, |newline| newline + 1);
    let end = memchr(b'\n', &lines[at..]).map_or(lines.len(), |newline| at + newline + 1);
    start..end
}
