//! The parts of HTTP/1.1 that one client needs.

use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::net::TcpStream;

use serde_json::Value;

/// A request to the server.
#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// The maximum size of a body, larger than any conversation of a test.
const MOST: usize = 256 << 20;

/// Reads the next request of a connection; `None` at the end of the connection.
pub(super) fn read(input: &mut BufReader<TcpStream>) -> io::Result<Option<HttpRequest>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next(), words.next());
    let mut length = 0;
    let mut is_chunked = false;
    loop {
        line.clear();
        input.read_line(&mut line)?;
        let header = line.trim_end();
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => is_chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let body = if is_chunked { read_chunks(input)? } else { read_exactly(input, length)? };
    Ok(method.zip(path).map(|(method, path)| HttpRequest { method, path, body }))
}

fn read_exactly(input: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length > MOST {
        return Err(io::Error::other("a request of more than 256 MiB"));
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        body.extend(read_exactly(input, size)?);
        input.by_ref().take(2).read_to_end(&mut Vec::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Writes a response with a JSON body.
pub(super) fn write_json(out: &mut impl Write, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    write!(
        out,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         request-id: req_scripted\r\nx-should-retry: false\r\n\r\n{body}",
        body.len()
    )?;
    out.flush()
}

/// Writes the head of an event stream, which ends with the connection.
pub(super) fn begin_stream(out: &mut impl Write) -> io::Result<()> {
    out.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
          cache-control: no-cache\r\nrequest-id: req_scripted\r\nconnection: close\r\n\r\n",
    )?;
    out.flush()
}

/// Writes an event of a stream.
pub(super) fn write_event(out: &mut impl Write, event: &Value) -> io::Result<()> {
    let name = event["type"].as_str().unwrap_or_default();
    write!(out, "event: {name}\ndata: {event}\n\n")?;
    out.flush()
}
