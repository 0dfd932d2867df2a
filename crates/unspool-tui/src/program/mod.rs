//! The program: a stack of screens, a menu over them, and what all screens share.
//!
//! The program is pure: [`TuiProgram::update`] takes an event with the time and returns effects,
//! [`TuiProgram::view`] paints. Neither blocks, so a key is painted without delay.

mod actions;
mod ahead;
mod footer;
mod help;
mod menus;

use std::sync::Arc;

use ratatui::layout::{Position, Rect};
use unspool_drive::RunId;
use unspool_model::time::Time;
use unspool_render::keys::KeyAction;
use unspool_text::style::{Line, Role};
use unspool_text::{human, wrap};

use self::ahead::TypedAhead;
use crate::canvas::Canvas;
use crate::effect::TuiEffect;
use crate::event::{MouseKind, ProgramSignal, ScreenSize, TuiEvent, TuiMoment};
use crate::live::{AskScreen, LiveScreen, PromptScreen};
use crate::menu::{Menu, MenuChoice, MenuOutcome};
use crate::picker::PickerScreen;
use crate::press::{KeyMatcher, KeyName, KeyPress, PressMeaning};
use crate::reader::ReaderScreen;
use crate::screen::{Handled, ScreenCommand, ScreenContext, ScreenRequest, TuiScreen, ViewContext};
use crate::settings::{SessionSubject, StartScreen, TuiOutcome, TuiSettings};
use crate::theme::TerminalBackground;
use crate::work::live::{LiveBoard, LiveReply, LiveRequest, PromptOutcome};
use crate::work::{ScreenNumber, WorkAnswer, WorkQuestion, WorkReply, WorkRequest, WorkTicket};

/// The state of the whole program.
pub(crate) struct TuiProgram {
    settings: Arc<TuiSettings>,
    size: ScreenSize,
    now: Time,
    /// The stack of screens, the visible one last. It is never empty.
    stack: Vec<(ScreenNumber, Box<dyn TuiScreen>)>,
    menu: Option<OpenMenu>,
    matcher: KeyMatcher,
    ahead: TypedAhead,
    /// The message in the last row, shown until the next key.
    said: Option<String>,
    board: LiveBoard,
    /// The ticket of the latest question about running sessions, until it is answered.
    board_ticket: Option<WorkTicket>,
    takes_mouse: bool,
    /// Whether the terminal's background is dark or light, if known.
    background: Option<TerminalBackground>,
    numbers: u64,
    tickets: u64,
    /// The effects of the current event so far.
    effects: Vec<TuiEffect>,
}

/// A menu, and the screen that opened it.
struct OpenMenu {
    menu: Menu,
    owner: ScreenNumber,
}

impl TuiProgram {
    /// Creates the program and its first effects.
    pub(crate) fn new(settings: Arc<TuiSettings>, moment: TuiMoment) -> (Self, Vec<TuiEffect>) {
        let first: Box<dyn TuiScreen> = match &settings.start {
            StartScreen::Picker(usage) => Box::new(PickerScreen::new(usage.clone(), &settings)),
            StartScreen::Session { place, follows } if *follows => {
                Box::new(ReaderScreen::following(place.clone()))
            }
            StartScreen::Session { place, .. } => {
                Box::new(ReaderScreen::new(place.clone(), None, None))
            }
            StartScreen::Live => Box::new(LiveScreen::new()),
        };
        let mut program = Self {
            matcher: KeyMatcher::with_own(settings.keys.clone()),
            ahead: TypedAhead::default(),
            takes_mouse: settings.mouse == crate::settings::MouseUse::Taken,
            background: settings.background,
            settings,
            size: moment.size,
            now: moment.now,
            stack: Vec::new(),
            menu: None,
            said: None,
            board: LiveBoard::default(),
            board_ticket: None,
            numbers: 0,
            tickets: 0,
            effects: Vec::new(),
        };
        program.push(first);
        program.refresh_board();
        let effects = std::mem::take(&mut program.effects);
        (program, effects)
    }

