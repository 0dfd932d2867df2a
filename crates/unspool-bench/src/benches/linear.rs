//! The work for twice the size, which must be about twice the work.

use anyhow::Result;

use super::BenchContext;
use crate::counter::Counter;
use crate::probe::ProbeTask;
use crate::quantity::Quantity;
use crate::report::{Budget, ReportLine};
use crate::shapes::{FULL, FileShape, ShapeKind};

/// The budget of twice the size.
const BUDGET: Budget = Budget::times(2.2);

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let counter = context.counter;
    let divisor = context.divisor.max(counter.divisor());
    let mut lines = Vec::new();
    // The cost of starting the process is subtracted from both sizes.
    let idle = cost(context, counter, FileShape::chain(0))?;
    for shape in FULL {
        // A deeply nested file is small, so it is used in full size.
        let shape = if shape.kind == ShapeKind::Nested { shape } else { shape.part(divisor) };
        let [half, whole] = both(context, counter, shape)?.map(|cost| above(cost, idle));
        lines.push(line(counter, shape, half, whole));
    }
    if counter == Counter::Callgrind {
        lines.extend(full_size(context)?);
    }
    Ok(lines)
}

/// Measures the full sizes by processor time. That proves nothing, since larger tables have more
/// cache misses.
fn full_size(context: &BenchContext) -> Result<Vec<ReportLine>> {
    let shapes = FULL.map(|shape| shape.part(context.divisor));
    let [chain, forks, long_line, _] = shapes;
    let mut lines = Vec::new();
    for shape in [chain, forks, long_line] {
        let [half, whole] = both(context, Counter::CpuTime, shape)?;
        lines.push(line(Counter::CpuTime, shape, half, whole).info());
    }
    Ok(lines)
}

fn line(counter: Counter, shape: FileShape, half: Quantity, whole: Quantity) -> ReportLine {
    let label = match counter {
        Counter::CpuTime => "linear time",
        Counter::Perf | Counter::Callgrind => "linear",
    };
    ReportLine::new(format!("{label}: {} {shape}", shape.name()), whole)
        .against(shape.part(2).to_string(), half)
        .allowed(BUDGET)
}

fn both(context: &BenchContext, counter: Counter, shape: FileShape) -> Result<[Quantity; 2]> {
    let half = cost(context, counter, shape.part(2))?;
    Ok([half, cost(context, counter, shape)?])
}

fn cost(context: &BenchContext, counter: Counter, shape: FileShape) -> Result<Quantity> {
    let (file, _) = context.shapes.file(shape)?;
    counter.count(&ProbeTask::Open { file })
}

fn above(cost: Quantity, idle: Quantity) -> Quantity {
    let value = cost.value - idle.value;
    Quantity { value, ..cost }
}
