//! Runs of the client: the cost of idle hosts, and the delay from a client's line to its event.
//!
//! The client is a shell script that reports that it is idle, so only the host is measured.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::BenchContext;
use crate::driven::DrivenProgram;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::stopwatch::middle;

/// The number of hosts at the same time.
const HOSTS: usize = 20;
/// How long idle hosts are observed.
const IDLE: Duration = Duration::from_secs(5);
/// How often the delay is measured; the median counts.
const LINES: usize = 101;

pub(super) fn run(_: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let folder = tempfile::tempdir()?;
    let program = DrivenProgram::prepare(folder.path())?;
    let mut lines = idle(&program)?;
    lines.push(line_to_event(&program)?);
    Ok(lines)
}

/// Measures the memory and the processor time of hosts whose clients are idle.
fn idle(program: &DrivenProgram) -> Result<Vec<ReportLine>> {
    let runs = (0..HOSTS).map(|_| program.start(None));
    let runs = runs.collect::<Result<Vec<_>>>()?;
    // By then, the hosts have finished starting.
    sleep(Duration::from_secs(2));
    let ticks = || -> Option<u64> { runs.iter().map(|run| run.host.ticks()).sum() };
    let before = ticks();
    sleep(IDLE);
    let used = ticks().zip(before).map(|(now, before)| now - before);
    let used = used.map(|ticks| Quantity::seconds(ticks as f64 / 100.0));
    let largest = runs.iter().map(|run| run.host.own_memory()).max().flatten();
    drop(runs);
    Ok(vec![
        ReportLine::new(
            "drive: 20 idle hosts, own memory of the largest",
            largest.map(Quantity::bytes),
        )
        .allowed(Budget::at_most(Quantity::bytes(10_000_000))),
        ReportLine::new("drive: 20 idle hosts, processor time", used)
            .allowed(Budget::at_most(Quantity::seconds(0.0))),
    ])
}

/// Measures the delay from a line that the client writes to the event in a following program.
fn line_to_event(program: &DrivenProgram) -> Result<ReportLine> {
    let run = program.start(Some("lines"))?;
    let mut client = program.client("lines")?;
    let mut events = program.follow(&run)?;
    client.say(r#"{"type":"message_start","message":{"id":"msg_1"}}"#)?;
    let mut times = Vec::new();
    for number in 0..LINES {
        let word = format!("word-{number}.");
        let delta = format!(
            r#"{{"type":"content_block_delta","delta":{{"type":"text_delta","text":"{word}"}}}}"#
        );
        let started = Instant::now();
        client.say(&delta)?;
        events.wait_for(&word)?;
        times.push(started.elapsed().as_secs_f64());
    }
    let middle = Quantity::seconds(middle(times));
    Ok(ReportLine::new("drive: client line to event", middle)
        .allowed(Budget::at_most(Quantity::seconds(0.01))))
}
