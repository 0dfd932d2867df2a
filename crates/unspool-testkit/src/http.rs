//! A client of servers that tests start: one connection for each request, and streams of events.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// The program `unspool` as a server, until it is dropped.
#[derive(Debug)]
pub struct ListeningProgram {
    /// The process.
    pub child: Child,
    /// The address that it listens on.
    pub address: String,
    /// The line after the address: how to look.
    pub said: String,
}

impl ListeningProgram {
    /// Starts a server, and waits until it listens.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
        let mut lines = lines.map(|line| line.expect("text"));
        let address = lines.find_map(|line| {
            let address = line.strip_prefix("listening on http://")?;
            Some(address.trim_end_matches('/').to_owned())
        });
        let said = lines.next().unwrap_or_default();
        // What it says later must find a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: address.expect("a server that listens"), said }
    }
}

impl Drop for ListeningProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks a server that may be away. Each of the headers ends with a line break.
pub fn ask(
    address: &str,
    method: &str,
    way: &str,
    headers: &str,
    body: &str,
) -> io::Result<HttpAnswer> {
    let length = body.len();
    let request = format!(
        "{method} {way} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-length: {length}\r\n{headers}\r\n{body}"
    );
    send(address, request.as_bytes())
}

/// Sends bytes and reads the answer until the server closes the connection.
pub fn send(address: impl ToSocketAddrs, bytes: &[u8]) -> io::Result<HttpAnswer> {
    let mut stream = TcpStream::connect(address)?;
    // The server may answer before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    Ok(HttpAnswer::parse(&answer))
}

/// What a server answered.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The code.
    pub status: u16,
    head: String,
    /// What came after the head, in one piece.
    pub body: String,
}

impl HttpAnswer {
    /// Reads an answer.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        Self {
            status: status.unwrap_or_default(),
            head: head.to_owned(),
            body: if is_chunked { unchunked(body) } else { body.to_owned() },
        }
    }

    /// Returns a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Puts the pieces of a body together.
fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 || rest.len() < length {
            break;
        }
        whole += &rest[..length];
        body = rest[length..].trim_start_matches("\r\n");
    }
    whole
}

/// An event as it came.
#[derive(Clone, PartialEq, Debug)]
pub struct StreamEvent {
    /// The kind of the event.
    pub name: String,
    /// The place to go on from.
    pub id: Option<String>,
    /// What is told.
    pub data: Value,
}

/// A connection that reads events.
#[derive(Debug)]
pub struct EventClient {
    reader: BufReader<TcpStream>,
    text: String,
    events: VecDeque<StreamEvent>,
}

impl EventClient {
    /// Opens a stream. None if the server is not there, or refuses.
    pub fn open(address: impl ToSocketAddrs + Display, way: &str, token: &str) -> Option<Self> {
        let head = format!(
            "GET {way} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
        );
        let mut stream = TcpStream::connect(address).ok()?;
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
        Some(Self { reader, text: String::new(), events: VecDeque::new() })
    }

    /// Waits for an event of a name, and passes over others.
    pub fn wait_for(&mut self, name: &str) -> StreamEvent {
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

impl Iterator for EventClient {
    type Item = StreamEvent;

    /// Waits for the next event; none when the stream has ended.
    fn next(&mut self) -> Option<StreamEvent> {
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
