//! The screen that answers what a driven session waits for.
//!
//! The whole request is shown, and nothing is answered before its end was in sight. A request that was
//! answered elsewhere meanwhile says so, and the next one is shown only after a key: what a person did not
//! see is not answered.

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
use crate::press::{KeyName, KeyPress, LetterUse};
use crate::screen::{Handled, InputMode, ScreenContext, TuiScreen, ViewContext};
use crate::settings::SessionSubject;
use crate::work::live::{LiveBoard, LiveCard, LiveRequest};
use crate::work::{WorkAnswer, WorkRequest};

/// The columns of the session's title, so that the time that is left has room.
const MOST_TITLE: usize = 24;
/// How often the times are painted again.
const TICK_MS: i64 = 1_000;

/// The request of a driven session, and the answers to choose from.
pub(crate) struct AskScreen {
    session: SessionId,
    subject: Option<SessionSubject>,
    /// The request that is shown.
    shown: Option<Box<ApprovalRecord>>,
    /// What became of it elsewhere, in words.
    over: Option<String>,
    chosen: usize,
    scroll: usize,
    has_seen_end: bool,
    /// The question at hand, and the answers to those before.
    question: usize,
    answers: Map<String, Value>,
    taken: BTreeSet<String>,
    typed: Option<(TypedFor, EditLine)>,
    /// The answer that was given and is under way.
    given: Option<ApprovalId>,
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
        }
    }

    /// Shows the oldest request that is open.
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
        self.look(cx);
    }

    /// Notes whether the end of the request is in sight.
    fn look(&mut self, cx: &ScreenContext<'_>) {
        let layout = self.layout(Rect::new(0, 0, cx.size.columns, cx.size.rows));
        let lines = self.request_lines(layout.request.width).len();
        let height = usize::from(layout.request.height);
        self.scroll = self.scroll.min(lines.saturating_sub(height));
        self.has_seen_end |= self.scroll + height >= lines;
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
        self.chosen = number;
        match choice.act.clone() {
            ChoiceAct::Give(choice) => self.give(*choice, cx),
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
        if self.question >= asked.len() {
            let choice = answered(std::mem::take(&mut self.answers));
            return self.give(choice, cx);
        }
        self.look(cx);
    }

    fn give(&mut self, choice: PersonChoice, cx: &mut ScreenContext<'_>) {
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
    }

    fn typed_enough(&mut self, cx: &mut ScreenContext<'_>) {
        let Some((what, line)) = self.typed.take() else {
            return;
        };
        let text = line.text().to_owned();
        match what {
            TypedFor::Refusal => self.give(PersonChoice::deny(text), cx),
            TypedFor::Question => self.answer_question(text, cx),
            TypedFor::Form => {
                let Some(shown) = &self.shown else {
                    return;
                };
                let fields: Vec<String> = text.split(';').map(|it| it.trim().to_owned()).collect();
                match reply::form(&shown.request.input(), &fields) {
                    Ok(choice) => self.give(choice, cx),
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
        let below = self.choices().len() as u16 + 1 + u16::from(self.typed.is_some());
        let request_height = area.height.saturating_sub(2 + below + 1);
        AskLayout {
            head: Rect { height: 1, ..area },
            request: Rect {
                x: area.x + 2,
                y: area.y + 2,
                width: area.width.saturating_sub(4),
                height: request_height,
            },
            choices: Rect {
                y: area.y + 2 + request_height,
                height: below,
                ..area
            },
        }
    }

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
        line.add(words, Role::Title);
        if let Some(subject) = &self.subject {
            let title = sanitize::one_line(&subject.title, MOST_TITLE);
            line.add(format!("  {title}"), Role::Muted);
        }
        let waits = human::duration(cx.now.since(shown.asked));
        line.add(format!("  waits {waits}"), Role::Time);
        if let Some(deadline) = shown.deadline {
            let left = human::duration(deadline.since(cx.now));
            line.add(format!("  {left} left"), Role::Time);
        }
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
        InputMode {
            context: KeyContext::Reader,
            letters: match self.typed {
                Some(_) => LetterUse::Text { is_empty: false },
                None => LetterUse::Commands,
            },
        }
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        if self.typed.is_some() {
            match action {
                KeyAction::Fold => self.typed_enough(cx),
                KeyAction::Close => self.typed = None,
                KeyAction::Quit => return Handled::No,
                _ => {}
            }
            return Handled::Yes;
        }
        if self.over.take().is_some() {
            self.show_next(cx);
            return Handled::Yes;
        }
        let last = self.choices().len().saturating_sub(1);
        match action {
            KeyAction::LineDown => self.chosen = (self.chosen + 1).min(last),
            KeyAction::LineUp => self.chosen = self.chosen.saturating_sub(1),
            KeyAction::PageDown | KeyAction::HalfPageDown => self.scroll += 10,
            KeyAction::PageUp | KeyAction::HalfPageUp => {
                self.scroll = self.scroll.saturating_sub(10);
            }
            KeyAction::Fold => self.choose(self.chosen, cx),
            _ => return Handled::No,
        }
        self.look(cx);
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
        if let KeyName::Char(digit @ '1'..='9') = press.key {
            self.choose(digit as usize - '1' as usize, cx);
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
        self.look(cx);
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let layout = self.layout(canvas.area());
        canvas.line(layout.head, 0, &self.head(cx));
        let lines = self.request_lines(layout.request.width);
        canvas.lines(layout.request, lines.iter().skip(self.scroll));
        let rest = lines
            .len()
            .saturating_sub(self.scroll + usize::from(layout.request.height));
        if let Some(over) = &self.over {
            let words = format!(" {over} · any key goes on");
            canvas.text(layout.choices, (0, 0), &words, Role::Warning);
            return;
        }
        if rest > 0 {
            let words = format!("─ {} more · Space ", human::plural(rest, "line"));
            canvas.text(layout.choices, (2, 0), &words, Role::Warning);
        }
        for (row, (number, choice)) in (1..).zip(self.choices().iter().enumerate()) {
            self.view_choice(canvas, layout.choices, row, number, choice);
        }
        if let Some((what, line)) = &self.typed {
            let words = match what {
                TypedFor::Refusal => " say why › ",
                TypedFor::Question => " answer › ",
                TypedFor::Form => " FIELD=VALUE; FIELD=VALUE › ",
            };
            let row = layout.choices.height - 1;
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

    fn hints(&self) -> Vec<KeyAction> {
        Vec::new()
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(match self.typed {
            Some(_) => &[("Enter", "answers"), ("Esc", "closes")],
            None => &[
                ("1-9", "answers"),
                ("↓ ↑ Enter", "chooses"),
                ("Space", "reads on"),
                ("Esc", "leaves it"),
            ],
        })
    }
}

impl AskScreen {
    fn view_choice(
        &self,
        canvas: &mut Canvas<'_>,
        area: Rect,
        row: u16,
        number: usize,
        choice: &AskChoice,
    ) {
        let role = if self.has_seen_end {
            Role::Plain
        } else {
            Role::Muted
        };
        let mut line = Line::of(format!("  {} ", number + 1), Role::Id);
        if let ChoiceAct::Toggle(label) = &choice.act {
            let mark = if self.taken.contains(label) {
                "[x] "
            } else {
                "[ ] "
            };
            line.add(mark, role);
        }
        line.add(choice.label.clone(), role);
        canvas.line(area, row, &line.truncated(usize::from(area.width)));
        if number == self.chosen && self.typed.is_none() {
            canvas.select(Rect {
                y: area.y + row,
                height: 1,
                ..area
            });
        }
    }
}

fn is_open(board: &LiveBoard, session: &SessionId, approval: &ApprovalId) -> bool {
    let card = board.card(session);
    card.is_some_and(|card| card.approvals().any(|it| it.id == *approval))
}
