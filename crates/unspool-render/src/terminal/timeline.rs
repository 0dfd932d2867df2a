//! How the time of a path was spent, for a terminal: shares, lanes over the whole session, a bar
//! for each turn, and the slowest calls.

use unspool_model::conversation::CallStatus;
use unspool_text::chart::{self, Glyphs};
use unspool_text::style::{Line, Role};
use unspool_text::table::{ColumnMeasurer, Table};
use unspool_text::{human, sanitize};

use super::insight::{InsightPage, clock_style, kind_paint, left, muted, right, table};
use super::{ClockStyle, PageLayout, clock};
use crate::document::{StartFolder, spoken};
use unspool_engine::ops::timeline::{
    IdleGap, SessionTimeline, SpanKind, TimeScale, TimeSpan, TimeSums, TurnTime,
};
use unspool_engine::ops::transcript::Transcript;

/// The length of the longest bar of a share.
const SHARE_BAR: usize = 30;
/// The width of the names of lanes.
const NAMES: usize = 8;

/// Draws the timeline of a transcript.
pub fn timeline(
    shown: &Transcript<'_>,
    timeline: &SessionTimeline,
    layout: &PageLayout,
) -> Vec<Line> {
    let mut page = InsightPage::new(shown, layout);
    facts(&mut page, timeline);
    if let Some(shares) = shares(&timeline.sums) {
        page.lines.push(Line::new());
        for line in shares.lines(page.room()) {
            page.line(line);
        }
    }
    lanes(&mut page, timeline);
    turns(&mut page, timeline);
    let folder = StartFolder::new(shown.cwd());
    page.section("Slowest calls", slowest(timeline, &folder));
    page.lines
}

fn facts(page: &mut InsightPage<'_>, timeline: &SessionTimeline) {
    let (Some(started), Some(ended)) = (timeline.started, timeline.ended) else {
        page.lines.push(muted("no times are known"));
        return;
    };
    let zone = &page.layout.zone;
    let day = clock(started, zone, ClockStyle::Day);
    let same_day = day == clock(ended, zone, ClockStyle::Day);
    let style = if same_day { ClockStyle::Time } else { ClockStyle::DateAndTime };
    let end = clock(ended, zone, style);
    let start = clock(started, zone, ClockStyle::Time);
    let sums = &timeline.sums;
    let mut parts = vec![
        Line::of(format!("{day}, {start} – {end}"), Role::Time),
        Line::of(human::duration(sums.present_ms()), Role::Number),
    ];
    if sums.away_ms > 0 {
        let away = human::duration(sums.away_ms);
        parts.push(muted(format!("you were away for {away} more")));
    }
    parts.push(Line::of(human::plural(timeline.turns.len(), "turn"), Role::Plain));
    let cost = timeline.spending.cost_usd().filter(|cost| *cost > 0.0);
    parts.extend(cost.map(|cost| Line::of(human::dollars(cost), Role::Plain)));
    page.facts(parts);
}

/// Builds a table with the share of each side that took any time.
fn shares(sums: &TimeSums) -> Option<Table> {
    let shares = sums.shares();
    let sides = [
        ("model", Some(SpanKind::Model), shares.model, sums.model_ms),
        ("tools", Some(SpanKind::Tool), shares.tools, sums.tools_ms),
        ("agents", Some(SpanKind::Agent), shares.agents, sums.agents_ms),
        ("compaction", Some(SpanKind::Compaction), shares.compaction, sums.compaction_ms),
        ("you", Some(SpanKind::You), shares.you, sums.you_ms),
        ("other", None, shares.other, sums.other_ms),
    ];
    let most = sides.iter().map(|(_, _, share, _)| *share).max()?;
    let mut table = Table::new(vec![left(), right(), left().priority(100), right()]);
    let mut is_empty = true;
    for (name, kind, share, millis) in sides {
        if millis == 0 || (kind.is_none() && share == 0) {
            continue;
        }
        is_empty = false;
        let (mark, role) = kind.map_or(('·', Role::Muted), kind_paint);
        let long = chart::bar(u64::from(share), u64::from(most), SHARE_BAR, Glyphs::Ascii);
        let bar: String = long.chars().map(|_| mark).collect();
        table.row(vec![
            Line::of(name, Role::Plain),
            Line::of(format!("{share} %"), Role::Number),
            Line::of(bar, role),
            muted(human::duration(millis)),
        ]);
    }
    (!is_empty).then_some(table)
}

