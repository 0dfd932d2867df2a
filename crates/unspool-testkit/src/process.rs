//! What the system says of processes that tests look at, and signals for them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns when a process began, in the system's own count; none where the system does not tell.
pub fn start_of(pid: u32) -> Option<String> {
    stat_field(pid, 22)
}

/// Returns the process that started a process.
pub fn parent_of(pid: u32) -> Option<u32> {
    stat_field(pid, 4)?.parse().ok()
}

/// Tells whether a process runs.
pub fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists() && stat_field(pid, 3).as_deref() != Some("Z")
}

/// Returns the processor time that a process has used, in ticks of a hundredth of a second.
pub fn ticks_of(pid: u32) -> Option<u64> {
    let ticks = |field| stat_field(pid, field)?.parse::<u64>().ok();
    Some(ticks(14)? + ticks(15)?)
}

/// Returns a field in kilobytes of one of the kernel's files, in bytes.
pub fn kernel_bytes(file: &str, field: &str) -> Option<u64> {
    field_bytes(&fs::read_to_string(file).ok()?, field)
}

fn field_bytes(text: &str, field: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    let kilobytes: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns a field of a process's `stat` file, counted from 1; the first two are not among them.
fn stat_field(pid: u32, field: usize) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in brackets that may have spaces.
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(field - 3).map(str::to_owned)
}

/// Sends a signal to a process or, with a minus, to a group, and tells whether there was one. A shell does
/// it: it needs no other program and no unsafe code.
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
