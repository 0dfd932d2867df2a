//! The program under test: keys in, a screen out, without a terminal and without threads.
//!
//! ```text
//! given(home).size(80, 24).keys("/conn⏎ ]] e yc").screen()
//! ```
//!
//! Requests to workers are answered in order on the test's thread, before the next key ([`TuiLab::hold`]
//! keeps them waiting). The test sets the clock. The binary is a [`LabHost`], which records its calls.

mod host;
mod plan;
mod setup;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use unspool_drive::MenuModel;
use unspool_drive::trust::TrustVerdict;
use unspool_engine::library::LibraryEvent;
use unspool_model::time::Time;
use unspool_testkit::time::START;
use unspool_text::width::width;

pub(crate) use self::host::{LabHost, command};
pub(crate) use self::plan::PRINT;
pub(crate) use self::setup::{LabSetup, given};
use crate::canvas::Canvas;
use crate::effect::TuiEffect;
use crate::event::{MouseInput, MouseKind, ScreenSize, TuiEvent};
use crate::program::TuiProgram;
use crate::settings::{
    ResumeOffer, ResumeRefusal, TuiCommand, TuiHost as _, TuiOutcome, TuiSettings,
};
use crate::testing::script::presses;
use crate::theme::ColorDepth;
use crate::work::live::{
    LiveBoard, LiveReply, LiveRequest, PromptOutcome, PromptWay, PromptWord, WordCompletion,
};
use crate::work::{WorkAnswer, WorkCall, WorkQuestion, WorkReply, WorkRequest, WorkState};

/// The initial time: 2026-01-05T18:00:00Z, nine hours after the start of built sessions.
pub(crate) const NOW: i64 = START + 9 * 60 * 60 * 1000;

/// The four sizes that every state is tested in.
pub(crate) const SIZES: [(u16, u16); 4] = [(60, 20), (80, 24), (120, 35), (200, 50)];

/// Paints a state in the four sizes. Checks that the text is the same without colour, and that no half of a
/// wide character is left.
pub(crate) fn screens(mut state: impl FnMut((u16, u16)) -> TuiLab) -> String {
    let mut screens = String::new();
    for (columns, rows) in SIZES {
        let lab = state((columns, rows));
        lab.check_widths();
        // Writing into a string cannot fail.
        let _ = writeln!(screens, "{columns}×{rows}\n{}", lab.screen());
        lab.check_plain();
    }
    screens
}

/// The running program.
pub(crate) struct TuiLab {
    settings: Arc<TuiSettings>,
    program: TuiProgram,
    workers: WorkState,
    host: Arc<LabHost>,
    clock: Arc<AtomicI64>,
    size: ScreenSize,
    depth: ColorDepth,
    board: Option<LiveBoard>,
    questions: VecDeque<WorkQuestion>,
    is_held: bool,
    /// The earliest time that a screen asked to be woken at.
    wake: Option<Time>,
    outcome: Option<TuiOutcome>,
    handed: Vec<TuiCommand>,
    /// The requests to runs.
    driven: Vec<LiveRequest>,
    models: Vec<MenuModel>,
    /// The completions that words of prompts get.
    completions: Vec<WordCompletion>,
    /// The trust in the folders of plans.
    trust: TrustVerdict,
}

impl TuiLab {
    /// Presses keys, written as in `script`. The workers answer after each.
    pub(crate) fn keys(mut self, script: &str) -> Self {
        self.press(script);
        self
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, script: &str) {
        for press in presses(script) {
            self.send(TuiEvent::Key(press));
        }
    }

    /// Sends an event, then answers all requests.
    pub(crate) fn send(&mut self, event: TuiEvent) {
        if self.outcome.is_some() {
            return;
        }
        let effects = self.program.update(event, self.now());
        self.carry_out(effects);
        self.settle();
    }

    /// Pastes a text.
    pub(crate) fn paste(mut self, text: &str) -> Self {
        self.send(TuiEvent::Paste(text.to_owned()));
        self
    }

