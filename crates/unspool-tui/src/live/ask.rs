//! The screen that answers a pending approval of a driven session.
//!
//! The whole request is shown, and it can be answered only after its end was visible. If another client
//! answers it meanwhile, the screen reports that, and shows the next request only after a key press: a
//! person answers only what they have seen.

use std::collections::BTreeSet;

use ratatui::layout::Rect;
use serde_json::{Map, Value};
use unspool_drive::form::form_fields;
use unspool_drive::json::ApprovalJson;
use unspool_drive::store::ApprovalRecord;
use unspool_drive::{ApprovalId, ApprovalKind, PersonChoice, reply};
use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_render::keys::{KeyAction, KeyContext};
use unspool_render::terminal::asked_lines;
use unspool_text::human;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};
use unspool_text::wrap;

use super::choices::{AskChoice, ChoiceAct, TypedFor, answered, choices, details};
use crate::canvas::Canvas;
use crate::edit_line::EditLine;
use crate::press::{KeyPress, LetterUse};
use crate::screen::{Handled, InputMode, ScreenContext, TuiScreen, ViewContext};
use crate::settings::SessionSubject;
use crate::work::live::{LiveBoard, LiveCard, LiveRequest};
use crate::work::{WorkAnswer, WorkRequest};

/// The largest and the smallest width of the session's title.
const MOST_TITLE: usize = 60;
const LEAST_TITLE: usize = 6;
/// The largest width of the request's title, so that the times have room.
const MOST_WORDS: usize = 30;
/// The interval at which the times are repainted.
const TICK_MS: i64 = 1_000;
/// How long a request or question that replaced an answered one cannot be answered, so that a double key
/// press does not answer it unseen.
const LOOK_MS: i64 = 300;
/// The least number of rows for the request.
const LEAST_REQUEST: u16 = 3;

/// The pending approval of a driven session, and the answers to choose from.
pub(crate) struct AskScreen {
    session: SessionId,
    subject: Option<SessionSubject>,
    /// The request that is shown.
    shown: Option<Box<ApprovalRecord>>,
    /// How another client answered the request, in words.
    over: Option<String>,
    chosen: usize,
    scroll: usize,
    has_seen_end: bool,
    /// The current question, and the answers to the ones before it.
    question: usize,
    answers: Map<String, Value>,
    taken: BTreeSet<String>,
    typed: Option<(TypedFor, EditLine)>,
    /// The request that was answered here, until the board reports the answer.
    given: Option<ApprovalId>,
    /// The time at which the request replaced one that was answered here.
    replaced: Option<Time>,
}

impl AskScreen {
    pub(crate) fn new(session: SessionId) -> Self {
        Self {
            session,
            subject: None,
            shown: None,
            over: None,
            chosen: 0,
            scroll: 0,
            has_seen_end: false,
            question: 0,
            answers: Map::new(),
            taken: BTreeSet::new(),
            typed: None,
            given: None,
            replaced: None,
        }
    }

    /// Shows the oldest pending request.
    fn show_next(&mut self, cx: &mut ScreenContext<'_>) {
        let card = cx.board.card(&self.session);
        let given = self.given.clone();
        let next = card.and_then(|card| card.approvals().find(|it| Some(&it.id) != given.as_ref()));
        let Some(next) = next else {
            cx.back();
            return;
        };
        *self = Self {
            subject: card.map(LiveCard::subject),
            shown: Some(Box::new(next.clone())),
            given,
            ..Self::new(self.session.clone())
        };
        self.record_seen_end(cx);
    }

    /// Records whether the end of the request is visible.
    fn record_seen_end(&mut self, cx: &ScreenContext<'_>) {
        let layout = self.layout(Rect::new(0, 0, cx.size.columns, cx.size.rows));
        let lines = self.request_lines(layout.request.width).len();
        let height = usize::from(layout.request.height);
        self.scroll = self.scroll.min(lines.saturating_sub(height));
        // A screen that is too small is not painted, so nothing on it is visible.
        self.has_seen_end |= self.scroll + height >= lines && !cx.size.is_too_small();
    }

    fn choices(&self) -> Vec<AskChoice> {
        let shown = self.shown.as_deref();
        shown.map_or_else(Vec::new, |shown| choices(shown, self.question))
    }

