//! The screen that takes a prompt: for a session that unspool drives, or to go on with one that does not run.
//!
//! The end of the conversation is above what is typed. A prompt is sent with what was shown of it, so one
//! that was written while messages came is held, and they are shown first. What is typed is kept as a draft
//! until it was sent: when no key was pressed for a moment, and before the screen is left.

use ratatui::layout::Rect;
use unspool_drive::{PromptId, RunId};
use unspool_engine::library::FeedPosition;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_render::keys::{KeyAction, KeyContext};
use unspool_text::human;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};

use super::held::{HeldChoice, HeldPrompt};
use super::text::PromptText;
use crate::canvas::Canvas;
use crate::press::{KeyPress, LetterUse};
use crate::screen::{Handled, InputMode, ScreenContext, TuiScreen, ViewContext};
use crate::settings::SessionSubject;
use crate::work::live::{
    LiveReply, LiveRequest, PromptOutcome, PromptRequest, PromptWay, SessionTail, TailRequest,
};
use crate::work::{WorkAnswer, WorkReply, WorkRequest, WorkTicket};

/// How long after a key the draft is kept.
const IDLE_MS: i64 = 1_000;
/// How many lines a page of the conversation is.
const PAGE: usize = 10;
/// The columns of the session's title.
const MOST_TITLE: usize = 60;

/// What becomes of the prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PromptTarget {
    /// It goes into the queue of the run.
    Queue,
    /// It begins a run.
    NewRun,
}

/// How far a prompt is.
#[derive(Debug)]
enum PromptStage {
    /// It is typed.
    Typing,
    /// It is on its way.
    Sending,
    /// Messages came that were not seen.
    Held(HeldPrompt),
}

/// The ids that a prompt is sent with: the same again is the same prompt.
#[derive(Clone, Debug)]
struct PromptIds {
    prompt: PromptId,
    run: RunId,
}

impl PromptIds {
    fn new() -> Self {
        Self {
            prompt: PromptId::random(),
            run: RunId::random(),
        }
    }
}

/// A prompt that is typed.
pub(crate) struct PromptScreen {
    session: SessionId,
    subject: Option<SessionSubject>,
    target: PromptTarget,
    text: PromptText,
    ids: PromptIds,
    stage: PromptStage,
    /// The draft as it is kept; none before it is known.
    kept: Option<String>,
    /// When something was typed that is not kept.
    changed: Option<Time>,
    tail: Option<SessionTail>,
    tail_ticket: Option<WorkTicket>,
    /// The messages that were on the screen up to the newest.
    seen: Option<FeedPosition>,
    /// How many lines of the conversation are below what is seen of it.
    scroll: usize,
}

impl PromptScreen {
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session,
            subject: None,
            target: PromptTarget::Queue,
            text: PromptText::default(),
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

    /// Goes on with a session that does not run.
    pub(crate) fn beginning(subject: SessionSubject) -> Self {
        Self {
            target: PromptTarget::NewRun,
            subject: Some(subject.clone()),
            ..Self::new(subject.place.session)
        }
    }

    /// Notes that something was typed: another text is another prompt.
    fn typed(&mut self, cx: &mut ScreenContext<'_>) {
        self.ids = PromptIds::new();
        self.changed = Some(cx.now);
        cx.wake_at(Time::from_millis(cx.now.as_millis() + IDLE_MS));
    }

    fn send(&mut self, cx: &mut ScreenContext<'_>) {
        if self.text.text().trim().is_empty() {
            return cx.say("there is nothing to send");
        }
        let run = cx.board.run_of(&self.session).map(|run| run.run.id.clone());
        let way = match (run, self.target) {
            (Some(run), _) => PromptWay::Queue {
                run,
                prompt: self.ids.prompt.clone(),
            },
            (None, PromptTarget::NewRun) => PromptWay::Begin(self.ids.run.clone()),
            (None, PromptTarget::Queue) => {
                return cx.say("the run is over; the prompt was not sent and is kept as a draft");
            }
        };
        self.ask_to_send(way, self.seen, cx);
    }

