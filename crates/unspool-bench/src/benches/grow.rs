//! Appending a line to an open session.

use anyhow::Result;

use super::BenchContext;
use crate::probe::ProbeTask;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::shapes::FileShape;
use crate::stopwatch::middle;

/// The number of entries in the session, as in the budget.
const ENTRIES: u64 = 100_000;
/// The budget of one more line, in seconds.
const LIMIT: f64 = 0.005;

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let shape = FileShape::chain(ENTRIES);
    let (file, _) = context.shapes.file(shape)?;
    let laps = ProbeTask::Grow { file }.run()?.laps;
    let middle = middle(laps.iter().map(|lap| lap.cpu).collect());
    let what = format!("open session of {shape}: one line more");
    let line = ReportLine::new(what, Quantity::seconds(middle))
        .allowed(Budget::at_most(Quantity::seconds(LIMIT)));
    Ok(vec![line])
}
