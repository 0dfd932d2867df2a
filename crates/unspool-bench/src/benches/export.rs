//! Exporting the largest session to a self-contained file.

use anyhow::{Context as _, Result};

use super::{BenchContext, ROUNDS};
use crate::probe::{ExportWay, ProbeTask};
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::stopwatch::Lap;

/// The budgets of exports, as multiples of parsing the session.
const BUDGETS: [(ExportWay, f64); 2] = [(ExportWay::Markdown, 5.0), (ExportWay::Html, 10.0)];

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let largest = context.logs.transcripts().first();
    let largest = largest.context("there are no transcripts")?;
    let file = || largest.path.clone();
    let export = |way| ProbeTask::Export { way, file: file() };
    let opening = ProbeTask::Open { file: file() };
    let mut parsing = Lap::WORST;
    let mut lines = Vec::new();
    for (way, budget) in BUDGETS {
        let (mut best, mut peak) = (Lap::WORST, None);
        for _ in 0..ROUNDS {
            parsing.improve(opening.run()?.laps[0]);
            let reading = export(way).run()?;
            best.improve(reading.laps[0]);
            peak = peak.max(reading.peak_bytes);
        }
        let name = way.name();
        lines.push(
            ReportLine::new(format!("export: {name}"), Quantity::seconds(best.cpu))
                .against("parsing", Quantity::seconds(parsing.cpu))
                .allowed(Budget::times(budget)),
        );
        lines.push(
            ReportLine::new(format!("export memory: {name}"), peak.map(Quantity::bytes))
                .against("file", Quantity::bytes(largest.bytes))
                .allowed(Budget::times(2.0).plus(Quantity::bytes(100_000_000))),
        );
    }
    lines.push(redacted(&export(ExportWay::Markdown), &export(ExportWay::Redacted))?);
    Ok(lines)
}

fn redacted(plain: &ProbeTask, redacted: &ProbeTask) -> Result<ReportLine> {
    let (mut without, mut with) = (Lap::WORST, Lap::WORST);
    for _ in 0..ROUNDS {
        without.improve(plain.run()?.laps[0]);
        with.improve(redacted.run()?.laps[0]);
    }
    Ok(ReportLine::new("export: redacted", Quantity::seconds(with.cpu))
        .against("without", Quantity::seconds(without.cpu))
        .allowed(Budget::times(2.0)))
}
