//! A running watch: the known state, the watched folders, and the schedule of checks.
//!
//! A run receives hints and the time, and returns changes. It has no thread and never waits, so
//! tests drive it step by step; [`super::thread`] runs it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::doubts::HintDoubts;
use super::hints::{HintError, HintInbox, HintSource, HintSystem, PollingReason};
use super::plan::{PlanLimits, WatchPlan, plan};
use super::report::{HomeWatch, WatchMode, WatchReport};
use super::schedule::{CheckSchedule, ViewedPolling};
use super::settings::WatchSettings;
use crate::library::watch::{LibraryEvent, LibraryWatch, RecentCheck, WatchedSession};
use unspool_store::home::Home;

/// The age up to which logs are polled between full checks. Chosen by judgement: a session in use
/// is written at least once an hour.
const FRESH: Duration = Duration::from_hours(1);

/// The maximum number of rounds in which watches are arranged after one check: each round may find
/// folders that were added meanwhile.
const ROUNDS: usize = 8;

/// A moment of a watch.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchMoment {
    /// The time since the watch began. It never decreases.
    pub(super) elapsed: Duration,
    /// The time of the clock, for comparison with the times of files.
    pub(super) clock: SystemTime,
}

/// The parts of a new watch.
pub(super) struct RunParts {
    pub(super) homes: Vec<Home>,
    pub(super) settings: WatchSettings,
    /// Folders that this program writes to.
    pub(super) apart: Vec<PathBuf>,
    pub(super) system: Arc<dyn HintSystem>,
    pub(super) inbox: HintInbox,
}

/// A running watch.
pub(super) struct WatchRun {
    parts: RunParts,
    watch: LibraryWatch,
    source: Option<Box<dyn HintSource>>,
    watched: BTreeSet<PathBuf>,
    /// The number of folders beyond the limit.
    left_out: usize,
    /// Whether a folder to watch was missing when watches were last arranged.
    is_missing: bool,
    /// Whether a folder lost its watch because it may have been replaced.
    is_replaced: bool,
    homes: Vec<HomeState>,
    schedule: CheckSchedule,
    doubts: HintDoubts,
    /// The value of [`LibraryWatch::arrivals`] when watches were last arranged.
    arranged: u64,
}

/// How a home is watched.
#[derive(Clone, Default)]
struct HomeState {
    /// Why the system refused to watch a folder of the home, if it did.
    refused: Option<PollingReason>,
    /// Whether a change came without a hint.
    missed: bool,
    /// Whether a change came without a hint since the last full check.
    missed_lately: bool,
    /// Whether a hint led to a change since the last full check.
    told_lately: bool,
}

impl WatchRun {
    /// Begins to watch: the current state is known, and later changes are reported.
    pub(super) fn begin(
        parts: RunParts,
        looked: impl Iterator<Item = WatchedSession>,
        now: WatchMoment,
    ) -> Self {
        let mut watch = LibraryWatch::new(parts.homes.clone());
        looked.for_each(|session| watch.start_viewing(&session));
        let mut run = Self {
            schedule: CheckSchedule::new(parts.settings.pace, now.elapsed),
            homes: vec![HomeState::default(); parts.homes.len()],
            parts,
            watch,
            source: None,
            watched: BTreeSet::new(),
            left_out: 0,
            is_missing: false,
            is_replaced: false,
            doubts: HintDoubts::default(),
            arranged: 0,
        };
        // Changes from before the watches were added count as known.
        run.arrange(now);
        run
    }

    /// Marks a session as viewed.
    pub(super) fn start_viewing(&mut self, session: &WatchedSession, now: WatchMoment) {
        self.watch.start_viewing(session);
        // The log may have grown since the last check.
        self.schedule.hint(session.file.clone(), now.elapsed);
    }

    /// Ends the viewing of a session.
    pub(super) fn remove_viewed(&mut self, session: &WatchedSession) {
        self.watch.remove_viewed(session);
    }

    /// Receives a hint.
    pub(super) fn hint(&mut self, path: PathBuf, now: WatchMoment) {
        self.doubts.heard(&path);
        if self.watched.remove(&path) {
            // A hint about a watched folder itself: the folder may have been replaced, and then
            // needs a new watch.
            if let Some(source) = &mut self.source {
                source.unwatch(&path);
            }
            self.is_replaced = true;
        }
        self.schedule.hint(path, now.elapsed);
    }

