//! The server side of a host's socket: accepts callers, checks them, and answers their requests.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;

use rustix::net::{SendFlags, send};

use super::HostInput;
use super::pipes::small_thread;
use crate::ids::RunId;
use crate::socket::{
    HostHello, HostReply, HostRequest, LONGEST_REQUEST, PeerVerdict, SpoolGrowth, VERSION,
    check_peer,
};

/// The maximum number of connected callers; further ones are refused.
const MOST_CALLERS: usize = 64;
/// The timeout for reading a request and for writing a reply.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A caller that is notified when the spool grows.
#[derive(Debug)]
pub(super) struct SpoolSubscriber {
    stream: UnixStream,
    /// The number of the connection.
    number: usize,
    /// The length of the spool in the last notification.
    known: u64,
    notes: bool,
}

impl SpoolSubscriber {
    /// Notifies the caller of the length of the spool if it is new; returns false if the caller is gone.
    ///
    /// A full socket buffer is not waited for: the caller still has notifications to read, and then reads the
    /// spool to its end, past the length that this one would report.
    pub(super) fn tell(&mut self, length: u64, noted: u64) -> bool {
        let spool = if self.notes { noted } else { length };
        if spool <= self.known {
            return true;
        }
        let mut line = serde_json::to_vec(&SpoolGrowth { spool }).unwrap_or_default();
        line.push(b'\n');
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        match send(&self.stream, &line, flags) {
            Ok(_) => {
                self.known = spool;
                true
            }
            Err(rustix::io::Errno::AGAIN) => true,
            Err(_) => false,
        }
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }
}

/// Accepts callers until the host ends.
pub(super) fn receive(listener: &UnixListener, run: &RunId, to: &SyncSender<HostInput>) {
    let callers = Arc::<AtomicUsize>::default();
    for number in 0.. {
        let Ok((stream, _)) = listener.accept() else {
            // Out of file descriptors: wait until connected callers release some.
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        if callers.load(Ordering::Acquire) >= MOST_CALLERS
            || check_peer(&stream) == PeerVerdict::Refused
        {
            continue;
        }
        callers.fetch_add(1, Ordering::AcqRel);
        let (to, run, here) = (to.clone(), run.clone(), Arc::clone(&callers));
        let started = small_thread("caller", move || {
            // A broken connection concerns only its caller.
            let _ = serve(stream, number, &run, &to);
            here.fetch_sub(1, Ordering::AcqRel);
        });
        if started.is_err() {
            callers.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

fn serve(
    stream: UnixStream,
    number: usize,
    run: &RunId,
    to: &SyncSender<HostInput>,
) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut writer = stream.try_clone()?;
    let hello = HostHello { unspool_host: VERSION, run: run.clone(), pid: std::process::id() };
    write_line(&mut writer, &hello)?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        let limit = LONGEST_REQUEST as u64 + 1;
        reader.by_ref().take(limit).read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            if line.len() > LONGEST_REQUEST {
                let reason = format!("a request has {LONGEST_REQUEST} bytes at most");
                write_line(&mut writer, &HostReply::Refused { reason })?;
            }
            return Ok(());
        }
        let reply = match serde_json::from_slice(&line) {
            Ok(HostRequest::Subscribe { from, notes }) => {
                return subscribe(reader, writer, number, (from, notes), to);
            }
            Ok(request) => ask(request, to),
            Err(error) => HostReply::Refused { reason: format!("not a request: {error}") },
        };
        drop(line);
        write_line(&mut writer, &reply)?;
    }
}

/// Passes a request to the host and waits for its reply.
fn ask(request: HostRequest, to: &SyncSender<HostInput>) -> HostReply {
    let (sender, receiver) = mpsc::sync_channel(1);
    let given = to.send(HostInput::Asked(Box::new(request), sender));
    let reply = given.ok().and_then(|()| receiver.recv().ok());
    reply.unwrap_or_else(|| HostReply::Failed { reason: "the host is ending".to_owned() })
}

/// Passes the connection to the host, and waits until the caller leaves.
fn subscribe(
    mut reader: BufReader<UnixStream>,
    stream: UnixStream,
    number: usize,
    (known, notes): (u64, bool),
    to: &SyncSender<HostInput>,
) -> io::Result<()> {
    reader.get_mut().set_read_timeout(None)?;
    let subscriber = SpoolSubscriber { stream, number, known, notes };
    let given = to.send(HostInput::Subscribed(subscriber));
    given.map_err(|_| io::ErrorKind::BrokenPipe)?;
    // A subscriber sends nothing more; the read returns when it disconnects.
    while reader.read(&mut [0; 64])? > 0 {}
    let _ = to.send(HostInput::Left(number));
    Ok(())
}

fn write_line(to: &mut UnixStream, value: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line)
}
