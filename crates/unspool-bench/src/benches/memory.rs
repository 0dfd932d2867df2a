//! The memory of one open session.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::BenchContext;
use crate::probe::ProbeTask;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::shapes::FULL;

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let largest = context.logs.transcripts().first();
    let largest = largest.context("there are no transcripts")?;
    let mut lines = vec![line("largest", largest.path.clone(), largest.bytes)?];
    for shape in &FULL[..3] {
        let shape = shape.part(context.divisor);
        let (file, bytes) = context.shapes.file(shape)?;
        lines.push(line(&format!("{} {shape}", shape.name()), file, bytes)?);
    }
    Ok(lines)
}

fn line(name: &str, file: PathBuf, bytes: u64) -> Result<ReportLine> {
    let what = format!("open memory: {name}");
    let peak = ProbeTask::Open { file }.run()?.peak_bytes;
    let allowance = Quantity::bytes(50_000_000);
    Ok(ReportLine::new(what, peak.map(Quantity::bytes))
        .against("file", Quantity::bytes(bytes))
        .allowed(Budget::times(1.5).plus(allowance)))
}
