//! The largest session as a file that stands on its own.

use anyhow::{Context as _, Result};

use super::{Context, ROUNDS};
use crate::probe::{Task, Way};
use crate::quantity::Quantity;
use crate::report::{Budget, Line};
use crate::stopwatch::Lap;

/// How much an export may take, as a multiple of parsing the session.
const BUDGETS: [(Way, f64); 2] = [(Way::Markdown, 5.0), (Way::Html, 10.0)];

pub(super) fn run(context: &mut Context) -> Result<Vec<Line>> {
    let largest = context.logs.transcripts().first();
    let largest = largest.context("there are no transcripts")?;
    let file = || largest.path.clone();
    let export = |way| Task::Export { way, file: file() };
    let opening = Task::Open { file: file() };
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
            Line::new(format!("export: {name}"), Quantity::seconds(best.cpu))
                .against("parsing", Quantity::seconds(parsing.cpu))
                .allowed(Budget::times(budget)),
        );
        lines.push(
            Line::new(format!("export memory: {name}"), peak.map(Quantity::bytes))
                .against("file", Quantity::bytes(largest.bytes))
                .allowed(Budget::times(2.0).plus(Quantity::bytes(100_000_000))),
        );
    }
    lines.push(redacted(&export(Way::Markdown), &export(Way::Redacted))?);
    Ok(lines)
}

fn redacted(plain: &Task, redacted: &Task) -> Result<Line> {
    let (mut without, mut with) = (Lap::WORST, Lap::WORST);
    for _ in 0..ROUNDS {
        without.improve(plain.run()?.laps[0]);
        with.improve(redacted.run()?.laps[0]);
    }
    Ok(Line::new("export: redacted", Quantity::seconds(with.cpu))
        .against("without", Quantity::seconds(without.cpu))
        .allowed(Budget::times(2.0)))
}
