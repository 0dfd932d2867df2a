//! The screen of the sessions that run: a card for each, and those that ended since a person looked.
//!
//! The selection is kept by session. Cards change their order only when no key was pressed for a second, so
//! that nothing moves under the finger.

use ratatui::layout::Rect;
use unspool_drive::{RunNeed, RunView};
use unspool_engine::ops::inbox::LiveGroup;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_render::keys::KeyAction;
use unspool_text::style::{Line, Role};

use super::cards::{card_lines, done_line};
use crate::canvas::Canvas;
use crate::event::{MouseInput, MouseKind};
use crate::menu::{Menu, MenuItem};
use crate::screen::{Handled, InputMode, ScreenContext, ScreenRequest, TuiScreen, ViewContext};
use crate::settings::SessionSubject;
use crate::work::live::{LiveBoard, LiveCard, LiveRequest};
use crate::work::{WorkAnswer, WorkRequest};

/// How long after a key the order of the cards stays.
const STILL_MS: i64 = 1_000;
/// How often the times on the cards are painted again.
const TICK_MS: i64 = 1_000;

/// The same while no time on them counts seconds.
const SLOW_TICK_MS: i64 = 60_000;

/// One card for each session that runs.
#[derive(Default)]
pub(crate) struct LiveScreen {
    /// The sessions in the order of their cards: those that run, then those that ended.
    order: Vec<SessionId>,
    chosen: Option<SessionId>,
    /// What actions on the chosen one are about.
    subject: Option<SessionSubject>,
    /// When a key was pressed last.
    touched: Option<Time>,
    is_known: bool,
}

impl LiveScreen {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes the order of the board, or keeps the old one with new sessions at its end.
    fn arrange(&mut self, board: &LiveBoard, now: Time) {
        self.is_known |= board.is_known;
        let live = board.cards.iter().map(|card| &card.item.row.id);
        let done = board.done.iter().map(|item| &item.row.id);
        let all: Vec<SessionId> = live.chain(done).cloned().collect();
        let touched = self.touched.map_or(i64::MIN, Time::as_millis);
        if now.as_millis().saturating_sub(touched) < STILL_MS {
            self.order.retain(|session| all.contains(session));
            let new = all.iter().filter(|session| !self.order.contains(session));
            let new: Vec<SessionId> = new.cloned().collect();
            self.order.extend(new);
        } else {
            self.order = all;
        }
        let is_there = |chosen: &SessionId| self.order.contains(chosen);
        if !self.chosen.as_ref().is_some_and(is_there) {
            self.chosen = self.order.first().cloned();
        }
        self.subject = self.subject_on(board);
    }

    fn position(&self) -> usize {
        let chosen = self.chosen.as_ref();
        let found = self.order.iter().position(|it| Some(it) == chosen);
        found.unwrap_or(0)
    }

    fn move_by(&mut self, by: isize) {
        let last = self.order.len().saturating_sub(1);
        let to = self.position().saturating_add_signed(by).min(last);
        self.chosen = self.order.get(to).cloned();
    }

    fn subject_on(&self, board: &LiveBoard) -> Option<SessionSubject> {
        let chosen = self.chosen.as_ref()?;
        let live = board.card(chosen).map(LiveCard::subject);
        live.or_else(|| {
            let mut done = board.done.iter();
            let done = done.find(|item| item.row.id == *chosen)?;
            Some(SessionSubject::of_row(&done.row))
        })
    }

    fn next_waiting(&mut self, board: &LiveBoard) -> Option<SessionId> {
        let waiting: Vec<SessionId> = board.waiting().map(|place| place.session).collect();
        let chosen = self.chosen.as_ref();
        let at = waiting.iter().position(|it| Some(it) == chosen);
        let next = at.map_or(0, |at| (at + 1) % waiting.len());
        waiting.get(next).cloned()
    }

    fn act_on_cards(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        match action {
            KeyAction::LineDown | KeyAction::NextTurn | KeyAction::NextMessage => self.move_by(1),
            KeyAction::LineUp | KeyAction::PreviousTurn | KeyAction::PreviousMessage => {
                self.move_by(-1);
            }
            KeyAction::PageDown | KeyAction::HalfPageDown => self.move_by(5),
            KeyAction::PageUp | KeyAction::HalfPageUp => self.move_by(-5),
            KeyAction::First => self.chosen = self.order.first().cloned(),
            KeyAction::Last => self.chosen = self.order.last().cloned(),
            KeyAction::NextWaiting => match self.next_waiting(cx.board) {
                Some(session) => self.chosen = Some(session),
                None => cx.say("no session waits"),
            },
            KeyAction::Fold | KeyAction::Open | KeyAction::Follow => {
                let Some(subject) = self.subject_on(cx.board) else {
                    return Handled::Yes;
                };
                cx.open(ScreenRequest::Session {
                    place: subject.place,
                    at: None,
                    find: None,
                });
            }
            KeyAction::GoLive => {}
            KeyAction::ActionMenu => return self.run_menu(cx),
            _ => return Handled::No,
        }
        Handled::Yes
    }

