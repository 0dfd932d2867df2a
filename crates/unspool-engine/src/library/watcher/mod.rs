//! A watch with its own thread, for programs that keep running: a server, the terminal program.
//!
//! A [`LibraryWatcher`] watches the homes while there is a [`WatchSubscription`] or a
//! [`ViewGuard`]. While there is neither, it has no thread, no watch of the system and no known
//! files. A subscription is a function that receives [`WatchNews`]; a guard marks a session as
//! viewed, so that its own folders are watched too, including those of its agents.
//!
//! Hints of the system say where to check; [`LibraryWatch`] finds the changes by reading the file
//! system. Checks without hints find what hints miss: recently written files every two seconds,
//! everything every thirty. Where the system refuses to watch, or hints turn out not to arrive, the
//! viewed sessions are polled every half second, and [`WatchReport`] says so. Archived homes are
//! not watched, and neither are the folders that this program writes to.
//!
//! [`LibraryWatch`]: super::LibraryWatch

mod doubts;
mod hints;
mod plan;
mod report;
mod run;
mod schedule;
mod settings;
mod system;
#[cfg(test)]
mod tests;
mod thread;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crossbeam_channel::Sender;

use self::thread::WatchCommand;
use super::settings::LibraryClock;
use super::watch::{LibraryEvent, WatchedSession};
use super::{Library, locked};
use unspool_store::home::Home;

pub use self::hints::{HintError, HintInbox, HintSource, HintSystem, PollingReason};
pub use self::report::{HomeWatch, WatchMode, WatchReport};
pub use self::settings::{WatchPace, WatchSettings};
pub use self::system::SystemHints;

/// Watches the homes of a library while there is a subscription or a viewed session. Clones share
/// one watcher.
#[derive(Clone)]
pub struct LibraryWatcher(Arc<WatcherShared>);

