//! The screen of running sessions: a card for each, and the sessions that ended meanwhile.
//!
//! On a wide screen the selected session is followed next to the cards. Actions on a run are in menus,
//! which stay bound to the run they were opened for.
//!
//! The selection is a session. Cards change order only after a second without a key press, so that nothing
//! moves under the finger.

use ratatui::layout::Rect;
use unspool_drive::{MenuModel, RunId};
use unspool_engine::library::WatchedSession;
use unspool_engine::ops::inbox::LiveGroup;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_render::keys::{KeyAction, KeyContext};
use unspool_text::style::{Line, Role};

use super::cards::CardPainter;
use super::deadline::parse_deadline;
use super::follow::{FollowPanes, LiveLayout};
use super::run_menu::{DeadlineKind, RunMenu, RunMenuKind, RunOffer};
use crate::canvas::Canvas;
use crate::event::{MouseInput, MouseKind};
use crate::press::LetterUse;
use crate::screen::{
    Handled, InputMode, ScreenContext, ScreenRequest, TuiScreen, ViewContext, clock,
};
use crate::settings::SessionSubject;
use crate::work::live::{LiveBoard, LiveCard, LiveReply, LiveRequest, RunChange};
use crate::work::{WorkAnswer, WorkReply, WorkRequest};

/// How long the order of the cards stays unchanged after a key.
const STILL_MS: i64 = 1_000;
/// The interval at which the times on the cards are repainted.
const TICK_MS: i64 = 1_000;

/// The same while all times are in minutes or longer.
const SLOW_TICK_MS: i64 = 60_000;

/// The message for actions that need a driven session.
const NOT_DRIVEN: &str = "unspool does not drive this session";

/// A card for each running session.
#[derive(Default)]
pub(crate) struct LiveScreen {
    /// The sessions in the order of their cards: running ones, then ended ones.
    order: Vec<SessionId>,
    chosen: Option<SessionId>,
    /// The session that actions apply to.
    subject: Option<SessionSubject>,
    /// The time of the last key press.
    touched: Option<Time>,
    is_known: bool,
    followed: FollowPanes,
    /// The actions of the open menu, with their session and run.
    offered: Option<OfferedMenu>,
}

/// The actions of an open menu.
struct OfferedMenu {
    session: SessionId,
    run: RunId,
    offers: Vec<RunOffer>,
    /// The deadline that a typed text sets.
    deadline: Option<DeadlineKind>,
}

impl LiveScreen {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes the order of the board, or shortly after a key keeps the old order and appends new sessions.
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

    /// Selects the session that waits longest, or the next one if a waiting session is selected.
    fn choose_waiting(&mut self, cx: &mut ScreenContext<'_>) {
        let waiting: Vec<SessionId> = cx.board.waiting().map(|place| place.session).collect();
        let at = waiting.iter().position(|it| Some(it) == self.chosen.as_ref());
        match (at, waiting.as_slice()) {
            (_, []) => cx.say("no session waits"),
            (Some(_), [_]) => cx.say("no other session waits"),
            (at, waiting) => {
                let next = at.map_or(0, |at| (at + 1) % waiting.len());
                self.chosen = waiting.get(next).cloned();
            }
        }
    }

    fn act_on_cards(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        match action {
            KeyAction::LineDown => self.move_by(1),
            KeyAction::LineUp => self.move_by(-1),
            KeyAction::PageDown => self.move_by(5),
            KeyAction::PageUp => self.move_by(-5),
            KeyAction::First => self.chosen = self.order.first().cloned(),
            KeyAction::Last => self.chosen = self.order.last().cloned(),
            KeyAction::NextWaiting => self.choose_waiting(cx),
            KeyAction::Follow => {
                if let Some(subject) = self.subject_on(cx.board) {
                    cx.open(ScreenRequest::Follow(subject.place));
                }
            }
            KeyAction::Open => {
                let Some(subject) = self.subject_on(cx.board) else {
                    return Handled::Yes;
                };
                cx.open(ScreenRequest::Session { place: subject.place, at: None, find: None });
            }
            KeyAction::Queue => self.open_menu(&RunMenuKind::Queue, cx),
            KeyAction::Permissions => self.open_menu(&RunMenuKind::Permissions, cx),
            KeyAction::Model => self.open_menu(&RunMenuKind::Models, cx),
            KeyAction::Deadlines => self.open_menu(&RunMenuKind::Deadlines, cx),
            KeyAction::Interrupt => match self.run(cx.board) {
                Some(run) => {
                    let request = LiveRequest::Run(run.clone(), RunChange::Interrupt);
                    cx.ask_for_program(WorkRequest::Live(request));
                }
                None => cx.say(NOT_DRIVEN),
            },
            KeyAction::ActionMenu if self.run(cx.board).is_some() => {
                self.open_menu(&RunMenuKind::Run, cx);
            }
            _ => return Handled::No,
        }
        Handled::Yes
    }

