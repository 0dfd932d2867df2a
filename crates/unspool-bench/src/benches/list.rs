//! Listing all sessions: the first time, again, and after an appended line; and their totals.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::{BenchContext, ROUNDS};
use crate::logs;
use crate::logs::remove;
use crate::probe::ProbeTask;
use crate::program::Program;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::stopwatch::{Lap, timed};

/// A line that a client may write at any time.
const LINE: &[u8] = b"{\"type\":\"ai-title\",\"aiTitle\":\"one line more\"}\n";

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let index = context.index_folder();
    let mut lines = cold(context, &index)?;
    lines.extend(warm(context, &index)?);
    Ok(lines)
}

fn cold(context: &mut BenchContext, index: &Path) -> Result<Vec<ReportLine>> {
    let home = context.logs.home().to_owned();
    let task = ProbeTask::Catalogue { home, index: index.to_owned() };
    let mut best = Lap::WORST;
    let mut peak = None;
    for _ in 0..ROUNDS {
        let cores = context.machine.cores;
        context.references.read_again(&context.logs, cores)?;
        remove(index)?;
        let reading = task.run()?;
        best.improve(reading.laps[0]);
        peak = peak.max(reading.peak_bytes);
    }
    let time = Quantity::seconds(best.wall);
    let cold = ReportLine::new("catalogue, cold", time)
        .against("J", Quantity::seconds(context.references.json))
        .allowed(Budget::times(2.4));
    let reading = ReportLine::new("catalogue, by reading", time)
        .against("R", Quantity::seconds(context.references.read))
        .allowed(Budget::times(8.0));
    let memory = ReportLine::new("catalogue, memory", peak.map(Quantity::bytes))
        .against("logs", Quantity::bytes(context.logs.bytes))
        .allowed(Budget::at_most(Quantity::bytes(400_000_000)));
    let size = ReportLine::new("catalogue, size", Quantity::bytes(size_of(index)?))
        .against("logs", Quantity::bytes(context.logs.bytes));
    Ok(vec![cold, reading.info(), memory, size.info()])
}

fn warm(context: &mut BenchContext, index: &Path) -> Result<Vec<ReportLine>> {
    let program = Program::new(context.logs.home(), index)?;
    let largest = context.logs.transcripts().first();
    let largest = largest.context("there are no transcripts")?.path.clone();
    let [mut walk, mut warm, mut summed, mut grown] = [f64::INFINITY; 4];
    program.run(&["list"])?;
    for _ in 0..3 * ROUNDS {
        let (lap, ()) = timed(|| logs::walk(context.logs.home(), &mut |_, _| ()))?;
        walk = walk.min(lap.wall);
        warm = warm.min(program.run(&["list"])?);
        summed = summed.min(program.run(&["stats"])?);
        let mut file = OpenOptions::new().append(true).open(&largest)?;
        file.write_all(LINE)?;
        grown = grown.min(program.run(&["list"])?);
    }
    let again = ReportLine::new("list, nothing new", Quantity::seconds(warm))
        .against("W", Quantity::seconds(walk))
        .allowed(Budget::times(3.0));
    // 1.2 times the budget of `list` is 0.6 walks for the line. A budget of 1.2 times what `list`
    // takes would be exceeded by making `list` faster.
    let line = ReportLine::new("list, cost of a line", Quantity::seconds((grown - warm).max(0.0)))
        .against("W", Quantity::seconds(walk))
        .allowed(Budget::times(0.6));
    let more = ReportLine::new("list, one line more", Quantity::seconds(grown))
        .against("nothing new", Quantity::seconds(warm))
        .allowed(Budget::times(1.2))
        .info();
    let stats = ReportLine::new("stats, nothing new", Quantity::seconds(summed))
        .against("list", Quantity::seconds(warm))
        .allowed(Budget::times(3.0));
    Ok(vec![again, line, more, stats])
}

/// Returns the size of a folder in bytes.
pub(super) fn size_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    logs::walk(folder, &mut |_, file| bytes += file.len())?;
    Ok(bytes)
}