/// The news that a subscription receives.
#[derive(Clone, Copy, Debug)]
pub enum WatchNews<'a> {
    /// Every later change is reported. Earlier changes were not: a subscriber with older data must
    /// read it again.
    Began,
    /// Changes.
    Changed(&'a [LibraryEvent]),
    /// Homes are watched in another mode than before.
    Report(&'a WatchReport),
}

/// The function of a subscription. The watcher's thread calls it and waits for it.
type Tell = Arc<dyn Fn(&WatchNews<'_>) + Send + Sync>;

/// A subscription to changes. It ends when it is dropped; a call in progress is finished.
#[must_use = "a subscription ends when it is dropped"]
pub struct WatchSubscription {
    shared: Arc<WatcherShared>,
    number: u64,
}

/// Marks a session as viewed until it is dropped.
#[must_use = "a session is looked at until the guard is dropped"]
pub struct ViewGuard {
    shared: Arc<WatcherShared>,
    /// The log of the session; `None` if its home is not watched.
    log: Option<PathBuf>,
}

/// Identifies one run of the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RunNumber(u64);

/// The state that the watcher, its subscriptions and its thread share.
struct WatcherShared {
    homes: Vec<Home>,
    settings: WatchSettings,
    /// Folders that this program writes to.
    apart: Vec<PathBuf>,
    clock: LibraryClock,
    system: Arc<dyn HintSystem>,
    state: Mutex<WatcherState>,
}

#[derive(Default)]
struct WatcherState {
    subscribers: Vec<Subscriber>,
    /// The viewed sessions by their logs, each with its number of guards.
    looked: BTreeMap<PathBuf, (WatchedSession, usize)>,
    /// The last number that a subscription or a run received.
    numbers: u64,
    running: Option<RunningThread>,
    report: WatchReport,
}

struct Subscriber {
    number: u64,
    tell: Tell,
    /// Whether the subscriber has received [`WatchNews::Began`].
    has_begun: bool,
}

struct RunningThread {
    number: RunNumber,
    commands: Sender<WatchCommand>,
}

impl Library {
    /// Returns a watcher of the homes that uses the hints of the operating system.
    pub fn watcher(&self) -> LibraryWatcher {
        self.watcher_with(WatchSettings::default(), Arc::new(SystemHints))
    }

    /// Returns a watcher of the homes.
    pub fn watcher_with(
        &self,
        settings: WatchSettings,
        system: Arc<dyn HintSystem>,
    ) -> LibraryWatcher {
        let homes = self.homes().iter().filter(|home| !home.is_archived());
        let index = self.index_folder().map(ToOwned::to_owned);
        let data = self.settings.data.clone();
        LibraryWatcher(Arc::new(WatcherShared {
            homes: homes.cloned().collect(),
            settings,
            apart: index.into_iter().chain(data).collect(),
            clock: self.settings.clock.clone(),
            system,
            state: Mutex::default(),
        }))
    }
}

impl LibraryWatcher {
    /// Subscribes to changes. The function receives [`WatchNews::Began`] first. It runs in another
    /// thread and should be quick: subscriptions are called one after the other.
    pub fn subscribe(
        &self,
        tell: impl Fn(&WatchNews<'_>) + Send + Sync + 'static,
    ) -> WatchSubscription {
        let shared = Arc::clone(&self.0);
        let mut state = locked(&shared.state);
        let number = state.number();
        state.subscribers.push(Subscriber { number, tell: Arc::new(tell), has_begun: false });
        shared.command(&mut state, WatchCommand::Subscribed);
        drop(state);
        WatchSubscription { shared, number }
    }

    /// Marks a session as viewed: its folders are watched too, and where hints do not arrive, its
    /// logs are polled often. A session of an archived home is not watched.
    pub fn start_viewing(&self, session: &WatchedSession) -> ViewGuard {
        let shared = Arc::clone(&self.0);
        if !shared.homes.iter().any(|home| home.root == session.home) {
            return ViewGuard { shared, log: None };
        }
        let mut state = locked(&shared.state);
        match state.looked.entry(session.file.clone()) {
            Entry::Occupied(looked) => looked.into_mut().1 += 1,
            Entry::Vacant(place) => {
                place.insert((session.clone(), 1));
                shared.command(&mut state, WatchCommand::LookAt(session.clone()));
            }
        }
        drop(state);
        ViewGuard { shared, log: Some(session.file.clone()) }
    }

    /// Returns how the homes are watched.
    pub fn report(&self) -> WatchReport {
        locked(&self.0.state).report.clone()
    }
}

impl Drop for WatchSubscription {
    fn drop(&mut self) {
        let mut state = locked(&self.shared.state);
        let number = self.number;
        state.subscribers.retain(|known| known.number != number);
        state.end_if_unused();
    }
}

impl Drop for ViewGuard {
    fn drop(&mut self) {
        let Some(log) = self.log.take() else {
            return;
        };
        let mut state = locked(&self.shared.state);
        let Entry::Occupied(mut looked) = state.looked.entry(log) else {
            return;
        };
        looked.get_mut().1 -= 1;
        if looked.get().1 > 0 {
            return;
        }
        let (session, _) = looked.remove();
        if let Some(running) = &state.running {
            let _ = running.commands.send(WatchCommand::LookAway(session));
        }
        state.end_if_unused();
    }
}

impl WatcherShared {
    /// Sends the thread a command, or starts the thread, which reads everything from the state.
    fn command(self: &Arc<Self>, state: &mut WatcherState, command: WatchCommand) {
        match &state.running {
            Some(running) => {
                let _ = running.commands.send(command);
            }
            None => self.start(state),
        }
    }

    fn start(self: &Arc<Self>, state: &mut WatcherState) {
        let number = RunNumber(state.number());
        let (commands, received) = crossbeam_channel::unbounded();
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new()
            .name("unspool-watch".to_owned())
            .spawn(move || thread::watch(&shared, number, &received));
        match thread {
            Ok(_) => state.running = Some(RunningThread { number, commands }),
            // The next subscription tries again.
            Err(error) => state.report = self.unwatched(&error.to_string()),
        }
    }

    /// Returns a report of homes without a watch.
    fn unwatched(&self, why: &str) -> WatchReport {
        let mode = WatchMode::Polling { reason: PollingReason::Other(why.to_owned()) };
        let homes =
            self.homes.iter().map(|home| HomeWatch { home: home.root.clone(), mode: mode.clone() });
        WatchReport { homes: homes.collect(), ..WatchReport::default() }
    }

    fn looked_at(&self) -> Vec<WatchedSession> {
        let state = locked(&self.state);
        let looked = state.looked.values();
        looked.map(|(session, _)| session.clone()).collect()
    }

    fn set_report(&self, number: RunNumber, report: &WatchReport) {
        let mut state = locked(&self.state);
        let running = state.running.as_ref().map(|running| running.number);
        if running == Some(number) {
            state.report = report.clone();
        }
    }

    /// Tells new subscribers that the watch has begun.
    fn tell_began(&self) {
        let mut state = locked(&self.state);
        let new = state.subscribers.iter_mut().filter(|it| !it.has_begun);
        let new: Vec<Tell> = new
            .map(|subscriber| {
                subscriber.has_begun = true;
                Arc::clone(&subscriber.tell)
            })
            .collect();
        // A function may drop its own subscription, which locks the state.
        drop(state);
        for tell in new {
            tell(&WatchNews::Began);
        }
    }

    fn tell(&self, news: &WatchNews<'_>) {
        let state = locked(&self.state);
        let begun = state.subscribers.iter().filter(|it| it.has_begun);
        let begun: Vec<Tell> = begun.map(|it| Arc::clone(&it.tell)).collect();
        drop(state);
        for tell in begun {
            tell(news);
        }
    }
}

impl WatcherState {
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Ends the thread if there is neither a subscription nor a viewed session.
    fn end_if_unused(&mut self) {
        if !self.subscribers.is_empty() || !self.looked.is_empty() {
            return;
        }
        // The thread ends when the sender of commands is dropped.
        if self.running.take().is_some() {
            self.report = WatchReport::default();
        }
    }
}
