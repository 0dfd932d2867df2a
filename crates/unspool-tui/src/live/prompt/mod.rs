//! The prompt screen: for a driven session, for continuing a session that is not running, or for a new
//! session.
//!
//! A prompt that starts a run has a form with the options of the run (`start_form`), and is sent only after
//! the person has read the run's plan.
//!
//! The end of the conversation is above the input, and completions are below it. A prompt is sent with the
//! position up to which the conversation was visible, so if messages came while it was written, it is held
//! and they are shown first. The text is saved as a draft until it is sent: after a moment without keys,
//! and before the screen is left.

mod sending;
mod view;

use unspool_drive::{PromptId, RunId, RunView};
use unspool_engine::library::FeedPosition;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_render::keys::{KeyAction, KeyContext};

use super::complete::CompletionList;
use super::held::HeldPrompt;
use super::start_form::{FolderUse, StartForm};
use super::text::PromptText;
use crate::canvas::Canvas;
use crate::menu::Menu;
use crate::press::{KeyPress, LetterUse};
use crate::screen::{Handled, InputMode, ScreenContext, TuiScreen, ViewContext};
use crate::settings::SessionSubject;
use crate::work::live::{
    CompletionRequest, LiveBoard, LiveReply, LiveRequest, NextRunKind, SessionTail, StartOptions,
    TailRequest, draft_name,
};
use crate::work::{WorkAnswer, WorkReply, WorkRequest, WorkTicket};

/// How long after a key the draft is saved.
const IDLE_MS: i64 = 1_000;
/// The number of lines that a page key scrolls the conversation.
const PAGE: usize = 10;

/// The destination of the prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
enum PromptTarget {
    /// The queue of the session's run.
    Queue,
    /// A new run that continues the session.
    NewRun,
    /// A new run of a new session, in the folder of another session if there was one.
    NewSession(Option<SessionSubject>),
    /// A run that continues one that has ended, without a prompt.
    NextRun(RunId, NextRunKind),
}

/// The progress of a prompt.
#[derive(Debug)]
enum PromptStage {
    /// It is being typed.
    Typing,
    /// It is being sent.
    Sending,
    /// It waits for a decision of the person.
    Held(HeldPrompt),
}

/// The ids that a prompt is sent with; a repeated request with the same ids sends it once.
#[derive(Clone, Debug)]
struct PromptIds {
    prompt: PromptId,
    run: RunId,
}

impl PromptIds {
    fn new() -> Self {
        Self { prompt: PromptId::random(), run: RunId::random() }
    }
}

/// The prompt screen.
pub(crate) struct PromptScreen {
    /// The session; `None` for a new one.
    session: Option<SessionId>,
    subject: Option<SessionSubject>,
    target: PromptTarget,
    /// The options of the run that the prompt starts; `None` for the queue of a run.
    form: Option<StartForm>,
    text: PromptText,
    completion: CompletionList,
    ids: PromptIds,
    stage: PromptStage,
    /// The saved draft; `None` until it was read.
    kept: Option<String>,
    /// The time of the last unsaved change.
    changed: Option<Time>,
    tail: Option<SessionTail>,
    tail_ticket: Option<WorkTicket>,
    /// The position of the newest messages that were visible.
    seen: Option<FeedPosition>,
    /// The number of lines between the visible part of the conversation and its end.
    scroll: usize,
}

impl PromptScreen {
    pub(crate) fn new(session: SessionId) -> Self {
        Self::to(PromptTarget::Queue, Some(session))
    }

    /// Continues a session that is not running.
    pub(crate) fn beginning(subject: SessionSubject) -> Self {
        let session = subject.place.session.clone();
        Self { subject: Some(subject), ..Self::to(PromptTarget::NewRun, Some(session)) }
    }

    /// Starts a new session, in the folder of another one.
    pub(crate) fn of_new_session(near: Option<SessionSubject>) -> Self {
        Self::to(PromptTarget::NewSession(near), None)
    }

    /// Continues the session of an ended run.
    pub(crate) fn of_next_run(session: SessionId, run: RunId, kind: NextRunKind) -> Self {
        Self {
            stage: PromptStage::Sending,
            ..Self::to(PromptTarget::NextRun(run, kind), Some(session))
        }
    }

    fn to(target: PromptTarget, session: Option<SessionId>) -> Self {
        Self {
            session,
            subject: None,
            target,
            form: None,
            text: PromptText::default(),
            completion: CompletionList::default(),
            ids: PromptIds::new(),
            stage: PromptStage::Typing,
            kept: None,
            changed: None,
            tail: None,
            tail_ticket: None,
            seen: None,
            scroll: 0,
        }
    }

