//! The client side of a host's socket.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::path::SocketPath;
use super::{HostHello, HostReply, HostRequest, LONGEST_REQUEST, SpoolGrowth, VERSION};
use crate::ids::RunId;

/// The timeout for a reply. A host only writes to the disk before it replies.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest line that is read from a host.
const LONGEST_REPLY: u64 = 1 << 20;

/// Errors of requests to a host.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The host cannot be reached; it may have ended.
    // Not marked as a source: the message contains the error, and would be printed twice.
    #[error("the host of the run cannot be reached: {0}")]
    Unreachable(io::Error),
    /// The request is longer than a host accepts.
    #[error("the request is too long: {0} bytes as JSON; a host takes {LONGEST_REQUEST} at most")]
    TooLong(usize),
    /// The host speaks another version of the protocol.
    #[error(
        "the host of the run speaks version {0} of its protocol, and this program version {VERSION}"
    )]
    Version(u32),
    /// The host sent a line that is not a reply.
    #[error("the host of the run gave an answer that cannot be read")]
    Garbled,
}

impl From<io::Error> for SocketError {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(error)
    }
}

impl SocketError {
    /// Tells whether the host is gone, or went away during the request.
    pub(crate) fn is_hangup(&self) -> bool {
        use io::ErrorKind::{TimedOut, WouldBlock};
        match self {
            Self::Unreachable(error) => !matches!(error.kind(), WouldBlock | TimedOut),
            Self::TooLong(_) | Self::Version(_) | Self::Garbled => false,
        }
    }
}

/// A connection to a host.
#[derive(Debug)]
pub struct HostConnection {
    reader: BufReader<UnixStream>,
    hello: HostHello,
}

impl HostConnection {
    /// Connects to the host of a run.
    pub fn open(sockets: &Path, run: &RunId) -> Result<Self, SocketError> {
        let stream = SocketPath::of(sockets, run).connect()?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let mut reader = BufReader::new(stream);
        let hello: HostHello = read_line(&mut reader)?;
        if hello.unspool_host != VERSION {
            return Err(SocketError::Version(hello.unspool_host));
        }
        Ok(Self { reader, hello })
    }

    /// Returns the host's process id.
    pub fn pid(&self) -> u32 {
        self.hello.pid
    }

    /// Sends a request and waits for the reply.
    pub fn call(&mut self, request: &HostRequest) -> Result<HostReply, SocketError> {
        self.send(request)?;
        read_line(&mut self.reader)
    }

    fn send(&mut self, request: &HostRequest) -> Result<(), SocketError> {
        let mut line = serde_json::to_vec(request).map_err(io::Error::from)?;
        if line.len() > LONGEST_REQUEST {
            return Err(SocketError::TooLong(line.len()));
        }
        line.push(b'\n');
        self.reader.get_mut().write_all(&line)?;
        Ok(())
    }

    /// Subscribes to the growth of the spool past `from`. `notes` restricts it to the host's own notes.
    pub fn subscribe(mut self, from: u64, notes: bool) -> Result<SpoolGrowths, SocketError> {
        self.send(&HostRequest::Subscribe { from, notes })?;
        // The spool may not grow for hours.
        self.reader.get_mut().set_read_timeout(None)?;
        Ok(SpoolGrowths { reader: self.reader })
    }
}

/// Notifications of a host about the length of its spool.
#[derive(Debug)]
pub struct SpoolGrowths {
    reader: BufReader<UnixStream>,
}

impl SpoolGrowths {
    /// Returns a function that ends the wait when another thread calls it.
    pub fn stopper(&self) -> io::Result<impl Fn() + Send + Sync + 'static> {
        let stream = self.reader.get_ref().try_clone()?;
        Ok(move || {
            // A closed stream does not wait.
            let _ = stream.shutdown(Shutdown::Both);
        })
    }

    /// Waits until the spool has grown; `None` if the host is gone, or the wait was ended.
    pub fn next_length(&mut self) -> Option<u64> {
        let growth: SpoolGrowth = read_line(&mut self.reader).ok()?;
        Some(growth.spool)
    }
}

fn read_line<T: serde::de::DeserializeOwned>(
    reader: &mut BufReader<UnixStream>,
) -> Result<T, SocketError> {
    let mut line = Vec::new();
    reader.by_ref().take(LONGEST_REPLY).read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') && (line.len() as u64) < LONGEST_REPLY {
        let gone = io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was closed");
        return Err(gone.into());
    }
    serde_json::from_slice(&line).map_err(|_| SocketError::Garbled)
}
