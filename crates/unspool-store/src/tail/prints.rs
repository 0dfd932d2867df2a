//! Prints: hashes of a few bytes of a file, by which it is recognised.

use std::hash::BuildHasher as _;
use std::io;

use foldhash::quality::FixedState;
use memchr::memchr;

use crate::files::OpenFile;

/// How many bytes at the start and before the end are hashed, to notice a file that was rewritten.
/// Chosen by judgement: the size of a page, so each end is read at once; two logs that share both
/// ends differ in size.
const PRINT: u64 = 4096;

/// Hashes of the bytes at the start and before the offset where reading continues.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Prints {
    /// The hash of the start.
    pub head: u64,
    /// The hash of the bytes before the offset.
    pub tail: u64,
}

impl Prints {
    /// Computes the prints of a file that was read up to `end`.
    pub fn of(file: &OpenFile, end: u64) -> io::Result<Self> {
        Ok(Self { head: print(&file.part(0, PRINT.min(end))?), tail: before(file, end)? })
    }
}

/// Computes the print of the bytes before an offset.
pub(super) fn before(file: &OpenFile, end: u64) -> io::Result<u64> {
    let start = end.saturating_sub(PRINT);
    Ok(print(&file.part(start, end - start)?))
}

/// Computes the print of the first line, or of its beginning if it is long.
pub(super) fn first_line(file: &OpenFile) -> io::Result<u64> {
    let bytes = file.part(0, PRINT)?;
    let end = memchr(b'\n', &bytes).map_or(bytes.len(), |newline| newline + 1);
    Ok(print(&bytes[..end]))
}

fn print(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Computes prints from the lines as they are read, so that they need not be read again.
#[derive(Default)]
pub(super) struct Printer {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Printer {
    /// Adds the next bytes.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let missing = PRINT as usize - self.head.len();
        self.head.extend(&bytes[..missing.min(bytes.len())]);
        let last = &bytes[bytes.len().saturating_sub(PRINT as usize)..];
        let kept = self.tail.len().min(PRINT as usize - last.len());
        self.tail.drain(..self.tail.len() - kept);
        self.tail.extend(last);
    }

    /// Returns the prints of all bytes so far.
    pub(super) fn prints(&self) -> Prints {
        Prints { head: print(&self.head), tail: print(&self.tail) }
    }
}
