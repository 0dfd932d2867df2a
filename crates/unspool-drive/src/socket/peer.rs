//! Checks the process at the other end of a socket.
//!
//! The driven model runs as the same user, so file modes do not exclude it. A host makes itself the reaper of
//! all processes below it: a process that its client started, at any depth, has the host among its ancestors,
//! even if its parent has exited. Such peers are refused. So are other users, and processes below the client
//! of another run, which have an ancestor with the variable of that run.
//!
//! This cannot exclude a process of the same user that the client did not start, or that the client had
//! another service start: it can always pretend to be the person.

use std::os::unix::net::UnixStream;

#[cfg(target_os = "linux")]
use crate::launch::RUN_VARIABLE;

/// The result of checking a peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PeerVerdict {
    /// The peer may send requests.
    Welcome,
    /// The peer belongs to another user or to a client.
    Refused,
}

/// The maximum number of ancestors that are checked.
#[cfg(target_os = "linux")]
const DEEPEST: usize = 10_000;

/// Checks the process that has connected.
#[cfg(target_os = "linux")]
pub(crate) fn check_peer(stream: &UnixStream) -> PeerVerdict {
    let Ok(peer) = rustix::net::sockopt::socket_peercred(stream) else {
        return PeerVerdict::Refused;
    };
    let own = rustix::process::getpid();
    let is_same_user = peer.uid == rustix::process::getuid();
    let pid = peer.pid.as_raw_nonzero().get();
    let is_clients = || is_below(pid, own.as_raw_nonzero().get()) || is_driven(pid);
    if !is_same_user || (peer.pid != own && is_clients()) {
        return PeerVerdict::Refused;
    }
    PeerVerdict::Welcome
}

/// Accepts every peer: on this system only the mode of the socket counts.
#[cfg(not(target_os = "linux"))]
pub(crate) fn check_peer(_: &UnixStream) -> PeerVerdict {
    PeerVerdict::Welcome
}

/// Tells whether a process is another one or has it as an ancestor.
#[cfg(target_os = "linux")]
fn is_below(pid: i32, above: i32) -> bool {
    any_above(pid, DEEPEST, |pid| pid == above.cast_unsigned())
}

/// Tells whether a process or one of its ancestors was started with the variable of a run. A process can
/// remove the variable from its children's environment, but not from the client's in `/proc`.
#[cfg(target_os = "linux")]
fn is_driven(pid: i32) -> bool {
    any_above(pid, DEEPEST, |pid| crate::processes::has_variable(pid, RUN_VARIABLE))
}

/// Tells whether a condition is true for a process or one of its ancestors. To be safe, true if one of them
/// is gone, or if there are more than `most`.
#[cfg(target_os = "linux")]
fn any_above(pid: i32, most: usize, is_so: impl Fn(u32) -> bool) -> bool {
    let mut pid = pid.cast_unsigned();
    for _ in 0..most {
        if is_so(pid) {
            return true;
        }
        if pid <= 1 {
            return false;
        }
        match crate::processes::parent(pid) {
            Some(parent) => pid = parent,
            None => return true,
        }
    }
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_is_below_and_a_parent_is_not() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("a child");
        let own = std::process::id().cast_signed();
        let pid = child.id().cast_signed();
        assert!(is_below(pid, own));
        assert!(!is_below(own, pid));
        drop(child.stdin.take());
        child.wait().expect("its end");
        assert!(is_below(pid, own), "a process that is gone is not trusted");
    }

    #[test]
    fn what_a_client_of_another_run_started_is_driven() {
        let mut shell = Command::new("sh")
            .args(["-c", "env -i sleep 600 & echo $!; wait"])
            .env(RUN_VARIABLE, "a run")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut line = String::new();
        let out = shell.stdout.take().expect("its output");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
        let below = line.trim().parse().expect("a process");
        assert!(is_driven(shell.id().cast_signed()));
        assert!(is_driven(below), "its own environment is empty");
        assert!(!is_driven(std::process::id().cast_signed()));
        crate::processes::terminate(below.cast_unsigned());
        shell.wait().expect("its end");
    }

    #[test]
    fn a_process_with_too_many_ancestors_is_not_trusted() {
        let own = std::process::id().cast_signed();
        assert!(!any_above(own, DEEPEST, |_| false));
        assert!(any_above(own, 1, |_| false));
    }

    #[test]
    fn this_process_is_welcome() {
        let (one, _two) = UnixStream::pair().expect("a pair");
        assert_eq!(check_peer(&one), PeerVerdict::Welcome);
    }
}