    /// Receives the hint that hints were lost.
    pub(super) fn lost_hints(&mut self, now: WatchMoment) {
        self.doubts.clear();
        self.schedule.lost_hints(now.elapsed);
    }

    /// Runs the checks that are due, and returns the changes.
    pub(super) fn tick(&mut self, now: WatchMoment) -> Vec<LibraryEvent> {
        let due = self.schedule.due(now.elapsed);
        let mut events = Vec::new();
        if due.everything {
            events = self.watch.sweep();
            self.doubt(&events, &due.hinted, now);
        } else {
            let hints = due.hinted.iter().map(PathBuf::as_path);
            events.extend(self.watch.look(hints));
            self.note_told(&events);
            let found = if due.recent {
                self.watch.look_at_recent(&self.recent(now))
            } else if due.looked {
                self.watch.check_viewed()
            } else {
                Vec::new()
            };
            self.doubt(&found, &due.hinted, now);
            events.extend(found);
        }
        self.settle_doubts(now);
        if due.everything {
            self.homes.iter_mut().for_each(HomeState::begin_period);
        }
        if due.everything
            || self.watch.arrivals() != self.arranged
            || (self.is_missing && due.recent)
            || (self.is_replaced && !due.hinted.is_empty())
            || events.iter().any(|event| self.is_unwatched(event))
        {
            events.extend(self.arrange(now));
        }
        events
    }

    /// Returns the time until the next check is due.
    pub(super) fn wait(&self, now: WatchMoment) -> Duration {
        let certain = self.doubts.next(self.parts.settings.pace.late);
        let next = certain.map_or(self.schedule.next(), |at| at.min(self.schedule.next()));
        next.saturating_sub(now.elapsed)
    }

    /// Returns how the homes are watched.
    pub(super) fn report(&self) -> WatchReport {
        let homes = self.parts.homes.iter().zip(&self.homes);
        WatchReport {
            is_watching: true,
            homes: homes
                .map(|(home, state)| HomeWatch { home: home.root.clone(), mode: state.mode() })
                .collect(),
            watches: self.watched.len(),
            left_out: self.left_out,
        }
    }

    fn recent(&self, now: WatchMoment) -> RecentCheck {
        let settings = &self.parts.settings;
        RecentCheck {
            now: now.clock,
            projects_since: before(now.clock, settings.young),
            projects: settings.watches,
            logs_since: before(now.clock, FRESH),
        }
    }

    /// Watches the planned folders, and checks those with a new watch. Returns the changes there.
    fn arrange(&mut self, now: WatchMoment) -> Vec<LibraryEvent> {
        let mut events = Vec::new();
        for _ in 0..ROUNDS {
            self.arranged = self.watch.arrivals();
            let wanted = plan(
                &self.watch,
                &PlanLimits {
                    watches: self.parts.settings.watches,
                    since: before(now.clock, self.parts.settings.young),
                    apart: &self.parts.apart,
                },
            );
            let new = self.set_watches(wanted);
            // A watch does not report earlier changes.
            events.extend(self.watch.look(new.iter().map(PathBuf::as_path)));
            if self.watch.arrivals() == self.arranged {
                break;
            }
        }
        self.schedule.set_polling(self.looked_polling(), now.elapsed);
        events
    }

