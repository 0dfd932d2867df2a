//! How long a line is, found out without keeping it in memory.
//!
//! A reader that collects a line in memory stops at [`LONG`] and asks here how much is still to
//! come. So a buffer is made as large as the line and no larger, and of a line that is too long
//! only the beginning is ever in memory.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use memchr::memchr;
use unspool_model::log::LONGEST_LINE;

use super::OpenFile;

/// How much of a line is held before its length is asked for. Chosen by judgement: longer than
/// nearly all lines, and little memory.
pub const LONG: usize = 4 << 20;
/// How much is read at a time.
const CHUNK: usize = 256 * 1024;

/// What is to come of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineRest {
    /// So many bytes, newline included if there is one; the whole line can be held.
    Bytes(usize),
    /// So many, and the whole line is too long to be held.
    TooMany(u64),
}

/// Tells how much of a line is to come after `from`; the line does not go on after `end`, and
/// `held` bytes of it come before `from`.
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

/// Makes a buffer that long, and sets no more aside.
pub fn grow(buffer: &mut Vec<u8>, length: usize) {
    buffer.reserve_exact(length.saturating_sub(buffer.len()));
    buffer.resize(length, 0);
}