    /// Takes an event and returns its effects.
    pub(crate) fn update(&mut self, event: TuiEvent, now: Time) -> Vec<TuiEffect> {
        self.now = now;
        match event {
            TuiEvent::Key(press) => self.key(press),
            // A screen that is too small is not painted, and so takes no input.
            TuiEvent::Mouse(_) | TuiEvent::Paste(_) if self.is_too_small() => {}
            TuiEvent::Mouse(mouse) => {
                let area = Rect::new(0, 0, self.size.columns, self.size.rows);
                match &mut self.menu {
                    Some(open) if mouse.kind == MouseKind::Press => {
                        let at = Position::new(mouse.column, mouse.row);
                        let outcome = open.menu.click(area, at);
                        self.menu_outcome(outcome);
                    }
                    Some(_) => {}
                    None => self.on_top(|screen, cx| screen.mouse(mouse, cx)),
                }
            }
            TuiEvent::Paste(text) => match &mut self.menu {
                Some(open) => open.menu.paste(&text),
                None => self.on_top(|screen, cx| screen.paste(&text, cx)),
            },
            TuiEvent::Resize(size) => {
                self.size = size;
                self.on_all(|screen, cx| screen.resized(cx));
            }
            TuiEvent::Tick => self.on_all(|screen, cx| screen.tick(cx)),
            TuiEvent::Answer(answer) => self.answer(answer),
            TuiEvent::News(news) => {
                self.on_all(|screen, cx| screen.news(&news, cx));
                self.refresh_board();
            }
            TuiEvent::RunsChanged => self.refresh_board(),
            TuiEvent::Returned => self.effects.push(TuiEffect::Redraw),
            TuiEvent::Signal(ProgramSignal::End) => self.leave(TuiOutcome::Left),
            TuiEvent::Signal(ProgramSignal::Suspend) => self.suspend(),
        }
        self.run_deferred();
        std::mem::take(&mut self.effects)
    }

    /// Paints the screen on top, the last row, and the menu.
    pub(crate) fn view(&self, canvas: &mut Canvas<'_>) {
        let area = canvas.area();
        canvas.set_background(self.background);
        if self.is_too_small() {
            let words = format!(
                "unspool needs {} columns and {} rows",
                ScreenSize::SMALLEST.columns,
                ScreenSize::SMALLEST.rows
            );
            let words = Line::of(words, Role::Plain);
            canvas.lines(area, &wrap(&words, usize::from(area.width.max(1))));
            return;
        }
        if let Some((_, screen)) = self.stack.last() {
            screen.view(canvas, &self.view_context());
        }
        self.view_footer(canvas);
        if let Some(open) = &self.menu {
            open.menu.view(canvas, area);
        }
    }

    /// Tells whether only the message about the small screen is painted.
    fn is_too_small(&self) -> bool {
        self.size.is_too_small()
    }

