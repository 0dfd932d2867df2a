//! Files that a client should never write, which must not crash the reader.

use anyhow::Result;

use super::BenchContext;
use crate::probe::ProbeTask;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::shapes::{FULL, ShapeKind};

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let mut lines = Vec::new();
    for shape in FULL {
        if !matches!(shape.kind, ShapeKind::LongLine | ShapeKind::Nested) {
            continue;
        }
        let (file, _) = context.shapes.file(shape)?;
        let result = ProbeTask::Open { file }.run();
        if let Err(error) = &result {
            eprintln!("{error:#}");
        }
        let crashes = Quantity::crashes(u64::from(result.is_err()));
        let line = ReportLine::new(format!("harmless: {} {shape}", shape.name()), crashes)
            .allowed(Budget::at_most(Quantity::crashes(0)));
        lines.push(line);
    }
    Ok(lines)
}
