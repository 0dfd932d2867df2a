//! When sessions of the homes are deleted.

use unspool_model::time::Time;

use super::Library;
use crate::ops::retention::{Retention, days_of};
use unspool_store::files;

impl Library {
    /// Returns which sessions Claude Code deletes next, for the home that loses sessions first.
    /// Logs are not read. An archive loses none.
    pub fn retention(&self) -> Option<Retention> {
        let now = self.settings.clock.time();
        let walk = self.walk();
        let homes = walk.found().iter().filter(|found| !found.home.is_archived());
        let told = homes.map(|found| {
            let settings = files::read(&found.home.settings_file()).unwrap_or_default();
            let stamps = found.sessions().map(|(_, file)| file.stamp.modified_ms());
            Retention::of(days_of(&settings), stamps.map(Time::from_millis), now)
        });
        let losing = told.filter(|told| told.overdue > 0 || told.next.is_some());
        losing.min_by_key(|told| (told.overdue == 0, told.next))
    }
}