    /// Returns the run of the selected session, if unspool drives it.
    fn run<'b>(&self, board: &'b LiveBoard) -> Option<&'b RunId> {
        Some(&board.run_of(self.chosen.as_ref()?)?.run.id)
    }

    /// Opens a menu for the run of the selected session.
    fn open_menu(&mut self, kind: &RunMenuKind, cx: &mut ScreenContext<'_>) {
        let chosen = self.chosen.clone();
        let found = chosen.and_then(|session| Some((cx.board.run_of(&session)?, session)));
        let Some((run, session)) = found else {
            return cx.say(NOT_DRIVEN);
        };
        if *kind == RunMenuKind::Models && !run.run.state.is_over() {
            let request = LiveRequest::Models(run.run.id.clone());
            cx.ask(WorkRequest::Live(request));
            return;
        }
        match RunMenu::of(kind, run, cx.now) {
            Ok(menu) => self.offer(session, menu, cx),
            Err(words) => cx.say(words),
        }
    }

    fn offer(&mut self, session: SessionId, made: RunMenu, cx: &mut ScreenContext<'_>) {
        self.offered = Some(OfferedMenu {
            session,
            run: made.run,
            offers: made.offers,
            deadline: made.deadline,
        });
        cx.menu(made.menu);
    }

    /// Opens the menu of the models, if the run is still that of the selected session.
    fn offer_models(&mut self, id: &RunId, models: &[MenuModel], cx: &mut ScreenContext<'_>) {
        let chosen = self.chosen.clone();
        let found = chosen.and_then(|session| Some((cx.board.run_of(&session)?, session)));
        let Some((run, session)) = found.filter(|(run, _)| run.run.id == *id) else {
            return;
        };
        if models.is_empty() {
            return cx.say("the client has not said which models it has");
        }
        let menu = RunMenu::models(id, models, run.run.model.as_deref());
        self.offer(session, menu, cx);
    }

    /// Follows the selected session.
    fn follow(&mut self, cx: &mut ScreenContext<'_>) {
        self.subject = self.subject_on(cx.board);
        self.followed.follow(&self.order, self.chosen.as_ref(), cx);
    }
}

impl TuiScreen for LiveScreen {
    fn open(&mut self, cx: &mut ScreenContext<'_>) {
        self.arrange(cx.board, cx.now);
        self.follow(cx);
        cx.wake_at(Time::from_millis(cx.now.as_millis() + TICK_MS));
    }

    fn has_content(&self) -> bool {
        self.is_known
    }

    fn defers(&self, _: KeyAction) -> bool {
        !self.is_known
    }

    fn input_mode(&self) -> InputMode {
        InputMode { context: KeyContext::Live, letters: LetterUse::Commands }
    }

    fn act(&mut self, action: KeyAction, cx: &mut ScreenContext<'_>) -> Handled {
        self.touched = Some(cx.now);
        let handled = self.act_on_cards(action, cx);
        self.follow(cx);
        handled
    }

    fn chosen(&mut self, _: &'static str, item: usize, cx: &mut ScreenContext<'_>) {
        let Some(offered) = self.offered.take() else {
            return;
        };
        let OfferedMenu { session, run, offers, .. } = offered;
        match offers.into_iter().nth(item) {
            Some(RunOffer::Answer) => cx.open(ScreenRequest::Ask(session)),
            Some(RunOffer::Prompt) => cx.open(ScreenRequest::Prompt(session)),
            Some(RunOffer::Next(kind)) => cx.open(ScreenRequest::NextRun(session, run, kind)),
            Some(RunOffer::Actions) => cx.open_actions(),
            Some(RunOffer::Menu(kind)) if self.run(cx.board) == Some(&run) => {
                self.open_menu(&kind, cx);
            }
            Some(RunOffer::Menu(_)) => cx.say("the run is not there any more"),
            Some(RunOffer::Change(change)) => {
                cx.ask_for_program(WorkRequest::Live(LiveRequest::Run(run, change)));
            }
            None => {}
        }
    }

    fn menu_text(&mut self, _: &'static str, text: &str, cx: &mut ScreenContext<'_>) {
        let offered = self.offered.take();
        let deadline = offered.and_then(|it| Some((it.run, it.deadline?)));
        let Some((run, kind)) = deadline else {
            return;
        };
        match parse_deadline(text) {
            Ok(seconds) => {
                let request = LiveRequest::Run(run, kind.change(seconds));
                cx.ask_for_program(WorkRequest::Live(request));
            }
            Err(words) => cx.say(words),
        }
    }

    fn mouse(&mut self, mouse: MouseInput, cx: &mut ScreenContext<'_>) {
        match mouse.kind {
            MouseKind::WheelDown => self.move_by(1),
            MouseKind::WheelUp => self.move_by(-1),
            MouseKind::Press => {
                let area = Rect::new(0, 0, cx.size.columns, cx.size.rows);
                let cards = LiveLayout::of(area).cards;
                let rows = self.rows(&cx.viewing(), cards.width);
                let first = first_shown(&rows, self.position(), cards.height);
                let is_inside = cards.contains((mouse.column, mouse.row).into());
                let at = usize::from(mouse.row.saturating_sub(cards.y));
                let row = rows.iter().skip(first).nth(at).filter(|_| is_inside);
                if let Some(session) = row.and_then(|row| row.session.clone()) {
                    self.chosen = Some(session);
                }
            }
            MouseKind::Drag | MouseKind::Release => {}
        }
        self.touched = Some(cx.now);
        self.follow(cx);
    }