    fn ask_to_send(
        &mut self,
        way: PromptWay,
        seen: Option<FeedPosition>,
        cx: &mut ScreenContext<'_>,
    ) {
        let Some(subject) = self.subject.clone() else {
            return cx.say("the session is not known any more");
        };
        self.keep(cx);
        let request = PromptRequest {
            way,
            subject,
            text: self.text.text(),
            seen,
            width: text_width(cx.size.columns),
        };
        cx.ask(WorkRequest::Live(LiveRequest::Prompt(Box::new(request))));
        self.stage = PromptStage::Sending;
    }

    /// Does what a person says about a prompt that is held.
    fn settle(&mut self, number: usize, cx: &mut ScreenContext<'_>) {
        let PromptStage::Held(held) = &self.stage else {
            return;
        };
        let Some(choice) = held.choices().get(number).copied() else {
            return;
        };
        match choice {
            HeldChoice::Send => {
                self.stage = PromptStage::Typing;
                // What came was shown now.
                self.seen = None;
                self.send(cx);
            }
            HeldChoice::Fork => {
                let Some(at) = held.missed().last_seen.clone() else {
                    return;
                };
                let run = self.ids.run.clone();
                self.ask_to_send(PromptWay::Fork { run, at }, None, cx);
            }
            HeldChoice::Discard => {
                self.text = PromptText::default();
                self.changed = Some(cx.now);
                self.keep(cx);
                cx.say("the prompt is discarded");
                cx.back();
            }
        }
    }

    /// Asks for the end of the conversation, if it is not the one that is shown.
    fn follow(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(subject) = self.subject.clone() else {
            return;
        };
        let bytes = cx.board.card(&self.session).map(|card| card.item.row.bytes);
        let request = TailRequest {
            subject,
            bytes: bytes.unwrap_or(0),
            width: text_width(cx.size.columns),
        };
        if !self.tail.as_ref().is_some_and(|it| it.request == request) {
            let request = LiveRequest::Tails(vec![request]);
            self.tail_ticket = Some(cx.ask(WorkRequest::Live(request)));
        }
    }

    /// Keeps the draft, if it is not the one that is kept.
    fn keep(&mut self, cx: &mut ScreenContext<'_>) {
        let text = self.text.text();
        if self.changed.take().is_none() || self.kept.as_ref() == Some(&text) {
            return;
        }
        cx.ask(WorkRequest::Live(LiveRequest::KeepDraft {
            session: self.session.clone(),
            text: text.clone(),
        }));
        self.kept = Some(text);
    }