    fn choose(&mut self, number: usize, cx: &mut ScreenContext<'_>) {
        let choices = self.choices();
        let Some(choice) = choices.get(number) else {
            return;
        };
        if !self.has_seen_end {
            cx.say("read it to its end first: Space goes on");
            return;
        }
        let replaced = self.replaced.map_or(i64::MIN, Time::as_millis);
        if cx.now.as_millis().saturating_sub(replaced) < LOOK_MS {
            cx.say("this is another request: look at it first");
            return;
        }
        self.chosen = number;
        match choice.act.clone() {
            ChoiceAct::Give(choice) => self.send_answer(*choice, cx),
            ChoiceAct::Type(what) => self.typed = Some((what, EditLine::default())),
            ChoiceAct::Answer(label) => self.answer_question(label, cx),
            ChoiceAct::Toggle(label) => {
                if !self.taken.remove(&label) {
                    self.taken.insert(label);
                }
            }
            ChoiceAct::Done => {
                let taken: Vec<String> = std::mem::take(&mut self.taken).into_iter().collect();
                self.answer_question(taken.join(", "), cx);
            }
        }
    }

    fn answer_question(&mut self, answer: String, cx: &mut ScreenContext<'_>) {
        let Some(shown) = &self.shown else {
            return;
        };
        let asked = shown.request.asked().questions();
        if let Some(question) = asked.get(self.question) {
            let question = question.question.to_string();
            self.answers.insert(question, answer.into());
        }
        self.question += 1;
        (self.chosen, self.scroll, self.has_seen_end) = (0, 0, false);
        self.taken.clear();
        self.replaced = Some(cx.now);
        if self.question >= asked.len() {
            let choice = answered(std::mem::take(&mut self.answers));
            return self.send_answer(choice, cx);
        }
        self.record_seen_end(cx);
    }

    fn send_answer(&mut self, choice: PersonChoice, cx: &mut ScreenContext<'_>) {
        let Some(shown) = &self.shown else {
            return;
        };
        let approval = shown.id.clone();
        cx.ask_for_program(WorkRequest::Live(LiveRequest::Answer {
            approval: approval.clone(),
            choice: Box::new(choice),
        }));
        self.given = Some(approval);
        self.show_next(cx);
        self.replaced = Some(cx.now);
    }

    fn typed_enough(&mut self, cx: &mut ScreenContext<'_>) {
        let Some((what, line)) = self.typed.take() else {
            return;
        };
        let text = line.text().to_owned();
        match what {
            TypedFor::Refusal => self.send_answer(PersonChoice::deny(text), cx),
            TypedFor::Question => self.answer_question(text, cx),
            TypedFor::Form => {
                let Some(shown) = &self.shown else {
                    return;
                };
                let fields: Vec<String> = text.split(';').map(|it| it.trim().to_owned()).collect();
                match reply::form(&shown.request.input(), &fields) {
                    Ok(choice) => self.send_answer(choice, cx),
                    Err(fault) => {
                        cx.say(fault.to_string());
                        self.typed = Some((what, EditLine::of(&text)));
                    }
                }
            }
        }
    }

    fn request_lines(&self, width: u16) -> Vec<Line> {
        let Some(shown) = &self.shown else {
            return Vec::new();
        };
        let asked = ApprovalJson::from(shown.as_ref());
        let mut lines = Vec::new();
        let words = asked.description.iter().chain(&asked.reason);
        lines.extend(words.map(|words| Line::of(words.clone(), Role::Muted)));
        let warned = asked.consequences.iter();
        lines.extend(warned.map(|words| Line::of(words.clone(), Role::Warning)));
        if shown.kind == ApprovalKind::Question {
            let asked = asked.asked().questions();
            let count = asked.len();
            if let Some(question) = asked.get(self.question) {
                if count > 1 {
                    let words = format!("question {} of {count}", self.question + 1);
                    lines.push(Line::of(words, Role::Muted));
                }
                lines.push(Line::of(question.question.to_string(), Role::Title));
                lines.extend(details(question));
            }
        } else if shown.kind == ApprovalKind::Elicitation {
            for field in form_fields(&asked.input) {
                let mut line = Line::of(field.name.clone(), Role::Code);
                line.add(format!("  {}", field.kind.words()), Role::Plain);
                if field.is_required {
                    line.add(", needed", Role::Warning);
                }
                lines.push(line);
            }
        } else {
            lines.extend(asked_lines(&asked.asked(), 0));
        }
        let width = usize::from(width).max(20);
        lines.iter().flat_map(|line| wrap(line, width)).collect()
    }