    /// Sends a mouse event.
    pub(crate) fn mouse(mut self, kind: MouseKind, column: u16, row: u16) -> Self {
        self.send(TuiEvent::Mouse(MouseInput { kind, column, row }));
        self
    }

    /// Resizes the screen.
    pub(crate) fn resize(mut self, columns: u16, rows: u16) -> Self {
        self.set_size(columns, rows);
        self
    }

    /// Resizes the screen.
    pub(crate) fn set_size(&mut self, columns: u16, rows: u16) {
        self.size = ScreenSize { columns, rows };
        self.send(TuiEvent::Resize(self.size));
    }

    /// Lets time pass. Screens that asked to be woken in that time are.
    pub(crate) fn wait(mut self, millis: i64) -> Self {
        self.pass(millis);
        self
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, millis: i64) {
        let end = self.clock.load(Ordering::Relaxed) + millis;
        while let Some(wake) = self.wake.filter(|wake| wake.as_millis() <= end) {
            self.wake = None;
            let at = wake.as_millis().max(self.clock.load(Ordering::Relaxed));
            self.clock.store(at, Ordering::Relaxed);
            self.send(TuiEvent::Tick);
        }
        self.clock.store(end, Ordering::Relaxed);
    }

    /// Reports changed files.
    pub(crate) fn news(mut self, news: Vec<LibraryEvent>) -> Self {
        self.send(TuiEvent::News(news));
        self
    }

    /// Sets the state of the running sessions.
    pub(crate) fn set_board(&mut self, board: LiveBoard) {
        self.board = Some(LiveBoard { is_known: true, ..board });
        self.send(TuiEvent::News(Vec::new()));
    }

    /// Keeps requests to workers waiting from here on.
    pub(crate) fn hold(mut self) -> Self {
        self.is_held = true;
        self
    }

    /// Lets the workers answer the waiting requests.
    pub(crate) fn release(mut self) -> Self {
        self.is_held = false;
        self.settle();
        self
    }

    /// Answers one waiting request; returns whether there was one.
    pub(crate) fn answer_next(&mut self) -> bool {
        let Some(question) = self.questions.pop_front() else {
            return false;
        };
        self.answer(question);
        true
    }

    /// Takes a waiting request, for the test to answer.
    pub(crate) fn take_question(
        &mut self,
        is_meant: impl Fn(&WorkRequest) -> bool,
    ) -> Option<WorkQuestion> {
        let questions = self.questions.iter();
        let at = questions.enumerate().find(|(_, it)| is_meant(&it.request))?.0;
        self.questions.remove(at)
    }

    /// Answers a request with the given reply.
    pub(crate) fn reply(&mut self, question: &WorkQuestion, reply: WorkReply) {
        self.send(TuiEvent::Answer(WorkAnswer {
            screen: question.screen,
            ticket: question.ticket,
            reply,
        }));
    }

    fn now(&self) -> Time {
        Time::from_millis(self.clock.load(Ordering::Relaxed))
    }

    fn settle(&mut self) {
        // Far more requests than any key makes: the limit catches a screen that asks without end.
        let mut most = 10_000;
        while !self.is_held && self.answer_next() {
            most -= 1;
            assert!(most > 0, "the screen asks without end");
        }
    }

    fn answer(&mut self, question: WorkQuestion) {
        let WorkQuestion { screen, ticket, request } = question;
        let replies = Mutex::new(Vec::new());
        let tell = |reply| replies.lock().expect("a lock").push(reply);
        if let (WorkRequest::Live(LiveRequest::Board), Some(board)) = (&request, &self.board) {
            let board = Box::new(board.clone());
            tell(WorkReply::Live(LiveReply::Board(board)));
        } else if let Some(reply) = self.drive(&request) {
            tell(WorkReply::Live(reply));
        } else {
            let call = &mut WorkCall::new(&tell, &|| false);
            self.workers.answer(request, call);
        }
        for reply in replies.into_inner().expect("a lock") {
            let answer = WorkAnswer { screen, ticket, reply };
            let effects = self.program.update(TuiEvent::Answer(answer), self.now());
            self.carry_out(effects);
        }
    }

