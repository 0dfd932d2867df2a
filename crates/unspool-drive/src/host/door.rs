//! The host's end of its socket: callers come, are looked at, ask and are answered.

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

/// How many callers may be connected at once; more are turned away.
const MOST_CALLERS: usize = 64;
/// How long a caller may take to ask, or to take its answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// A caller that wants to know when the spool grows.
#[derive(Debug)]
pub(super) struct SpoolSubscriber {
    stream: UnixStream,
    /// Names the connection.
    number: usize,
    /// What it was told last.
    known: u64,
    notes: bool,
}

impl SpoolSubscriber {
    /// Tells the caller how long the spool is, if it does not know; false if it is gone.
    ///
    /// A caller that reads slowly is not waited for: it has lines to read, and after those it reads
    /// the spool to its end, which is past what this line would say.
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

/// Takes callers for as long as the host lives.
pub(super) fn receive(listener: &UnixListener, run: &RunId, to: &SyncSender<HostInput>) {
    let callers = Arc::<AtomicUsize>::default();
    for number in 0.. {
        let Ok((stream, _)) = listener.accept() else {
            // Out of file numbers: the callers that are there will give some back.
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
            // A connection that breaks is the caller's matter.
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
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
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

/// Gives a request to the host and waits for its reply.
fn ask(request: HostRequest, to: &SyncSender<HostInput>) -> HostReply {
    let (sender, receiver) = mpsc::sync_channel(1);
    let given = to.send(HostInput::Asked(Box::new(request), sender));
    let reply = given.ok().and_then(|()| receiver.recv().ok());
    reply.unwrap_or_else(|| HostReply::Failed { reason: "the host is ending".to_owned() })
}

/// Hands the connection over, and waits for the caller to go.
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
    // A caller has nothing more to say.
    while reader.read(&mut [0; 64])? > 0 {}
    let _ = to.send(HostInput::Left(number));
    Ok(())
}

fn write_line(to: &mut UnixStream, value: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line)
}