    fn layout(&self, area: Rect) -> AskLayout {
        let choices = self.choice_rows(area.width).len() as u16;
        let below = choices + 1 + u16::from(self.typed.is_some());
        let room = area.height.saturating_sub(3);
        let below = below.min(room.saturating_sub(LEAST_REQUEST));
        let request_height = room - below;
        AskLayout {
            head: Rect { height: 1, ..area },
            request: Rect {
                x: area.x + 2,
                y: area.y + 2,
                width: area.width.saturating_sub(4),
                height: request_height,
            },
            choices: Rect { y: area.y + 2 + request_height, height: below, ..area },
        }
    }

    /// Builds the heading. The times have priority over the title, because the waiting time must be visible
    /// on a narrow screen.
    fn head(&self, cx: &ViewContext<'_>) -> Line {
        let mut line = Line::of(" ◆ ", Role::Warning);
        let Some(shown) = &self.shown else {
            return line;
        };
        let asked = ApprovalJson::from(shown.as_ref());
        let words = match shown.kind {
            ApprovalKind::Tool => format!("{} wants to run", asked.title()),
            ApprovalKind::Question => "a question".to_owned(),
            ApprovalKind::Plan => "a plan".to_owned(),
            ApprovalKind::Elicitation => asked.title(),
        };
        line.add(sanitize::one_line(&words, MOST_WORDS), Role::Title);
        let waits = human::duration(cx.now.since(shown.asked));
        let mut times = Line::of(format!("  waits {waits}"), Role::Time);
        if let Some(deadline) = shown.deadline {
            let left = human::duration(deadline.since(cx.now));
            times.add(format!(", {left} left"), Role::Time);
        }
        let width = usize::from(cx.size.columns);
        let room = width.saturating_sub(line.width() + times.width() + 2);
        if let Some(subject) = self.subject.as_ref().filter(|_| room >= LEAST_TITLE) {
            let title = sanitize::one_line(&subject.title, room.min(MOST_TITLE));
            line.add(format!("  {title}"), Role::Muted);
        }
        line.append(times);
        line
    }
}

struct AskLayout {
    head: Rect,
    request: Rect,
    choices: Rect,
}

