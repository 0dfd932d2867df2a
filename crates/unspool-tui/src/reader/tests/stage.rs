//! A program that reads one session, with workers that answer in the same thread.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use unspool_drive::RunId;
use unspool_engine::library::{
    Library, LibraryClock, LibraryEvent, LibrarySettings, OpenSessions, SessionPlace,
    WatchedSession,
};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::time::Time;
use unspool_store::home::{Processes as _, SystemProcesses};
use unspool_testkit::{TestHome, session, uuid};

use crate::canvas::Canvas;
use crate::effect::TuiEffect;
use crate::event::{MouseInput, MouseKind, ScreenSize, TuiEvent, TuiMoment};
use crate::program::TuiProgram;
use crate::settings::{
    CatalogueRefresh, ExportKind, MouseUse, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay,
    SessionSubject, StartScreen, TerminalKind, TuiCommand, TuiHost, TuiSettings,
};
use crate::testing::script::presses;
use crate::theme::ColorDepth;
use crate::work::{WorkAnswer, WorkCall, WorkContext, WorkQuestion, WorkState};

const FOLDER: &str = "/srv/tidepool";

/// Notes what it is asked for.
#[derive(Default)]
struct NotedHost {
    /// What is said of resuming; an offer without remarks if nothing is set.
    resumes: Mutex<Option<Result<ResumeOffer, ResumeRefusal>>>,
    copied: Mutex<Vec<String>>,
}

impl TuiHost for NotedHost {
    fn resume(
        &self,
        session: &SessionSubject,
        _: &ResumeWay,
    ) -> Result<ResumeOffer, ResumeRefusal> {
        if let Some(said) = self.resumes.lock().expect("a lock").clone() {
            return said;
        }
        Ok(ResumeOffer {
            command: Ok(command("claude")),
            line: format!("claude --resume {}", session.place.session.as_str()),
            remarks: Vec::new(),
        })
    }

    fn export(&self, _: &[SessionSubject], _: ExportKind) -> Result<String, String> {
        Err("not here".to_owned())
    }

    fn browse(&self, session: &SessionSubject) -> Result<String, PageRefusal> {
        let entry = session.entry.as_ref().map_or("", |entry| entry.as_str());
        Ok(format!("opened {entry}"))
    }

    fn link(&self, _: &SessionSubject) -> Result<String, PageRefusal> {
        Err(PageRefusal::NoServer {
            start: Box::new(command("unspool")),
            line: "unspool serve --open".to_owned(),
        })
    }

    fn editor(&self, text: &str, line: usize) -> Result<TuiCommand, String> {
        let shown = text.lines().nth(line - 1).unwrap_or_default();
        Ok(command(&format!("vi +{line} {shown}")))
    }

    fn copy(&self, text: &str) -> bool {
        self.copied.lock().expect("a lock").push(text.to_owned());
        true
    }

    fn load(&self) -> Option<String> {
        None
    }

    fn save(&self, _: &str) {}

    fn draft(&self, _: &str) -> Option<String> {
        None
    }

    fn keep_draft(&self, _: &str, _: &str) {}

    fn run_began(&self, _: &RunId) {}
}

pub(super) fn command(program: &str) -> TuiCommand {
    TuiCommand {
        program: OsString::from(program),
        arguments: Vec::new(),
        folder: None,
        environment: Vec::new(),
        removed: Vec::new(),
    }
}