    /// Records a request to a run, and answers as a host would. Requests that only the worker can judge
    /// (may this prompt be sent?) return `None`.
    fn drive(&mut self, request: &WorkRequest) -> Option<LiveReply> {
        let WorkRequest::Live(request) = request else {
            return None;
        };
        self.board.as_ref()?;
        let reply = match request {
            LiveRequest::Answer { .. } | LiveRequest::Run(..) => {
                LiveReply::Answered(Ok("done".to_owned()))
            }
            LiveRequest::Prompt(prompt) => match &prompt.way {
                PromptWay::Begin { .. } => {
                    let plan = plan::planned(plan::begun_by(prompt), self.trust);
                    LiveReply::Prompt(PromptOutcome::Planned(Box::new(plan)))
                }
                PromptWay::Queue { .. } if prompt.seen.is_none() => {
                    LiveReply::Prompt(PromptOutcome::Sent("the prompt is queued".to_owned()))
                }
                PromptWay::Queue { .. } => return None,
            },
            LiveRequest::PlanNext(..) => {
                let plan = plan::planned(plan::next_run(), self.trust);
                LiveReply::Prompt(PromptOutcome::Planned(Box::new(plan)))
            }
            LiveRequest::Start(_) => {
                LiveReply::Prompt(PromptOutcome::Sent("the session begins".to_owned()))
            }
            LiveRequest::Complete(request) => {
                let beginning = match &request.word {
                    PromptWord::Command(name) => format!("/{name}"),
                    PromptWord::File(path) => format!("@{path}"),
                };
                let items = self.completions.iter();
                let items = items.filter(|it| it.text.starts_with(&beginning));
                LiveReply::Completions(items.cloned().collect())
            }
            LiveRequest::Models(run) => LiveReply::Models(run.clone(), self.models.clone()),
            _ => return None,
        };
        self.driven.push(request.clone());
        Some(reply)
    }

    /// Returns the requests to runs.
    pub(crate) fn driven(&self) -> &[LiveRequest] {
        &self.driven
    }

    /// Sets the models that clients offer.
    pub(crate) fn models(mut self, names: &[&str]) -> Self {
        let models = names.iter().map(|name| MenuModel {
            value: (*name).to_owned(),
            name: (*name).to_uppercase(),
            description: format!("what {name} is good for"),
        });
        self.models = models.collect();
        self
    }

    /// Returns the draft of a session.
    pub(crate) fn draft(&self, session: &str) -> Option<String> {
        self.host.draft(session)
    }

    fn carry_out(&mut self, effects: Vec<TuiEffect>) {
        for effect in effects {
            match effect {
                TuiEffect::Ask(question) => {
                    let lane = question.request.lane();
                    if !lane.keeps_all() {
                        // As in the lanes: of the requests that were not begun, only the newest is kept.
                        self.questions.retain(|it| it.request.lane() != lane);
                    }
                    self.questions.push_back(question);
                }
                TuiEffect::WakeAt(time) => {
                    self.wake = Some(self.wake.map_or(time, |wake| wake.min(time)));
                }
                TuiEffect::HandOver(command) => self.handed.push(command),
                TuiEffect::Leave(outcome) => self.outcome = Some(*outcome),
                TuiEffect::CopyToTerminal(_)
                | TuiEffect::Suspend
                | TuiEffect::Redraw
                | TuiEffect::TakeMouse(_) => {}
            }
        }
    }

    /// Returns the outcome of the program, if it has ended.
    pub(crate) fn outcome(&self) -> Option<&TuiOutcome> {
        self.outcome.as_ref()
    }

    /// Returns the copied texts.
    pub(crate) fn copied(&self) -> Vec<String> {
        self.host.copied.lock().expect("a lock").clone()
    }

    /// Sets the host's answer about resuming.
    pub(crate) fn resumes(&self, said: Result<ResumeOffer, ResumeRefusal>) {
        *self.host.resumes.lock().expect("a lock") = Some(said);
    }

