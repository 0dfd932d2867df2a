//! Process information from the system, and signals.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the start time of a process in the system's own unit; `None` if the system does not report it.
pub fn start_of(pid: u32) -> Option<String> {
    stat_field(pid, 22)
}

/// Returns the parent of a process.
pub fn parent_of(pid: u32) -> Option<u32> {
    stat_field(pid, 4)?.parse().ok()
}

/// Tells whether a process runs and is not a zombie.
pub fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists() && stat_field(pid, 3).as_deref() != Some("Z")
}

/// Returns the processor time of a process in ticks of a hundredth of a second.
pub fn ticks_of(pid: u32) -> Option<u64> {
    let ticks = |field| stat_field(pid, field)?.parse::<u64>().ok();
    Some(ticks(14)? + ticks(15)?)
}

/// Returns a field of a file in `/proc` in bytes; the file has kilobytes.
pub fn kernel_bytes(file: &str, field: &str) -> Option<u64> {
    field_bytes(&fs::read_to_string(file).ok()?, field)
}

fn field_bytes(text: &str, field: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    let kilobytes: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns a field of a process's `stat` file, counted from 1; the first two are not supported.
fn stat_field(pid: u32, field: usize) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in brackets that may contain spaces.
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(field - 3).map(str::to_owned)
}

/// Sends a signal to a process, or to a group if the target has a minus; returns whether it exists. Uses a
/// shell, which needs no other program and no unsafe code.
pub fn signal(name: &str, target: &str) -> bool {
    let sent = Command::new("/bin/sh")
        .args(["-c", "kill -s \"$1\" -- \"$2\"", "kill", name, target])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    sent.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "VmHWMX:\t 9 kB\nVmHWM:\t    2048 kB\nName:\tx\n";
        assert_eq!(field_bytes(text, "VmHWM"), Some(2 * 1024 * 1024));
        assert_eq!(field_bytes(text, "VmH"), None);
        assert_eq!(field_bytes(text, "Name"), None);
    }
}
