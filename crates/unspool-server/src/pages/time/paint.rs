//! The timeline of a session, painted: shares of time, a map of the turns, and lanes.

use unspool_engine::ops::timeline::{IdleGap, SessionTimeline, TimeScale, TimeSpan, TurnTime};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::CallStatus;
use unspool_model::positions::TurnNumber;
use unspool_model::time::Time;
use unspool_text::html::Html;
use unspool_text::human;

use super::lanes::TimeLines;
use super::tables;
use crate::pages::parts::{
    SessionPageContext, changed_url, path_choices, pixels, share, transcript_url,
};
use crate::route::Call;

/// The height of a line, and of the space above the first one, in pixels.
const LINE: u64 = 26;
const TOP: u64 = 18;
/// The share of the width below which a span cannot be distinguished from the one before it.
const THINNEST: f64 = 0.0006;

/// The page of a session's timeline.
pub(super) struct Waterfall<'p> {
    pub(super) time: &'p SessionTimeline,
    pub(super) shown: &'p Transcript<'p>,
    pub(super) about: &'p SessionPageContext,
    pub(super) call: &'p Call,
    /// The turn that is shown alone.
    pub(super) turn: Option<TurnNumber>,
}

impl Waterfall<'_> {
    /// Paints the page.
    pub(super) fn paint(&self, html: &mut Html) {
        html.tag("<header class=\"list-head\"><div><h1>");
        let sums = &self.time.sums;
        html.text(&human::duration(sums.present_ms())).tag("</h1>\n<p class=\"remark\">");
        html.text(&human::plural(self.time.turns.len(), "turn"));
        if sums.away_ms > 0 {
            html.tag(" \u{b7} ").text(&human::duration(sums.away_ms)).tag(" away");
        }
        if let Some(cost) = self.time.spending.cost_usd().filter(|cost| *cost > 0.0) {
            html.tag(" \u{b7} ").text(&human::dollars(cost));
        }
        html.tag("</p></div>");
        path_choices(self.shown, self.call, html);
        html.tag("</header>\n");
        let Some(scale) = TimeScale::new(self.time) else {
            html.tag("<p class=\"empty\">The log does not say when anything happened.</p>\n");
            return;
        };
        tables::shares(sums, html);
        self.map(&scale, html);
        self.lanes(&scale, html);
        html.tag("<div class=\"halves\">\n");
        tables::slowest(self.time, self.about, html);
        tables::turns(self.time, self.about, html);
        html.tag("</div>\n");
        if self.time.untimed > 0 {
            html.tag("<p class=\"remark\">").number(self.time.untimed.into());
            html.tag(" answers and calls have no time in the log and are not drawn.</p>\n");
        }
    }

    fn chosen(&self) -> Option<&TurnTime> {
        let turn = self.turn?;
        self.time.turns.iter().find(|known| known.index == turn)
    }

    /// Paints the map: each turn as a block that links to its own timeline.
    fn map(&self, scale: &TimeScale, html: &mut Html) {
        if self.time.turns.len() < 2 {
            return;
        }
        html.tag("<figure class=\"map\"><svg width=\"100%\" height=\"30\" role=\"group\" ");
        html.tag("aria-label=\"Turns\">");
        for turn in &self.time.turns {
            let is_chosen = Some(turn.index) == self.turn;
            let value = turn.index.to_string();
            let value = (!is_chosen).then_some(value.as_str());
            let way = changed_url(self.call, &[("turn", value)]);
            let title = turn_title(turn);
            html.tag("<a").attribute("href", &way);
            html.attribute("aria-label", &title);
            html.tag(if is_chosen { " aria-current=\"true\">" } else { ">" });
            let (from, to) = (scale.place(turn.started), scale.place(turn.ended));
            html.tag("<rect y=\"4\" height=\"22\" rx=\"3\"");
            share("x", from, html);
            share("width", (to - from).max(0.003), html);
            html.tag("><title>").text(&title).tag("</title></rect></a>");
        }
        html.tag("</svg><figcaption>");
        if self.chosen().is_some() {
            html.link(&changed_url(self.call, &[("turn", None)]), "Show all turns");
        } else {
            html.tag("A block is a turn; choose one to look at it alone.");
        }
        html.tag("</figcaption></figure>\n");
    }

    fn lanes(&self, scale: &TimeScale, html: &mut Html) {
        let window = Window::of(self.chosen(), scale);
        let is_inside = |span: &TimeSpan| match self.turn {
            Some(turn) => span.turn == Some(turn),
            None => true,
        };
        let lines = TimeLines::of(&self.time.spans, is_inside);
        let height = TOP + lines.names.len() as u64 * LINE;
        html.tag(
            "<figure class=\"lanes-figure\">\n<div class=\"lane-names\" aria-hidden=\"true\">",
        );
        for name in &lines.names {
            html.tag("<span>").text(name).tag("</span>");
        }
        html.tag("</div>\n<svg class=\"time-lanes\" width=\"100%\" role=\"group\" ");
        html.tag("aria-label=\"Spans of time; the tables below say the same\"");
        pixels("height", height, html);
        html.tag(">");
        for (gap, from, to) in scale.gaps() {
            paint_gap(gap, &window, from, to, height, html);
        }
        let mut last = vec![-1.0; lines.names.len()];
        for (span, (line, inside)) in self.time.spans.iter().zip(&lines.of_spans) {
            if !is_inside(span) {
                continue;
            }
            let end = span.end.or(self.time.ended).unwrap_or(span.start);
            let (from, to) = (window.place(scale, span.start), window.place(scale, end));
            // A long session has more spans than a screen has pixels, so a span that cannot be
            // distinguished from the one before it is skipped.
            if to - last[*line] < THINNEST && !inside {
                continue;
            }
            last[*line] = to;
            self.span(span, *line, *inside, (from, to), html);
        }
        html.tag("</svg></figure>\n");
    }

    fn span(
        &self,
        span: &TimeSpan,
        line: usize,
        inside: bool,
        (from, to): (f64, f64),
        html: &mut Html,
    ) {
        let title = tables::span_title(span);
        let way = span.entry.as_ref();
        let way = way.map(|entry| transcript_url(self.about, entry.as_str(), span.call.as_deref()));
        if let Some(way) = &way {
            html.tag("<a").attribute("href", way);
            html.attribute("aria-label", &title).tag(">");
        }
        html.tag("<rect rx=\"2\"").attribute("class", span.kind.name());
        html.tag_if(matches!(span.status, CallStatus::Failed | CallStatus::Denied), " data-bad");
        html.tag_if(span.end.is_none(), " data-open");
        share("x", from, html);
        share("width", (to - from).max(0.0012), html);
        let y = TOP + line as u64 * LINE;
        let (inset, height) = if inside { (9, LINE - 16) } else { (3, LINE - 6) };
        pixels("y", y + inset, html);
        pixels("height", height, html);
        html.tag("><title>").text(&title).tag("</title></rect>");
        html.tag_if(way.is_some(), "</a>");
    }
}

