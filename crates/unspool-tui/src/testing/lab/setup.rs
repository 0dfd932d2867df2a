//! The setup of a test.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use unspool_drive::trust::TrustVerdict;
use unspool_drive::{
    ClientProgram, Drive, DriveSettings, HostCommand, RunLimits, SystemDriveClock,
};
use unspool_engine::library::{
    IndexPlace, Library, LibraryClock, LibrarySettings, OpenLimits, OpenSessions, RefreshPolicy,
};
use unspool_model::time::Time;
use unspool_store::filter::RowFilter;
use unspool_store::home::ClientHomes;
use unspool_testkit::TestHome;
use unspool_testkit::time::START;

use super::{LabHost, NOW, TuiLab};
use crate::event::{ScreenSize, TuiMoment};
use crate::program::TuiProgram;
use crate::settings::{
    CatalogueRefresh, MouseUse, PickerUse, StartScreen, TerminalKind, TuiSettings,
};
use crate::theme::ColorDepth;
use crate::work::live::{LiveBoard, WordCompletion};
use crate::work::{WorkContext, WorkState};

/// Starts the setup of a test with a home.
pub(crate) fn given(home: &TestHome) -> LabSetup<'_> {
    LabSetup {
        home,
        size: (80, 24),
        depth: ColorDepth::Sixteen,
        start: StartScreen::Picker(PickerUse::Browse),
        here: "/srv/elsewhere".to_owned(),
        kept: None,
        board: None,
        now: NOW,
        refresh: CatalogueRefresh::Walked,
        change: Box::new(|_| {}),
        drives: false,
        completions: Vec::new(),
        trust: TrustVerdict::Trusted,
    }
}

/// The setup of a test.
pub(crate) struct LabSetup<'h> {
    home: &'h TestHome,
    size: (u16, u16),
    depth: ColorDepth,
    start: StartScreen,
    here: String,
    kept: Option<String>,
    board: Option<LiveBoard>,
    now: i64,
    refresh: CatalogueRefresh,
    change: Box<dyn FnOnce(&mut LibrarySettings) + 'h>,
    drives: bool,
    completions: Vec<WordCompletion>,
    trust: TrustVerdict,
}

impl<'h> LabSetup<'h> {
    /// Sets the columns and rows.
    pub(crate) fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    /// Sets the terminal's colours; sixteen by default.
    pub(crate) fn depth(mut self, depth: ColorDepth) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the first screen; the picker by default.
    pub(crate) fn start(mut self, start: StartScreen) -> Self {
        self.start = start;
        self
    }

    /// Sets the working directory.
    pub(crate) fn here(mut self, here: impl Into<String>) -> Self {
        self.here = here.into();
        self
    }

    /// Sets the state that the last run saved.
    pub(crate) fn kept(mut self, kept: impl Into<String>) -> Self {
        self.kept = Some(kept.into());
        self
    }

    /// Sets the state of the running sessions, instead of querying the system.
    pub(crate) fn board(mut self, board: LiveBoard) -> Self {
        self.board = Some(LiveBoard { is_known: true, ..board });
        self
    }

    /// Sets the time, in milliseconds after the first line of a built session.
    pub(crate) fn at(mut self, after_start: i64) -> Self {
        self.now = START + after_start;
        self
    }

    /// Turns off the refresh of the catalogue.
    pub(crate) fn no_refresh(mut self) -> Self {
        self.refresh = CatalogueRefresh::Never;
        self
    }

    /// Allows the program to drive, with a state folder of the test. No client is ever started: the lab
    /// answers requests to runs.
    pub(crate) fn drives(mut self) -> Self {
        self.drives = true;
        self
    }

    /// Sets the completions of words in prompts, each with its description.
    pub(crate) fn completing(mut self, completions: &[(&str, &str)]) -> Self {
        let completions = completions.iter().map(|(text, about)| WordCompletion {
            text: (*text).to_owned(),
            about: (*about).to_owned(),
        });
        self.completions = completions.collect();
        self
    }

