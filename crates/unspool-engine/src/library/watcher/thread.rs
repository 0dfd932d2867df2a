//! The thread of a watcher: waits for hints, commands and the time, and reports changes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crossbeam_channel::{Receiver, select};

use super::hints::WaitingHints;
use super::run::{RunParts, WatchMoment, WatchRun};
use super::{RunNumber, WatchNews, WatcherShared};
use crate::library::settings::LibraryClock;
use crate::library::watch::WatchedSession;

/// A command from the watcher to its thread. The thread ends when all senders are dropped.
pub(super) enum WatchCommand {
    /// Mark a session as viewed.
    LookAt(WatchedSession),
    /// End the viewing of a session.
    LookAway(WatchedSession),
    /// A new subscription was added.
    Subscribed,
}

/// The time of a watch. It advances with the clock, at least by the time that was waited, and never
/// decreases.
struct WatchTime {
    clock: LibraryClock,
    last: SystemTime,
    elapsed: Duration,
}

impl WatchTime {
    fn new(clock: LibraryClock) -> Self {
        Self { last: clock.now(), elapsed: Duration::ZERO, clock }
    }

    fn now(&mut self) -> WatchMoment {
        let now = self.clock.now();
        // A clock that was set back counts as stopped.
        let passed = now.duration_since(self.last).unwrap_or_default();
        self.last = now;
        self.elapsed += passed;
        WatchMoment { elapsed: self.elapsed, clock: now }
    }

    /// Advances the time by at least the time that was waited, whatever the clock says.
    fn waited(&mut self, time: Duration) {
        let least = self.elapsed + time;
        self.elapsed = self.now().elapsed.max(least);
    }
}

/// Watches until the sender of commands is dropped.
pub(super) fn watch(
    shared: &Arc<WatcherShared>,
    number: RunNumber,
    commands: &Receiver<WatchCommand>,
) {
    let mut time = WatchTime::new(shared.clock.clone());
    let (inbox, waiting) = WaitingHints::new();
    let parts = RunParts {
        homes: shared.homes.clone(),
        settings: shared.settings,
        apart: shared.apart.clone(),
        system: Arc::clone(&shared.system),
        inbox,
    };
    let mut run = WatchRun::begin(parts, shared.looked_at().into_iter(), time.now());
    let mut report = run.report();
    shared.set_report(number, &report);
    shared.tell_began();
    loop {
        let wait = run.wait(time.now());
        select! {
            recv(commands) -> command => match command {
                Ok(command) => obey(command, &mut run, shared, time.now()),
                Err(_) => break,
            },
            recv(waiting.paths) -> path => {
                let now = time.now();
                run.hint(path.unwrap_or_default(), now);
                waiting.paths.try_iter().for_each(|path| run.hint(path, now));
            },
            default(wait) => time.waited(wait),
        }
        let now = time.now();
        if waiting.take_overflow() {
            run.lost_hints(now);
        }
        let events = run.tick(now);
        if !events.is_empty() {
            shared.tell(&WatchNews::Changed(&events));
        }
        let now = run.report();
        if now != report {
            shared.set_report(number, &now);
            shared.tell(&WatchNews::Report(&now));
            report = now;
        }
    }
}

fn obey(command: WatchCommand, run: &mut WatchRun, shared: &WatcherShared, now: WatchMoment) {
    match command {
        WatchCommand::LookAt(session) => run.start_viewing(&session, now),
        WatchCommand::LookAway(session) => run.remove_viewed(&session),
        WatchCommand::Subscribed => shared.tell_began(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn time_goes_on_by_the_clock_and_by_waiting_and_never_back() {
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let says = Arc::new(Mutex::new(at(1000)));
        let clock = Arc::clone(&says);
        let mut time = WatchTime::new(LibraryClock::new(move || *clock.lock().expect("a time")));
        let set = |millis| *says.lock().expect("a time") = at(millis);
        set(1500);
        assert_eq!(time.now().elapsed, Duration::from_millis(500));
        set(200);
        assert_eq!(time.now().elapsed, Duration::from_millis(500));
        time.waited(Duration::from_millis(40));
        assert_eq!(time.now().elapsed, Duration::from_millis(540));
        set(260);
        time.waited(Duration::from_millis(40));
        assert_eq!(time.now().elapsed, Duration::from_millis(600));
    }
}