    fn answer(&mut self, answer: WorkAnswer, cx: &mut ScreenContext<'_>) {
        match answer.reply {
            WorkReply::Live(LiveReply::Tails(tails)) => self.followed.take(answer.ticket, tails),
            WorkReply::Live(LiveReply::Models(run, models)) => {
                self.offer_models(&run, &models, cx);
            }
            WorkReply::Live(LiveReply::Answered(Err(words))) => cx.say(words),
            _ => {}
        }
    }

    fn board_changed(&mut self, cx: &mut ScreenContext<'_>) {
        self.arrange(cx.board, cx.now);
        self.follow(cx);
    }

    fn resized(&mut self, cx: &mut ScreenContext<'_>) {
        self.follow(cx);
    }

    fn watched(&self) -> Option<WatchedSession> {
        let subject = self.subject.clone()?;
        Some(WatchedSession {
            home: subject.place.home?,
            project: subject.place.project?,
            session: subject.place.session,
            file: subject.file,
        })
    }

    fn tick(&mut self, cx: &mut ScreenContext<'_>) {
        self.arrange(cx.board, cx.now);
        self.follow(cx);
        // Times change every second only while a session works, waits, or has a deadline.
        let counts = |card: &LiveCard| {
            let ends = card.run.as_deref().and_then(|run| run.run.idle_deadline);
            card.group != LiveGroup::Idle || ends.is_some()
        };
        let step = if cx.board.cards.iter().any(counts) { TICK_MS } else { SLOW_TICK_MS };
        cx.wake_at(Time::from_millis(cx.now.as_millis() + step));
    }

    fn view(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let area = canvas.area();
        canvas.line(area, 0, &heading(cx.board));
        let time = clock(cx.now, &cx.settings.zone);
        canvas.line_at_end(area, 0, &Line::of(format!("{time} "), Role::Time));
        let layout = LiveLayout::of(area);
        let body = layout.cards;
        let rows = self.rows(cx, body.width);
        if cx.board.is_known && rows.is_empty() {
            let words = "  Nothing is running. Sessions appear here as soon as Claude Code starts; `n` starts one.";
            canvas.text(body, (0, 1), words, Role::Muted);
            return;
        }
        self.followed.view(canvas, &layout.follows, cx);
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
        use KeyAction as A;
        vec![
            A::Open,
            A::NextWaiting,
            A::Answer,
            A::Prompt,
            A::ActionMenu,
            A::Queue,
            A::Permissions,
            A::Model,
            A::Deadlines,
            A::Interrupt,
            A::Resume,
            A::Browse,
            A::Back,
        ]
    }
}

/// A row of the screen, and its session.
struct LiveRow {
    line: Line,
    session: Option<SessionId>,
    is_head: bool,
}

impl LiveScreen {
    fn rows(&self, cx: &ViewContext<'_>, width: u16) -> Vec<LiveRow> {
        let painter = CardPainter { now: cx.now, width: usize::from(width) };
        let mut rows = Vec::new();
        let mut has_done = false;
        for session in &self.order {
            if let Some(card) = cx.board.card(session) {
                for (index, line) in painter.card(card).into_iter().enumerate() {
                    rows.push(LiveRow {
                        line,
                        session: Some(session.clone()),
                        is_head: index == 0,
                    });
                }
                rows.push(LiveRow::without_session(Line::new()));
            } else if let Some(item) = cx.board.done.iter().find(|it| it.row.id == *session) {
                if !has_done {
                    rows.push(LiveRow::without_session(Line::of(
                        "   Done since you looked",
                        Role::Muted,
                    )));
                    has_done = true;
                }
                rows.push(LiveRow {
                    line: painter.ended_line(item),
                    session: Some(session.clone()),
                    is_head: true,
                });
            }
        }
        if cx.board.done_left > 0 {
            let words = format!("   {} more", cx.board.done_left);
            rows.push(LiveRow::without_session(Line::of(words, Role::Muted)));
        }
        rows
    }
}

impl LiveRow {
    fn without_session(line: Line) -> Self {
        Self { line, session: None, is_head: false }
    }
}

/// Returns the first visible row, such that the selected card is visible.
fn first_shown(rows: &[LiveRow], chosen: usize, height: u16) -> usize {
    let heads = rows.iter().enumerate().filter(|(_, row)| row.is_head);
    let starts: Vec<usize> = heads.map(|(at, _)| at).collect();
    let end = starts.get(chosen + 1).copied().unwrap_or(rows.len());
    end.saturating_sub(usize::from(height))
}

fn heading(board: &LiveBoard) -> Line {
    let mut line = Line::of(" Live  ", Role::Title);
    let counts = [
        (LiveGroup::NeedsInput, "needs input", "need input", Role::Warning),
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
