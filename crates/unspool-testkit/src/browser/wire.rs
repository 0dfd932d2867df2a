//! Sends commands to the driver: JSON over HTTP, with one connection for each command.

use std::fmt;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A command that the driver refused or did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrowserError {
    /// The kind in the protocol, such as `javascript error`; `no answer` if there was none.
    pub kind: String,
    /// The message of the driver or the system.
    pub message: String,
}

impl BrowserError {
    /// Tells whether the script itself failed, so that a retry would fail too.
    pub fn is_of_the_script(&self) -> bool {
        self.kind == "javascript error" || self.kind == "invalid argument"
    }
}

impl fmt::Display for BrowserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for BrowserError {}

impl From<io::Error> for BrowserError {
    fn from(error: io::Error) -> Self {
        Self { kind: "no answer".to_owned(), message: error.to_string() }
    }
}

/// Sends a command and returns the value of the answer.
pub(super) fn send(
    port: u16,
    method: &str,
    path: &str,
    body: &Value,
    patience: Duration,
) -> Result<Value, BrowserError> {
    let body = match method {
        "POST" => body.to_string(),
        _ => String::new(),
    };
    let answer = exchange(port, method, path, &body, patience)?;
    let mut answer: Value = serde_json::from_str(&answer).map_err(io::Error::from)?;
    let value = answer["value"].take();
    match value["error"].as_str() {
        Some(kind) => Err(BrowserError {
            kind: kind.to_owned(),
            message: value["message"].as_str().unwrap_or_default().to_owned(),
        }),
        None => Ok(value),
    }
}

/// Sends a request and returns the body of the answer.
fn exchange(
    port: u16,
    method: &str,
    path: &str,
    body: &str,
    patience: Duration,
) -> io::Result<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let mut length = None;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 && line != "\r\n" {
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse::<u64>().ok();
        }
        line.clear();
    }
    let mut answer = String::new();
    match length {
        Some(length) => reader.take(length).read_to_string(&mut answer)?,
        None => reader.read_to_string(&mut answer)?,
    };
    Ok(answer)
}