/// Draws the whole session from left to right, with a row for each side; gaps are compressed.
fn lanes(page: &mut InsightPage<'_>, timeline: &SessionTimeline) {
    let Some(scale) = TimeScale::new(timeline).filter(|_| timeline.sums.total_ms() > 0) else {
        return;
    };
    page.heading("Lanes");
    let width = page.room().saturating_sub(NAMES).max(10);
    page.line(axis(timeline, &scale, width, page.layout));
    let gap_columns: Vec<usize> =
        scale.gaps().map(|(_, from, to)| column(f64::midpoint(from, to), width)).collect();
    let rows = [
        ("you", SpanKind::You),
        ("model", SpanKind::Model),
        ("tools", SpanKind::Tool),
        ("agents", SpanKind::Agent),
        ("compact", SpanKind::Compaction),
    ];
    for (name, kind) in rows {
        let spans = timeline.spans.iter();
        let own = spans.filter(|span| span.depth == 0 && span.kind == kind);
        let mut cells = vec![false; width];
        let mut any = false;
        for span in own.filter(|span| span.duration_ms() != Some(0)) {
            any = true;
            let from = column(scale.place(span.start), width);
            let end = span.end.or(timeline.ended).unwrap_or(span.start);
            let to = (scale.place(end) * width as f64).ceil() as usize;
            cells[from..to.clamp(from + 1, width)].fill(true);
        }
        if any {
            page.line(lane(name, kind, &cells, &gap_columns));
        }
    }
}

fn column(place: f64, width: usize) -> usize {
    ((place * width as f64) as usize).min(width.saturating_sub(1))
}

fn lane(name: &str, kind: SpanKind, cells: &[bool], gaps: &[usize]) -> Line {
    let (mark, role) = kind_paint(kind);
    let mut line = Line::of(format!("{name:NAMES$}"), Role::Plain);
    let mut gaps = gaps.iter().copied().peekable();
    for (at, &is_on) in cells.iter().enumerate() {
        if gaps.next_if(|&gap| gap <= at).is_some() {
            while gaps.next_if(|&gap| gap <= at).is_some() {}
            line.add("┊", Role::Muted);
        } else if is_on {
            line.add(mark.to_string(), role);
        } else {
            line.pad(1);
        }
    }
    line
}

/// Writes the start and the end of the session, and the durations of the gaps between them.
fn axis(timeline: &SessionTimeline, scale: &TimeScale, width: usize, layout: &PageLayout) -> Line {
    let ends = [timeline.started, timeline.ended];
    let style = clock_style(ends.into_iter().flatten(), layout);
    let [start, end] = ends.map(|time| {
        let time = time.map(|time| clock(time, &layout.zone, style));
        time.unwrap_or_default()
    });
    let last = width.saturating_sub(end.chars().count());
    let mut line = Line::new();
    line.pad(NAMES).add(start, Role::Time);
    for (gap, from, to) in scale.gaps() {
        let text = human::duration(gap.duration_ms());
        let length = text.chars().count();
        let at = column(f64::midpoint(from, to), width).saturating_sub(length / 2);
        let used = line.width() - NAMES;
        if at > used && at + length + 1 < last {
            line.pad(at - used).add(text, Role::Muted);
        }
    }
    let used = line.width() - NAMES;
    if used < last {
        line.pad(last - used).add(end, Role::Time);
    }
    line
}

/// Draws one row for each turn, with a bar for the time of its work, and a line for each gap.
fn turns(page: &mut InsightPage<'_>, timeline: &SessionTimeline) {
    if timeline.turns.is_empty() {
        return;
    }
    page.heading("Turns");
    let style = clock_style(timeline.turns.iter().map(|turn| turn.started), page.layout);
    let longest = timeline.turns.iter().map(worked).max().unwrap_or(0);
    let (room, bar) = (page.room(), (page.room() / 4).clamp(10, 30));
    let mut fitting = ColumnMeasurer::new(vec![
        right(),
        left().priority(200),
        right(),
        left().priority(150),
        left().min(16).flexible(),
    ]);
    let heads = ["", "TIME", "WORKED", "", "PROMPT"];
    let heads = heads.map(|head| Line::of(head, Role::ColumnHead));
    let cells = |turn: &TurnTime| {
        let prompt = turn.prompt.as_deref().unwrap_or_default();
        let prompt = sanitize::one_line(&spoken(prompt), usize::MAX);
        [
            muted(turn.index.to_string()),
            Line::of(clock(turn.started, &page.layout.zone, style), Role::Time),
            muted(human::duration(worked(turn))),
            turn_bar(&turn.sums, longest, bar),
            Line::of(prompt, Role::Plain),
        ]
    };
    fitting.measure(&heads);
    for turn in &timeline.turns {
        fitting.measure(&cells(turn));
    }
    let fitted = fitting.fit(room);
    let mut lines = vec![fitted.draw(heads)];
    let mut gaps = timeline.gaps.iter().peekable();
    for turn in &timeline.turns {
        while let Some(gap) = gaps.next_if(|gap| gap.end <= turn.started) {
            lines.push(gap_line(gap));
        }
        lines.push(fitted.draw(cells(turn)));
    }
    lines.extend(gaps.map(gap_line));
    for line in lines {
        page.line(line.truncated(room));
    }
}

