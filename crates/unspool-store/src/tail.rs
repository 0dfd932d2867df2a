//! A log file that may grow, shrink or be replaced while it is read.
//!
//! This module knows files and offsets, not the meaning of records. Bytes are read in chunks into
//! one buffer and passed to a [`Log`], which keeps positions only; text is read again by span
//! through a [`SpanReader`]. Files are opened read-only and never mapped: a mapped file that
//! shrinks kills the reader.

mod prints;

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use memchr::memrchr;
use unspool_model::line::Span;
use unspool_model::log::{LONGEST_LINE, Log};

use self::prints::Printer;
pub use self::prints::Prints;
use crate::files::{FileReader, OpenFile};
use crate::files::{
    FileStamp,
    line_length::{LONG, LineRest, grow, rest_of_line},
};

/// How many bytes are read at a time. Chosen by judgement: the size that the benchmark reads with.
const CHUNK: usize = 256 * 1024;

/// The size of a file from which it is worth the time to release the spare capacity of its log.
/// Chosen by judgement: below it the memory is reused for the next log.
const LARGE: u64 = 16 << 20;

/// A log file that has been read up to some offset.
pub struct LogFile {
    path: PathBuf,
    file: Option<OpenFile>,
    stamp: FileStamp,
    log: Log,
    prints: Prints,
    parsed: u64,
}

/// How a file changed since it was last read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFileChange {
    /// It has not changed.
    Same,
    /// Bytes were appended; this many were read.
    Grew(u64),
    /// It shrank or was rewritten, and was read from the start.
    Replaced,
}

/// How far a file was read, and the prints of what was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadPosition {
    /// The stamp of the file when it was read.
    pub stamp: FileStamp,
    /// The end of the last whole line that was read.
    pub offset: u64,
    /// The prints of the bytes before that offset.
    pub prints: Prints,
}

impl ReadPosition {
    /// Returns whether the file at `path` still begins with what was read.
    pub fn matches(&self, path: &Path) -> io::Result<bool> {
        let (file, now) = OpenFile::open_with_stamp(path)?;
        self.matches_file(&file, &now)
    }

    fn matches_file(&self, file: &OpenFile, now: &FileStamp) -> io::Result<bool> {
        Ok(now.identity == self.stamp.identity
            && now.bytes >= self.offset
            && Prints::of(file, self.offset)? == self.prints)
    }
}

