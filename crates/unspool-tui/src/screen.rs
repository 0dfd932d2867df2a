//! What a screen is: a state that takes events, asks workers, and paints itself.
//!
//! A screen is pure. It reads no clock, no file and no terminal: the time and the size come with the
//! [`ScreenContext`], and everything that it wants goes out through it. The program (`program`) owns the
//! screens, turns presses into actions by the one table of keys, paints the last row, and does what is the
//! same on every screen: help, menus, copying ids, resuming, quitting.

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

/// Whether a screen knew what to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handled {
    Yes,
    /// The program does what every screen has.
    No,
}

/// What keys are on a screen now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InputMode {
    pub(crate) context: KeyContext,
    pub(crate) letters: LetterUse,
}

impl InputMode {
    /// Letters are commands.
    pub(crate) const READER: Self =
        Self { context: KeyContext::Reader, letters: LetterUse::Commands };
}

/// A screen.
pub(crate) trait TuiScreen {
    /// Asks for what it shows first.
    fn open(&mut self, cx: &mut ScreenContext<'_>);

    /// Tells whether it has something to show, so that the first frame need not wait.
    fn has_content(&self) -> bool;

    /// Says what keys are now.
    fn input_mode(&self) -> InputMode;

    /// Tells whether an action has to wait, because what it is about is not on the screen yet. The program
    /// keeps it and what is typed after it until the screen is ready.
    fn defers(&self, _action: KeyAction) -> bool {
        false
    }

    /// Does what a key means by the table.
    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled;

    /// Takes a press that the table does not have here, such as text.
    fn press(&mut self, _press: KeyPress, _cx: &mut ScreenContext<'_>) {}

    /// Takes pasted text.
    fn paste(&mut self, _text: &str, _cx: &mut ScreenContext<'_>) {}

    /// Takes the mouse.
    fn mouse(&mut self, _mouse: MouseInput, _cx: &mut ScreenContext<'_>) {}

    /// Takes the choice from a menu that it opened: the name of the menu, and the item's number.
    fn chosen(&mut self, _menu: &'static str, _item: usize, _cx: &mut ScreenContext<'_>) {}

    /// Takes what was typed in a menu that it opened and that takes text.
    fn menu_text(&mut self, _menu: &'static str, _text: &str, _cx: &mut ScreenContext<'_>) {}

    /// Takes an answer of a worker.
    fn answer(&mut self, answer: WorkAnswer, cx: &mut ScreenContext<'_>);

    /// Hears that files changed, also while another screen is on top.
    fn news(&mut self, _news: &[LibraryEvent], _cx: &mut ScreenContext<'_>) {}

    /// Hears that the sessions that run do something else ([`ScreenContext::board`]).
    fn board_changed(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Hears that the time has come that it asked to be woken at.
    fn tick(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Hears that the size is another one.
    fn resized(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Hears that another screen is on top of it, or that it is seen again.
    fn covered(&mut self, _is_covered: bool, _cx: &mut ScreenContext<'_>) {}

    /// Keeps what must not be lost: the screen is left, or the program ends or sleeps.
    fn before_leaving(&mut self, _cx: &mut ScreenContext<'_>) {}

    /// Paints itself, without the last row of the screen, which has the hints.
    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>);

    /// Returns the session that actions are about.
    fn subject(&self) -> Option<SessionSubject>;

    /// Returns the sessions that several actions are about: those that are marked, else the one.
    fn subjects(&self) -> Vec<SessionSubject> {
        self.subject().into_iter().collect()
    }

    /// Returns the session that is looked at, so that its own folders are watched.
    fn watched(&self) -> Option<WatchedSession> {
        None
    }

    /// Returns the actions whose keys are worth a hint now, the most useful first.
    fn hints(&self) -> Vec<KeyAction> {
        Vec::new()
    }

    /// Returns keys and what they do where the words of the table would be wrong; it takes the place of
    /// the hints.
    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        None
    }
}

/// What a screen knows while it paints.
#[derive(Clone, Copy)]
pub(crate) struct ViewContext<'a> {
    pub(crate) now: Time,
    /// The size of the whole screen. The screen paints all but the last row.
    pub(crate) size: ScreenSize,
    pub(crate) settings: &'a TuiSettings,
    pub(crate) board: &'a LiveBoard,
}

/// What a screen knows while it takes an event, and the way out for what it wants.
pub(crate) struct ScreenContext<'a> {
    pub(crate) now: Time,
    /// The size of the whole screen, with the row of hints.
    pub(crate) size: ScreenSize,
    pub(crate) settings: &'a TuiSettings,
    /// The sessions that run.
    pub(crate) board: &'a LiveBoard,
    pub(crate) screen: ScreenNumber,
    pub(crate) tickets: &'a mut u64,
    pub(crate) wishes: &'a mut Vec<ScreenWish>,
}

/// What a screen wants.
#[derive(Debug)]
pub(crate) enum ScreenWish {
    /// An effect outside of the program.
    Effect(TuiEffect),
    /// Another screen on top.
    Open(ScreenRequest),
    /// The screen below.
    Back,
    /// A menu on top.
    Menu(Menu),
    /// The menu of all actions.
    Actions,
    /// A sentence in the last row, until the next key.
    Say(String),
    /// A new look at the sessions that run.
    Look,
}

/// The screen that is to be opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ScreenRequest {
    /// The conversation of a session.
    Session {
        place: SessionPlace,
        /// The entry to begin at; the end of the active path if none.
        at: Option<EntryId>,
        /// What is looked for in it.
        find: Option<String>,
    },
    /// The files that a session changed, next to its conversation.
    Files(SessionPlace),
    /// The conversation of a session, whose end is followed.
    Follow(SessionPlace),
    /// The sessions that run.
    Live,
    /// What a driven session waits for.
    Ask(SessionId),
    /// A prompt for a driven session.
    Prompt(SessionId),
    /// A prompt that a session that does not run goes on with.
    Begin(SessionSubject),
    /// How a run of a session would be started that goes on where another one ended.
    NextRun(SessionId, RunId, NextRunKind),
    /// A prompt that begins a new session, in the folder of another one if one is named.
    New(Option<SessionSubject>),
}

impl ScreenContext<'_> {
    /// Asks a worker. The answer comes with the ticket.
    pub(crate) fn ask(&mut self, request: WorkRequest) -> WorkTicket {
        *self.tickets += 1;
        let ticket = WorkTicket(*self.tickets);
        let question = WorkQuestion { screen: self.screen, ticket, request };
        self.effect(TuiEffect::Ask(question));
        ticket
    }

    /// Asks a worker for something; the program says what came of it.
    pub(crate) fn ask_for_program(&mut self, request: WorkRequest) {
        *self.tickets += 1;
        let question = WorkQuestion {
            screen: ScreenNumber::PROGRAM,
            ticket: WorkTicket(*self.tickets),
            request,
        };
        self.effect(TuiEffect::Ask(question));
    }

    /// Asks for something to be done; the program says what came of it.
    pub(crate) fn do_for_program(&mut self, request: ActRequest) {
        self.ask_for_program(WorkRequest::Act(request));
    }

    /// Copies a text; the program says so with these words: `copied the id`.
    pub(crate) fn copy(&mut self, text: impl Into<String>, what: impl Into<String>) {
        self.do_for_program(ActRequest::Copy { text: text.into(), what: what.into() });
    }

    pub(crate) fn effect(&mut self, effect: TuiEffect) {
        self.wishes.push(ScreenWish::Effect(effect));
    }

    pub(crate) fn open(&mut self, screen: ScreenRequest) {
        self.wishes.push(ScreenWish::Open(screen));
    }

    pub(crate) fn back(&mut self) {
        self.wishes.push(ScreenWish::Back);
    }

    pub(crate) fn menu(&mut self, menu: Menu) {
        self.wishes.push(ScreenWish::Menu(menu));
    }

    pub(crate) fn open_actions(&mut self) {
        self.wishes.push(ScreenWish::Actions);
    }

    pub(crate) fn say(&mut self, words: impl Into<String>) {
        self.wishes.push(ScreenWish::Say(words.into()));
    }

    /// Asks what the sessions that run are doing now.
    pub(crate) fn look_at_board(&mut self) {
        self.wishes.push(ScreenWish::Look);
    }

    /// Asks to be woken at a time: [`TuiScreen::tick`].
    pub(crate) fn wake_at(&mut self, time: Time) {
        self.effect(TuiEffect::WakeAt(time));
    }

    /// Returns what the screen knows while it paints.
    pub(crate) fn viewing(&self) -> ViewContext<'_> {
        ViewContext { now: self.now, size: self.size, settings: self.settings, board: self.board }
    }
}

/// Returns a time of the day.
pub(crate) fn clock(time: Time, zone: &TimeZone) -> String {
    let Ok(instant) = jiff::Timestamp::from_millisecond(time.as_millis()) else {
        return String::new();
    };
    instant.to_zoned(zone.clone()).strftime("%H:%M").to_string()
}
