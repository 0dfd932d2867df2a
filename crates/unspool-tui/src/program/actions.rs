//! What keys do on every screen.

use unspool_render::keys::{KeyAction, KeySection};

use super::{OpenMenu, TuiProgram};
use crate::effect::TuiEffect;
use crate::menu::{Menu, MenuChoice, MenuItem};
use crate::screen::ScreenRequest;
use crate::settings::{
    ExportKind, ResumeOffer, ResumeRefusal, ResumeWay, SessionSubject, TuiOutcome,
};
use crate::theme::{ColorDepth, TerminalBackground};
use crate::work::{ActReply, ActRequest, ResumeUse, ScreenNumber, WorkRequest};

/// The most bytes that are sent to the terminal's clipboard. Some terminals drop longer ones whole.
const MOST_COPIED: usize = 74 * 1024;

/// The ways to export, as the menu numbers them.
const EXPORTS: [(ExportKind, &str); 4] = [
    (ExportKind::Markdown, "export as Markdown"),
    (ExportKind::Html, "export as a page"),
    (ExportKind::Text, "export as plain text"),
    (ExportKind::Json, "export as JSON"),
];

/// The item of the action menu that forks.
const FORK: usize = 100;
/// The item of a menu that closes it.
const LEAVE: usize = 102;
/// The item that switches the mouse.
const MOUSE: usize = 101;

impl TuiProgram {
    /// Does what a key means if the screen does not know it better.
    pub(super) fn act_everywhere(&mut self, action: KeyAction, effects: &mut Vec<TuiEffect>) {
        match action {
            KeyAction::Quit => self.leave(TuiOutcome::Interrupted, effects),
            KeyAction::Suspend => self.suspend(effects),
            KeyAction::Redraw => effects.push(TuiEffect::Redraw),
            KeyAction::Help => self.open_menu(self.help()),
            KeyAction::ActionMenu => self.open_menu(self.actions_menu()),
            KeyAction::CopyMenu => self.open_menu(copy_menu()),
            KeyAction::GoLive => self.open(ScreenRequest::Live, effects),
            KeyAction::GoHome => self.go_home(effects),
            KeyAction::NextWaiting => self.next_waiting(effects),
            KeyAction::Answer | KeyAction::Prompt => self.drive_session(action, effects),
            KeyAction::Mouse => self.switch_mouse(effects),
            KeyAction::Theme => self.switch_background(),
            KeyAction::Back | KeyAction::Close => self.back(effects),
            _ => self.act_on_session(action, effects),
        }
    }

    fn act_on_session(&mut self, action: KeyAction, effects: &mut Vec<TuiEffect>) {
        let subject = self.stack.last().and_then(|(_, screen)| screen.subject());
        let Some(subject) = subject else {
            self.said = Some("no session is chosen".to_owned());
            return;
        };
        let copy = |text: String, what: &str| ActRequest::Copy {
            text,
            what: what.to_owned(),
        };
        let request = match action {
            KeyAction::Resume => resume(subject, ResumeWay::Same, ResumeUse::Run),
            KeyAction::CopyResume => resume(subject, ResumeWay::Same, ResumeUse::Copy),
            KeyAction::CopyId => copy(subject.place.session.as_str().to_owned(), "the id"),
            KeyAction::CopyLogPath => {
                copy(subject.file.display().to_string(), "the path of the log")
            }
            KeyAction::CopyLink => ActRequest::Link(subject),
            KeyAction::Browse => ActRequest::Browse(subject),
            KeyAction::Edit => match self.stack.last().and_then(|(_, it)| it.editable()) {
                Some((text, line)) => ActRequest::Edit { text, line },
                None => return,
            },
            _ => return,
        };
        self.ask(WorkRequest::Act(request), effects);
    }

