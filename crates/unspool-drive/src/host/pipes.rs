//! The client's pipes, one thread for each, so that neither side blocks the other.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use super::HostInput;
use crate::spool::LONGEST_LINE;
use crate::wire::ClientLine;

/// The stack size of a thread that does little.
const STACK: usize = 256 << 10;
/// The size of a read.
const CHUNK: usize = 64 << 10;
/// The longest line of standard error that is kept.
const LONGEST_COMPLAINT: usize = 16 << 10;

/// Starts a thread with a small stack.
pub(super) fn small_thread(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<thread::JoinHandle<()>> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.stack_size(STACK).spawn(work)
}

/// Reads the client's standard output, line by line, to its end.
pub(super) fn read_output(from: impl Read, to: &SyncSender<HostInput>) {
    let mut lines = LineSplitter::new(from, LONGEST_LINE);
    while let Ok(Some(line)) = lines.next_line() {
        let input = match line {
            SplitLine::Whole(bytes) => HostInput::Said(bytes),
            SplitLine::TooLong(length) => HostInput::TooLong(length),
        };
        if to.send(input).is_err() {
            return;
        }
    }
    // Sending fails only if the host has ended.
    let _ = to.send(HostInput::OutputEnded);
}

/// Reads the client's standard error to its end.
pub(super) fn read_complaints(from: impl Read, to: &SyncSender<HostInput>) {
    let mut lines = LineSplitter::new(from, LONGEST_COMPLAINT);
    while let Ok(Some(line)) = lines.next_line() {
        if let SplitLine::Whole(bytes) = line
            && to.send(HostInput::Complained(bytes)).is_err()
        {
            return;
        }
    }
}

/// A line of the client.
#[derive(Debug, PartialEq, Eq)]
enum SplitLine {
    /// The line without its newline.
    Whole(Vec<u8>),
    /// The length of a line that was too long to keep.
    TooLong(u64),
}

/// Splits the client's output into lines. Keeps one line in memory at a time, up to a maximum length.
struct LineSplitter<R> {
    reader: BufReader<R>,
    longest: usize,
}

impl<R: Read> LineSplitter<R> {
    fn new(from: R, longest: usize) -> Self {
        let reader = BufReader::with_capacity(CHUNK, from);
        Self { reader, longest }
    }

    /// Returns the next line. Bytes after the last newline are not a line.
    fn next_line(&mut self) -> io::Result<Option<SplitLine>> {
        let mut line = Vec::new();
        let limit = self.longest as u64 + 1;
        self.reader.by_ref().take(limit).read_until(b'\n', &mut line)?;
        if line.last() == Some(&b'\n') {
            line.pop();
            return Ok(Some(SplitLine::Whole(line)));
        }
        if (line.len() as u64) < limit {
            return Ok(None);
        }
        let mut length = line.len() as u64;
        // The rest of the line is skipped and only counted.
        drop(line);
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let newline = memchr::memchr(b'\n', chunk);
            let used = newline.map_or(chunk.len(), |at| at + 1);
            length += used as u64;
            self.reader.consume(used);
            if newline.is_some() {
                return Ok(Some(SplitLine::TooLong(length - 1)));
            }
        }
    }
}

/// An order for the thread that writes.
enum InputOrder {
    Say(Vec<u8>),
    Close,
}

/// Writes lines to the client. If the client does not read, only the writing thread waits.
#[derive(Debug)]
pub(super) struct ClientInput {
    orders: Sender<InputOrder>,
    unread: Arc<AtomicU64>,
}

impl ClientInput {
    /// Starts the thread that writes.
    pub(super) fn new(pipe: ChildStdin) -> io::Result<Self> {
        let (orders, receiver) = mpsc::channel();
        let unread = Arc::<AtomicU64>::default();
        let count = Arc::clone(&unread);
        small_thread("client input", move || write_lines(pipe, &receiver, &count))?;
        Ok(Self { orders, unread })
    }

    /// Queues a line for the client.
    pub(super) fn say(&self, line: &ClientLine) {
        let bytes = line.as_bytes().to_vec();
        self.unread.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        // Sending fails if the client has closed its input; its exit is noticed elsewhere.
        let _ = self.orders.send(InputOrder::Say(bytes));
    }

    /// Closes the pipe after the queued lines.
    pub(super) fn close(&self) {
        let _ = self.orders.send(InputOrder::Close);
    }

    /// Returns the number of bytes that the client has not read yet.
    pub(super) fn unread(&self) -> u64 {
        self.unread.load(Ordering::Relaxed)
    }
}

fn write_lines(mut pipe: ChildStdin, orders: &Receiver<InputOrder>, unread: &AtomicU64) {
    while let Ok(InputOrder::Say(line)) = orders.recv() {
        if pipe.write_all(&line).is_err() {
            return;
        }
        unread.fetch_sub(line.len() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], longest: usize) -> Vec<SplitLine> {
        let mut splitter = LineSplitter::new(text, longest);
        let mut all = Vec::new();
        while let Some(line) = splitter.next_line().expect("a line") {
            all.push(line);
        }
        all
    }

    #[test]
    fn lines_are_whole_or_only_counted() {
        let whole = |text: &str| SplitLine::Whole(text.as_bytes().to_vec());
        assert_eq!(lines(b"", 9), []);
        assert_eq!(lines(b"one\n\ntwo\nha", 9), [whole("one"), whole(""), whole("two")]);
        assert_eq!(lines(b"123456789\n1\n", 9), [whole("123456789"), whole("1")]);
        assert_eq!(lines(b"1234567890\n1\n", 9), [SplitLine::TooLong(10), whole("1")]);
        let long = [vec![b'x'; 200_000], b"\n1\n".to_vec()].concat();
        assert_eq!(lines(&long, 9), [SplitLine::TooLong(200_000), whole("1")]);
        assert_eq!(lines(&b"x".repeat(200_000), 9), []);
    }
}
