//! Finds the first match in a side file.
//!
//! Plain text is searched as it is; of JSON, the decoded strings are searched.

use std::borrow::Cow;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use unspool_model::sidecar::side_texts;

use super::pattern::ScanPattern;
use crate::hit::{Snippet, SnippetSize};
use unspool_store::files::OpenFile;
use unspool_store::files::lines::LineReader;

/// How many bytes around a matching line are read.
const AROUND: u64 = 64 * 1024;

/// How many bytes of a file are searched for a pattern that may span lines; they are in memory at
/// once.
const WHOLE: u64 = 64 * 1024 * 1024;

/// Finds the first match in a file of plain text; a binary file has none.
pub(super) fn plain(
    file: &OpenFile,
    pattern: &ScanPattern,
    extent: SnippetSize,
    lines: &mut LineReader,
) -> io::Result<Option<Snippet>> {
    if !pattern.stays_in_line() {
        return whole(file, pattern, extent);
    }
    let mut found = None;
    lines.read(file, 0..u64::MAX, &mut |bytes, offset| {
        if offset == 0 && is_binary(bytes) {
            return ControlFlow::Break(());
        }
        let Some(line) = first_line(bytes, pattern) else {
            return ControlFlow::Continue(());
        };
        found = Some(offset + line.start as u64..offset + line.end as u64);
        ControlFlow::Break(())
    })?;
    let Some(line) = found else {
        return Ok(None);
    };
    let bytes = around(file, &line)?;
    let text = String::from_utf8_lossy(&bytes);
    let first = pattern.find_at(&text, 0);
    Ok(first.map(|first| pattern.snippet(&text, first, extent)))
}

/// Finds the first match in the strings of a JSON file; a missing file has none.
pub(super) fn json(
    path: &Path,
    pattern: &ScanPattern,
    extent: SnippetSize,
) -> io::Result<Option<Snippet>> {
    let file = match OpenFile::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let bytes = file.part(0, WHOLE)?;
    let mut may_match = false;
    // A string never spans lines.
    pattern.candidates(&bytes, |_, _| may_match = true);
    let mut found = None;
    if may_match {
        side_texts(&bytes, |text| {
            if found.is_none() {
                let text = text.decode();
                let first = pattern.find_at(&text, 0);
                found = first.map(|first| pattern.snippet(&text, first, extent));
            }
        });
    }
    Ok(found)
}

/// Searches a whole file at once.
fn whole(
    file: &OpenFile,
    pattern: &ScanPattern,
    extent: SnippetSize,
) -> io::Result<Option<Snippet>> {
    let bytes = file.part(0, WHOLE)?;
    if is_binary(&bytes) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    if let Some(first) = pattern.find_at(&text, 0) {
        return Ok(Some(pattern.snippet(&text, first, extent)));
    }
    if bytes.len() as u64 == WHOLE {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "only its first 64 MB were searched, since the pattern may match across lines",
        ));
    }
    Ok(None)
}

/// Tells whether the start of a file is binary.
fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(1024)]).is_some()
}

/// Returns the first matching line of some lines.
fn first_line(bytes: &[u8], pattern: &ScanPattern) -> Option<Range<usize>> {
    let text = String::from_utf8_lossy(bytes);
    let line = pattern.find_line(text.as_bytes())?;
    if let Cow::Borrowed(_) = text {
        return Some(line);
    }
    // Decoding replaces damaged bytes by longer ones, but the number of lines is the same.
    let number = memchr::memchr_iter(b'\n', &text.as_bytes()[..line.start]).count();
    let mut ends = memchr::memchr_iter(b'\n', bytes).map(|newline| newline + 1);
    let start = match number {
        0 => 0,
        _ => ends.by_ref().nth(number - 1)?,
    };
    Some(start..ends.next().unwrap_or(bytes.len()))
}

/// Reads a line and the text around it, from the start of a line.
fn around(file: &OpenFile, line: &Range<u64>) -> io::Result<Vec<u8>> {
    let start = line.start.saturating_sub(AROUND);
    let mut bytes = file.part(start, line.end + AROUND - start)?;
    if start > 0 {
        let newline = memchr::memchr(b'\n', &bytes);
        let skipped = newline.map_or(bytes.len(), |newline| newline + 1);
        bytes.drain(..skipped.min((line.start - start) as usize));
    }
    Ok(bytes)
}
