//! The program as a server, and a minimal HTTP client.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use unspool_testkit::process::ticks_of;

use crate::program;

/// A server of the program with a home of its own.
pub(crate) struct ServedProgram {
    child: Child,
    address: SocketAddr,
}

impl ServedProgram {
    /// Starts a server and waits until it listens.
    pub(crate) fn start(home: &Path, index: &Path) -> Result<Self> {
        let binary = program::binary()?;
        let state = index.with_file_name("state");
        let mut child = Command::new(&binary)
            .env_clear()
            .env("XDG_DATA_HOME", &state)
            .args([OsStr::new("--home"), home.as_os_str()])
            .args([OsStr::new("--index"), index.as_os_str()])
            .args(["serve", "--port", "0", "--no-token"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let said = child.stderr.take().context("no standard error")?;
        for line in BufReader::new(said).lines() {
            if let Some(address) = line?.strip_prefix("listening on http://") {
                let address = address.trim_end_matches('/').parse()?;
                return Ok(Self { child, address });
            }
        }
        bail!("the server did not say where it listens")
    }

    /// Requests a path, with compression, and returns the seconds to the first byte and the size of
    /// the body.
    pub(crate) fn get(&self, way: &str) -> Result<(f64, u64)> {
        let mut stream = TcpStream::connect(self.address)?;
        let started = Instant::now();
        write!(
            stream,
            "GET {way} HTTP/1.1\r\nhost: {}\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n",
            self.address
        )?;
        let mut first = [0; 1];
        stream.read_exact(&mut first)?;
        let seconds = started.elapsed().as_secs_f64();
        let mut answer = Vec::from(first);
        stream.read_to_end(&mut answer)?;
        ensure!(answer.starts_with(b"HTTP/1.1 200"), "{way} was refused");
        let head = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let head = head.context("an answer without an end of its head")?;
        Ok((seconds, (answer.len() - head - 4) as u64))
    }

    /// Opens an event stream and waits for its first event.
    pub(crate) fn stream(&self, way: &str) -> Result<EventReader> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(stream, "GET {way} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address)?;
        let mut reader = EventReader(BufReader::new(stream));
        reader.wait_for("event: hello")?;
        Ok(reader)
    }

    /// Returns the current memory of the server, if the system reports it.
    pub(crate) fn memory(&self) -> Option<u64> {
        crate::machine::memory_of(self.child.id())
    }

    /// Returns the processor time of the server, in ticks of a hundredth of a second.
    pub(crate) fn ticks(&self) -> Option<u64> {
        ticks_of(self.child.id())
    }

    /// Stops the server with a signal, and returns the seconds that it takes to end.
    pub(crate) fn end(mut self) -> Result<f64> {
        let started = Instant::now();
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-TERM", &pid]).status()?;
        ensure!(status.success(), "the server cannot be asked to end");
        let status = self.child.wait()?;
        let seconds = started.elapsed().as_secs_f64();
        ensure!(status.success(), "the server ended with {status}");
        Ok(seconds)
    }
}

impl Drop for ServedProgram {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the events of a stream.
pub(crate) struct EventReader(BufReader<TcpStream>);

impl EventReader {
    /// Reads until a line begins with a text.
    pub(crate) fn wait_for(&mut self, text: &str) -> Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.0.read_line(&mut line)? > 0, "the stream ended");
            if line.starts_with(text) {
                return Ok(());
            }
        }
    }
}

/// A log to which lines are appended.
pub(crate) struct GrowingLog {
    file: File,
    parent: String,
    lines: u64,
}

impl GrowingLog {
    /// Opens a log for appending, or creates one.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let parent = match text.lines().next_back() {
            Some(last) => {
                let record: serde_json::Value = serde_json::from_str(last)?;
                record["uuid"].as_str().unwrap_or_default().to_owned()
            }
            None => String::new(),
        };
        Ok(Self {
            file: OpenOptions::new().create(true).append(true).open(path)?,
            parent,
            // Continues the numbers in the uuids of the log.
            lines: text.lines().count() as u64,
        })
    }

    /// Appends one line, a child of the last.
    pub(crate) fn append(&mut self) -> Result<()> {
        self.lines += 1;
        let uuid = format!("00000000-0000-4000-9000-{:012}", self.lines);
        let parent = Some(&self.parent).filter(|parent| !parent.is_empty());
        let line = serde_json::json!({
            "type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "cwd": "/srv/served", "timestamp": "2026-01-05T09:00:00.000Z",
            "message": {"role": "user", "content": format!("go on, number {}", self.lines)},
        });
        self.file.write_all(format!("{line}\n").as_bytes())?;
        self.parent = uuid;
        Ok(())
    }
}
