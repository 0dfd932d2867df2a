//! Counts the cost of a task, to compare two sizes.
//!
//! Instruction counts are the same in every run, whatever else the machine does. Virtual machines
//! often hide the processor's counters; then callgrind counts, about fifty times slower, and the
//! caller uses smaller sizes. Without either, processor time is measured.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::probe::ProbeTask;
use crate::quantity::Quantity;
use crate::stopwatch::Lap;

/// What counts the cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Counter {
    /// The processor's counters, read by perf.
    Perf,
    /// Callgrind, which runs the task itself.
    Callgrind,
    /// The kernel's clock of processor time.
    CpuTime,
}

impl Counter {
    /// Returns the best counter that works on this machine.
    pub(crate) fn detect() -> Self {
        if perf(&["true".into()]).is_ok() {
            Self::Perf
        } else if has_valgrind() {
            Self::Callgrind
        } else {
            Self::CpuTime
        }
    }

    /// Returns a description for the table.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Perf => "instructions counted by perf",
            Self::Callgrind => "instructions counted by callgrind, on smaller sizes",
            Self::CpuTime => "processor time, for want of perf and callgrind",
        }
    }

    /// Returns the divisor of sizes with which a count takes seconds.
    pub(crate) fn divisor(self) -> u64 {
        match self {
            Self::Perf | Self::CpuTime => 1,
            Self::Callgrind => 10,
        }
    }

    /// Runs a task and returns its cost.
    pub(crate) fn count(self, task: &ProbeTask) -> Result<Quantity> {
        match self {
            Self::Perf => Ok(Quantity::instructions(perf(&task.command()?)?)),
            Self::Callgrind => Ok(Quantity::instructions(callgrind(task)?)),
            Self::CpuTime => cpu_time(task),
        }
    }
}

/// Returns the processor time of a task, the best of a few runs.
fn cpu_time(task: &ProbeTask) -> Result<Quantity> {
    let mut best = Lap::WORST;
    for _ in 0..3 {
        best.improve(task.run()?.laps[0]);
    }
    Ok(Quantity::seconds(best.cpu))
}

fn perf(command: &[std::ffi::OsString]) -> Result<u64> {
    let out = Command::new("perf")
        .args(["stat", "-x", ",", "-e", "instructions:u", "--"])
        .args(command)
        .stdout(Stdio::null())
        .output()?;
    ensure!(out.status.success(), "perf: {}", out.status);
    parse_perf(&String::from_utf8_lossy(&out.stderr)).context("perf did not count instructions")
}

/// Reads the count from perf's table: `123,,instructions:u,…`.
fn parse_perf(text: &str) -> Option<u64> {
    let row = text.lines().find(|line| line.contains("instructions"))?;
    row.split(',').next()?.parse().ok()
}

fn has_valgrind() -> bool {
    let mut command = Command::new("valgrind");
    command.arg("--version").stdout(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn callgrind(task: &ProbeTask) -> Result<u64> {
    let log = NamedTempFile::new()?;
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--log-file={}", log.path().display()))
        .arg("--")
        .args(task.command()?)
        .output()?;
    let complaint = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "callgrind: {}: {complaint}", out.status);
    parse_callgrind(&fs::read_to_string(log.path())?)
        .context("callgrind did not count instructions")
}

/// Reads the count from callgrind's last lines: `==1== Collected : 123`.
fn parse_callgrind(text: &str) -> Option<u64> {
    let (_, count) = text.lines().rev().find_map(|line| line.split_once("Collected :"))?;
    count.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_in_what_the_tools_print() {
        let row = "51234,,instructions:u,1602,100.00,,\n";
        assert_eq!(parse_perf(row), Some(51234));
        let row = "<not supported>,,instructions:u,0,100.00,,\n";
        assert_eq!(parse_perf(row), None);
        let log = "==7== \n==7== Events    : Ir\n==7== Collected : 987\n==7== \n";
        assert_eq!(parse_callgrind(log), Some(987));
        assert_eq!(parse_callgrind("==7== killed"), None);
    }
}
