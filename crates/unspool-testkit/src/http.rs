//! Servers that tests start, and a client for them: one connection for each request, and streams of events.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// The program `unspool` as a server, which is killed on drop.
#[derive(Debug)]
pub struct ListeningProgram {
    /// The process.
    pub child: Child,
    /// The address of the server.
    pub address: String,
    /// The line after the address, which explains how to open the pages.
    pub said: String,
}

impl ListeningProgram {
    /// Starts a server, and waits until it accepts connections.
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
        // Later output must be read too, or the server blocks.
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

/// Sends a request to a server that may be down. Each header ends with a line break.
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

/// Sends bytes, and reads the response until the server closes the connection.
pub fn send(address: impl ToSocketAddrs, bytes: &[u8]) -> io::Result<HttpAnswer> {
    let mut stream = TcpStream::connect(address)?;
    // The server may respond before it has read the whole request.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    Ok(HttpAnswer::parse(&answer))
}

/// A response of a server.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    head: String,
    /// The body, with its chunks joined.
    pub body: String,
}

impl HttpAnswer {
    /// Parses a response.
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

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let found = lines.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }

    /// Parses the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Joins the chunks of a body.
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

/// An event of a stream.
#[derive(Clone, PartialEq, Debug)]
pub struct StreamEvent {
    /// The name of the event.
    pub name: String,
    /// The id from which a later stream can continue.
    pub id: Option<String>,
    /// The data.
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
    /// Opens a stream; `None` if the server is down or refuses.
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

    /// Waits for an event with a name, and skips others.
    pub fn wait_for(&mut self, name: &str) -> StreamEvent {
        loop {
            let event = self.next().expect("the stream goes on");
            if event.name == name {
                return event;
            }
        }
    }

    /// Reads one chunk of the body.
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

    /// Waits for the next event; `None` at the end of the stream.
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
