//! Process information from the system: parents, start times, command lines, environments; and signals.
//!
//! All information comes from `/proc`; on systems without it, nothing is known about a process.

use std::fs;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use unspool_store::home::{Processes as _, SystemProcesses};

use crate::store::{ProcessIdentity, Survivor};

/// The maximum number of characters of a command line that are kept.
const LONGEST_COMMAND: usize = 300;

/// Returns the process id and the start time of a running process.
pub(crate) fn mark(pid: u32) -> ProcessIdentity {
    let start = SystemProcesses.start_time(pid);
    ProcessIdentity { pid, start }
}

/// Tells whether the process of a mark still runs; another one with the same id does not count.
pub(crate) fn is_running(mark: &ProcessIdentity) -> bool {
    let start = SystemProcesses.start_time(mark.pid);
    start.is_some() && start == mark.start
}

/// Returns the parent of a process.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let name_end = memchr::memrchr(b')', &stat)?;
    let rest = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
    // The fields after the name begin with the state and the parent.
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Tells whether a process was started with a variable; false if its environment cannot be read.
pub(crate) fn has_variable(pid: u32, name: &str) -> bool {
    has_setting(pid, |variable| {
        let value = variable.strip_prefix(name.as_bytes());
        value.is_some_and(|value| value.first() == Some(&b'='))
    })
}

/// Returns the running processes that were started with a variable and value, given as `NAME=VALUE`.
pub(crate) fn started_with(variable: &str) -> Vec<Survivor> {
    let has_it = |pid: &u32| has_setting(*pid, |set| set == variable.as_bytes());
    pids().filter(has_it).filter(|pid| runs(*pid)).map(survivor).collect()
}

fn has_setting(pid: u32, is_meant: impl Fn(&[u8]) -> bool) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(is_meant)
}

fn pids() -> impl Iterator<Item = u32> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|item| item.file_name().to_str()?.parse::<u32>().ok())
}

fn runs(pid: u32) -> bool {
    SystemProcesses.start_time(pid).is_some()
}

fn survivor(pid: u32) -> Survivor {
    Survivor { pid, command: command(pid) }
}

/// Returns the processes below another one, except zombies.
pub(crate) fn below(top: u32) -> Vec<Survivor> {
    let mut found = with_below(top);
    found.retain(|process| process.pid != top);
    found
}

/// Returns a process and those below it, except zombies.
pub(crate) fn with_below(top: u32) -> Vec<Survivor> {
    let with_parent: Vec<(u32, u32)> = pids().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = vec![top];
    let mut at = 0;
    while let Some(&above) = found.get(at) {
        let children = with_parent.iter().filter(|(_, parent)| *parent == above);
        found.extend(children.map(|(pid, _)| *pid));
        at += 1;
    }
    found.into_iter().filter(|pid| runs(*pid)).map(survivor).collect()
}

/// Sends SIGTERM to a process group. A group that is gone is ignored.
pub(crate) fn terminate_group(pid: u32) {
    signal_group(pid, Signal::TERM);
}

/// Sends SIGKILL to a process group.
pub(crate) fn kill_group(pid: u32) {
    signal_group(pid, Signal::KILL);
}

/// Sends SIGTERM to a process.
pub(crate) fn terminate(pid: u32) {
    signal(pid, Signal::TERM);
}

/// Sends SIGKILL to a process.
pub(crate) fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid.cast_signed()) {
        let _ = kill_process(pid, signal);
    }
}

fn signal_group(pid: u32, signal: Signal) {
    // The client leads its own group, so the signal does not reach the host.
    if let Some(pid) = Pid::from_raw(pid.cast_signed()) {
        let _ = kill_process_group(pid, signal);
    }
}

/// Returns the command line of a process.
fn command(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
    text.trim().chars().take(LONGEST_COMMAND).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_runs_below_this_process_is_named() {
        let mut child = Command::new("cat")
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("a child");
        let mark = mark(child.id());
        assert!(is_running(&mark));
        assert_eq!(parent(child.id()), Some(std::process::id()));
        let found = below(std::process::id());
        assert!(found.iter().any(|process| process.pid == child.id()));
        drop(child.stdin.take());
        child.wait().expect("its end");
        assert!(!is_running(&mark));
    }
}
