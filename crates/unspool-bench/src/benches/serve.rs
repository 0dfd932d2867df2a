//! The server: the delay of events, the delay of a page, and the cost of many readers.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::BenchContext;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::served::{EventReader, GrowingLog, ServedProgram};
use crate::shapes::FileShape;
use crate::stopwatch::middle;

/// How often the delay of an append is measured; the median counts.
const APPENDS: usize = 21;
/// The number of readers at the same time.
const STREAMS: usize = 1_000;
/// How long an idle server is observed.
const IDLE: Duration = Duration::from_secs(5);
/// How many lines are appended while memory is observed; meanwhile readers connect and leave.
const STEADY_LINES: usize = 10_000;
const SMALL: &str = "11111111-1111-4111-8111-111111111111";
const LARGE: &str = "22222222-2222-4222-8222-222222222222";

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let (small, large) = prepare(context, &home)?;
    let server = ServedProgram::start(&home, &folder.path().join("index"))?;
    let mut lines = Vec::new();
    for (what, id, file) in [("short", SMALL, &small), ("100k entries", LARGE, &large)] {
        let way = format!("/api/sessions/{id}/stream");
        let name = format!("serve: line to event, {what}");
        lines.push(appends(&server, name, &way, file, 0.05)?);
        let name = format!("serve: line to page, {what}");
        lines.push(appends(&server, name, &format!("/s/{id}/live"), file, 0.1)?);
    }
    lines.extend(first_page(&server)?);
    lines.push(steady(&server, &small)?);
    lines.push(idle(&server));
    let streams = many(&server)?;
    let memory = server.memory().map(Quantity::bytes);
    lines.push(
        ReportLine::new("serve: 1,000 streams, memory", memory)
            .allowed(Budget::at_most(Quantity::bytes(200_000_000))),
    );
    let ended = server.end()?;
    drop(streams);
    lines.push(
        ReportLine::new("serve: 1,000 streams, end", Quantity::seconds(ended))
            .allowed(Budget::at_most(Quantity::seconds(0.1))),
    );
    Ok(lines)
}

/// Creates a home with a short session and a long one.
fn prepare(context: &BenchContext, home: &Path) -> Result<(PathBuf, PathBuf)> {
    let project = home.join("projects/-srv-served");
    fs::create_dir_all(&project)?;
    let small = project.join(format!("{SMALL}.jsonl"));
    GrowingLog::open(&small)?.append()?;
    let large = project.join(format!("{LARGE}.jsonl"));
    let shape = FileShape::chain(100_000);
    fs::copy(context.shapes.file(shape)?.0, &large)?;
    Ok((small, large))
}

/// Measures the delay from an appended line to the event in a reader of a stream.
fn appends(
    server: &ServedProgram,
    name: String,
    way: &str,
    file: &Path,
    seconds: f64,
) -> Result<ReportLine> {
    let mut reader = server.stream(way)?;
    let mut log = GrowingLog::open(file)?;
    // The first event may arrive before the file watch starts, so it is not counted.
    let mut times = Vec::new();
    for _ in 0..=APPENDS {
        let started = Instant::now();
        log.append()?;
        reader.wait_for("event: message")?;
        times.push(started.elapsed().as_secs_f64());
    }
    times.remove(0);
    let middle = Quantity::seconds(middle(times));
    Ok(ReportLine::new(name, middle).allowed(Budget::at_most(Quantity::seconds(seconds))))
}

/// Measures the delay to the first byte of a long session's page, and the size of the page.
fn first_page(server: &ServedProgram) -> Result<Vec<ReportLine>> {
    let way = format!("/s/{LARGE}");
    server.get(&way)?;
    let mut best = f64::MAX;
    let mut size = 0;
    for _ in 0..super::ROUNDS {
        let (seconds, bytes) = server.get(&way)?;
        best = best.min(seconds);
        size = bytes;
    }
    Ok(vec![
        ReportLine::new("serve: first byte, 100k entries", Quantity::seconds(best))
            .allowed(Budget::at_most(Quantity::seconds(0.05))),
        ReportLine::new("serve: first page, 100k entries", Quantity::bytes(size))
            .allowed(Budget::at_most(Quantity::bytes(100_000))),
    ])
}

/// Measures how much memory grows while lines are appended and readers connect and leave.
fn steady(server: &ServedProgram, file: &Path) -> Result<ReportLine> {
    let way = format!("/api/sessions/{SMALL}/stream?since=start");
    let mut log = GrowingLog::open(file)?;
    let mut round = |lines: usize| -> Result<()> {
        let mut readers: Vec<EventReader> = Vec::new();
        for number in 0..lines {
            log.append()?;
            if number % 50 == 0 {
                readers.push(server.stream(&way)?);
                readers.truncate(5);
            }
        }
        Ok(())
    };
    round(STEADY_LINES / 4)?;
    let before = server.memory();
    round(STEADY_LINES)?;
    let grown = server.memory().zip(before).map(|(now, before)| now.saturating_sub(before));
    // Each line adds about a kilobyte to the tables of an open session.
    Ok(ReportLine::new("serve: memory over appends", grown.map(Quantity::bytes))
        .allowed(Budget::at_most(Quantity::bytes(20_000_000))))
}

/// Measures the processor time of a server without requests.
fn idle(server: &ServedProgram) -> ReportLine {
    // By then, the server has cleaned up after earlier readers.
    sleep(Duration::from_secs(2));
    let before = server.ticks();
    sleep(IDLE);
    let used = server.ticks().zip(before).map(|(now, before)| now - before);
    let used = used.map(|ticks| Quantity::seconds(ticks as f64 / 100.0));
    ReportLine::new("serve: idle, processor time", used)
        .allowed(Budget::at_most(Quantity::seconds(0.0)))
}

fn many(server: &ServedProgram) -> Result<Vec<EventReader>> {
    let way = |number: usize| {
        let id = if number.is_multiple_of(2) { SMALL } else { LARGE };
        format!("/api/sessions/{id}/stream")
    };
    (0..STREAMS).map(|number| server.stream(&way(number))).collect()
}