    /// Returns the run that gets the prompt.
    fn run<'b>(&self, board: &'b LiveBoard) -> Option<&'b RunView> {
        board.run_of(self.session.as_ref()?)
    }

    fn draft_name(&self) -> String {
        draft_name(self.session.as_ref()).to_owned()
    }

    /// Records a change of the text, which makes it another prompt.
    fn edited(&mut self, cx: &mut ScreenContext<'_>) {
        self.ids = PromptIds::new();
        self.complete_word(cx);
        self.changed = Some(cx.now);
        cx.wake_at(Time::from_millis(cx.now.as_millis() + IDLE_MS));
    }

    /// Requests completions if the word at the cursor changed.
    fn complete_word(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(word) = self.completion.update_word(&self.text) else {
            return;
        };
        let options = self.form.as_ref().map(StartForm::options);
        let request = CompletionRequest {
            word,
            run: self.run(cx.board).map(|run| run.run.id.clone()),
            session: self.session.clone(),
            folder: options.and_then(|it| it.folder.clone()).map(Into::into),
        };
        let ticket = cx.ask(WorkRequest::Live(LiveRequest::Complete(request)));
        self.completion.set_ticket(ticket);
    }

    /// Inserts the selected completion; returns whether there is one.
    fn complete(&mut self, cx: &mut ScreenContext<'_>) -> bool {
        let is_complete = self.completion.complete(&mut self.text);
        if is_complete {
            self.edited(cx);
        }
        is_complete
    }

    /// Shows the next menu of the form, or its error.
    fn show_form(&mut self, next: Result<Menu, &'static str>, cx: &mut ScreenContext<'_>) {
        // Other options make it another run.
        self.ids = PromptIds::new();
        match next {
            Ok(menu) => cx.menu(menu),
            Err(words) => cx.say(words),
        }
    }

    /// Requests the end of the conversation if it changed.
    fn follow(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(subject) = self.subject.clone() else {
            return;
        };
        let card = self.session.as_ref().and_then(|it| cx.board.card(it));
        let bytes = card.map(|card| card.item.row.bytes);
        let request =
            TailRequest { subject, bytes: bytes.unwrap_or(0), width: text_width(cx.size.columns) };
        if !self.tail.as_ref().is_some_and(|it| it.request == request) {
            let request = LiveRequest::Tails(vec![request]);
            self.tail_ticket = Some(cx.ask(WorkRequest::Live(request)));
        }
    }

    /// Saves the draft if it changed.
    fn save_draft(&mut self, cx: &mut ScreenContext<'_>) {
        let text = self.text.text();
        if self.changed.take().is_none() || self.kept.as_ref() == Some(&text) {
            return;
        }
        cx.ask(WorkRequest::Live(LiveRequest::KeepDraft {
            name: self.draft_name(),
            text: text.clone(),
        }));
        self.kept = Some(text);
    }

    /// Records the visible position, unless the person scrolled away from the end.
    fn record_seen(&mut self) {
        let tail = self.tail.as_ref().filter(|_| self.scroll == 0);
        self.seen = tail.map_or(self.seen, |tail| tail.position);
    }

    fn take_draft(&mut self, draft: String, cx: &mut ScreenContext<'_>) {
        if !draft.is_empty() {
            let typed = self.text.text();
            if typed.is_empty() {
                self.text = PromptText::of(&draft);
                cx.say("this is the draft that was kept");
            } else {
                // Neither the draft nor a text that was typed before it arrived may be lost.
                self.text = PromptText::of(&format!("{draft}\n{typed}"));
                self.edited(cx);
            }
        }
        self.kept = Some(draft);
    }
}

/// Returns the width of the conversation on a screen.
fn text_width(columns: u16) -> u16 {
    columns.saturating_sub(4).clamp(20, 110)
}