    /// Opens a menu of what can be done with a run.
    fn run_menu(&self, cx: &mut ScreenContext<'_>) -> Handled {
        let run = self.chosen.as_ref().and_then(|it| cx.board.run_of(it));
        let Some(run) = run else {
            return Handled::No;
        };
        let acts = (0..).zip(RunAct::of(run));
        let items = acts.map(|(number, act)| {
            let (words, key) = act.words();
            MenuItem::numbered(number, words).with_key(key)
        });
        cx.menu(Menu::new("run", "Driven session", items.collect()));
        Handled::Yes
    }
}

/// What can be done with a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RunAct {
    Answer,
    Prompt,
    Interrupt,
    Release,
    Stop,
    GoOn,
    Again,
    Actions,
}

impl RunAct {
    /// Lists what can be done with a run as it is now.
    fn of(run: &RunView) -> Vec<Self> {
        let mut acts = if run.run.state.is_over() {
            vec![Self::GoOn, Self::Again, Self::Stop]
        } else {
            vec![Self::Answer, Self::Prompt, Self::Interrupt, Self::Stop]
        };
        if run.need() == Some(RunNeed::Held) {
            acts.push(Self::Release);
        }
        acts.push(Self::Actions);
        acts
    }

    /// Says what it does, and the key that does it.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Answer => ("answer what it waits for", "a"),
            Self::Prompt => ("write a prompt", "i"),
            Self::Interrupt => ("interrupt the turn", ""),
            Self::Release => ("let its queue go on", ""),
            Self::Stop => ("end the run", ""),
            Self::GoOn => ("go on with the session", ""),
            Self::Again => ("run its last prompt again: tools may run twice", ""),
            Self::Actions => ("everything else …", ""),
        }
    }
}

impl TuiScreen for LiveScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        self.arrange(cx.board, cx.now);
        cx.wake_at(Time::from_millis(cx.now.as_millis() + TICK_MS));
    }

    fn has_content(&self) -> bool {
        self.is_known
    }

    fn defers(&self, _: KeyAction) -> bool {
        !self.is_known
    }

    fn input_mode(&self) -> InputMode {
        InputMode::READER
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        self.touched = Some(cx.now);
        let handled = self.act_on_cards(action, cx);
        self.subject = self.subject_on(cx.board);
        handled
    }

    fn chosen(&mut self, _: &'static str, item: usize, cx: &mut ScreenContext<'_>) {
        let Some(session) = self.chosen.clone() else {
            return;
        };
        let Some(run) = cx.board.run_of(&session) else {
            return;
        };
        let Some(act) = RunAct::of(run).get(item).copied() else {
            return;
        };
        let run = run.run.id.clone();
        let request = match act {
            RunAct::Answer => return cx.open(ScreenRequest::Ask(session)),
            RunAct::Prompt => return cx.open(ScreenRequest::Prompt(session)),
            RunAct::Actions => return cx.open_actions(),
            RunAct::Interrupt => LiveRequest::Interrupt(run),
            RunAct::Release => LiveRequest::Release(run),
            RunAct::Stop => LiveRequest::Stop(run),
            RunAct::GoOn => LiveRequest::GoOn(run),
            RunAct::Again => LiveRequest::Again(run),
        };
        cx.ask_for_program(WorkRequest::Live(request));
    }

    fn mouse(&mut self, mouse: MouseInput, cx: &mut ScreenContext<'_>) {
        match mouse.kind {
            MouseKind::WheelDown => self.move_by(1),
            MouseKind::WheelUp => self.move_by(-1),
            MouseKind::Press => {
                let area = Rect::new(0, 0, cx.size.columns, cx.size.rows);
                let rows = self.rows(&cx.viewing());
                let first = first_shown(&rows, self.position(), body(area).height);
                let at = usize::from(mouse.row.saturating_sub(body(area).y));
                let row = rows.iter().skip(first).nth(at);
                if let Some(session) = row.and_then(|row| row.session.clone()) {
                    self.chosen = Some(session);
                }
            }
            MouseKind::Drag | MouseKind::Release => {}
        }
        self.touched = Some(cx.now);
        self.subject = self.subject_on(cx.board);
    }

    fn answer(&mut self, _: WorkAnswer, _: &mut ScreenContext<'_>) {}

    fn board_changed(&mut self, cx: &mut ScreenContext<'_>) {
        self.arrange(cx.board, cx.now);
    }

    fn tick(&mut self, cx: &mut ScreenContext<'_>) {
        self.arrange(cx.board, cx.now);
        // Seconds count only while something runs or will end.
        let counts = |card: &LiveCard| {
            let ends = card.run.as_deref().and_then(|run| run.run.idle_deadline);
            card.group != LiveGroup::Idle || ends.is_some()
        };
        let step = if cx.board.cards.iter().any(counts) {
            TICK_MS
        } else {
            SLOW_TICK_MS
        };
        cx.wake_at(Time::from_millis(cx.now.as_millis() + step));
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let area = canvas.area();
        canvas.line(area, 0, &heading(cx.board));
        let clock = clock_line(cx);
        canvas.line_at_end(area, 0, &clock);
        let body = body(area);
        let rows = self.rows(cx);
        if cx.board.is_known && rows.is_empty() {
            let words = "  Nothing is running. Sessions appear here as soon as Claude Code starts.";
            canvas.text(body, (0, 1), words, Role::Muted);
            return;
        }
        let first = first_shown(&rows, self.position(), body.height);
        for (at, row) in (0..body.height).zip(rows.iter().skip(first)) {
            canvas.line(body, at, &row.line);
            if row.session.is_some() && row.session == self.chosen {
                canvas.text(body, (0, at), "▌", Role::User);
                if row.is_head {
                    canvas.select(Rect {
                        x: body.x + 1,
                        y: body.y + at,
                        width: body.width - 1,
                        height: 1,
                    });
                }
            }
        }
    }

    fn subject(&self) -> Option<SessionSubject> {
        self.subject.clone()
    }

    fn hints(&self) -> Vec<KeyAction> {
        Vec::new()
    }

    fn own_hints(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[
            ("Enter", "opens"),
            ("!", "next waiting"),
            ("a", "answers"),
            ("i", "prompt"),
            ("r", "resume"),
            ("X", "actions"),
            ("w", "browser"),
            ("q", "back"),
            ("?", "keys"),
        ])
    }
}

