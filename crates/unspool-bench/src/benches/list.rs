//! Listing all sessions without an index.

use anyhow::Result;

use super::{Context, ROUNDS};
use crate::probe::Task;
use crate::quantity::Quantity;
use crate::report::{Budget, Line};
use crate::stopwatch::Lap;

/// Both budgets are those of the index, which is yet to come, so none is binding.
pub(super) fn run(context: &mut Context) -> Result<Vec<Line>> {
    let home = context.logs.home().to_owned();
    let task = Task::List { home };
    let mut best = Lap::WORST;
    let mut peak = None;
    for _ in 0..ROUNDS {
        let cores = context.machine.cores;
        context.references.read_again(&context.logs, cores)?;
        let reading = task.run()?;
        best.improve(reading.laps[0]);
        peak = peak.max(reading.peak_bytes);
    }
    let time = Line::new("list, cold", Quantity::seconds(best.wall))
        .against("R", Quantity::seconds(context.references.read))
        .allowed(Budget::times(8.0));
    let memory = Line::new("list, memory", peak.map(Quantity::bytes))
        .against("logs", Quantity::bytes(context.logs.bytes))
        .allowed(Budget::at_most(Quantity::bytes(400_000_000)));
    Ok(vec![time.info(), memory.info()])
}