    /// Notes what is seen: the newest messages are, unless the person scrolled away from them.
    fn look(&mut self) {
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
                // What was typed before the draft came is not lost, and neither is the draft.
                self.text = PromptText::of(&format!("{draft}\n{typed}"));
                self.typed(cx);
            }
        }
        self.kept = Some(draft);
    }

    fn take_outcome(&mut self, outcome: PromptOutcome, cx: &mut ScreenContext<'_>) {
        match outcome {
            PromptOutcome::Sent(words) => {
                (self.changed, self.kept) = (None, Some(String::new()));
                self.text = PromptText::default();
                cx.say(words);
                cx.look_at_board();
                cx.back();
            }
            PromptOutcome::Held(missed) => {
                self.stage = PromptStage::Held(HeldPrompt::new(*missed));
            }
            PromptOutcome::Failed(words) => {
                self.stage = PromptStage::Typing;
                cx.say(words);
            }
        }
    }

    fn act_on_held(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        let PromptStage::Held(held) = &mut self.stage else {
            return Handled::No;
        };
        match action {
            KeyAction::LineDown => held.choose_by(1),
            KeyAction::LineUp => held.choose_by(-1),
            KeyAction::PageDown => held.scroll_by(PAGE as isize),
            KeyAction::PageUp => held.scroll_by(-(PAGE as isize)),
            KeyAction::Open => {
                let chosen = held.chosen();
                self.settle(chosen, cx);
            }
            KeyAction::Close => self.stage = PromptStage::Typing,
            _ => return Handled::No,
        }
        Handled::Yes
    }

    /// Says what the session does, above the conversation.
    fn state_line(&self, cx: &ViewContext<'_>) -> Line {
        let words = if let Some(run) = cx.board.run_of(&self.session) {
            let queued = run.prompts.iter().filter(|prompt| prompt.state.is_open());
            let queued = match queued.count() {
                0 => "nothing".to_owned(),
                count => human::plural(count, "prompt"),
            };
            format!("   {} · {queued} in the queue", run.run.state.stage())
        } else if self.target == PromptTarget::NewRun {
            "   It does not run. A new run goes on with it in its folder, and asks before it acts."
                .to_owned()
        } else {
            "   The run is over.".to_owned()
        };
        Line::of(words, Role::Muted)
    }

    fn view_tail(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(tail) = &self.tail else {
            return;
        };
        let height = usize::from(area.height);
        let first = tail.lines.len().saturating_sub(height + self.scroll);
        let rows = tail.lines.iter().skip(first).take(height);
        let rows: Vec<Line> = rows
            .map(|line| line.clone().indented(&Line::of("  ", Role::Plain)))
            .collect();
        // The end is next to what is typed.
        let top = area.height.saturating_sub(rows.len() as u16);
        let area = Rect {
            y: area.y + top,
            height: area.height - top,
            ..area
        };
        canvas.lines(area, &rows);
    }

    fn layout(&self, area: Rect) -> PromptLayout {
        let (rows, _) = self.text.rows(typed_room(area.width));
        let most = (area.height.saturating_sub(5) / 2).max(1);
        let typed = (rows.len() as u16).min(most);
        let end = area.bottom().saturating_sub(1);
        let typed = Rect {
            y: end.saturating_sub(typed),
            height: typed,
            ..area
        };
        let above = typed.y.saturating_sub(area.y + 3);
        PromptLayout {
            conversation: Rect {
                y: area.y + 2,
                height: above,
                ..area
            },
            rule: Rect {
                y: typed.y.saturating_sub(1),
                height: 1,
                ..area
            },
            typed,
        }
    }

    fn view_typed(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let (rows, (row, column)) = self.text.rows(typed_room(area.width));
        let height = usize::from(area.height);
        let first = (row + 1).saturating_sub(height);
        canvas.lines(area, rows.iter().skip(first).take(height));
        if matches!(self.stage, PromptStage::Typing) {
            let column = (3 + column as u16).min(area.width.saturating_sub(1));
            canvas.set_cursor(area.x + column, area.y + (row - first) as u16);
        }
    }
}

struct PromptLayout {
    conversation: Rect,
    rule: Rect,
    typed: Rect,
}

/// Returns the columns of the conversation on a screen.
fn text_width(columns: u16) -> u16 {
    columns.saturating_sub(4).clamp(20, 110)
}

/// Returns the columns of what is typed.
fn typed_room(columns: u16) -> usize {
    usize::from(columns).saturating_sub(5).max(10)
}