    fn view_context(&self) -> ViewContext<'_> {
        ViewContext { now: self.now, size: self.size, settings: &self.settings, board: &self.board }
    }

    fn key(&mut self, press: KeyPress) {
        self.said = None;
        let is_hidden = self.is_too_small();
        if self.ahead.enqueue(press) {
            return;
        }
        if self.menu.is_some()
            && let Some(action) = everywhere(press)
        {
            self.menu = None;
            self.act_everywhere(action);
            return;
        }
        if let Some(open) = self.menu.as_mut().filter(|_| !is_hidden) {
            let outcome = open.menu.press(press);
            self.menu_outcome(outcome);
            return;
        }
        let Some((_, screen)) = self.stack.last() else {
            return;
        };
        let mode = screen.input_mode();
        match self.matcher.meaning(press, mode.context, mode.letters) {
            // A screen that is too small is not painted, and so takes no input but the key that quits.
            meaning if is_hidden && meaning != PressMeaning::Action(KeyAction::Quit) => {}
            PressMeaning::Action(action) if self.defers(action) => self.ahead.defer(action),
            PressMeaning::Action(action) => self.act(action),
            PressMeaning::Press(press) => {
                self.on_top(|screen, cx| screen.press(press, cx));
            }
            PressMeaning::Pending | PressMeaning::Nothing => {}
        }
    }

    fn act(&mut self, action: KeyAction) {
        let mut handled = Handled::No;
        self.on_top(|screen, cx| handled = screen.act(action, cx));
        if handled == Handled::No {
            self.act_everywhere(action);
        }
    }

    fn menu_outcome(&mut self, outcome: MenuOutcome) {
        match outcome {
            MenuOutcome::Open => return,
            MenuOutcome::Informed => return self.say("this key is for another screen"),
            MenuOutcome::Closed | MenuOutcome::Chosen(_) => {}
        }
        let Some(open) = self.menu.take() else {
            return;
        };
        match outcome {
            MenuOutcome::Chosen(MenuChoice::Action(action)) => self.act(action),
            MenuOutcome::Chosen(MenuChoice::Program(choice)) => self.chosen(choice),
            MenuOutcome::Chosen(MenuChoice::Item(item)) => {
                self.on(open.owner, |screen, cx| {
                    screen.chosen(open.menu.name, item, cx);
                });
            }
            MenuOutcome::Chosen(MenuChoice::Typed(text)) => {
                self.on(open.owner, |screen, cx| {
                    screen.menu_text(open.menu.name, &text, cx);
                });
            }
            MenuOutcome::Chosen(MenuChoice::Nothing)
            | MenuOutcome::Open
            | MenuOutcome::Informed
            | MenuOutcome::Closed => {}
        }
    }

    fn answer(&mut self, answer: WorkAnswer) {
        let owner = answer.screen;
        if self.stack.iter().any(|(number, _)| *number == owner) {
            self.on(owner, |screen, cx| screen.answer(answer, cx));
            return;
        }
        let is_own = owner == ScreenNumber::PROGRAM;
        match answer.reply {
            // The user learns what became of a prompt even if its screen was left meanwhile.
            WorkReply::Live(LiveReply::Prompt(outcome)) => self.prompted(outcome),
            _ if !is_own => {}
            WorkReply::Act(reply) => self.acted(reply),
            WorkReply::Live(LiveReply::Board(board)) => {
                if self.board_ticket == Some(answer.ticket) {
                    self.board_ticket = None;
                }
                self.board = *board;
                self.on_all(|screen, cx| screen.board_changed(cx));
            }
            WorkReply::Live(LiveReply::Answered(Err(words))) => self.said = Some(words),
            WorkReply::Live(LiveReply::Answered(Ok(words))) => {
                self.said = Some(words);
                self.refresh_board();
            }
            WorkReply::Live(_) | WorkReply::Picker(_) | WorkReply::Reader(_) => {}
        }
    }

    /// Reports the outcome of a prompt whose screen was left.
    fn prompted(&mut self, outcome: PromptOutcome) {
        self.said = Some(match outcome {
            PromptOutcome::Sent(words) => {
                self.refresh_board();
                words
            }
            PromptOutcome::Held(missed) => format!(
                "the prompt was not sent: {} came since; it is kept as a draft",
                human::plural(missed.count, "message")
            ),
            PromptOutcome::Planned(_) => {
                "nothing was started; the prompt is kept as a draft".to_owned()
            }
            PromptOutcome::Failed(words) => format!("{words}; the prompt is kept as a draft"),
        });
    }

    /// Asks for the state of the running sessions.
    fn refresh_board(&mut self) {
        let ticket = self.ask(WorkRequest::Live(LiveRequest::Board));
        self.board_ticket = Some(ticket);
    }

    fn ask(&mut self, request: WorkRequest) -> WorkTicket {
        self.tickets += 1;
        let ticket = WorkTicket(self.tickets);
        self.effects.push(TuiEffect::Ask(WorkQuestion {
            screen: ScreenNumber::PROGRAM,
            ticket,
            request,
        }));
        ticket
    }

    fn push(&mut self, screen: Box<dyn TuiScreen>) {
        self.on_top(|screen, cx| screen.covered(true, cx));
        self.numbers += 1;
        self.stack.push((ScreenNumber(self.numbers), screen));
        self.matcher.clear();
        self.on_top(|screen, cx| screen.open(cx));
    }

    pub(super) fn on_top(&mut self, tell: impl FnOnce(&mut dyn TuiScreen, &mut ScreenContext<'_>)) {
        if let Some((number, _)) = self.stack.last() {
            self.on(*number, tell);
        }
    }

    fn on_all(&mut self, mut tell: impl FnMut(&mut dyn TuiScreen, &mut ScreenContext<'_>)) {
        let numbers: Vec<ScreenNumber> = self.stack.iter().map(|(number, _)| *number).collect();
        for number in numbers {
            self.on(number, &mut tell);
        }
    }

    /// Calls a screen, then carries out its requests.
    fn on(
        &mut self,
        owner: ScreenNumber,
        tell: impl FnOnce(&mut dyn TuiScreen, &mut ScreenContext<'_>),
    ) {
        let Some((_, screen)) = self.stack.iter_mut().find(|(number, _)| *number == owner) else {
            return;
        };
        let mut commands = Vec::new();
        let mut cx = ScreenContext {
            now: self.now,
            size: self.size,
            settings: &self.settings,
            board: &self.board,
            screen: owner,
            tickets: &mut self.tickets,
            commands: &mut commands,
        };
        tell(screen.as_mut(), &mut cx);
        for command in commands {
            self.carry_out(command, owner);
        }
    }

    fn carry_out(&mut self, command: ScreenCommand, owner: ScreenNumber) {
        match command {
            ScreenCommand::Effect(effect) => self.effects.push(effect),
            ScreenCommand::Open(request) => self.open(request),
            ScreenCommand::Back => self.back(),
            ScreenCommand::Menu(menu) => self.menu = Some(OpenMenu { menu, owner }),
            ScreenCommand::Actions => self.open_menu(self.actions_menu()),
            ScreenCommand::Say(words) => self.said = Some(words),
            ScreenCommand::RefreshBoard => self.refresh_board(),
        }
    }

    fn open(&mut self, request: ScreenRequest) {
        let screen: Box<dyn TuiScreen> = match request {
            ScreenRequest::Session { place, at, find } => {
                Box::new(ReaderScreen::new(place, at, find))
            }
            ScreenRequest::Files(place) => Box::new(ReaderScreen::with_files(place)),
            ScreenRequest::Follow(place) => Box::new(ReaderScreen::following(place)),
            ScreenRequest::Live => Box::new(LiveScreen::new()),
            ScreenRequest::Ask(session) => Box::new(AskScreen::new(session)),
            ScreenRequest::Prompt(session) => Box::new(PromptScreen::new(session)),
            ScreenRequest::Begin(subject) => Box::new(PromptScreen::beginning(subject)),
            ScreenRequest::NextRun(session, run, kind) => {
                Box::new(PromptScreen::of_next_run(session, run, kind))
            }
            ScreenRequest::New(near) => Box::new(PromptScreen::of_new_session(near)),
        };
        self.push(screen);
    }

    fn back(&mut self) {
        if self.stack.len() > 1 {
            self.on_top(|screen, cx| screen.before_leaving(cx));
            self.stack.pop();
            self.matcher.clear();
            self.on_top(|screen, cx| screen.covered(false, cx));
        } else {
            self.leave(TuiOutcome::Left);
        }
    }

    /// Ends the program.
    fn leave(&mut self, outcome: TuiOutcome) {
        self.on_all(|screen, cx| screen.before_leaving(cx));
        self.effects.push(TuiEffect::Leave(Box::new(outcome)));
    }

    /// Suspends the program.
    fn suspend(&mut self) {
        self.on_all(|screen, cx| screen.before_leaving(cx));
        self.effects.push(TuiEffect::Suspend);
    }

    /// Shows a message in the last row until the next key.
    pub(crate) fn say(&mut self, words: &str) {
        self.said = Some(words.to_owned());
    }

    /// Returns the session that actions apply to.
    pub(crate) fn subject(&self) -> Option<SessionSubject> {
        self.stack.last()?.1.subject()
    }

    /// Returns the number of open screens.
    #[cfg(test)]
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Tells whether the screen on top has content.
    pub(crate) fn has_content(&self) -> bool {
        let top = self.stack.last();
        top.is_some_and(|(_, screen)| screen.has_content())
    }

    /// Returns the runs that unspool drives, which the event loop follows.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &RunId> {
        self.board.runs().map(|run| &run.run.id)
    }

    /// Returns the sessions that screens show, whose folders the event loop watches.
    pub(crate) fn watched(&self) -> Vec<unspool_engine::library::WatchedSession> {
        let screens = self.stack.iter();
        screens.filter_map(|(_, screen)| screen.watched()).collect()
    }
}

/// Returns the action of a press that works over a menu too: quit, suspend, redraw.
fn everywhere(press: KeyPress) -> Option<KeyAction> {
    match press.key {
        KeyName::Char('c') if press.control => Some(KeyAction::Quit),
        KeyName::Char('z') if press.control => Some(KeyAction::Suspend),
        KeyName::Char('l') if press.control => Some(KeyAction::Redraw),
        _ => None,
    }
}
