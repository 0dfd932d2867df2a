//! Parsing all transcripts of the home into conversations, on one thread.

use anyhow::Result;

use super::{BenchContext, ROUNDS};
use crate::probe::ProbeTask;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::stopwatch::Lap;

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let home = context.logs.home().to_owned();
    let task = ProbeTask::Conversations { home };
    let mut best = Lap::WORST;
    for _ in 0..ROUNDS {
        context.references.lines_again(&context.logs)?;
        best.improve(task.run()?.laps[0]);
    }
    let line = ReportLine::new("conversation", Quantity::seconds(best.cpu))
        .against("L", Quantity::seconds(context.references.lines))
        .allowed(Budget::times(8.0));
    Ok(vec![line])
}
