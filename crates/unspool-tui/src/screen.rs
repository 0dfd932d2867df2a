//! The trait of screens: a screen is a state that takes events, asks workers, and paints itself.
//!
//! A screen is pure. It reads no clock, no file and no terminal: the [`ScreenContext`] brings the time and
//! the size, and collects the screen's requests. The program (`program`) owns the screens, maps key presses
//! to actions, paints the last row, and does what all screens have in common: help, menus, copying ids,
//! resuming, quitting.

use jiff::tz::TimeZone;
use unspool_drive::RunId;
use unspool_engine::library::{LibraryEvent, SessionPlace, WatchedSession};
use unspool_model::ids::{EntryId, SessionId};
use unspool_model::time::Time;
use unspool_render::keys::{KeyAction, KeyContext};

use crate::canvas::Canvas;
use crate::effect::TuiEffect;
use crate::event::{MouseInput, ScreenSize};
use crate::menu::Menu;
use crate::press::{KeyPress, LetterUse};
use crate::settings::{SessionSubject, TuiSettings};
use crate::work::live::{LiveBoard, NextRunKind};
use crate::work::{ActRequest, ScreenNumber, WorkAnswer, WorkQuestion, WorkRequest, WorkTicket};

/// Whether a screen handled an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handled {
    Yes,
    /// The program tries the actions that all screens share.
    No,
}

/// The key bindings that a screen uses at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InputMode {
    pub(crate) context: KeyContext,
    pub(crate) letters: LetterUse,
}

impl InputMode {
    /// The reader's keys, where letters are commands.
    pub(crate) const READER: Self =
        Self { context: KeyContext::Reader, letters: LetterUse::Commands };
}