impl TuiScreen for AskScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        self.show_next(cx);
        self.tick(cx);
    }

    fn tick(&mut self, cx: &mut ScreenContext<'_>) {
        cx.wake_at(Time::from_millis(cx.now.as_millis() + TICK_MS));
    }

    fn has_content(&self) -> bool {
        true
    }

    fn input_mode(&self) -> InputMode {
        match self.typed {
            Some(_) => InputMode {
                context: KeyContext::Prompt,
                letters: LetterUse::Text { is_empty: false },
            },
            None => InputMode { context: KeyContext::Ask, letters: LetterUse::Commands },
        }
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        if self.typed.is_some() {
            match action {
                KeyAction::Send => self.typed_enough(cx),
                KeyAction::Close => self.typed = None,
                KeyAction::Quit | KeyAction::Suspend | KeyAction::Redraw | KeyAction::Help => {
                    return Handled::No;
                }
                _ => {}
            }
            return Handled::Yes;
        }
        let is_about_request = matches!(
            action,
            KeyAction::LineDown
                | KeyAction::LineUp
                | KeyAction::PageDown
                | KeyAction::PageUp
                | KeyAction::Open
        );
        if !is_about_request {
            return Handled::No;
        }
        if self.over.take().is_some() {
            self.show_next(cx);
            return Handled::Yes;
        }
        let last = self.choices().len().saturating_sub(1);
        match action {
            KeyAction::LineDown => self.chosen = (self.chosen + 1).min(last),
            KeyAction::LineUp => self.chosen = self.chosen.saturating_sub(1),
            KeyAction::PageDown => self.scroll += 10,
            KeyAction::PageUp => self.scroll = self.scroll.saturating_sub(10),
            _ => self.choose(self.chosen, cx),
        }
        self.record_seen_end(cx);
        Handled::Yes
    }

    fn press(&mut self, press: KeyPress, cx: &mut ScreenContext<'_>) {
        if let Some((_, line)) = &mut self.typed {
            line.press(press);
            return;
        }
        if self.over.take().is_some() {
            return self.show_next(cx);
        }
        if let Some(number) = press.number() {
            self.choose(number - 1, cx);
        }
    }

    fn paste(&mut self, text: &str, _: &mut ScreenContext<'_>) {
        if let Some((_, line)) = &mut self.typed {
            line.insert(text);
        }
    }

    fn answer(&mut self, _: WorkAnswer, _: &mut ScreenContext<'_>) {}

    fn board_changed(&mut self, cx: &mut ScreenContext<'_>) {
        let Some(shown) = &self.shown else {
            return self.show_next(cx);
        };
        if is_open(cx.board, &self.session, &shown.id) {
            return;
        }
        let resolved = cx.board.run_of(&self.session).and_then(|run| {
            let mut approvals = run.approvals.iter();
            let now = approvals.find(|approval| approval.id == shown.id)?;
            let decided = now.decided.as_ref()?;
            Some(format!("{} answered: {}", decided.by, decided.decision))
        });
        self.typed = None;
        self.over = Some(resolved.unwrap_or_else(|| "it does not wait any more".to_owned()));
    }

    fn resized(&mut self, cx: &mut ScreenContext<'_>) {
        self.record_seen_end(cx);
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let layout = self.layout(canvas.area());
        canvas.line(layout.head, 0, &self.head(cx));
        let lines = self.request_lines(layout.request.width);
        canvas.lines(layout.request, lines.iter().skip(self.scroll));
        let rest = lines.len().saturating_sub(self.scroll + usize::from(layout.request.height));
        if let Some(over) = &self.over {
            let words = format!(" {over} · any key goes on");
            canvas.text(layout.choices, (0, 0), &words, Role::Warning);
            return;
        }
        if rest > 0 {
            let words = format!("─ {} more · Space ", human::plural(rest, "line"));
            canvas.text(layout.choices, (2, 0), &words, Role::Warning);
        }
        self.view_choices(canvas, layout.choices);
        if let Some((what, line)) = &self.typed {
            let words = match what {
                TypedFor::Refusal => " say why › ",
                TypedFor::Question => " answer › ",
                TypedFor::Form => " FIELD=VALUE; FIELD=VALUE › ",
            };
            let row = layout.choices.height.saturating_sub(1);
            let before = unspool_text::width::width(words);
            let room = usize::from(layout.choices.width).saturating_sub(before + 1);
            let (seen, cursor) = line.window(room);
            let mut shown = Line::of(words, Role::Id);
            shown.add(seen.to_owned(), Role::Plain);
            canvas.line(layout.choices, row, &shown);
            let column = before + cursor;
            let column = (column as u16).min(layout.choices.width.saturating_sub(1));
            canvas.set_cursor(layout.choices.x + column, layout.choices.y + row);
        }
    }

    fn subject(&self) -> Option<SessionSubject> {
        self.subject.clone()
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(match self.typed {
            Some(_) => &[("Enter", "answers"), ("Esc", "closes")],
            None => &[
                ("1-9", "answers"),
                ("↓ ↑ Enter", "chooses"),
                ("Space", "reads on"),
                ("Esc", "leaves it"),
                ("?", "keys"),
            ],
        })
    }
}

impl AskScreen {
    /// Returns the rows of the answers, each with the index of its answer. Long answers are wrapped, not
    /// cut.
    fn choice_rows(&self, width: u16) -> Vec<(usize, Line)> {
        let role = if self.has_seen_end { Role::Plain } else { Role::Muted };
        let width = usize::from(width).saturating_sub(5).max(20);
        let mut rows = Vec::new();
        for (number, choice) in self.choices().iter().enumerate() {
            let mut label = Line::new();
            if let ChoiceAct::Toggle(taken) = &choice.act {
                let is_taken = self.taken.contains(taken);
                label.add(if is_taken { "[x] " } else { "[ ] " }, role);
            }
            label.add(sanitize::inline(&choice.label).into_owned(), role);
            let mut mark = Line::of(format!("  {} ", number + 1), Role::Id);
            for line in wrap(&label, width) {
                rows.push((number, line.indented(&mark)));
                mark = Line::of("    ", Role::Plain);
            }
        }
        rows
    }

    fn view_choices(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let height = area.height.saturating_sub(1);
        let height = usize::from(height.saturating_sub(u16::from(self.typed.is_some())));
        let rows = self.choice_rows(area.width);
        // The selected answer stays visible where there are more rows than room.
        let last = rows.iter().rposition(|(number, _)| *number == self.chosen);
        let first = last.map_or(0, |last| (last + 1).saturating_sub(height));
        for (row, (number, line)) in (1..).zip(rows.iter().skip(first).take(height)) {
            canvas.line(area, row, line);
            if *number == self.chosen && self.typed.is_none() {
                canvas.select(Rect { y: area.y + row, height: 1, ..area });
            }
        }
    }
}

fn is_open(board: &LiveBoard, session: &SessionId, approval: &ApprovalId) -> bool {
    let card = board.card(session);
    card.is_some_and(|card| card.approvals().any(|it| it.id == *approval))
}