    /// Does what was chosen from a menu of the program.
    pub(super) fn chosen(&mut self, menu: &'static str, item: usize, effects: &mut Vec<TuiEffect>) {
        match (menu, item) {
            ("resume", 0) => {
                if let Some(offer) = self.offer.take() {
                    self.leave(TuiOutcome::Replaced(offer.command), effects);
                }
            }
            ("resume", 1) => {
                if let Some(offer) = self.offer.take() {
                    let what = "the command that resumes the session".to_owned();
                    let text = offer.line;
                    self.ask(WorkRequest::Act(ActRequest::Copy { text, what }), effects);
                }
            }
            ("resume" | "actions", FORK) => {
                let subject = self.stack.last().and_then(|(_, screen)| screen.subject());
                if let Some(subject) = subject {
                    let request = resume(subject, ResumeWay::Fork, ResumeUse::Run);
                    self.ask(WorkRequest::Act(request), effects);
                }
            }
            ("actions", MOUSE) => self.switch_mouse(effects),
            ("actions", number) => self.export(number, effects),
            _ => {}
        }
    }

    fn switch_mouse(&mut self, effects: &mut Vec<TuiEffect>) {
        self.takes_mouse = !self.takes_mouse;
        effects.push(TuiEffect::TakeMouse(self.takes_mouse));
        let words = if self.takes_mouse {
            "the mouse is unspool's"
        } else {
            "the mouse is the terminal's: select text as usual"
        };
        self.say(words);
    }

    /// Changes between colours for a dark and for a light background.
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

    /// Answers or prompts the session that is looked at, if unspool drives it; a prompt goes on with one that
    /// does not run.
    fn drive_session(&mut self, action: KeyAction, effects: &mut Vec<TuiEffect>) {
        let subject = self.stack.last().and_then(|(_, screen)| screen.subject());
        let Some(subject) = subject else {
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
                return self.open(ScreenRequest::Prompt(session), effects);
            }
            (Some(_), _) if has_asked => return self.open(ScreenRequest::Ask(session), effects),
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
                    return self.open(ScreenRequest::Begin(subject), effects);
                }
                (Ok(_), None) => "it does not run; `i` goes on with it",
            },
        };
        self.say(words);
    }

    fn export(&mut self, number: usize, effects: &mut Vec<TuiEffect>) {
        let Some((kind, _)) = EXPORTS.get(number) else {
            return;
        };
        let sessions = self.stack.last().map(|(_, screen)| screen.subjects());
        let sessions = sessions.unwrap_or_default();
        if sessions.is_empty() {
            self.said = Some("no session is chosen".to_owned());
            return;
        }
        self.said = Some("exporting …".to_owned());
        let kind = *kind;
        self.ask(
            WorkRequest::Act(ActRequest::Export { sessions, kind }),
            effects,
        );
    }

    /// Takes what came of something that was done.
    pub(super) fn acted(&mut self, reply: ActReply, effects: &mut Vec<TuiEffect>) {
        match reply {
            ActReply::Done(words) | ActReply::Failed(words) => self.said = Some(words),
            ActReply::Edit(command) => effects.push(TuiEffect::HandOver(command)),
            ActReply::Link(text) => {
                let what = "the link".to_owned();
                self.ask(WorkRequest::Act(ActRequest::Copy { text, what }), effects);
            }
            ActReply::CopyToTerminal { text, what } if text.len() <= MOST_COPIED => {
                self.said = Some(format!("copied {what} to the terminal's clipboard"));
                effects.push(TuiEffect::CopyToTerminal(text));
            }
            ActReply::CopyToTerminal { .. } => {
                self.said = Some("too long for the terminal's clipboard".to_owned());
            }
            ActReply::Resume {
                offer,
                then: ResumeUse::Copy,
                ..
            } => {
                let what = "the command that resumes the session".to_owned();
                let text = offer.line;
                self.ask(WorkRequest::Act(ActRequest::Copy { text, what }), effects);
            }
            ActReply::Resume { offer, way, .. } => self.offer_to_resume(*offer, way),
            ActReply::NotResumed(refusal) => self.open_menu(refused(refusal)),
        }
    }

    /// Shows the command that resumes a session, and asks what becomes of it.
    fn offer_to_resume(&mut self, offer: ResumeOffer, way: ResumeWay) {
        let mut items = vec![
            MenuItem::numbered(0, "run it").with_note("unspool ends"),
            MenuItem::numbered(1, "copy the command"),
        ];
        if way == ResumeWay::Same {
            items.push(MenuItem::numbered(FORK, "resume in a copy instead"));
        }
        let said = [offer.line.clone()].into_iter();
        let menu = Menu::new("resume", "Resume", items)
            .with_remarks(said.chain(offer.remarks.clone()))
            .with_numbers();
        self.offer = Some(offer);
        self.open_menu(menu);
    }

    pub(super) fn open_menu(&mut self, menu: Menu) {
        self.menu = Some(OpenMenu {
            menu,
            owner: ScreenNumber::PROGRAM,
        });
    }

    /// Goes back to the first screen.
    fn go_home(&mut self, effects: &mut Vec<TuiEffect>) {
        if self.stack.len() == 1 {
            self.back(effects);
        }
        self.on_all(effects, |screen, cx| screen.before_leaving(cx));
        self.stack.truncate(1);
        self.matcher.clear();
        self.on_top(effects, |screen, cx| screen.covered(false, cx));
    }

    /// Opens the session that has waited longest, but for the one that is seen.
    fn next_waiting(&mut self, effects: &mut Vec<TuiEffect>) {
        let seen = self.stack.last().and_then(|(_, screen)| screen.subject());
        let seen = seen.map(|subject| subject.place.session);
        let waiting: Vec<_> = self.board.waiting().collect();
        let after = waiting
            .iter()
            .position(|place| Some(&place.session) == seen.as_ref());
        let next = after.map_or(0, |at| (at + 1) % waiting.len());
        match waiting.get(next) {
            Some(place) if Some(&place.session) != seen.as_ref() => {
                let request = ScreenRequest::Session {
                    place: place.clone(),
                    at: None,
                    find: None,
                };
                self.open(request, effects);
            }
            Some(_) => self.said = Some("no other session waits".to_owned()),
            None => self.said = Some("no session waits".to_owned()),
        }
    }

    pub(super) fn actions_menu(&self) -> Menu {
        let mut items = Vec::new();
        if let Some((_, screen)) = self.stack.last() {
            let context = screen.input_mode().context;
            // What is done with the session comes first; moving is for keys alone.
            let of = |sections: &[KeySection]| self.items(context, sections);
            items = of(&[KeySection::Session]);
            items.retain(|item| item.choice != MenuChoice::Action(KeyAction::ActionMenu));
            if screen.subject().is_some() {
                items.push(MenuItem::numbered(FORK, "resume the session in a copy"));
                let exports = (0..).zip(EXPORTS);
                items.extend(exports.map(|(at, (_, words))| MenuItem::numbered(at, words)));
            }
            items.extend(of(&[
                KeySection::Copy,
                KeySection::Go,
                KeySection::Show,
                KeySection::Search,
                KeySection::Program,
            ]));
        }
        items.push(MenuItem::numbered(
            MOUSE,
            if self.takes_mouse {
                "give the mouse back to the terminal"
            } else {
                "take the mouse"
            },
        ));
        Menu::new("actions", "Actions", items)
    }
}

