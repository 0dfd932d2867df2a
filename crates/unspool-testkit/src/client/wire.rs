//! The frames that a scripted client writes to its standard output.
//!
//! They are written by a thread of their own, so that a host that does not read stops nothing: the
//! real client keeps what it cannot write in memory too.

use std::io::{self, Write as _};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::Value;

/// The way to standard output.
#[derive(Debug)]
pub(super) struct StdoutFrames {
    items: Sender<WrittenItem>,
}

#[derive(Debug)]
enum WrittenItem {
    /// Bytes that are written at once.
    Bytes(Vec<u8>),
    /// A wish to hear when everything before was written.
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

    /// Writes bytes that may be less than a line.
    pub(super) fn raw(&self, bytes: Vec<u8>) {
        // The thread lives as long as the process.
        let _ = self.items.send(WrittenItem::Bytes(bytes));
    }

    /// Waits until everything is written.
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
            // A host that is gone is not an error: the client runs on until its input ends.
            WrittenItem::Bytes(bytes) => {
                let _ = out.write_all(&bytes).and_then(|()| out.flush());
            }
            WrittenItem::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