impl TuiScreen for PromptScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        if let Some(card) = cx.board.card(&self.session) {
            self.subject = Some(card.subject());
        }
        cx.ask(WorkRequest::Live(LiveRequest::Draft(self.session.clone())));
        self.follow(cx);
    }

    fn has_content(&self) -> bool {
        true
    }

    fn input_mode(&self) -> InputMode {
        match self.stage {
            PromptStage::Held(_) => InputMode {
                context: KeyContext::Ask,
                letters: LetterUse::Commands,
            },
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
        match action {
            KeyAction::Send if is_typing => self.send(cx),
            KeyAction::NewLine if is_typing => {
                self.text.new_line();
                self.typed(cx);
            }
            KeyAction::LineDown => self.text.move_line(true),
            KeyAction::LineUp => self.text.move_line(false),
            KeyAction::PageDown => {
                self.scroll = self.scroll.saturating_sub(PAGE);
                self.look();
            }
            KeyAction::PageUp => {
                let lines = self.tail.as_ref().map_or(0, |tail| tail.lines.len());
                self.scroll = (self.scroll + PAGE).min(lines.saturating_sub(1));
            }
            KeyAction::Send | KeyAction::NewLine => {}
            _ => return Handled::No,
        }
        Handled::Yes
    }

    fn press(&mut self, press: KeyPress, cx: &mut ScreenContext<'_>) {
        match self.stage {
            PromptStage::Typing => {
                self.text.press(press);
                self.typed(cx);
            }
            PromptStage::Sending => cx.say("the prompt is on its way"),
            PromptStage::Held(_) => {
                if let Some(number) = press.number() {
                    self.settle(number - 1, cx);
                }
            }
        }
    }

    fn paste(&mut self, text: &str, cx: &mut ScreenContext<'_>) {
        if matches!(self.stage, PromptStage::Typing) {
            self.text.insert(text);
            self.typed(cx);
        }
    }

    fn answer(&mut self, answer: WorkAnswer, cx: &mut ScreenContext<'_>) {
        match answer.reply {
            WorkReply::Live(LiveReply::Draft(draft)) => self.take_draft(draft, cx),
            WorkReply::Live(LiveReply::Prompt(outcome)) => self.take_outcome(outcome, cx),
            WorkReply::Live(LiveReply::Tails(tails)) if self.tail_ticket == Some(answer.ticket) => {
                self.tail = tails.into_iter().next();
                self.look();
            }
            _ => {}
        }
    }

    fn board_changed(&mut self, cx: &mut ScreenContext<'_>) {
        self.follow(cx);
    }

    fn resized(&mut self, cx: &mut ScreenContext<'_>) {
        self.follow(cx);
    }

    fn tick(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(changed) = self.changed else {
            return;
        };
        let idle = cx.now.as_millis() - changed.as_millis();
        if idle >= IDLE_MS {
            self.keep(cx);
        } else {
            cx.wake_at(Time::from_millis(changed.as_millis() + IDLE_MS));
        }
    }

    fn before_leaving(&mut self, cx: &mut ScreenContext<'_>) {
        self.keep(cx);
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let area = canvas.area();
        let mut title = Line::of(" Prompt  ", Role::Title);
        if let Some(subject) = &self.subject {
            title.add(sanitize::one_line(&subject.title, MOST_TITLE), Role::Muted);
        }
        canvas.line(area, 0, &title.truncated(usize::from(area.width)));
        canvas.line(
            area,
            1,
            &self.state_line(cx).truncated(usize::from(area.width)),
        );
        let layout = self.layout(area);
        match &self.stage {
            PromptStage::Held(held) => held.view(canvas, layout.conversation),
            PromptStage::Typing | PromptStage::Sending => {
                self.view_tail(canvas, layout.conversation);
            }
        }
        let rule = match self.stage {
            PromptStage::Sending => "─ sending … ",
            _ => "",
        };
        let rest = usize::from(area.width).saturating_sub(unspool_text::width::width(rule));
        let rule = format!("{rule}{}", "─".repeat(rest));
        canvas.text(layout.rule, (0, 0), &rule, Role::Rule);
        self.view_typed(canvas, layout.typed);
    }

    fn subject(&self) -> Option<SessionSubject> {
        self.subject.clone()
    }

    fn hints(&self) -> Vec<KeyAction> {
        Vec::new()
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(match (&self.stage, self.target) {
            (PromptStage::Held(_), _) => &[
                ("1-3", "decides"),
                ("Space", "reads on"),
                ("Esc", "back to the prompt"),
                ("?", "keys"),
            ],
            (_, PromptTarget::Queue) => &[
                ("Enter", "sends it when idle"),
                ("Alt-Enter", "new line"),
                ("Esc", "keeps it as a draft"),
                ("F1", "keys"),
            ],
            (_, PromptTarget::NewRun) => &[
                ("Enter", "goes on with it"),
                ("Alt-Enter", "new line"),
                ("Esc", "keeps it as a draft"),
                ("F1", "keys"),
            ],
        })
    }
}
