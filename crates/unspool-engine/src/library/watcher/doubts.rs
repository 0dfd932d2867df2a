//! Changes that were found before a hint for them arrived.
//!
//! A check without a hint may come before the hint by chance. So a change that it finds in a
//! watched folder is only a doubt, which the hint removes when it arrives. A doubt that remains
//! means that hints do not arrive for the home of that folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The watched folders with a change that no hint has named yet, each with the time when the change
/// was found.
#[derive(Default)]
pub(super) struct HintDoubts(BTreeMap<PathBuf, Duration>);

impl HintDoubts {
    /// Records that a change in a folder was found without a hint.
    pub(super) fn add(&mut self, folder: &Path, now: Duration) {
        self.0.entry(folder.to_owned()).or_insert(now);
    }

    /// Removes the doubts that a hint for a path resolves.
    pub(super) fn heard(&mut self, path: &Path) {
        if self.0.is_empty() {
            return;
        }
        self.0.remove(path);
        if let Some(folder) = path.parent() {
            self.0.remove(folder);
        }
    }

    /// Removes all doubts, because hints were lost.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns when the oldest doubt becomes certain, if hints arrive at most this late.
    pub(super) fn next(&self, late: Duration) -> Option<Duration> {
        self.0.values().min().map(|found| *found + late)
    }

    /// Removes and returns the folders for which no hint arrived in time.
    pub(super) fn take_certain(&mut self, now: Duration, late: Duration) -> Vec<PathBuf> {
        let is_certain = |found: &Duration| *found + late <= now;
        let certain = self.0.iter().filter(|(_, found)| is_certain(found));
        let certain: Vec<PathBuf> = certain.map(|(folder, _)| folder.clone()).collect();
        self.0.retain(|_, found| !is_certain(found));
        certain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Duration = Duration::from_secs(1);

    #[test]
    fn a_hint_takes_a_doubt_away_and_time_makes_it_certain() {
        let mut doubts = HintDoubts::default();
        let at = Duration::from_millis;
        doubts.add(Path::new("/h/p"), at(100));
        doubts.add(Path::new("/h/p"), at(900));
        doubts.add(Path::new("/h/q"), at(200));
        assert_eq!(doubts.next(LATE), Some(at(1100)));
        doubts.heard(Path::new("/h/q/s.jsonl"));
        assert_eq!(doubts.take_certain(at(1099), LATE), [] as [PathBuf; 0]);
        assert_eq!(doubts.take_certain(at(1100), LATE), [Path::new("/h/p")]);
        assert_eq!(doubts.next(LATE), None);
    }
}
