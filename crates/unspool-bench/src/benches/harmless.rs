//! Files that a client should never write do not crash the reader.

use anyhow::Result;

use super::Context;
use crate::probe::Task;
use crate::quantity::Quantity;
use crate::report::{Budget, Line};
use crate::shapes::{FULL, Shape};

pub(super) fn run(context: &mut Context) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for shape in FULL {
        if !matches!(shape, Shape::LongLine { .. } | Shape::Nested { .. }) {
            continue;
        }
        let (file, _) = context.shapes.file(shape)?;
        let result = Task::Open { file }.run();
        if let Err(error) = &result {
            eprintln!("{error:#}");
        }
        let crashes = Quantity::crashes(u64::from(result.is_err()));
        let line = Line::new(format!("harmless: {} {shape}", shape.kind()), crashes)
            .allowed(Budget::at_most(Quantity::crashes(0)));
        lines.push(line);
    }
    Ok(lines)
}
