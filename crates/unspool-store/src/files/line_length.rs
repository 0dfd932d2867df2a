//! Measures the rest of a line without keeping it in memory.
//!
//! A reader that buffers a line stops at [`LONG`] and asks here how many bytes remain. It can then
//! make a buffer of exactly that size, and of a line that is too long only the beginning is ever in
//! memory.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use memchr::memchr;
use unspool_model::log::LONGEST_LINE;

use super::OpenFile;

/// How many bytes of a line are buffered before its rest is measured. Chosen by judgement: longer
/// than nearly all lines, and little memory.
pub const LONG: usize = 4 << 20;
/// How many bytes are read at a time.
const CHUNK: usize = 256 * 1024;

/// The rest of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineRest {
    /// Its length, with any newline; the whole line may be buffered.
    Bytes(usize),
    /// Its length; the whole line is too long to be buffered.
    TooMany(u64),
}

/// Measures the rest of a line after `from`. The line ends at `end` at the latest, and `held` bytes
/// of it precede `from`.
pub fn rest_of_line(file: &OpenFile, from: u64, end: u64, held: usize) -> io::Result<LineRest> {
    let mut reader = file.reader();
    reader.seek(SeekFrom::Start(from))?;
    let mut left = reader.take(end.saturating_sub(from));
    let mut chunk = vec![0; CHUNK];
    let mut rest = 0;
    loop {
        let length = left.read(&mut chunk)?;
        let newline = memchr(b'\n', &chunk[..length]);
        rest += newline.map_or(length, |newline| newline + 1) as u64;
        if newline.is_some() || length == 0 {
            break;
        }
    }
    if held as u64 + rest > LONGEST_LINE {
        Ok(LineRest::TooMany(rest))
    } else {
        Ok(LineRest::Bytes(rest as usize))
    }
}

/// Resizes a buffer to a length, reserving no more than that.
pub fn grow(buffer: &mut Vec<u8>, length: usize) {
    buffer.reserve_exact(length.saturating_sub(buffer.len()));
    buffer.resize(length, 0);
}