impl LogFile {
    /// Opens a file and reads it to its end.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut opened = Self::open_with(path, &mut Vec::new())?;
        opened.log.shrink();
        Ok(opened)
    }

    /// Opens a file for short use and reads it to its end, through a buffer that is reused.
    pub(crate) fn open_with(path: &Path, buffer: &mut Vec<u8>) -> io::Result<Self> {
        let (file, stamp) = OpenFile::open_with_stamp(path)?;
        let mut opened = Self {
            path: path.to_owned(),
            file: Some(file),
            stamp,
            log: Log::default(),
            prints: Prints::default(),
            parsed: 0,
        };
        opened.read_on(buffer)?;
        if opened.parsed > LARGE {
            opened.log.shrink();
        }
        Ok(opened)
    }

    /// Opens a file for short use that was read before, and reads what was appended since; reads
    /// everything if it is not the same file any more, or if `known` returns no log.
    pub fn resume(
        path: &Path,
        mark: &ReadPosition,
        known: impl FnOnce() -> Option<Log>,
    ) -> io::Result<(Self, LogFileChange)> {
        let (file, stamp) = OpenFile::open_with_stamp(path)?;
        let matches = mark.matches_file(&file, &stamp)?;
        let log = if matches { known() } else { None };
        let replaced = log.is_none();
        let mut opened = Self {
            path: path.to_owned(),
            stamp,
            file: Some(file),
            log: log.unwrap_or_default(),
            prints: Prints::default(),
            parsed: 0,
        };
        opened.read_on(&mut Vec::new())?;
        let change =
            if replaced { LogFileChange::Replaced } else { LogFileChange::Grew(opened.parsed) };
        Ok((opened, change))
    }

    /// Returns how far the file was read, with the prints of what was read.
    pub fn mark(&self) -> ReadPosition {
        ReadPosition { stamp: self.stamp, offset: self.log.resume_offset(), prints: self.prints }
    }

    /// Returns how many bytes were parsed when the file was last read.
    pub fn parsed(&self) -> u64 {
        self.parsed
    }

    /// Makes the empty log of a missing file.
    pub fn absent(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            stamp: FileStamp::unknown(),
            log: Log::default(),
            prints: Prints::default(),
            parsed: 0,
        }
    }

    /// Returns whether the file was missing when it was last opened.
    pub fn is_absent(&self) -> bool {
        self.file.is_none()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the stamp of the file when it was last read.
    pub fn stamp(&self) -> FileStamp {
        self.stamp
    }

    /// Returns the log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Calls `work` with the log of whole lines, without a last line that has no newline (yet).
    pub fn with_whole_lines<T>(&mut self, work: impl FnOnce(&Log) -> T) -> T {
        self.log.without_tail(work)
    }

    /// Returns the print of the first line, if it is whole.
    pub fn first_line_print(&self) -> io::Result<Option<u64>> {
        match &self.file {
            Some(file) if self.log.resume_offset() > 0 => prints::first_line(file).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the print of the bytes before an offset that whole lines reach.
    pub fn print_before(&self, end: u64) -> io::Result<Option<u64>> {
        let read = self.log.resume_offset();
        match &self.file {
            Some(_) if end == read => Ok(Some(self.prints.tail)),
            Some(file) if end < read => prints::before(file, end).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns a reader for spans of the file.
    pub fn reader(&self) -> SpanReader<'_> {
        SpanReader {
            reader: self.file.as_ref().map(OpenFile::reader),
            window: Vec::new(),
            start: 0,
        }
    }

    /// Reads what was appended, or everything if the file was replaced.
    pub fn refresh(&mut self) -> io::Result<LogFileChange> {
        let (now, stamp) = OpenFile::open_with_stamp(&self.path)?;
        if stamp == self.stamp && stamp.bytes == self.log.bytes() {
            return Ok(LogFileChange::Same);
        }
        let before = self.log.bytes();
        let continues = stamp.bytes >= before && self.mark().matches_file(&now, &stamp)?;
        self.file = Some(now);
        self.stamp = stamp;
        if !continues {
            self.log = Log::default();
        }
        // The spare capacity of the log stays: the next line needs it.
        self.read_on(&mut Vec::new())?;
        Ok(match self.log.bytes() {
            _ if !continues => LogFileChange::Replaced,
            now if now == before => LogFileChange::Same,
            now => LogFileChange::Grew(now.saturating_sub(before)),
        })
    }

    fn read_on(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let start = self.log.resume_offset();
        let mut printer = (start == 0).then(Printer::default);
        let fed = feed(file, self.stamp.bytes, &mut self.log, &mut printer, buffer);
        // A long line may have made the buffer long.
        buffer.truncate(CHUNK);
        buffer.shrink_to_fit();
        fed?;
        self.parsed = self.log.bytes() - start;
        self.prints = match printer {
            Some(printer) => printer.prints(),
            None => Prints::of(file, self.log.resume_offset())?,
        };
        Ok(())
    }
}

/// Feeds a log from its offset to the file's end, which was at `end` a moment ago.
///
/// The printer gets the whole lines, and is dropped if one of them is too long to be buffered. The
/// content of the buffer does not matter before or after the call.
fn feed(
    file: &OpenFile,
    end: u64,
    log: &mut Log,
    printer: &mut Option<Printer>,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let mut start = log.resume_offset();
    let left = end.saturating_sub(start);
    let mut reader = file.reader();
    reader.seek(SeekFrom::Start(start))?;
    if buffer.len() < CHUNK {
        buffer.resize(CHUNK.min(left as usize + 1).max(buffer.len()), 0);
    }
    let mut filled = 0;
    loop {
        if let Some(length) = make_room(file, start, filled, buffer)? {
            log.push_overlong(length);
            *printer = None;
            (start, filled) = (start + length, 0);
            reader.seek(SeekFrom::Start(start))?;
        }
        let length = reader.read(&mut buffer[filled..])?;
        if length == 0 {
            break;
        }
        let fresh = filled;
        filled += length;
        if let Some(newline) = memrchr(b'\n', &buffer[fresh..filled]) {
            let end = fresh + newline + 1;
            log.push(&buffer[..end]);
            if let Some(printer) = printer {
                printer.pass(&buffer[..end]);
            }
            buffer.copy_within(end..filled, 0);
            (start, filled) = (start + end as u64, filled - end);
        }
    }
    log.push_tail(&buffer[..filled]);
    Ok(())
}

/// Makes room after the part of a line that a buffer contains; the line begins at `start`. Returns
/// the length of a line that is too long to be buffered.
fn make_room(
    file: &OpenFile,
    start: u64,
    filled: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<u64>> {
    if buffer.len() > LONG + CHUNK && filled < CHUNK {
        // A long line has made the buffer long.
        buffer.truncate(CHUNK);
        buffer.shrink_to_fit();
    }
    if buffer.len() - filled >= (CHUNK / 2).min(buffer.len()) {
        return Ok(None);
    }
    if filled < LONG {
        buffer.resize(filled + CHUNK, 0);
        return Ok(None);
    }
    match rest_of_line(file, start + filled as u64, u64::MAX, filled)? {
        LineRest::TooMany(rest) => Ok(Some(filled as u64 + rest)),
        LineRest::Bytes(rest) => {
            grow(buffer, filled + rest + CHUNK);
            Ok(None)
        }
    }
}

/// Reads spans of a file; one read serves spans that are near one another.
pub struct SpanReader<'f> {
    reader: Option<FileReader<'f>>,
    window: Vec<u8>,
    start: u64,
}

impl SpanReader<'_> {
    /// Returns the bytes of a span; fewer if the file has shrunk, or if the span is a line that is
    /// too long to be buffered.
    pub fn bytes(&mut self, span: Span) -> io::Result<&[u8]> {
        let end = self.start + self.window.len() as u64;
        if span.start < self.start || span.end() > end {
            self.fill(span)?;
        }
        let from = (span.start - self.start) as usize;
        let to = (from + span.len as usize).min(self.window.len());
        Ok(self.window.get(from..to).unwrap_or_default())
    }

    /// Returns the bytes of a span as a vector, without copying those of a long line.
    pub fn take(&mut self, span: Span) -> io::Result<Vec<u8>> {
        let length = self.bytes(span)?.len();
        if span.len <= CHUNK as u64 || length < self.window.len() {
            return Ok(self.bytes(span)?.to_vec());
        }
        Ok(std::mem::take(&mut self.window))
    }

    fn fill(&mut self, span: Span) -> io::Result<()> {
        let length = span.len.clamp(CHUNK as u64, LONGEST_LINE);
        if self.window.capacity() as u64 > 4 * length {
            self.window = Vec::new();
        }
        self.window.clear();
        self.start = span.start;
        let Some(reader) = &mut self.reader else {
            return Ok(());
        };
        reader.seek(SeekFrom::Start(span.start))?;
        if length > CHUNK as u64 {
            // Growing step by step would reserve too much.
            self.window.reserve_exact(length as usize + 1);
        }
        reader.take(length).read_to_end(&mut self.window)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    const FIRST: &str = "{\"type\":\"user\",\"uuid\":\"a\",\"message\":{\"content\":\"one\"}}\n";
    const SECOND: &str = "{\"type\":\"user\",\"uuid\":\"b\",\"message\":{\"content\":\"two\"}}\n";

    fn append(path: &Path, text: &str) {
        let mut file = fs::OpenOptions::new().append(true).open(path).expect("opens");
        file.write_all(text.as_bytes()).expect("writes");
    }

    #[test]
    fn a_file_is_followed_through_growth_truncation_and_replacement() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        fs::write(&path, FIRST).expect("writes");
        let mut log = LogFile::open(&path).expect("opens");
        assert_eq!(log.log().entries.len(), 1);
        assert_eq!(log.refresh().expect("reads"), LogFileChange::Same);

        append(&path, &SECOND[..20]);
        assert_eq!(log.refresh().expect("reads"), LogFileChange::Grew(20));
        assert_eq!(log.log().entries.len(), 2, "a fragment is kept until the line goes on");
        append(&path, &SECOND[20..]);
        assert_eq!(log.refresh().expect("reads"), LogFileChange::Grew(SECOND.len() as u64 - 20));
        assert_eq!(log.log().entries.len(), 2);
        assert!(log.log().diagnostics.is_empty(), "the fragment is forgotten");

        fs::write(&path, FIRST).expect("writes");
        assert_eq!(log.refresh().expect("reads"), LogFileChange::Replaced);
        assert_eq!(log.log().entries.len(), 1);

        fs::write(&path, format!("{SECOND}{SECOND}{FIRST}")).expect("writes");
        assert_eq!(log.refresh().expect("reads"), LogFileChange::Replaced, "grown, but rewritten");
        assert_eq!(log.log().entries.len(), 3);
    }

    #[test]
    fn prints_taken_on_the_way_are_those_of_the_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        for lengths in
            [&[0][..], &[1], &[5000], &[4095, 1, 1], &[4096], &[3000, 3000, 10], &[9000, 9000]]
        {
            let mut printer = Printer::default();
            let mut content = Vec::new();
            for &length in lengths {
                let bytes: Vec<u8> =
                    (content.len()..content.len() + length).map(|at| (at * 7 / 3) as u8).collect();
                printer.pass(&bytes);
                content.extend(bytes);
            }
            fs::write(&path, &content).expect("writes");
            let file = OpenFile::open(&path).expect("opens");
            let read = Prints::of(&file, content.len() as u64).expect("reads");
            assert_eq!(printer.prints(), read, "{lengths:?}");
        }
    }

    #[test]
    fn long_lines_are_held_whole_and_longer_ones_not_at_all() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        for length in [CHUNK, LONG - 1, LONG, LONG + 1, LONG + CHUNK / 2, 3 * LONG] {
            let line = FIRST.replace("one", &"x".repeat(length));
            for end in ["", FIRST, "torn"] {
                let text = format!("{SECOND}{line}{SECOND}{end}");
                fs::write(&path, &text).expect("writes");
                let log = LogFile::open(&path).expect("opens");
                let whole = Log::read(text.as_bytes());
                let told = |log: &Log| format!("{:?}", log.entries);
                assert_eq!(told(log.log()), told(&whole), "{length}");
                let span = log.log().entries[1].span;
                let taken = log.reader().take(span).expect("reads");
                assert_eq!(taken, line.as_bytes());
            }
        }
        // A hole of zeros, then ordinary lines.
        let file = fs::File::create(&path).expect("a file");
        file.set_len(LONGEST_LINE).expect("grows");
        append(&path, &format!("\n{FIRST}"));
        let log = LogFile::open(&path).expect("opens");
        let entries = &log.log().entries;
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].span.len, LONGEST_LINE + 1);
        assert_eq!(log.log().bytes(), LONGEST_LINE + 1 + FIRST.len() as u64);
    }

    #[test]
    fn spans_are_read_back_in_any_order() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("log.jsonl");
        fs::write(&path, format!("{FIRST}\n{SECOND}tail")).expect("writes");
        let log = LogFile::open(&path).expect("opens");
        let mut reader = log.reader();
        let mut spans = log.log().spans();
        let all: Vec<u8> =
            spans.iter().flat_map(|&span| reader.bytes(span).expect("reads").to_vec()).collect();
        assert_eq!(all, fs::read(&path).expect("reads"));
        spans.reverse();
        for span in spans {
            assert_eq!(reader.bytes(span).expect("reads").len() as u64, span.len);
        }
    }
}