/// A row of the screen, and the session that it belongs to.
struct LiveRow {
    line: Line,
    session: Option<SessionId>,
    is_head: bool,
}

impl LiveScreen {
    fn rows(&self, cx: &ViewContext<'_>) -> Vec<LiveRow> {
        let mut rows = Vec::new();
        let mut has_done = false;
        for session in &self.order {
            if let Some(card) = cx.board.card(session) {
                for (index, line) in card_lines(card, cx.now).into_iter().enumerate() {
                    rows.push(LiveRow {
                        line: line.truncated(usize::from(cx.size.columns)),
                        session: Some(session.clone()),
                        is_head: index == 0,
                    });
                }
                rows.push(LiveRow::apart(Line::new()));
            } else if let Some(item) = cx.board.done.iter().find(|it| it.row.id == *session) {
                if !has_done {
                    rows.push(LiveRow::apart(Line::of(
                        "   Done since you looked",
                        Role::Muted,
                    )));
                    has_done = true;
                }
                rows.push(LiveRow {
                    line: done_line(item, cx.now),
                    session: Some(session.clone()),
                    is_head: true,
                });
            }
        }
        if cx.board.done_left > 0 {
            let words = format!(
                "   {} more; the inbox of `unspool serve` has them",
                cx.board.done_left
            );
            rows.push(LiveRow::apart(Line::of(words, Role::Muted)));
        }
        rows
    }
}

impl LiveRow {
    fn apart(line: Line) -> Self {
        Self {
            line,
            session: None,
            is_head: false,
        }
    }
}

fn body(area: Rect) -> Rect {
    Rect {
        y: area.y + 2,
        height: area.height.saturating_sub(3),
        ..area
    }
}

/// Returns the first row that is shown, so that the chosen card is in sight.
fn first_shown(rows: &[LiveRow], chosen: usize, height: u16) -> usize {
    let heads = rows.iter().enumerate().filter(|(_, row)| row.is_head);
    let starts: Vec<usize> = heads.map(|(at, _)| at).collect();
    let end = starts.get(chosen + 1).copied().unwrap_or(rows.len());
    end.saturating_sub(usize::from(height))
}

fn heading(board: &LiveBoard) -> Line {
    let mut line = Line::of(" Live  ", Role::Title);
    let counts = [
        (
            LiveGroup::NeedsInput,
            "needs input",
            "need input",
            Role::Warning,
        ),
        (LiveGroup::Working, "working", "working", Role::Success),
        (LiveGroup::Idle, "idle", "idle", Role::Muted),
    ];
    let mut is_first = true;
    for (group, one, several, role) in counts {
        let count = board.count(group);
        if count == 0 {
            continue;
        }
        if !is_first {
            line.add(" · ", Role::Muted);
        }
        is_first = false;
        let words = if count == 1 { one } else { several };
        line.add(format!("{count} {words}"), role);
    }
    line
}

fn clock_line(cx: &ViewContext<'_>) -> Line {
    let Ok(instant) = jiff::Timestamp::from_millisecond(cx.now.as_millis()) else {
        return Line::new();
    };
    let time = instant.to_zoned(cx.settings.zone.clone());
    Line::of(format!("{} ", time.strftime("%H:%M")), Role::Time)
}