    /// Makes the folders of plans untrusted.
    pub(crate) fn untrusted(mut self) -> Self {
        self.trust = TrustVerdict::Untrusted;
        self
    }

    /// Changes the settings of the library.
    pub(crate) fn library(mut self, change: impl FnOnce(&mut LibrarySettings) + 'h) -> Self {
        self.change = Box::new(change);
        self
    }

    /// Starts the program, and lets the workers answer.
    pub(crate) fn open(self) -> TuiLab {
        self.begin().release()
    }

    /// Starts the program, with its first requests waiting.
    pub(crate) fn begin(self) -> TuiLab {
        let clock = Arc::new(AtomicI64::new(self.now));
        let mut library = library_settings(self.home, &self.here, &clock);
        (self.change)(&mut library);
        let host = Arc::new(LabHost { kept: Mutex::new(self.kept), ..LabHost::default() });
        let settings = Arc::new(TuiSettings {
            library: Arc::new(Library::open(library).expect("a library")),
            drive: if self.drives {
                Ok(Arc::new(opened_drive(self.home)))
            } else {
                Err("this test drives nothing".to_owned())
            },
            new_home: None,
            host: Arc::<LabHost>::clone(&host),
            zone: TimeZone::UTC,
            user_home: Some("/home/dev".to_owned()),
            here: self.here.into(),
            depth: self.depth,
            background: None,
            mouse: MouseUse::Taken,
            terminal: TerminalKind::Plain,
            start: self.start,
            keys: std::collections::BTreeMap::new(),
            home_labels: "~/.claude".to_owned(),
            refresh: self.refresh,
            fault: None,
            filter: RowFilter::default(),
        });
        let context = WorkContext {
            settings: Arc::clone(&settings),
            sessions: Arc::new(OpenSessions::new(OpenLimits::default())),
        };
        let size = ScreenSize { columns: self.size.0, rows: self.size.1 };
        let now = Time::from_millis(self.now);
        let (program, effects) = TuiProgram::new(Arc::clone(&settings), TuiMoment { now, size });
        let mut lab = TuiLab {
            settings,
            program,
            workers: WorkState::new(context),
            host,
            clock,
            size,
            depth: self.depth,
            board: self.board,
            questions: VecDeque::new(),
            is_held: true,
            wake: None,
            outcome: None,
            handed: Vec::new(),
            driven: Vec::new(),
            models: Vec::new(),
            completions: self.completions,
            trust: self.trust,
        };
        lab.carry_out(effects);
        lab
    }

    /// Starts the program and presses keys.
    pub(crate) fn keys(self, script: &str) -> TuiLab {
        self.open().keys(script)
    }
}

fn opened_drive(home: &TestHome) -> Drive {
    let folder = home.user_home();
    let opened = Drive::open(DriveSettings {
        state: folder.join("state"),
        sockets: folder.join("sockets"),
        home: home.path().to_owned(),
        client_homes: ClientHomes { usual: None, named: None, here: folder.to_owned() },
        client: ClientProgram::new("/nowhere/claude"),
        host: HostCommand { program: "/nowhere/unspool".into(), arguments: Vec::new() },
        may_bypass: false,
        limits: RunLimits::default(),
        clock: Arc::new(SystemDriveClock),
    });
    opened.expect("a folder for state")
}

fn library_settings(home: &TestHome, here: &str, clock: &Arc<AtomicI64>) -> LibrarySettings {
    let clock = Arc::clone(clock);
    let clock = LibraryClock::new(move || {
        let millis = clock.load(Ordering::Relaxed).unsigned_abs();
        SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
    });
    LibrarySettings {
        index: IndexPlace::Folder(home.user_home().join("index")),
        refresh: RefreshPolicy::OnDemand,
        here: here.into(),
        ..LibrarySettings::of_home(home.path(), clock)
    }
}
