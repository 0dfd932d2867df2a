//! The program under test, with one session open.

use std::path::PathBuf;
use std::time::SystemTime;

use ratatui::style::Color;
use unspool_engine::library::{
    LibraryClock, LibraryEvent, LibrarySettings, SessionPlace, WatchedSession,
};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_store::home::{Processes as _, SystemProcesses};
use unspool_testkit::time::START;
use unspool_testkit::{TestHome, session, uuid};

use crate::event::{MouseInput, MouseKind, TuiEvent};
use crate::settings::StartScreen;
use crate::testing::lab::{TuiLab, given};
use crate::theme::ColorDepth;

const FOLDER: &str = "/srv/tidepool";

/// Makes the test's process the owner of the session.
pub(super) fn own(home: &TestHome) {
    let pid = std::process::id();
    let start = SystemProcesses.start_time(pid).expect("a process");
    let id = uuid("s");
    let record = format!(r#"{{"pid":{pid},"sessionId":"{id}","procStart":"{start}"}}"#);
    home.add_file(format!("sessions/{pid}.json"), record);
}

/// A program that reads one session.
pub(super) struct ReadStage {
    home: TestHome,
    file: PathBuf,
    pub(super) lab: TuiLab,
}

impl ReadStage {
    /// Opens a session, written in the notation of the testkit.
    pub(super) fn of(notation: &str, columns: u16, rows: u16) -> Self {
        Self::of_log(session(notation), (columns, rows), |_| {})
    }

    /// Opens a session with this log; `prepare` adds further files.
    pub(super) fn of_log(
        log: impl AsRef<[u8]>,
        (columns, rows): (u16, u16),
        prepare: impl FnOnce(&TestHome),
    ) -> Self {
        let home = TestHome::new();
        let file = home.add_session(FOLDER, &uuid("s"), log);
        prepare(&home);
        let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH);
        let library = LibrarySettings::of_home(home.path(), clock);
        let lab = given(&home)
            .size(columns, rows)
            .depth(ColorDepth::True)
            .here(FOLDER)
            .at(-START)
            .library(|settings| *settings = library)
            .start(StartScreen::Session {
                place: SessionPlace::of(SessionId::new(uuid("s"))),
                follows: false,
            })
            .open();
        Self { home, file, lab }
    }

    /// Presses keys.
    pub(super) fn keys(&mut self, script: &str) -> &mut Self {
        self.lab.press(script);
        self
    }

    pub(super) fn mouse(&mut self, kind: MouseKind, column: u16, row: u16) -> &mut Self {
        let mouse = MouseInput { kind, column, row };
        self.lab.send(TuiEvent::Mouse(mouse));
        self
    }

    pub(super) fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.lab.set_size(columns, rows);
        self
    }

    /// Returns the background at the right edge of the row that contains a text.
    pub(super) fn ground_of(&self, text: &str) -> Color {
        let screen = self.screen();
        let row = screen.lines().position(|row| row.contains(text));
        let row = row.expect("a row with the text") as u16;
        let cells = self.lab.cells();
        cells[(cells.area.width - 3, row)].bg
    }

    fn watched(&self) -> WatchedSession {
        let folder = self.file.parent().and_then(|folder| folder.file_name());
        WatchedSession {
            home: self.home.path().to_owned(),
            project: ProjectId::new(folder.expect("a folder").to_string_lossy()),
            session: SessionId::new(uuid("s")),
            file: self.file.clone(),
        }
    }

    /// Replaces the log, and reports that it grew.
    pub(super) fn write(&mut self, log: impl AsRef<[u8]>) -> &mut Self {
        std::fs::write(&self.file, log).expect("writes");
        let session = self.watched();
        let grew = LibraryEvent::SessionGrew { session, from: 0, to: 1 };
        self.lab.send(TuiEvent::News(vec![grew]));
        self
    }

    pub(super) fn delete(&mut self) -> &mut Self {
        std::fs::remove_file(&self.file).expect("deletes");
        let gone = LibraryEvent::SessionGone(self.watched());
        self.lab.send(TuiEvent::News(vec![gone]));
        self
    }

    /// Deletes the logs of the agents.
    pub(super) fn delete_agents(&mut self) -> &mut Self {
        std::fs::remove_dir_all(self.file.with_extension("")).expect("deletes");
        self
    }

    /// Returns the screen as text, without the bars.
    pub(super) fn screen(&self) -> String {
        self.lab.check_widths();
        without_bars(&self.lab.screen())
    }

    /// Returns a row of the screen.
    pub(super) fn row(&self, row: usize) -> String {
        let screen = self.screen();
        screen.lines().nth(row).unwrap_or_default().to_owned()
    }

    /// Returns the rows of the transcript, for a screen without outline and pane.
    pub(super) fn body(&self) -> Vec<String> {
        let area = self.lab.cells().area;
        let screen = self.screen();
        let rows = screen.lines().skip(1).take(usize::from(area.height) - 3);
        let text = |row: &str| {
            let end = row.char_indices().nth(usize::from(area.width) - 2);
            row[..end.map_or(row.len(), |(at, _)| at)].trim_end().to_owned()
        };
        rows.map(text).collect()
    }

    /// Returns the row of the transcript with the cursor, and its number.
    pub(super) fn under(&self) -> Option<(usize, String)> {
        let mut rows = self.body().into_iter().enumerate();
        rows.find(|(_, row)| row.starts_with(" ▌"))
    }
}

/// Removes the bars at both ends of each row.
pub(super) fn without_bars(screens: &str) -> String {
    let inner = |line: &str| {
        let line = line.strip_prefix(['|', '>']).unwrap_or(line);
        let line = line.strip_suffix('|').unwrap_or(line).trim_end();
        format!("{line}\n")
    };
    screens.lines().map(inner).collect()
}
