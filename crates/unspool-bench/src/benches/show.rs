//! Opening the largest session and laying out its first page.

use anyhow::Result;

use super::{BenchContext, ROUNDS};
use crate::probe::ProbeTask;
use crate::quantity::Quantity;
use crate::reference;
use crate::report::ReportLine;
use crate::stopwatch::Lap;

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let largest = &context.logs.transcripts()[..1];
    let file = largest[0].path.clone();
    let task = ProbeTask::Show { file };
    let mut lines = f64::INFINITY;
    let (mut opening, mut layout) = (Lap::WORST, Lap::WORST);
    for _ in 0..ROUNDS {
        lines = lines.min(reference::lines_of(largest)?);
        let laps = task.run()?.laps;
        opening.improve(laps[0]);
        layout.improve(laps[1]);
    }
    let line = |what: &str, lap: Lap| {
        ReportLine::new(what, Quantity::seconds(lap.cpu))
            .against("L of it", Quantity::seconds(lines))
            .info()
    };
    Ok(vec![line("show: open largest", opening), line("show: first page", layout)])
}