/// The visible part of the scale.
struct Window {
    from: f64,
    width: f64,
}

impl Window {
    fn of(turn: Option<&TurnTime>, scale: &TimeScale) -> Self {
        let Some(turn) = turn else {
            return Self { from: 0.0, width: 1.0 };
        };
        let from = scale.place(turn.started);
        Self { from, width: (scale.place(turn.ended) - from).max(1e-9) }
    }

    fn place(&self, scale: &TimeScale, time: Time) -> f64 {
        self.within(scale.place(time))
    }

    fn within(&self, place: f64) -> f64 {
        ((place - self.from) / self.width).clamp(0.0, 1.0)
    }
}

/// Paints a gap without activity, with its duration.
fn paint_gap(gap: &IdleGap, window: &Window, from: f64, to: f64, height: u64, html: &mut Html) {
    let (from, to) = (window.within(from), window.within(to));
    if to - from <= 0.0 {
        return;
    }
    html.tag("<g class=\"gap\"><rect y=\"0\"");
    share("x", from, html);
    share("width", to - from, html);
    pixels("height", height, html);
    html.tag("/><text y=\"12\" text-anchor=\"middle\"");
    share("x", f64::midpoint(from, to), html);
    html.tag(">").text(&human::duration(gap.duration_ms()));
    html.tag("</text></g>");
}

fn turn_title(turn: &TurnTime) -> String {
    let took = human::duration(turn.ended.since(turn.started));
    let prompt = turn.prompt.as_deref().unwrap_or_default();
    format!("Turn {}, {took}: {prompt}", turn.index)
}
