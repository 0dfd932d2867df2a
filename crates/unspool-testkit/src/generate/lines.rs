//! Writes the lines of one generated log.
//!
//! Has the common fields, uuids, the clock and the parent of the next entry. The caller appends the bodies of
//! the lines as JSON text.

use std::io::{self, Write};

use super::WrittenLog;
use crate::ids::format_uuid;
use crate::rng::Rng;
use crate::time::iso;

/// A uuid as text.
pub(crate) type Uuid = [u8; 36];

/// The number of bytes that are buffered before they are written.
const BUFFER: usize = 256 * 1024;

/// The session and the environment of a log.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) session: Uuid,
    /// The id of the agent if it is an agent's log.
    pub(crate) agent: Option<String>,
    pub(crate) cwd: String,
    pub(crate) version: &'static str,
    pub(crate) branch: &'static str,
}

/// Writes the lines of one generated log.
pub(crate) struct LineWriter<'a> {
    sink: &'a mut dyn Write,
    pub(crate) out: Vec<u8>,
    pub(crate) rng: Rng,
    /// The time of the next entry.
    pub(crate) now: i64,
    /// The parent of the next entry.
    pub(crate) parent: Option<Uuid>,
    /// The uuid of the entry being written.
    current: Uuid,
    side: String,
    tail: String,
    session: Uuid,
    written: WrittenLog,
    failure: Option<io::Error>,
}

impl<'a> LineWriter<'a> {
    pub(crate) fn new(sink: &'a mut dyn Write, rng: Rng, identity: &Identity, start: i64) -> Self {
        let session = String::from_utf8_lossy(&identity.session).into_owned();
        let side = match &identity.agent {
            Some(agent) => format!(r#","isSidechain":true,"agentId":"{agent}""#),
            None => r#","isSidechain":false"#.to_owned(),
        };
        let tail = format!(
            r#","userType":"external","entrypoint":"cli","cwd":"{}","sessionId":"{session}","version":"{}","gitBranch":"{}"}}"#,
            identity.cwd, identity.version, identity.branch
        );
        Self {
            sink,
            out: Vec::with_capacity(BUFFER * 2),
            rng,
            now: start,
            parent: None,
            current: [b'0'; 36],
            side,
            tail,
            session: identity.session,
            written: WrittenLog::default(),
            failure: None,
        }
    }

    /// Returns the number of bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.written.bytes + self.out.len() as u64
    }

    pub(crate) fn lit(&mut self, text: &str) -> &mut Self {
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self
    }

    pub(crate) fn num(&mut self, number: u64) -> &mut Self {
        push_number(&mut self.out, number);
        self
    }

    pub(crate) fn session_id(&mut self) -> &mut Self {
        let session = self.session;
        self.raw(&session)
    }

    pub(crate) fn timestamp(&mut self) -> &mut Self {
        self.lit(&iso(self.now))
    }

    /// Returns a new uuid.
    pub(crate) fn fresh_uuid(&mut self) -> Uuid {
        fresh_uuid(&mut self.rng)
    }

    /// Begins an entry with its parent and its sidechain fields.
    pub(crate) fn open(&mut self) -> &mut Self {
        let uuid = self.fresh_uuid();
        self.open_as(uuid)
    }

    /// Begins an entry with the given uuid.
    pub(crate) fn open_as(&mut self, uuid: Uuid) -> &mut Self {
        self.current = uuid;
        match self.parent {
            Some(parent) => {
                self.lit(r#"{"parentUuid":""#).raw(&parent).lit("\"");
            }
            None => {
                self.lit(r#"{"parentUuid":null"#);
            }
        }
        let Self { out, side, .. } = self;
        out.extend_from_slice(side.as_bytes());
        self
    }

    /// Writes the uuid and the time of the entry.
    pub(crate) fn stamp(&mut self) -> &mut Self {
        let current = self.current;
        self.lit(r#","uuid":""#).raw(&current);
        self.lit(r#"","timestamp":""#).timestamp().lit("\"")
    }

    /// Ends an entry, makes it the parent of the next, and returns its uuid.
    pub(crate) fn close(&mut self) -> Uuid {
        let Self { out, tail, .. } = self;
        out.extend_from_slice(tail.as_bytes());
        self.end_line();
        self.parent = Some(self.current);
        self.now += self.rng.skewed(20, 20_000) as i64;
        self.current
    }

    /// Ends a metadata line with the id of the session.
    pub(crate) fn close_metadata(&mut self) {
        self.lit(r#","sessionId":""#).session_id().lit("\"}");
        self.end_line();
    }

    /// Ends a line without further fields.
    pub(crate) fn end_line(&mut self) {
        self.out.push(b'\n');
        self.written.entries += 1;
        if self.out.len() >= BUFFER {
            self.flush();
        }
    }

    /// Writes the buffer to the file, which may end within a line.
    pub(crate) fn flush(&mut self) {
        self.written.bytes += self.out.len() as u64;
        if self.failure.is_none()
            && let Err(error) = self.sink.write_all(&self.out)
        {
            self.failure = Some(error);
        }
        self.out.clear();
    }

    /// Writes the rest of the log.
    pub(crate) fn finish(mut self) -> io::Result<WrittenLog> {
        self.flush();
        match self.failure {
            Some(error) => Err(error),
            None => Ok(self.written),
        }
    }
}

pub(crate) fn fresh_uuid(rng: &mut Rng) -> Uuid {
    format_uuid(rng.next_u64(), rng.next_u64())
}

/// Appends a number in decimal.
pub(crate) fn push_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(number.to_string().as_bytes());
}