fn gap_line(gap: &IdleGap) -> Line {
    let took = human::duration(gap.duration_ms());
    let what = match gap.kind {
        Some(SpanKind::You) | None => "",
        Some(SpanKind::Model) => ", while the model worked",
        Some(SpanKind::Tool) => ", while a tool ran",
        Some(SpanKind::Agent) => ", while an agent worked",
        Some(SpanKind::Compaction) => ", while the context was compacted",
    };
    muted(format!("┄┄ {took} without activity{what}"))
}

/// Returns the time that was spent on a turn, without the user's.
fn worked(turn: &TurnTime) -> u64 {
    let sums = &turn.sums;
    sums.present_ms().saturating_sub(sums.you_ms)
}

/// Draws the times of all sides of a turn in one bar.
fn turn_bar(sums: &TimeSums, longest: u64, width: usize) -> Line {
    let parts = [
        (Some(SpanKind::Model), sums.model_ms),
        (Some(SpanKind::Tool), sums.tools_ms),
        (Some(SpanKind::Agent), sums.agents_ms),
        (Some(SpanKind::Compaction), sums.compaction_ms),
        (None, sums.other_ms),
    ];
    let mut line = Line::new();
    let (mut sum, mut drawn) = (0u64, 0);
    for (kind, millis) in parts {
        sum = sum.saturating_add(millis);
        // The end of each part is rounded, not its length, so that the whole bar has the right length.
        let end = chart::bar(sum, longest, width, Glyphs::Ascii).len();
        let (mark, role) = kind.map_or(('·', Role::Muted), kind_paint);
        line.add(mark.to_string().repeat(end - drawn), role);
        drawn = end;
    }
    line
}

fn slowest(timeline: &SessionTimeline, folder: &StartFolder) -> Option<Table> {
    let spans = timeline.slowest.iter().map(|id| &timeline.spans[id.row()]);
    let rows = spans.map(|span| {
        let took = span.duration_ms().map(human::duration);
        let turn = span.turn.map(|turn| turn.to_string());
        let (word, role) = status(span.status);
        vec![
            Line::of(took.unwrap_or_default(), Role::Number),
            muted(turn.unwrap_or_default()),
            call_name(span),
            Line::of(call_label(span, folder), Role::Plain),
            Line::of(word, role),
        ]
    });
    let columns = vec![
        ("TOOK", right()),
        ("TURN", right().priority(100)),
        ("CALL", left().max(30)),
        ("", left().min(16).flexible()),
        ("", left().priority(150)),
    ];
    table(columns, rows.collect())
}

/// Names a call; a call of an agent is indented.
fn call_name(span: &TimeSpan) -> Line {
    let mut line = Line::new();
    line.pad(2 * (span.depth as usize).min(4));
    let name = span.name.as_deref().filter(|name| !name.is_empty());
    line.add(name.unwrap_or("unnamed tool"), Role::ToolName);
    line
}

fn call_label(span: &TimeSpan, folder: &StartFolder) -> String {
    let label = span.label.as_deref().unwrap_or_default();
    let label = folder.without_cd(folder.shorten(label));
    sanitize::one_line(label, usize::MAX)
}

fn status(status: CallStatus) -> (&'static str, Role) {
    match status {
        CallStatus::Done => ("", Role::Plain),
        CallStatus::Failed => ("failed", Role::Failure),
        CallStatus::Denied => ("denied", Role::Warning),
        CallStatus::Interrupted => ("interrupted", Role::Warning),
        CallStatus::Pending => ("running", Role::Success),
    }
}
