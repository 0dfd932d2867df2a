//! Panes that follow sessions next to the cards: the selected session, and on a very wide screen the one
//! after it.

use ratatui::layout::Rect;
use unspool_model::ids::SessionId;
use unspool_store::rows::SessionRow;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};
use unspool_text::width::width;

use crate::canvas::Canvas;
use crate::screen::{ScreenContext, ViewContext};
use crate::settings::SessionSubject;
use crate::work::live::{LiveBoard, LiveRequest, SessionTail, TailRequest};
use crate::work::{WorkRequest, WorkTicket};

/// The least width for one pane, and the width of the cards next to it.
const ONE_FROM: u16 = 120;
const LIST_BY_ONE: u16 = 44;
/// The same for two panes.
const TWO_FROM: u16 = 200;
const LIST_BY_TWO: u16 = 50;

/// The areas of the cards and the panes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LiveLayout {
    pub(super) cards: Rect,
    /// The panes; each has a rule at its left.
    pub(super) follows: Vec<Rect>,
}

impl LiveLayout {
    /// Divides the screen below its heading. The last row shows the hints.
    pub(super) fn of(area: Rect) -> Self {
        let body = Rect { y: area.y + 2, height: area.height.saturating_sub(3), ..area };
        let (list, count) = match area.width {
            TWO_FROM.. => (LIST_BY_TWO, 2),
            ONE_FROM.. => (LIST_BY_ONE, 1),
            _ => (area.width, 0),
        };
        let rest = area.width - list;
        let follows = (0..count).map(|number| {
            let (from, to) = (rest * number / count, rest * (number + 1) / count);
            Rect { x: body.x + list + from, width: to - from, ..body }
        });
        Self { cards: Rect { width: list, ..body }, follows: follows.collect() }
    }
}

/// The ends of the followed conversations.
#[derive(Default)]
pub(super) struct FollowPanes {
    tails: Vec<SessionTail>,
    asked: Vec<TailRequest>,
    ticket: Option<WorkTicket>,
}

impl FollowPanes {
    /// Requests the ends of the followed conversations if they changed.
    pub(super) fn follow(
        &mut self,
        order: &[SessionId],
        chosen: Option<&SessionId>,
        cx: &mut ScreenContext<'_>,
    ) {
        let area = Rect::new(0, 0, cx.size.columns, cx.size.rows);
        let places = LiveLayout::of(area).follows;
        let rows = followed(order, chosen, cx.board).into_iter();
        let wanted = places.iter().zip(rows).map(|(place, row)| TailRequest {
            subject: SessionSubject::of_row(row),
            bytes: row.bytes,
            width: place.width.saturating_sub(3),
        });
        let wanted: Vec<TailRequest> = wanted.collect();
        if wanted != self.asked {
            self.asked.clone_from(&wanted);
            let request = LiveRequest::Tails(wanted);
            self.ticket = Some(cx.ask(WorkRequest::Live(request)));
        }
    }

    /// Takes the answer.
    pub(super) fn take(&mut self, ticket: WorkTicket, tails: Vec<SessionTail>) {
        if self.ticket == Some(ticket) {
            self.tails = tails;
        }
    }

    /// Paints the panes, each with the title of its session.
    pub(super) fn view(&self, canvas: &mut Canvas<'_>, places: &[Rect], cx: &ViewContext<'_>) {
        for (place, tail) in places.iter().zip(&self.tails) {
            view_tail(canvas, *place, tail, cx.board);
        }
    }
}

/// Returns the sessions to follow: the selected one, then the running ones after it in a circle.
fn followed<'b>(
    order: &[SessionId],
    chosen: Option<&SessionId>,
    board: &'b LiveBoard,
) -> Vec<&'b SessionRow> {
    let at = order.iter().position(|it| Some(it) == chosen).unwrap_or(0);
    let (before, from) = order.split_at(at.min(order.len()));
    let running = from.iter().chain(before).filter_map(|it| board.card(it));
    let ended = board.done.iter().filter(|it| Some(&it.row.id) == chosen);
    ended.chain(running.map(|card| &card.item)).map(|item| &item.row).collect()
}

fn view_tail(canvas: &mut Canvas<'_>, place: Rect, tail: &SessionTail, board: &LiveBoard) {
    for row in 0..place.height {
        canvas.text(place, (0, row), "│", Role::Rule);
    }
    let text = Rect { x: place.x + 2, width: place.width.saturating_sub(3), ..place };
    let session = &tail.request.subject.place.session;
    let model = board.card(session).and_then(|card| card.item.row.models.last());
    let model = model.map_or_else(String::new, |model| sanitize::one_line(model, 24));
    let room = usize::from(text.width).saturating_sub(width(&model) + 2);
    let title = sanitize::one_line(&tail.request.subject.title, room);
    canvas.line(text, 0, &Line::of(title, Role::Title));
    canvas.line_at_end(text, 0, &Line::of(model, Role::Muted));
    let body = Rect { y: text.y + 2, height: text.height.saturating_sub(2), ..text };
    let first = tail.lines.len().saturating_sub(usize::from(body.height));
    canvas.lines(body, tail.lines.iter().skip(first));
}
