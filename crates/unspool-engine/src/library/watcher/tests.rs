//! A watch that tests drive step by step with a fake system.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use unspool_model::ids::{ProjectId, SessionId};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, uuid};

use super::hints::WaitingHints;
use super::run::{RunParts, WatchMoment, WatchRun};
use super::*;
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

const CWD: &str = "/srv/a";

/// A system whose hints come from a test.
#[derive(Clone, Default)]
struct FakeHints(Arc<Mutex<FakeState>>);

#[derive(Default)]
struct FakeState {
    watched: BTreeSet<PathBuf>,
    /// The maximum number of watched folders, and the reason to refuse more.
    limit: Option<(usize, PollingReason)>,
    /// The reason to refuse all hints.
    closed: Option<PollingReason>,
}

impl HintSystem for FakeHints {
    fn open(&self, _: HintInbox) -> Result<Box<dyn HintSource>, HintError> {
        match locked(&self.0).closed.clone() {
            Some(reason) => Err(reason.into()),
            None => Ok(Box::new(self.clone())),
        }
    }
}

impl HintSource for FakeHints {
    fn watch(&mut self, folder: &Path) -> Result<(), HintError> {
        let mut state = locked(&self.0);
        if let Some((most, reason)) = state.limit.clone()
            && state.watched.len() >= most
        {
            return Err(reason.into());
        }
        if !folder.is_dir() {
            return Err(HintError::Missing);
        }
        state.watched.insert(folder.to_owned());
        Ok(())
    }

    fn unwatch(&mut self, folder: &Path) {
        locked(&self.0).watched.remove(folder);
    }
}

/// A watched home.
struct Watched {
    home: TestHome,
    hints: FakeHints,
    run: WatchRun,
    elapsed: Duration,
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn parts(home: &TestHome, hints: &FakeHints, settings: WatchSettings) -> RunParts {
    let (inbox, _) = WaitingHints::new();
    RunParts {
        homes: vec![Home::new(home.path())],
        settings,
        apart: Vec::new(),
        system: Arc::new(hints.clone()),
        inbox,
    }
}

/// Returns a time long after all files of the test were written, so that their times count as
/// settled, but recent enough to watch each of them.
fn later() -> SystemTime {
    let file = tempfile::tempfile().expect("a file");
    let written = file.metadata().and_then(|data| data.modified());
    written.expect("a time") + Duration::from_mins(10)
}

impl Watched {
    fn new(home: TestHome, hints: FakeHints, settings: WatchSettings) -> Self {
        let moment = WatchMoment { elapsed: ms(0), clock: later() };
        let run = WatchRun::begin(parts(&home, &hints, settings), std::iter::empty(), moment);
        Self { home, hints, run, elapsed: ms(0) }
    }

    /// Watches a home with a project and a session.
    fn usual() -> Self {
        let home = TestHome::new();
        home.add_session(CWD, &uuid("s"), "{}\n");
        home.add_file("sessions/none.key", "");
        Self::new(home, FakeHints::default(), WatchSettings::default())
    }

    fn now(&self) -> WatchMoment {
        WatchMoment { elapsed: self.elapsed, clock: later() + self.elapsed }
    }

    /// Advances the time in the steps that the watch waits for, and returns the changes.
    fn pass(&mut self, time: Duration) -> Vec<LibraryEvent> {
        let end = self.elapsed + time;
        let mut events = self.run.tick(self.now());
        while self.elapsed < end {
            let wait = self.run.wait(self.now());
            self.elapsed = (self.elapsed + wait).min(end);
            events.extend(self.run.tick(self.now()));
        }
        events
    }

    /// Sends the hint for a path, if its folder is watched.
    fn hint(&mut self, path: &Path) {
        let is_watched = |path: &Path| locked(&self.hints.0).watched.contains(path);
        if is_watched(path) || path.parent().is_some_and(is_watched) {
            let now = self.now();
            self.run.hint(path.to_owned(), now);
        }
    }

    fn log(&self) -> PathBuf {
        let name = format!("{}.jsonl", uuid("s"));
        self.home.project_dir(CWD).join(name)
    }

    /// Appends a line to the session's log without a hint.
    fn append_silently(&self) {
        let file = OpenOptions::new().append(true).open(self.log());
        file.and_then(|mut file| file.write_all(b"{}\n")).expect("written");
    }