/// Lets the process of the test own the session.
pub(super) fn own(home: &TestHome) {
    let pid = std::process::id();
    let start = SystemProcesses.start_time(pid).expect("a process");
    let id = uuid("s");
    let record = format!(r#"{{"pid":{pid},"sessionId":"{id}","procStart":"{start}"}}"#);
    home.add_file(format!("sessions/{pid}.json"), record);
}

/// A program that reads a session.
pub(super) struct ReadStage {
    home: TestHome,
    file: PathBuf,
    program: TuiProgram,
    work: WorkState,
    host: Arc<NotedHost>,
    size: ScreenSize,
    depth: ColorDepth,
    /// The commands that got the terminal.
    pub(super) handed_over: Vec<String>,
    pub(super) has_left: bool,
}

impl ReadStage {
    /// Opens a session, written in the notation of the testkit.
    pub(super) fn of(notation: &str, columns: u16, rows: u16) -> Self {
        Self::of_log(session(notation), (columns, rows), |_| {})
    }

    /// Opens a session of these bytes; `prepare` adds what belongs to it.
    pub(super) fn of_log(
        log: impl AsRef<[u8]>,
        (columns, rows): (u16, u16),
        prepare: impl FnOnce(&TestHome),
    ) -> Self {
        let home = TestHome::new();
        let file = home.add_session(FOLDER, &uuid("s"), log);
        prepare(&home);
        let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH);
        let library = Library::open(LibrarySettings::of_home(home.path(), clock));
        let host = Arc::new(NotedHost::default());
        let settings = Arc::new(TuiSettings {
            library: Arc::new(library.expect("a library")),
            drive: Err("this test drives nothing".to_owned()),
            new_home: None,
            host: Arc::clone(&host) as Arc<dyn TuiHost>,
            zone: TimeZone::UTC,
            user_home: None,
            here: PathBuf::from(FOLDER),
            depth: ColorDepth::True,
            background: None,
            mouse: MouseUse::Taken,
            terminal: TerminalKind::Plain,
            start: StartScreen::Session {
                place: SessionPlace::of(SessionId::new(uuid("s"))),
                follows: false,
            },
            keys: BTreeMap::new(),
            places: String::new(),
            refresh: CatalogueRefresh::Walked,
            filter: unspool_store::filter::RowFilter::default(),
            fault: None,
        });
        let size = ScreenSize { columns, rows };
        let now = Time::from_millis(0);
        let (program, effects) = TuiProgram::new(Arc::clone(&settings), TuiMoment { now, size });
        let work = WorkState::new(WorkContext {
            settings,
            sessions: Arc::new(OpenSessions::default()),
        });
        let mut reading = Self {
            home,
            file,
            program,
            work,
            host,
            size,
            depth: ColorDepth::Sixteen,
            handed_over: Vec::new(),
            has_left: false,
        };
        reading.run(effects);
        reading
    }

    /// Does what the program wants until it wants nothing more.
    fn run(&mut self, effects: Vec<TuiEffect>) {
        let mut waiting: Vec<TuiEffect> = effects;
        let mut rounds = 0;
        while !waiting.is_empty() {
            rounds += 1;
            assert!(rounds < 200, "the reader asks without end");
            for effect in std::mem::take(&mut waiting) {
                match effect {
                    TuiEffect::Ask(question) => {
                        for answer in self.answers(question) {
                            waiting.extend(self.tell(TuiEvent::Answer(answer)));
                        }
                    }
                    TuiEffect::HandOver(command) => {
                        let program = command.program.to_string_lossy().into_owned();
                        self.handed_over.push(program);
                    }
                    TuiEffect::Leave(_) => self.has_left = true,
                    _ => {}
                }
            }
        }
    }

    fn answers(&mut self, question: WorkQuestion) -> Vec<WorkAnswer> {
        let WorkQuestion {
            screen,
            ticket,
            request,
        } = question;
        let replies = Mutex::new(Vec::new());
        let tell = |reply| replies.lock().expect("one thread").push(reply);
        self.work
            .answer(request, &mut WorkCall::new(&tell, &|| false));
        let replies = replies.into_inner().expect("one thread");
        let answer = |reply| WorkAnswer {
            screen,
            ticket,
            reply,
        };
        replies.into_iter().map(answer).collect()
    }

    fn tell(&mut self, event: TuiEvent) -> Vec<TuiEffect> {
        self.program.update(event, Time::from_millis(0))
    }

    fn event(&mut self, event: TuiEvent) {
        let effects = self.tell(event);
        self.run(effects);
    }

    /// Presses keys.
    pub(super) fn keys(&mut self, script: &str) -> &mut Self {
        for press in presses(script) {
            self.event(TuiEvent::Key(press));
        }
        self
    }

    /// Presses keys, and answers nothing before the last one.
    pub(super) fn fast_keys(&mut self, script: &str) -> &mut Self {
        let mut effects = Vec::new();
        for press in presses(script) {
            effects.extend(self.tell(TuiEvent::Key(press)));
        }
        self.run(effects);
        self
    }

    pub(super) fn mouse(&mut self, kind: MouseKind, column: u16, row: u16) -> &mut Self {
        self.event(TuiEvent::Mouse(MouseInput { kind, column, row }));
        self
    }

    pub(super) fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.size = ScreenSize { columns, rows };
        self.event(TuiEvent::Resize(self.size));
        self
    }

    pub(super) fn with_true_color(&mut self) -> &mut Self {
        self.depth = ColorDepth::True;
        self
    }

    /// Returns the background of the last cell of the transcript in the row that has a text.
    pub(super) fn ground_of(&self, text: &str) -> Color {
        let screen = self.screen();
        let row = screen.lines().position(|row| row.contains(text));
        let row = row.expect("a row with the text") as u16;
        self.cells()[(self.size.columns - 3, row)].bg
    }

    pub(super) fn without_color(&mut self) -> &mut Self {
        self.depth = ColorDepth::Monochrome;
        self
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

    /// Writes another log in the place of the one that there was, and says so.
    pub(super) fn write(&mut self, log: impl AsRef<[u8]>) -> &mut Self {
        std::fs::write(&self.file, log).expect("writes");
        let session = self.watched();
        let grew = LibraryEvent::SessionGrew {
            session,
            from: 0,
            to: 1,
        };
        self.event(TuiEvent::News(vec![grew]));
        self
    }

    pub(super) fn delete(&mut self) -> &mut Self {
        std::fs::remove_file(&self.file).expect("deletes");
        let gone = LibraryEvent::SessionGone(self.watched());
        self.event(TuiEvent::News(vec![gone]));
        self
    }

    /// Sets what is said of resuming.
    pub(super) fn resumes(&mut self, said: Result<ResumeOffer, ResumeRefusal>) -> &mut Self {
        *self.host.resumes.lock().expect("a lock") = Some(said);
        self
    }

    /// Deletes the logs of the agents.
    pub(super) fn delete_agents(&mut self) -> &mut Self {
        std::fs::remove_dir_all(self.file.with_extension("")).expect("deletes");
        self
    }

    pub(super) fn copied(&self) -> Vec<String> {
        self.host.copied.lock().expect("a lock").clone()
    }

    fn cells(&self) -> Buffer {
        let area = Rect::new(0, 0, self.size.columns, self.size.rows);
        let mut buffer = Buffer::empty(area);
        self.program.view(&mut Canvas::new(&mut buffer, self.depth));
        buffer
    }

    /// Tells whether any cell has a colour.
    pub(super) fn has_colors(&self) -> bool {
        let cells = self.cells();
        let mut cells = cells.content.iter();
        cells.any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
    }

    /// Returns the screen as text, its right edge trimmed.
    pub(super) fn screen(&self) -> String {
        let buffer = self.cells();
        let mut text = String::new();
        for row in 0..self.size.rows {
            let mut line = String::new();
            let mut skipped = 0;
            for column in 0..self.size.columns {
                let symbol = buffer[(column, row)].symbol();
                let width = unspool_text::width::width(symbol);
                if skipped > 0 {
                    assert_eq!(symbol, " ", "half of a wide character at {column}:{row}");
                    skipped -= 1;
                    continue;
                }
                skipped = width.saturating_sub(1);
                line.push_str(symbol);
            }
            assert_eq!(skipped, 0, "half of a wide character at the end of {row}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// Returns a row of the screen.
    pub(super) fn row(&self, row: usize) -> String {
        let screen = self.screen();
        screen.lines().nth(row).unwrap_or_default().to_owned()
    }

    /// Returns the rows of the transcript of a screen without outline and pane.
    pub(super) fn body(&self) -> Vec<String> {
        let screen = self.screen();
        let rows = usize::from(self.size.rows);
        let rows = screen.lines().skip(1).take(rows - 3);
        let text = |row: &str| {
            let end = row.char_indices().nth(usize::from(self.size.columns) - 2);
            row[..end.map_or(row.len(), |(at, _)| at)]
                .trim_end()
                .to_owned()
        };
        rows.map(text).collect()
    }
}