/// One screen of the program.
pub(crate) trait TuiScreen {
    /// Asks workers for the first content.
    fn open(&mut self, cx: &mut ScreenContext<'_>);

    /// Tells whether the screen has content, so that the first frame need not wait.
    fn has_content(&self) -> bool;

    /// Returns the key bindings that apply at the moment.
    fn input_mode(&self) -> InputMode;

    /// Tells whether an action has to wait because its target is not on the screen yet. The program queues
    /// it and all later keys until the screen is ready.
    fn defers(&self, _action: KeyAction) -> bool {
        false
    }

    /// Runs the action that the table of keys maps a key to.
    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled;

    /// Takes a press without a binding here, such as text.
    fn press(&mut self, _press: KeyPress, _cx: &mut ScreenContext<'_>) {}

    /// Takes pasted text.
    fn paste(&mut self, _text: &str, _cx: &mut ScreenContext<'_>) {}

    /// Takes a mouse event.
    fn mouse(&mut self, _mouse: MouseInput, _cx: &mut ScreenContext<'_>) {}

    /// Takes the choice from a menu that this screen opened: the name of the menu, and the item's index.
    fn chosen(&mut self, _menu: &'static str, _item: usize, _cx: &mut ScreenContext<'_>) {}

    /// Takes the text typed in a menu that this screen opened and that accepts text.
    fn menu_text(&mut self, _menu: &'static str, _text: &str, _cx: &mut ScreenContext<'_>) {}

    /// Takes an answer of a worker.
    fn answer(&mut self, answer: WorkAnswer, cx: &mut ScreenContext<'_>);

    /// Takes changes of files, also while another screen is on top.
    fn news(&mut self, _news: &[LibraryEvent], _cx: &mut ScreenContext<'_>) {}

    /// Called when the state of running sessions changed ([`ScreenContext::board`]).
    fn board_changed(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Called at the time that the screen asked for with [`ScreenContext::wake_at`].
    fn tick(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Called when the terminal was resized.
    fn resized(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Called when another screen is opened on top of this one, and when that screen is closed.
    fn covered(&mut self, _is_covered: bool, _cx: &mut ScreenContext<'_>) {}

    /// Saves unsaved input: the screen is left, or the program ends or is suspended.
    fn before_leaving(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Paints the screen, except for the last row, which shows the hints.
    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>);

    /// Returns the session that actions apply to.
    fn subject(&self) -> Option<SessionSubject>;

    /// Returns the sessions that actions on several sessions apply to: the marked ones, or the current one.
    fn subjects(&self) -> Vec<SessionSubject> {
        self.subject().into_iter().collect()
    }

    /// Returns the session that is shown, so that its own folders are watched.
    fn watched(&self) -> Option<WatchedSession> {
        None
    }

    /// Returns the actions worth a hint at the moment, the most useful first.
    fn hints(&self) -> Vec<KeyAction> {
        Vec::new()
    }

    /// Returns keys with descriptions of their own, where the words of the table would be wrong; they
    /// replace the hints.
    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        None
    }
}

/// What a screen can read while it paints.
#[derive(Clone, Copy)]
pub(crate) struct ViewContext<'a> {
    pub(crate) now: Time,
    /// The size of the whole screen. The screen paints all rows but the last.
    pub(crate) size: ScreenSize,
    pub(crate) settings: &'a TuiSettings,
    pub(crate) board: &'a LiveBoard,
}

/// What a screen can read while it takes an event, and where it puts its requests.
pub(crate) struct ScreenContext<'a> {
    pub(crate) now: Time,
    /// The size of the whole screen, including the row of hints.
    pub(crate) size: ScreenSize,
    pub(crate) settings: &'a TuiSettings,
    /// The running sessions.
    pub(crate) board: &'a LiveBoard,
    pub(crate) screen: ScreenNumber,
    pub(crate) tickets: &'a mut u64,
    pub(crate) commands: &'a mut Vec<ScreenCommand>,
}

/// A request of a screen to the program.
#[derive(Debug)]
pub(crate) enum ScreenCommand {
    /// Carries out an effect outside of the program.
    Effect(TuiEffect),
    /// Opens another screen on top.
    Open(ScreenRequest),
    /// Returns to the screen below.
    Back,
    /// Opens a menu on top.
    Menu(Menu),
    /// Opens the menu of all actions.
    Actions,
    /// Shows a sentence in the last row, until the next key.
    Say(String),
    /// Reads the state of running sessions again.
    RefreshBoard,
}

/// A screen to open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ScreenRequest {
    /// The conversation of a session.
    Session {
        place: SessionPlace,
        /// The entry to start at; the end of the active path if `None`.
        at: Option<EntryId>,
        /// The words to search for in the conversation.
        find: Option<String>,
    },
    /// The files that a session changed, next to its conversation.
    Files(SessionPlace),
    /// The conversation of a session, following its end.
    Follow(SessionPlace),
    /// The running sessions.
    Live,
    /// The open question or approval of a driven session.
    Ask(SessionId),
    /// The input for a prompt to a driven session.
    Prompt(SessionId),
    /// The input for a prompt that continues a session that is not running.
    Begin(SessionSubject),
    /// The form that starts a new run of a session whose earlier run ended.
    NextRun(SessionId, RunId, NextRunKind),
    /// The input for a prompt that starts a new session, in the folder of the given session if there is
    /// one.
    New(Option<SessionSubject>),
}

impl ScreenContext<'_> {
    /// Asks a worker. The answer carries the returned ticket.
    pub(crate) fn ask(&mut self, request: WorkRequest) -> WorkTicket {
        *self.tickets += 1;
        let ticket = WorkTicket(*self.tickets);
        let question = WorkQuestion { screen: self.screen, ticket, request };
        self.effect(TuiEffect::Ask(question));
        ticket
    }

    /// Asks a worker for something whose result the program reports.
    pub(crate) fn ask_for_program(&mut self, request: WorkRequest) {
        *self.tickets += 1;
        let question = WorkQuestion {
            screen: ScreenNumber::PROGRAM,
            ticket: WorkTicket(*self.tickets),
            request,
        };
        self.effect(TuiEffect::Ask(question));
    }

    /// Starts an action whose result the program reports.
    pub(crate) fn do_for_program(&mut self, request: ActRequest) {
        self.ask_for_program(WorkRequest::Act(request));
    }

    /// Copies a text; the program reports it with these words: `copied the id`.
    pub(crate) fn copy(&mut self, text: impl Into<String>, what: impl Into<String>) {
        self.do_for_program(ActRequest::Copy { text: text.into(), what: what.into() });
    }

    pub(crate) fn effect(&mut self, effect: TuiEffect) {
        self.commands.push(ScreenCommand::Effect(effect));
    }

    pub(crate) fn open(&mut self, screen: ScreenRequest) {
        self.commands.push(ScreenCommand::Open(screen));
    }

    pub(crate) fn back(&mut self) {
        self.commands.push(ScreenCommand::Back);
    }

    pub(crate) fn menu(&mut self, menu: Menu) {
        self.commands.push(ScreenCommand::Menu(menu));
    }

    pub(crate) fn open_actions(&mut self) {
        self.commands.push(ScreenCommand::Actions);
    }

    pub(crate) fn say(&mut self, words: impl Into<String>) {
        self.commands.push(ScreenCommand::Say(words.into()));
    }

    /// Asks for the state of the running sessions.
    pub(crate) fn refresh_board(&mut self) {
        self.commands.push(ScreenCommand::RefreshBoard);
    }

    /// Asks for a call of [`TuiScreen::tick`] at a time.
    pub(crate) fn wake_at(&mut self, time: Time) {
        self.effect(TuiEffect::WakeAt(time));
    }

    /// Returns the context for painting.
    pub(crate) fn viewing(&self) -> ViewContext<'_> {
        ViewContext { now: self.now, size: self.size, settings: self.settings, board: self.board }
    }
}

/// Formats the time of day.
pub(crate) fn clock(time: Time, zone: &TimeZone) -> String {
    let Ok(instant) = jiff::Timestamp::from_millisecond(time.as_millis()) else {
        return String::new();
    };
    instant.to_zoned(zone.clone()).strftime("%H:%M").to_string()
}
