//! Actions that work on every screen.

use unspool_render::keys::KeyAction;
use unspool_text::human;

use super::{OpenMenu, TuiProgram, menus};
use crate::effect::TuiEffect;
use crate::menu::{Menu, ProgramChoice};
use crate::screen::ScreenRequest;
use crate::settings::{
    ExportKind, PickerUse, ResumeWay, SessionSubject, StartScreen, TerminalKind, TuiOutcome,
};
use crate::theme::{ColorDepth, TerminalBackground};
use crate::work::{ActReply, ActRequest, ResumeUse, ScreenNumber, WorkRequest};

/// The largest text that is sent to the terminal's clipboard. Some terminals drop longer ones whole.
const MOST_COPIED: usize = 74 * 1024;

impl TuiProgram {
    /// Runs an action that the screen on top did not handle.
    pub(super) fn act_everywhere(&mut self, action: KeyAction) {
        match action {
            KeyAction::Quit => self.leave(TuiOutcome::Interrupted),
            KeyAction::Suspend => self.suspend(),
            KeyAction::Redraw => self.effects.push(TuiEffect::Redraw),
            KeyAction::Help => self.open_menu(self.help()),
            KeyAction::ActionMenu => self.open_menu(self.actions_menu()),
            KeyAction::CopyMenu => self.open_menu(menus::copy_menu()),
            KeyAction::GoLive => self.open(ScreenRequest::Live),
            KeyAction::GoHome => self.go_home(),
            KeyAction::NextWaiting => self.next_waiting(),
            KeyAction::Answer | KeyAction::Prompt => self.drive_session(action),
            KeyAction::NewSession => self.new_session(),
            KeyAction::Mouse => self.switch_mouse(),
            KeyAction::Theme => self.switch_background(),
            KeyAction::Back | KeyAction::Close => self.back(),
            _ => self.act_on_session(action),
        }
    }

    fn act_on_session(&mut self, action: KeyAction) {
        let Some(subject) = self.subject() else {
            self.said = Some("no session is chosen".to_owned());
            return;
        };
        let copy = |text: String, what: &str| ActRequest::Copy { text, what: what.to_owned() };
        let request = match action {
            KeyAction::Resume if !self.may_become_client() => {
                return self.say("this picker only chooses; `unspool resume` resumes a session");
            }
            KeyAction::Resume => resume(subject, ResumeWay::default(), ResumeUse::Run),
            KeyAction::CopyResume => resume(subject, ResumeWay::default(), ResumeUse::Copy),
            KeyAction::CopyId => copy(subject.place.session.as_str().to_owned(), "the id"),
            KeyAction::CopyLogPath => {
                copy(subject.file.display().to_string(), "the path of the log")
            }
            KeyAction::CopyLink => ActRequest::Link(subject),
            KeyAction::Browse => ActRequest::Browse(subject),
            _ => return,
        };
        self.ask(WorkRequest::Act(request));
    }

    /// Carries out a choice from a menu.
    pub(super) fn chosen(&mut self, choice: ProgramChoice) {
        match choice {
            ProgramChoice::Replace(command) => self.leave(TuiOutcome::Replaced(*command)),
            ProgramChoice::HandOver(command) => self.effects.push(TuiEffect::HandOver(*command)),
            ProgramChoice::Copy { text, what } => self.copy(text, what),
            ProgramChoice::Resume(way) => {
                if let Some(subject) = self.subject() {
                    let request = resume(subject, way, ResumeUse::Run);
                    self.ask(WorkRequest::Act(request));
                }
            }
            ProgramChoice::Export(kind) => self.export(kind),
            ProgramChoice::Files => {
                if let Some(subject) = self.subject() {
                    self.open(ScreenRequest::Files(subject.place));
                }
            }
            ProgramChoice::SwitchMouse => self.switch_mouse(),
            ProgramChoice::Close => {}
        }
    }

    /// Tells whether the client may take the place of the program: not while a script or a prompt waits for
    /// a choice.
    pub(super) fn may_become_client(&self) -> bool {
        !matches!(
            self.settings.start,
            StartScreen::Picker(PickerUse::Choose { .. } | PickerUse::Insert)
        )
    }

    fn copy(&mut self, text: String, what: &str) {
        let what = what.to_owned();
        self.ask(WorkRequest::Act(ActRequest::Copy { text, what }));
    }

    fn switch_mouse(&mut self) {
        self.takes_mouse = !self.takes_mouse;
        self.effects.push(TuiEffect::TakeMouse(self.takes_mouse));
        let words = if self.takes_mouse {
            "the mouse is unspool's"
        } else {
            "the mouse is the terminal's: select text as usual"
        };
        self.say(words);
    }

    /// Switches between the colours for a dark and for a light background.
    fn switch_background(&mut self) {
        if self.settings.depth != ColorDepth::True {
            return self.say("the colours are the terminal's own: light or dark is set there");
        }
        let (background, words) = match self.background {
            Some(TerminalBackground::Dark) => (TerminalBackground::Light, "a light background"),
            Some(TerminalBackground::Light) | None => {
                (TerminalBackground::Dark, "a dark background")
            }
        };
        self.background = Some(background);
        self.say(&format!("colours for {words}"));
    }

