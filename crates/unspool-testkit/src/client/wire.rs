//! Writes the frames of a scripted client to its standard output.
//!
//! A separate thread writes them, so that a host that does not read blocks nothing. The real client also
//! keeps unwritten frames in memory.

use std::io::{self, Write as _};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::Value;

/// Sends frames to the thread that writes to standard output.
#[derive(Debug)]
pub(super) struct StdoutFrames {
    items: Sender<WrittenItem>,
}

#[derive(Debug)]
enum WrittenItem {
    /// Bytes to write.
    Bytes(Vec<u8>),
    /// A channel to notify when everything before was written.
    Flush(Sender<()>),
}

impl StdoutFrames {
    /// Starts the thread that writes.
    pub(super) fn start() -> Self {
        let (items, written) = mpsc::channel();
        thread::spawn(move || write_all(&written));
        Self { items }
    }

    /// Writes a frame as one line.
    pub(super) fn send(&self, frame: &Value) {
        let mut line = frame.to_string().into_bytes();
        line.push(b'\n');
        self.raw(line);
    }

    /// Writes bytes that may be part of a line.
    pub(super) fn raw(&self, bytes: Vec<u8>) {
        // The thread lives as long as the process.
        let _ = self.items.send(WrittenItem::Bytes(bytes));
    }

    /// Waits until all frames are written.
    pub(super) fn flush(&self) {
        let (done, flushed) = mpsc::channel();
        let _ = self.items.send(WrittenItem::Flush(done));
        let _ = flushed.recv();
    }
}

fn write_all(items: &Receiver<WrittenItem>) {
    let mut out = io::stdout().lock();
    for item in items {
        match item {
            // If the host is gone, the client continues until its input ends.
            WrittenItem::Bytes(bytes) => {
                let _ = out.write_all(&bytes).and_then(|()| out.flush());
            }
            WrittenItem::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