impl TuiScreen for PromptScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        if let Some(card) = self.session.as_ref().and_then(|it| cx.board.card(it)) {
            self.subject = Some(card.subject());
        }
        let from = match &self.target {
            PromptTarget::NextRun(run, kind) => {
                let request = LiveRequest::PlanNext(run.clone(), *kind);
                cx.ask(WorkRequest::Live(request));
                return;
            }
            PromptTarget::Queue => None,
            PromptTarget::NewRun => Some((self.subject.clone(), FolderUse::Fixed)),
            PromptTarget::NewSession(near) => Some((near.clone(), FolderUse::Chosen)),
        };
        if let Some((session, folder)) = from {
            self.form = Some(StartForm::new(StartOptions::new(cx.settings), folder));
            cx.ask(WorkRequest::Live(LiveRequest::StartFacts(session)));
        }
        cx.ask(WorkRequest::Live(LiveRequest::Draft(self.draft_name())));
        self.follow(cx);
    }

    fn has_content(&self) -> bool {
        true
    }

    fn defers(&self, action: KeyAction) -> bool {
        let needs_form = matches!(action, KeyAction::Send | KeyAction::StartOptions);
        needs_form && self.form.as_ref().is_some_and(|form| !form.is_known())
    }

    fn input_mode(&self) -> InputMode {
        match self.stage {
            PromptStage::Held(_) => {
                InputMode { context: KeyContext::Ask, letters: LetterUse::Commands }
            }
            PromptStage::Typing | PromptStage::Sending => InputMode {
                context: KeyContext::Prompt,
                letters: LetterUse::Text { is_empty: false },
            },
        }
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        if matches!(self.stage, PromptStage::Held(_)) {
            return self.act_on_held(action, cx);
        }
        let is_typing = matches!(self.stage, PromptStage::Typing);
        let is_listed = self.completion.is_open();
        match action {
            KeyAction::Send if is_typing && is_listed && !self.completion.is_typed() => {
                self.complete(cx);
            }
            KeyAction::Send if is_typing => self.send(cx),
            KeyAction::Complete if is_typing => _ = self.complete(cx),
            KeyAction::LineDown if is_listed => self.completion.choose_by(1),
            KeyAction::LineUp if is_listed => self.completion.choose_by(-1),
            KeyAction::Close if is_listed => self.completion.close(),
            KeyAction::StartOptions if is_typing => match &mut self.form {
                Some(form) => cx.menu(form.menu(0)),
                None => cx.say("the run has begun: `X` on its card changes it"),
            },
            KeyAction::NewLine if is_typing => {
                self.text.new_line();
                self.edited(cx);
            }
            KeyAction::LineDown => self.text.move_line(true),
            KeyAction::LineUp => self.text.move_line(false),
            KeyAction::PageDown => {
                self.scroll = self.scroll.saturating_sub(PAGE);
                self.record_seen();
            }
            KeyAction::PageUp => {
                let lines = self.tail.as_ref().map_or(0, |tail| tail.lines.len());
                self.scroll = (self.scroll + PAGE).min(lines.saturating_sub(1));
            }
            KeyAction::Send
            | KeyAction::NewLine
            | KeyAction::Complete
            | KeyAction::StartOptions => {}
            _ => return Handled::No,
        }
        Handled::Yes
    }

    fn press(&mut self, press: KeyPress, cx: &mut ScreenContext<'_>) {
        match self.stage {
            PromptStage::Typing => {
                self.text.press(press);
                self.edited(cx);
            }
            PromptStage::Sending => cx.say("it is on its way"),
            PromptStage::Held(_) => {
                if let Some(number) = press.number() {
                    self.decide_held(number - 1, cx);
                }
            }
        }
    }

    fn paste(&mut self, text: &str, cx: &mut ScreenContext<'_>) {
        if matches!(self.stage, PromptStage::Typing) {
            self.text.insert(text);
            self.edited(cx);
        }
    }

    fn chosen(&mut self, menu: &'static str, item: usize, cx: &mut ScreenContext<'_>) {
        if let Some(form) = &mut self.form {
            let next = form.chosen(menu, item);
            self.show_form(next, cx);
        }
    }

    fn menu_text(&mut self, _: &'static str, text: &str, cx: &mut ScreenContext<'_>) {
        if let Some(form) = &mut self.form {
            let next = form.typed(text);
            self.show_form(next, cx);
        }
    }

    fn answer(&mut self, answer: WorkAnswer, cx: &mut ScreenContext<'_>) {
        match answer.reply {
            WorkReply::Live(LiveReply::Draft(draft)) => self.take_draft(draft, cx),
            WorkReply::Live(LiveReply::Prompt(outcome)) => self.take_outcome(outcome, cx),
            WorkReply::Live(LiveReply::Completions(items)) => {
                self.completion.take(answer.ticket, items);
            }
            WorkReply::Live(LiveReply::StartFacts(facts)) => {
                if let Some(form) = &mut self.form {
                    form.take(*facts, &cx.settings.here.display().to_string());
                }
            }
            WorkReply::Live(LiveReply::Tails(tails)) if self.tail_ticket == Some(answer.ticket) => {
                self.tail = tails.into_iter().next();
                self.record_seen();
            }
            _ => {}
        }
    }

    fn board_changed(&mut self, cx: &mut ScreenContext<'_>) {
        self.follow(cx);
    }

    fn resized(&mut self, cx: &mut ScreenContext<'_>) {
        self.follow(cx);
        self.read_on(0, cx);
    }

    fn tick(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(changed) = self.changed else {
            return;
        };
        let idle = cx.now.as_millis() - changed.as_millis();
        if idle >= IDLE_MS {
            self.save_draft(cx);
        } else {
            cx.wake_at(Time::from_millis(changed.as_millis() + IDLE_MS));
        }
    }

    fn before_leaving(&mut self, cx: &mut ScreenContext<'_>) {
        self.save_draft(cx);
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        self.paint(canvas, cx);
    }

    fn subject(&self) -> Option<SessionSubject> {
        self.subject.clone()
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(match (&self.stage, &self.form) {
            (PromptStage::Held(_), _) => &[
                ("1-3", "decides"),
                ("Space", "reads on"),
                ("Esc", "back to the prompt"),
                ("?", "keys"),
            ],
            _ if self.completion.is_open() => &[
                ("Tab", "completes"),
                ("↓ ↑", "chooses"),
                ("Esc", "closes the list"),
                ("F1", "keys"),
            ],
            (_, None) => &[
                ("Enter", "sends it when idle"),
                ("Alt-Enter", "new line"),
                ("Esc", "keeps it as a draft"),
                ("F1", "keys"),
            ],
            (_, Some(_)) => &[
                ("Enter", "shows the start"),
                ("Ctrl-O", "options"),
                ("Alt-Enter", "new line"),
                ("Esc", "keeps it as a draft"),
                ("F1", "keys"),
            ],
        })
    }
}