    /// Opens the answer or the prompt of the current session if unspool drives it. A prompt to a session
    /// that is not running continues it.
    fn drive_session(&mut self, action: KeyAction) {
        let Some(subject) = self.subject() else {
            return self.say("no session is chosen");
        };
        let session = subject.place.session.clone();
        let card = self.board.card(&session);
        let run = card.and_then(|card| card.run.as_deref());
        let has_asked = card.is_some_and(|card| card.approvals().next().is_some());
        let words = match (run, action) {
            (Some(run), _) if run.run.state.is_over() => {
                "its run was interrupted: `gl` and `X` say what can be done"
            }
            (Some(_), KeyAction::Prompt) => {
                return self.open(ScreenRequest::Prompt(session));
            }
            (Some(_), _) if has_asked => return self.open(ScreenRequest::Ask(session)),
            (Some(_), _) => "it waits for nothing",
            (None, _) => match (&self.settings.drive, card) {
                (Ok(_), Some(_)) => "it runs in a terminal of its own: answer it there",
                (Err(why), Some(_)) => {
                    let words = "it runs in a terminal of its own: answer it there";
                    return self.say(&format!("{words} (unspool cannot drive: {why})"));
                }
                (Err(why), None) => {
                    return self.say(&format!("unspool cannot drive: {why}"));
                }
                (Ok(_), None) if action == KeyAction::Prompt => {
                    return self.open(ScreenRequest::Begin(subject));
                }
                (Ok(_), None) => "it does not run; `i` goes on with it",
            },
        };
        self.say(words);
    }

    /// Opens the prompt of a new session, in the folder of the current one.
    fn new_session(&mut self) {
        if !self.may_become_client() {
            return self.say("this picker only chooses; `unspool drive start` starts a session");
        }
        if let Err(why) = &self.settings.drive {
            return self.say(&format!("unspool cannot drive: {why}"));
        }
        self.open(ScreenRequest::New(self.subject()));
    }

    fn export(&mut self, kind: ExportKind) {
        let sessions = self.stack.last().map(|(_, screen)| screen.subjects());
        let sessions = sessions.unwrap_or_default();
        if sessions.is_empty() {
            self.said = Some("no session is chosen".to_owned());
            return;
        }
        self.said = Some("exporting …".to_owned());
        self.ask(WorkRequest::Act(ActRequest::Export { sessions, kind }));
    }

    /// Takes the result of an action.
    pub(super) fn acted(&mut self, reply: ActReply) {
        match reply {
            ActReply::Message(words) => self.said = Some(words),
            ActReply::Edit(command) => self.effects.push(TuiEffect::HandOver(command)),
            ActReply::Link(text) => self.copy(text, "the link"),
            ActReply::NoPage(refusal) => match menus::no_page(refusal) {
                Ok(menu) => self.open_menu(menu),
                Err(words) => self.said = Some(words),
            },
            ActReply::CopyToTerminal { text, what } if text.len() <= MOST_COPIED => {
                let size = human::bytes(text.len() as u64);
                let tmux = match self.settings.terminal {
                    TerminalKind::Tmux => "; tmux passes it on with `set -g set-clipboard on`",
                    TerminalKind::Plain => "",
                };
                self.said =
                    Some(format!("copied {what} ({size}) to the terminal's clipboard{tmux}"));
                self.effects.push(TuiEffect::CopyToTerminal(text));
            }
            ActReply::CopyToTerminal { .. } => {
                self.said = Some("too long for the terminal's clipboard".to_owned());
            }
            ActReply::Resume { offer, then: ResumeUse::Copy, .. } => {
                self.copy(offer.line, menus::RESUME_COMMAND);
            }
            ActReply::Resume { offer, way, .. } => self.open_menu(menus::offered(*offer, &way)),
            ActReply::NotResumed(refusal) => self.open_menu(menus::refused(refusal)),
        }
    }

    pub(super) fn open_menu(&mut self, menu: Menu) {
        self.menu = Some(OpenMenu { menu, owner: ScreenNumber::PROGRAM });
    }

    /// Returns to the first screen.
    fn go_home(&mut self) {
        if self.stack.len() == 1 {
            self.back();
        }
        self.on_all(|screen, cx| screen.before_leaving(cx));
        self.stack.truncate(1);
        self.matcher.clear();
        self.on_top(|screen, cx| screen.covered(false, cx));
    }

    /// Opens the waiting session after the current one, or the one that waits longest.
    fn next_waiting(&mut self) {
        let seen = self.subject().map(|subject| subject.place.session);
        let waiting: Vec<_> = self.board.waiting().collect();
        let after = waiting.iter().position(|place| Some(&place.session) == seen.as_ref());
        let next = after.map_or(0, |at| (at + 1) % waiting.len());
        match waiting.get(next) {
            Some(place) if Some(&place.session) != seen.as_ref() => {
                let request = ScreenRequest::Session { place: place.clone(), at: None, find: None };
                self.open(request);
            }
            Some(_) => self.said = Some("no other session waits".to_owned()),
            None => self.said = Some("no session waits".to_owned()),
        }
    }
}

fn resume(session: SessionSubject, way: ResumeWay, then: ResumeUse) -> ActRequest {
    ActRequest::Resume { session, way, then }
}
