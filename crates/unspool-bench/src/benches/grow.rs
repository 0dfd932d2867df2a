//! One line more to a session that is open.

use anyhow::Result;

use super::Context;
use crate::probe::Task;
use crate::quantity::Quantity;
use crate::report::{Budget, Line};
use crate::shapes::Shape;

/// How many entries the session has, as the budget says.
const ENTRIES: u64 = 100_000;
/// What one more may take, in seconds.
const LIMIT: f64 = 0.005;

pub(super) fn run(context: &mut Context) -> Result<Vec<Line>> {
    let shape = Shape::Chain { entries: ENTRIES };
    let (file, _) = context.shapes.file(shape)?;
    let laps = Task::Grow { file }.run()?.laps;
    let mut times: Vec<f64> = laps.iter().map(|lap| lap.cpu).collect();
    times.sort_by(f64::total_cmp);
    let middle = times[times.len() / 2];
    let what = format!("open session of {shape}: one line more");
    let line = Line::new(what, Quantity::seconds(middle))
        .allowed(Budget::at_most(Quantity::seconds(LIMIT)));
    Ok(vec![line])
}
