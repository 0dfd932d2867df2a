//! A client of streams: server-sent events over a connection of its own.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

use crate::harness::TOKEN;

/// An event as it came.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StreamEvent {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

/// A connection that reads events.
pub(crate) struct EventClient {
    reader: BufReader<TcpStream>,
    text: String,
    events: VecDeque<StreamEvent>,
}

impl EventClient {
    /// Opens a stream. None if the server is not there, or refuses.
    pub(crate) fn open(address: SocketAddr, way: &str) -> Option<Self> {
        let mut stream = TcpStream::connect(address).ok()?;
        let head = format!(
            "GET {way} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {TOKEN}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if !line.starts_with("HTTP/1.1 200") {
            return None;
        }
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
        }
        Some(Self {
            reader,
            text: String::new(),
            events: VecDeque::new(),
        })
    }

    /// Waits for the next event; none when the stream has ended.
    pub(crate) fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let piece = self.piece()?;
            self.text += &piece;
            while let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                self.events.extend(parse(&block));
            }
        }
    }

    /// Waits for an event of a name, and passes over others.
    pub(crate) fn wait_for(&mut self, name: &str) -> StreamEvent {
        loop {
            let event = self.next().expect("the stream goes on");
            if event.name == name {
                return event;
            }
        }
    }

    /// Reads one piece of a body that comes in pieces.
    fn piece(&mut self) -> Option<String> {
        let mut length = String::new();
        if self.reader.read_line(&mut length).ok()? == 0 {
            return None;
        }
        let length = usize::from_str_radix(length.trim(), 16).ok()?;
        if length == 0 {
            return None;
        }
        let mut piece = vec![0; length + 2];
        self.reader.read_exact(&mut piece).ok()?;
        piece.truncate(length);
        String::from_utf8(piece).ok()
    }
}

fn parse(block: &str) -> Option<StreamEvent> {
    let field = |name: &str| {
        let mut lines = block.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    Some(StreamEvent {
        name: field("event")?.to_owned(),
        id: field("id").map(ToOwned::to_owned),
        data: serde_json::from_str(field("data")?).expect("data is JSON"),
    })
}