    /// Returns the programs that got the terminal.
    pub(crate) fn handed(&self) -> Vec<String> {
        let programs = self.handed.iter().map(|it| it.program.to_string_lossy());
        programs.map(Into::into).collect()
    }

    /// Returns the calls of the host, in words.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.host.asked.lock().expect("a lock").clone()
    }

    /// Returns the state that the program saved for its next run.
    pub(crate) fn kept(&self) -> Option<String> {
        self.host.kept.lock().expect("a lock").clone()
    }

    /// Returns the time until a screen wants to be woken, in milliseconds.
    pub(crate) fn wakes_in(&self) -> Option<i64> {
        let wake = self.wake?;
        Some(wake.as_millis() - self.now().as_millis())
    }

    /// Returns the settings of the program.
    pub(crate) fn settings(&self) -> &TuiSettings {
        &self.settings
    }

    /// Returns the program, to inspect its state.
    pub(crate) fn program(&self) -> &TuiProgram {
        &self.program
    }

    /// Paints the screen and returns its cells.
    pub(crate) fn cells(&self) -> Buffer {
        let area = Rect::new(0, 0, self.size.columns, self.size.rows);
        let mut buffer = Buffer::empty(area);
        self.program.view(&mut Canvas::new(&mut buffer, self.depth));
        buffer
    }

    /// Returns the screen as text, one line for each row, between bars. The first bar is `>` if at least
    /// ten cells of the row are reversed.
    pub(crate) fn screen(&self) -> String {
        let cells = self.cells();
        let mut text = String::new();
        for row in 0..self.size.rows {
            let reversed = (0..self.size.columns).filter(|&column| {
                let modifier = cells[(column, row)].modifier;
                modifier.contains(Modifier::REVERSED)
            });
            let bar = if reversed.count() >= 10 { '>' } else { '|' };
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{bar}{}|", row_text(&cells, row));
        }
        text
    }

    /// Returns the text of one row, without trailing spaces.
    pub(crate) fn row(&self, row: u16) -> String {
        row_text(&self.cells(), row).trim_end().to_owned()
    }

    /// Checks that the text of the screen is the same without colour.
    pub(crate) fn check_plain(mut self) {
        let screen = self.screen();
        self.depth = ColorDepth::Monochrome;
        assert_eq!(self.screen(), screen, "without colour");
        let cells = self.cells();
        let mut cells = cells.content.iter();
        let is_plain = cells.all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset);
        assert!(is_plain, "colours without colour:\n{screen}");
    }

    /// Checks that the screen contains no half of a wide character.
    pub(crate) fn check_widths(&self) {
        let cells = self.cells();
        for row in 0..self.size.rows {
            let mut column = 0;
            while column < self.size.columns {
                let taken = width(cells[(column, row)].symbol()).max(1) as u16;
                let end = column + taken;
                assert!(end <= self.size.columns, "half a character ends row {row}");
                for covered in column + 1..end {
                    let symbol = cells[(covered, row)].symbol();
                    assert_eq!(symbol, " ", "column {covered} of row {row}");
                }
                column = end;
            }
        }
    }
}

/// Returns the text of a row, in its full width.
fn row_text(cells: &Buffer, row: u16) -> String {
    let mut text = String::new();
    let mut column = 0;
    while column < cells.area.width {
        let symbol = cells[(column, row)].symbol();
        text.push_str(symbol);
        column += width(symbol).max(1) as u16;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_testkit::{TestHome, session, uuid};

    #[test]
    fn keys_lead_to_a_screen() {
        let home = TestHome::new();
        home.add_session("/srv/demo", &uuid("one"), session("u1 user \"hello\""));
        let lab = given(&home).size(60, 20).keys("^c");
        assert!(matches!(lab.outcome(), Some(TuiOutcome::Interrupted)));
        assert_eq!(lab.screen().lines().count(), 20);
        lab.check_widths();
    }
}
