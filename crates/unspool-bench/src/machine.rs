//! The cores, memory, load and free space of the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde::Serialize;
use unspool_testkit::process::kernel_bytes;

/// The folder in memory, on systems that have it.
const IN_MEMORY: &str = "/dev/shm";

/// The resources of the machine.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MachineInfo {
    pub(crate) cores: usize,
    pub(crate) memory_bytes: Option<u64>,
}

impl MachineInfo {
    /// Describes this machine.
    pub(crate) fn current() -> Self {
        Self {
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: kernel_bytes("/proc/meminfo", "MemTotal"),
        }
    }
}

/// Returns the folder for generated logs: the one in memory if they fit and leave a third of the
/// memory free, so that the disk is not measured.
pub(crate) fn roomy_folder(needed: u64) -> PathBuf {
    let free = kernel_bytes("/proc/meminfo", "MemAvailable").map(|bytes| bytes / 3 * 2);
    let room = room(Path::new(IN_MEMORY)).zip(free);
    match room {
        Some((room, free)) if room.min(free) > needed => PathBuf::from(IN_MEMORY),
        _ => std::env::temp_dir(),
    }
}

/// Returns the free space of a folder, from `df`.
fn room(folder: &Path) -> Option<u64> {
    let out = Command::new("df").arg("-Pk").arg(folder).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    let kilobytes: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns the current memory of a process, if the system reports it.
pub(crate) fn memory_of(pid: u32) -> Option<u64> {
    kernel_bytes(&format!("/proc/{pid}/status"), "VmRSS")
}

/// Returns the load: how many threads wanted a processor over the last minute.
pub(crate) fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Returns the peak of this process's resident memory.
pub(crate) fn peak_memory() -> Option<u64> {
    kernel_bytes("/proc/self/status", "VmHWM")
}

/// Returns the processor time of the calling thread, in the program and in the kernel.
pub(crate) fn thread_seconds() -> Option<f64> {
    // The kernel updates the time when a thread yields.
    thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
