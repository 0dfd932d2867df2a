//! Runs of the client: what idle hosts cost, and how soon a line of the client is an event.
//!
//! The client is a shell script that says that it is idle, so what is measured is the host alone.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::BenchContext;
use crate::driven::DrivenProgram;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::stopwatch::middle;

/// Hosts at the same time.
const HOSTS: usize = 20;
/// How long idle hosts are looked at.
const IDLE: Duration = Duration::from_secs(5);
/// How often a line of the client is measured; the middle one counts.
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
    // What they do to begin with is done by then.
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

/// Measures how soon a program that follows a run is told of a line that the client wrote.
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
