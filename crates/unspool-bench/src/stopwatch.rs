//! Measures time.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::machine;

/// The time of a run, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Lap {
    /// Wall time.
    pub(crate) wall: f64,
    /// Processor time of the calling thread, which excludes other programs; wall time on systems
    /// without it.
    pub(crate) cpu: f64,
}

impl Lap {
    /// A lap that is worse than any other.
    pub(crate) const WORST: Self = Self { wall: f64::INFINITY, cpu: f64::INFINITY };

    /// Keeps the better of both laps, for each clock.
    pub(crate) fn improve(&mut self, other: Self) {
        self.wall = self.wall.min(other.wall);
        self.cpu = self.cpu.min(other.cpu);
    }
}

/// Runs a closure and measures its time.
pub(crate) fn timed<T, E>(run: impl FnOnce() -> Result<T, E>) -> Result<(Lap, T), E> {
    let cpu_before = machine::thread_seconds();
    let start = Instant::now();
    let result = run()?;
    let wall = start.elapsed().as_secs_f64();
    let cpu_after = machine::thread_seconds();
    let cpu = cpu_before.zip(cpu_after).map(|(from, to)| to - from);
    let cpu = cpu.unwrap_or(wall);
    Ok((Lap { wall, cpu }, result))
}

/// Returns the median.
pub(crate) fn middle(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_each_clock_is_kept() {
        let mut best = Lap::WORST;
        for (wall, cpu) in [(3.0, 1.0), (2.0, 1.5)] {
            best.improve(Lap { wall, cpu });
        }
        assert_eq!((best.wall, best.cpu), (2.0, 1.0));
    }
}