fn resume(session: SessionSubject, way: ResumeWay, then: ResumeUse) -> ActRequest {
    ActRequest::Resume { session, way, then }
}

/// Says why a session is not resumed, and what can be done instead.
fn refused(refusal: ResumeRefusal) -> Menu {
    let mut items = Vec::new();
    if refusal.can_fork {
        items.push(MenuItem::numbered(FORK, "resume in a copy instead"));
    }
    items.push(MenuItem::numbered(LEAVE, "leave it"));
    let said = [refusal.words].into_iter().chain(refusal.ways_out);
    Menu::new("resume", "This session is not resumed", items)
        .with_remarks(said)
        .with_numbers()
}

fn copy_menu() -> Menu {
    let item = |key: &str, label: &str, action| MenuItem {
        key: key.to_owned(),
        label: label.to_owned(),
        note: String::new(),
        words: "copy yank".to_owned(),
        choice: MenuChoice::Action(action),
    };
    let items = vec![
        item("i", "the id of the session", KeyAction::CopyId),
        item("c", "the command that resumes it", KeyAction::CopyResume),
        item("p", "the path of its log", KeyAction::CopyLogPath),
        item("l", "the link to its page", KeyAction::CopyLink),
    ];
    Menu::new("copy", "Copy", items).with_letters()
}