    fn append(&mut self) {
        self.append_silently();
        self.hint(&self.log());
    }

    fn session(&self) -> WatchedSession {
        WatchedSession {
            home: self.home.path().to_owned(),
            project: ProjectId::new("-srv-a"),
            session: SessionId::new(uuid("s")),
            file: self.log(),
        }
    }

    fn start_viewing(&mut self) {
        let (session, now) = (self.session(), self.now());
        self.run.start_viewing(&session, now);
        assert_eq!(self.pass(ms(0)), []);
    }

    fn mode(&self) -> WatchMode {
        self.run.report().homes.remove(0).mode
    }

    fn watches(&self) -> BTreeSet<PathBuf> {
        let watched = locked(&self.hints.0).watched.clone();
        assert_eq!(watched.len(), self.run.report().watches);
        watched
    }
}

fn polling(reason: PollingReason) -> WatchMode {
    WatchMode::Polling { reason }
}

fn is_growth(events: &[LibraryEvent]) -> bool {
    matches!(events, [LibraryEvent::SessionGrew { .. }])
}

#[test]
fn a_hint_leads_to_an_event_after_a_moment() {
    let mut at = Watched::usual();
    let folders: Vec<PathBuf> = at.watches().into_iter().collect();
    let expected = [
        at.home.path().join("projects"),
        at.home.project_dir(CWD),
        at.home.path().join("sessions"),
    ];
    assert_eq!(folders, expected);
    assert_eq!(at.pass(ms(1000)), []);
    at.append();
    assert_eq!(at.pass(ms(9)), []);
    assert!(is_growth(&at.pass(ms(1))));
    assert_eq!(at.pass(ms(100)), []);
    assert_eq!(at.mode(), WatchMode::Events);
}

#[test]
fn what_comes_without_a_hint_is_found_and_leads_to_polling() {
    let mut at = Watched::usual();
    at.append_silently();
    assert_eq!(at.pass(ms(1999)), []);
    assert!(is_growth(&at.pass(ms(1))));
    assert_eq!(at.mode(), WatchMode::Events, "a hint may be late");
    assert_eq!(at.pass(ms(999)), []);
    assert_eq!(at.mode(), WatchMode::Events);
    assert_eq!(at.pass(ms(1)), []);
    assert_eq!(at.mode(), polling(PollingReason::MissedChange));
    at.start_viewing();
    at.pass(ms(500));
    at.append_silently();
    assert!(is_growth(&at.pass(ms(500))));
}

#[test]
fn a_late_hint_is_a_hint() {
    let mut at = Watched::usual();
    at.append_silently();
    assert!(is_growth(&at.pass(ms(2000))));
    at.pass(ms(900));
    at.hint(&at.log());
    assert_eq!(at.pass(ms(5000)), []);
    assert_eq!(at.mode(), WatchMode::Events);
}

#[test]
fn a_hint_that_waits_is_a_hint() {
    let mut at = Watched::usual();
    at.pass(ms(1990));
    at.append();
    assert!(is_growth(&at.pass(ms(10))));
    assert_eq!(at.pass(ms(5000)), []);
    assert_eq!(at.mode(), WatchMode::Events);
}

#[test]
fn a_home_whose_hints_come_again_is_believed_again() {
    let mut at = Watched::usual();
    at.append_silently();
    at.pass(ms(4000));
    assert_eq!(at.mode(), polling(PollingReason::MissedChange));
    at.pass(ms(27_000));
    at.append();
    assert!(is_growth(&at.pass(ms(20))));
    at.pass(ms(10_000));
    assert_eq!(at.mode(), polling(PollingReason::MissedChange));
    at.pass(ms(20_000));
    assert_eq!(at.mode(), WatchMode::Events);
}

#[test]
fn a_system_without_room_leads_to_polling_until_there_is_room() {
    for reason in [
        PollingReason::TooManyWatches,
        PollingReason::TooManyFiles,
        PollingReason::Unsupported,
        PollingReason::Other("odd".to_owned()),
    ] {
        let hints = FakeHints::default();
        locked(&hints.0).limit = Some((2, reason.clone()));
        let home = TestHome::new();
        home.add_session(CWD, &uuid("s"), "{}\n");
        home.add_file("sessions/none.key", "");
        let mut at = Watched::new(home, hints, WatchSettings::default());
        assert_eq!(at.watches().len(), 2);
        assert_eq!(at.mode(), polling(reason.clone()));
        at.start_viewing();
        at.append_silently();
        let found = at.pass(ms(500));
        assert!(is_growth(&found), "{found:?}");
        assert_eq!(at.mode(), polling(reason));
        locked(&at.hints.0).limit = None;
        at.pass(ms(30_000));
        assert_eq!(at.mode(), WatchMode::Events);
        assert_eq!(at.watches().len(), 3);
    }
}

#[test]
fn a_system_that_gives_no_hints_is_asked_again_later() {
    let hints = FakeHints::default();
    locked(&hints.0).closed = Some(PollingReason::TooManyFiles);
    let home = TestHome::new();
    home.add_session(CWD, &uuid("s"), "{}\n");
    let mut at = Watched::new(home, hints, WatchSettings::default());
    assert_eq!(at.mode(), polling(PollingReason::TooManyFiles));
    at.append_silently();
    assert!(is_growth(&at.pass(ms(2000))));
    assert_eq!(at.watches().len(), 0);
    locked(&at.hints.0).closed = None;
    at.pass(ms(28_000));
    assert_eq!(at.mode(), WatchMode::Events);
}

#[test]
fn lost_hints_have_everything_looked_at() {
    let mut at = Watched::usual();
    at.pass(ms(100));
    at.append_silently();
    let now = at.now();
    at.run.lost_hints(now);
    assert!(is_growth(&at.pass(ms(0))));
}

#[test]
fn the_folders_of_a_session_that_is_looked_at_are_watched_as_they_come() {
    let mut at = Watched::usual();
    at.start_viewing();
    assert_eq!(at.watches().len(), 3);
    let folder = at.home.project_dir(CWD).join(uuid("s"));
    let places = [
        AgentFilePlace::Sibling,
        AgentFilePlace::Subagents,
        AgentFilePlace::Workflow { run: "r1".into() },
        AgentFilePlace::Workflow { run: "r2".into() },
    ];
    let text = format!("{{\"sessionId\":\"{}\"}}\n", uuid("s"));
    let mut files = Vec::new();
    for (place, number) in places.iter().zip(1..) {
        let agent = format!("a{number}");
        let file = at.home.add_agent(CWD, &uuid("s"), place, &agent, &text);
        // The system reports the topmost new name in a watched folder.
        let watched = at.watches();
        let new = file.ancestors().find(|path| {
            let folder = path.parent().expect("a folder");
            watched.contains(folder)
        });
        at.hint(new.expect("a watched folder"));
        let events = at.pass(ms(20));
        let [LibraryEvent::AgentChanged { agent: found, .. }] = events.as_slice() else {
            panic!("{place:?}: {events:?}");
        };
        assert_eq!(found.as_str(), agent);
        files.push(file);
        at.pass(ms(300));
    }
    for file in &files {
        let folder = file.parent().expect("a folder");
        assert!(at.watches().contains(folder), "{folder:?}");
        fs::write(file, format!("{text}{text}")).expect("written");
        at.hint(file);
        let events = at.pass(ms(20));
        assert!(matches!(events.as_slice(), [LibraryEvent::AgentChanged { .. }]));
        at.pass(ms(300));
    }
    let output = folder.join("tool-results/t1.txt");
    fs::create_dir_all(output.parent().expect("a folder")).expect("a folder");
    fs::write(&output, "long").expect("written");
    at.hint(output.parent().expect("a folder"));
    let events = at.pass(ms(20));
    assert!(matches!(events.as_slice(), [LibraryEvent::OutputsChanged(_)]), "{events:?}");
    assert!(at.watches().contains(output.parent().expect("a folder")));
    let session = at.session();
    at.run.remove_viewed(&session);
    assert_eq!(at.pass(ms(0)), []);
    assert_eq!(at.watches().len(), 3);
    assert_eq!(at.mode(), WatchMode::Events);
}

#[test]
fn a_folder_that_was_replaced_gets_a_new_watch() {
    let mut at = Watched::usual();
    let project = at.home.project_dir(CWD);
    fs::remove_dir_all(&project).expect("removed");
    // The system drops the watch of a removed folder.
    locked(&at.hints.0).watched.remove(&project);
    at.home.add_session(CWD, &uuid("s"), "{}\n{}\n");
    at.hint(&project);
    assert_eq!(at.pass(ms(20)).len(), 1);
    assert!(at.watches().contains(&project));
    at.append();
    assert!(is_growth(&at.pass(ms(40))));
}

#[test]
fn folders_that_come_later_are_watched_then() {
    let home = TestHome::new();
    fs::remove_dir(home.path().join("projects")).expect("removed");
    let mut at = Watched::new(home, FakeHints::default(), WatchSettings::default());
    assert_eq!(at.watches().len(), 0);
    assert_eq!(at.mode(), WatchMode::Events);
    at.home.add_session(CWD, &uuid("s"), "{}\n");
    let events = at.pass(ms(2000));
    assert!(matches!(events.as_slice(), [LibraryEvent::SessionAdded(_)]));
    assert_eq!(at.watches().len(), 2);
    let log = at.home.add_session("/srv/b", &uuid("t"), "{}\n");
    at.hint(log.parent().expect("a folder"));
    let events = at.pass(ms(20));
    assert!(matches!(events.as_slice(), [LibraryEvent::SessionAdded(_)]));
    assert_eq!(at.watches().len(), 3);
    assert_eq!(at.pass(ms(100_000)), []);
    assert_eq!(at.mode(), WatchMode::Events);
}

/// Sets the time of a file to some days and an hour before [`later`].
fn make_old(file: &Path, days: u64) {
    let time = later() - Duration::from_hours(24 * days + 1);
    let opened = OpenOptions::new().append(true).open(file);
    opened.and_then(|file| file.set_modified(time)).expect("a time");
}

#[test]
fn the_newest_projects_are_watched_up_to_a_limit() {
    let home = TestHome::new();
    home.add_file("sessions/none.key", "");
    let logs: Vec<PathBuf> = (0..12)
        .map(|days| {
            let log = home.add_session(&format!("/srv/p{days}"), &uuid("s"), "{}\n");
            make_old(&log, days);
            log
        })
        .collect();
    let settings = WatchSettings { watches: 6, ..WatchSettings::default() };
    let mut at = Watched::new(home, FakeHints::default(), settings);
    let is_watched = |at: &Watched, number: usize| {
        let folder = logs[number].parent().expect("a folder");
        at.watches().contains(folder)
    };
    let watched: Vec<usize> = (0..12).filter(|&number| is_watched(&at, number)).collect();
    assert_eq!(watched, [0, 1, 2, 3]);
    // Seven projects are recent enough, and four of them are watched.
    assert_eq!(at.run.report().left_out, 3);
    fs::write(&logs[11], "{}\n{}\n").expect("written");
    let events = at.pass(ms(30_000));
    assert!(is_growth(&events), "{events:?}");
    assert!(is_watched(&at, 11) && !is_watched(&at, 3));
    assert_eq!(at.watches().len(), 6);
    assert_eq!(at.mode(), WatchMode::Events);
}

#[test]
fn the_folders_of_this_program_and_archives_are_not_watched() {
    let home = TestHome::new();
    home.add_session(CWD, &uuid("s"), "{}\n");
    let hints = FakeHints::default();
    let moment = WatchMoment { elapsed: ms(0), clock: later() };
    let mut parts = parts(&home, &hints, WatchSettings::default());
    parts.apart = vec![home.project_dir(CWD)];
    let _run = WatchRun::begin(parts, std::iter::empty(), moment);
    let watched = locked(&hints.0).watched.clone();
    assert_eq!(watched, BTreeSet::from([home.path().join("projects")]));

    let clock = LibraryClock::fixed(later());
    let settings = super::super::LibrarySettings::of_home(home.path(), clock);
    let library = Library::open(settings).expect("a library");
    let homes = |library: &Library| library.watcher().0.homes.len();
    assert_eq!(homes(&library), 1);
    fs::write(home.path().join(unspool_store::files::MARKER), "").expect("written");
    assert_eq!(homes(&library), 0);
    let idle = library.watcher();
    let guard = idle.start_viewing(&WatchedSession {
        home: home.path().to_owned(),
        project: ProjectId::new("-srv-a"),
        session: SessionId::new(uuid("s")),
        file: home.project_dir(CWD).join("s.jsonl"),
    });
    assert!(locked(&idle.0.state).running.is_none());
    drop(guard);
}