    /// Watches the planned folders and no others. Returns the folders with a new watch.
    fn set_watches(&mut self, wanted: WatchPlan) -> Vec<PathBuf> {
        self.left_out = wanted.left_out;
        (self.is_missing, self.is_replaced) = (false, false);
        for home in &mut self.homes {
            home.refused = None;
        }
        let keep: BTreeSet<&Path> = wanted.folders.iter().map(PathBuf::as_path).collect();
        let unwanted = self.watched.iter().filter(|folder| !keep.contains(folder.as_path()));
        for folder in unwanted.cloned().collect::<Vec<_>>() {
            self.watched.remove(&folder);
            if let Some(source) = &mut self.source {
                source.unwatch(&folder);
            }
        }
        let mut new = Vec::new();
        let mut refused = None;
        for folder in wanted.folders {
            if self.watched.contains(&folder) {
                continue;
            }
            // An exhausted system would refuse every other folder too.
            let watched = match refused.clone() {
                None => self.add_watch(&folder),
                Some(reason) => Err(HintError::Refused(reason)),
            };
            match watched {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                    new.push(folder);
                }
                Err(HintError::Missing) => self.is_missing = true,
                Err(HintError::Refused(reason)) => {
                    if let Some(home) = self.home_of(&folder) {
                        home.refused.get_or_insert_with(|| reason.clone());
                    }
                    refused = Some(reason).filter(PollingReason::is_exhaustion);
                }
            }
        }
        new
    }

    fn add_watch(&mut self, folder: &Path) -> Result<(), HintError> {
        if self.source.is_none() {
            let opened = self.parts.system.open(self.parts.inbox.clone())?;
            self.source = Some(opened);
        }
        match &mut self.source {
            Some(source) => source.watch(folder),
            None => Ok(()),
        }
    }

    /// Records the changes in watched folders that were found without a hint.
    fn doubt(&mut self, found: &[LibraryEvent], hinted: &BTreeSet<PathBuf>, now: WatchMoment) {
        for path in found.iter().filter_map(LibraryEvent::written) {
            let Some(folder) = path.parent().filter(|folder| self.watched.contains(*folder)) else {
                continue;
            };
            let is_hinted = |path: &Path| hinted.contains(path) || self.schedule.is_hinted(path);
            if !is_hinted(path) && !is_hinted(folder) {
                self.doubts.add(folder, now.elapsed);
            }
        }
    }

    /// Records the homes in which hints led to changes.
    fn note_told(&mut self, told: &[LibraryEvent]) {
        for path in told.iter().filter_map(LibraryEvent::written) {
            if let Some(home) = self.home_of(path) {
                home.told_lately = true;
            }
        }
    }

    /// Marks the homes for which hints do not arrive.
    fn settle_doubts(&mut self, now: WatchMoment) {
        let late = self.parts.settings.pace.late;
        let mut is_new = false;
        for folder in self.doubts.take_certain(now.elapsed, late) {
            if let Some(home) = self.home_of(&folder) {
                is_new |= !home.missed;
                (home.missed, home.missed_lately) = (true, true);
            }
        }
        if is_new {
            self.schedule.set_polling(self.looked_polling(), now.elapsed);
        }
    }

    /// Reports whether an event is about a folder without a watch.
    fn is_unwatched(&self, event: &LibraryEvent) -> bool {
        let folder = event.written().and_then(Path::parent);
        folder.is_some_and(|folder| !self.watched.contains(folder))
    }

    /// Returns whether viewed sessions must be polled because hints do not arrive for all of them.
    fn looked_polling(&self) -> ViewedPolling {
        let is_polled = |home: &HomeState| home.mode() != WatchMode::Events;
        let roots = self.parts.homes.iter().zip(&self.homes);
        let polled: Vec<&Home> =
            roots.filter(|(_, state)| is_polled(state)).map(|(home, _)| home).collect();
        let has_hints = |folder: &Path| self.watched.contains(folder);
        let mut looked = self.watch.looked().folders();
        let any = looked.any(|(log, folders)| {
            polled.iter().any(|home| log.starts_with(&home.root))
                || log.parent().is_some_and(|folder| !has_hints(folder))
                || folders.iter().any(|folder| !has_hints(folder))
        });
        if any { ViewedPolling::On } else { ViewedPolling::Off }
    }

    fn home_of(&mut self, path: &Path) -> Option<&mut HomeState> {
        let homes = &self.parts.homes;
        let at = homes.iter().position(|home| path.starts_with(&home.root))?;
        self.homes.get_mut(at)
    }
}

impl HomeState {
    fn mode(&self) -> WatchMode {
        let missed = self.missed.then_some(PollingReason::MissedChange);
        match self.refused.clone().or(missed) {
            Some(reason) => WatchMode::Polling { reason },
            None => WatchMode::Events,
        }
    }

    /// Begins the period until the next full check. A home for which all hints arrived in the last
    /// period is trusted again.
    fn begin_period(&mut self) {
        if self.told_lately && !self.missed_lately {
            self.missed = false;
        }
        (self.told_lately, self.missed_lately) = (false, false);
    }
}

/// Returns the time `by` before a time.
fn before(time: SystemTime, by: Duration) -> SystemTime {
    time.checked_sub(by).unwrap_or(SystemTime::UNIX_EPOCH)
}
