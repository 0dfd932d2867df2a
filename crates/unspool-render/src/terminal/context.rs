//! The fill level of the model's context, for a terminal: a chart over all answers, and a row for
//! each turn and compaction.

use unspool_text::chart::{self, Glyphs};
use unspool_text::human;
use unspool_text::style::{Line, Role};
use unspool_text::table::Table;
use unspool_text::width::width;

use super::insight::{InsightPage, clock_style, left, muted, number, right, table, when};
use super::{ClockStyle, PageLayout};
use unspool_engine::ops::context_series::{CompactionDrop, ContextPoint, ContextSeries};
use unspool_engine::ops::transcript::Transcript;

/// The height of the chart.
const ROWS: usize = 10;
/// The width of the scale in front of the chart.
const MARGIN: usize = 7;
/// The most columns of one answer.
const WIDEST: usize = 4;
/// The width of the bar of [`context_meter`].
const FILL: usize = 12;
/// The share of its limit above which a context is nearly full: the client compacts it about here.
const NEARLY_FULL: f64 = 0.8;

/// Draws the context series of a transcript.
pub fn context_series(
    shown: &Transcript<'_>,
    series: &ContextSeries,
    layout: &PageLayout,
) -> Vec<Line> {
    let mut page = InsightPage::new(shown, layout);
    facts(&mut page, series);
    graph(&mut page, series);
    page.section("Compactions", compactions(series, layout));
    page.section("Turns", turns(series, layout));
    page.lines
}

/// Draws the fill level of the context at the end, on one line: `ctx ███████▎░░░░ 121k/200k`.
/// Returns `None` if no answer reports its tokens.
pub fn context_fill(series: &ContextSeries) -> Option<Line> {
    let limit = series.limit().map(|limit| limit.tokens);
    let mut line = context_meter(series.at_end()?, limit);
    if limit.is_none() {
        line.add(", the limit is not known", Role::Muted);
    }
    Some(line)
}

/// Draws the fill level of a context: `ctx ███████▎░░░░ 121k/200k`. Without a limit there is no bar.
pub fn context_meter(tokens: u64, limit: Option<u64>) -> Line {
    let mut line = Line::of("ctx ", Role::Muted);
    let Some(limit) = limit.map(|limit| limit.max(1)) else {
        line.add(human::count(tokens), Role::Number);
        return line;
    };
    let is_full = tokens as f64 > limit as f64 * NEARLY_FULL;
    let role = if is_full { Role::Warning } else { Role::Success };
    let bar = chart::bar(tokens.min(limit), limit, FILL, Glyphs::Blocks);
    let rest = FILL.saturating_sub(width(&bar));
    line.add(bar, role).add("░".repeat(rest), Role::Muted);
    line.add(format!(" {}", human::count(tokens)), Role::Number);
    line.add(format!("/{}", human::count(limit)), Role::Muted);
    line
}

fn facts(page: &mut InsightPage<'_>, series: &ContextSeries) {
    let (Some(last), Some(peak)) = (series.points.last(), series.peak) else {
        page.lines.push(muted("no answer says what it used"));
        return;
    };
    let tokens = |count: u64| Line::of(format!("{} tokens", human::count(count)), Role::Number);
    let mut end = tokens(last.context());
    end.add(" at the end", Role::Muted);
    let mut fullest = tokens(series.points[peak].context());
    fullest.add(" at its fullest", Role::Muted);
    let mut parts = vec![end, fullest];
    match series.limit() {
        Some(limit) => {
            let mut line = tokens(limit.tokens);
            let share = last.context() as f64 / limit.tokens.max(1) as f64;
            line.add(format!(" at most, {:.0} % full", share * 100.0), Role::Muted);
            parts.push(line);
        }
        None => parts.push(muted("the limit is not known")),
    }
    parts.push(Line::of(human::plural(series.points.len(), "answer"), Role::Plain));
    page.facts(parts);
}

/// Maps the answers of a series to columns of a chart.
struct ChartColumns {
    /// The number of columns.
    width: usize,
    points: usize,
}

impl ChartColumns {
    fn new(points: usize, room: usize) -> Self {
        let each = (room / points.max(1)).clamp(1, WIDEST);
        Self { width: (points * each).min(room).max(1), points }
    }

    /// Returns the first column of an answer.
    fn of(&self, point: usize) -> usize {
        let place = point as u128 * self.width as u128 / self.points.max(1) as u128;
        (place as usize).min(self.width - 1)
    }

    /// Returns the fullest context in each column.
    fn values(&self, points: &[ContextPoint]) -> Vec<u64> {
        let mut values = vec![0; self.width];
        for (at, point) in points.iter().enumerate() {
            let (from, to) = (self.of(at), self.of(at + 1).max(self.of(at) + 1));
            let last = at + 1 == points.len();
            let to = if last { self.width } else { to };
            for value in &mut values[from..to] {
                *value = point.context().max(*value);
            }
        }
        values
    }
}

fn graph(page: &mut InsightPage<'_>, series: &ContextSeries) {
    let Some(peak) = series.peak.map(|at| series.points[at].context()) else {
        return;
    };
    // A limit far above the peak would flatten the chart.
    let limit = series.limit().map(|limit| limit.tokens);
    let near = limit.filter(|&limit| limit <= peak.saturating_mul(2));
    let top = near.unwrap_or(peak).max(peak).max(1);
    page.heading("Context after each answer");
    let columns = ChartColumns::new(series.points.len(), page.room().saturating_sub(MARGIN));
    let values = columns.values(&series.points);
    let rows = chart::columns(&values, top, ROWS, Glyphs::Blocks);
    for (row, text) in rows.into_iter().enumerate() {
        let height = top as f64 * (ROWS - row) as f64 / ROWS as f64;
        let is_full = limit.is_some_and(|limit| height > limit as f64 * NEARLY_FULL);
        let role = if is_full { Role::Warning } else { Role::Success };
        let mut line = match row {
            0 => scale_mark(top),
            _ if row == ROWS / 2 => scale_mark(top / 2),
            _ => Line::of(format!("{:>width$} │", "", width = MARGIN - 2), Role::Muted),
        };
        line.add(text, role);
        if row == 0 && near.is_some() {
            line.add(" limit", Role::Muted);
        }
        page.line(line);
    }
    let mut ground = scale_mark(0);
    ground.add("─".repeat(columns.width), Role::Muted);
    page.line(ground);
    page.line(turn_marks(series, &columns));
    if !series.cliffs.is_empty() {
        page.line(cliff_marks(series, &columns));
    }
}

fn scale_mark(tokens: u64) -> Line {
    let text = format!("{:>width$} ┤", human::count(tokens), width = MARGIN - 2);
    Line::of(text, Role::Muted)
}

/// Writes the numbers of turns below their first columns, as far as there is room.
fn turn_marks(series: &ContextSeries, columns: &ChartColumns) -> Line {
    let mut line = Line::new();
    line.pad(MARGIN);
    let mut turn = None;
    for (at, point) in series.points.iter().enumerate() {
        if point.turn == turn {
            continue;
        }
        turn = point.turn;
        let text = turn.map(|turn| turn.to_string()).unwrap_or_default();
        let (column, used) = (columns.of(at), line.width() - MARGIN);
        let is_apart = used == 0 || column > used;
        if column >= used && is_apart && column + text.len() <= columns.width {
            line.pad(column - used).add(text, Role::Muted);
        }
    }
    line
}

/// Marks the compactions.
fn cliff_marks(series: &ContextSeries, columns: &ChartColumns) -> Line {
    let mut line = Line::new();
    line.pad(MARGIN);
    for cliff in &series.cliffs {
        let (column, used) = (columns.of(cliff.before_point), line.width() - MARGIN);
        if column >= used {
            line.pad(column - used).add("▽", Role::Warning);
        }
    }
    line.add(" compacted", Role::Muted);
    line
}

fn compactions(series: &ContextSeries, layout: &PageLayout) -> Option<Table> {
    let context = |at: Option<usize>| Some(series.points.get(at?)?.context());
    let rows = series.cliffs.iter().map(|cliff: &CompactionDrop| {
        let said = |tokens: Option<u64>| muted(tokens.map(human::count).unwrap_or_default());
        let before = context(cliff.before_point.checked_sub(1));
        vec![
            when(cliff.time, layout, ClockStyle::DateAndTime),
            number(cliff.turn.map_or(0, u64::from)),
            muted(cliff.trigger.clone().unwrap_or_default()),
            said(cliff.tokens_before),
            said(cliff.tokens_after),
            said(before),
            said(context(Some(cliff.before_point))),
        ]
    });
    let columns = vec![
        ("WHEN", left()),
        ("TURN", right().priority(100)),
        ("TRIGGER", left().priority(90)),
        ("BEFORE", right()),
        ("AFTER", right()),
        ("LAST ANSWER", right().priority(80)),
        ("NEXT ANSWER", right().priority(80)),
    ];
    table(columns, rows.collect())
}

/// The context during the answers of one turn.
struct TurnContext<'s> {
    first: &'s ContextPoint,
    last: &'s ContextPoint,
    answers: u64,
    output: u64,
}

fn turns(series: &ContextSeries, layout: &PageLayout) -> Option<Table> {
    let mut turns: Vec<TurnContext<'_>> = Vec::new();
    for point in &series.points {
        match turns.last_mut() {
            Some(turn) if turn.last.turn == point.turn => {
                turn.last = point;
                turn.answers += 1;
                turn.output = turn.output.saturating_add(point.tokens.output);
            }
            _ => turns.push(TurnContext {
                first: point,
                last: point,
                answers: 1,
                output: point.tokens.output,
            }),
        }
    }
    let times = turns.iter().filter_map(|turn| turn.first.time);
    let style = clock_style(times, layout);
    let mut before = 0;
    let rows = turns.iter().map(|turn| {
        let context = turn.last.context();
        let grew = match context.checked_sub(before) {
            Some(more) => Line::of(format!("+{}", human::count(more)), Role::Plain),
            None => Line::of(format!("−{}", human::count(before - context)), Role::Warning),
        };
        before = context;
        let cached = turn.last.tokens.cache_read as f64 / context.max(1) as f64;
        vec![
            number(turn.last.turn.map_or(0, u64::from)),
            when(turn.first.time, layout, style),
            number(turn.answers),
            Line::of(human::count(context), Role::Number),
            grew,
            muted(format!("{:.0} %", cached * 100.0)),
            muted(human::count(turn.output)),
            Line::of(series.models[turn.last.model].model.clone(), Role::Model),
        ]
    });
    let columns = vec![
        ("TURN", right()),
        ("TIME", left().priority(150)),
        ("ANSWERS", right().priority(100)),
        ("CONTEXT", right()),
        ("CHANGE", right().priority(200)),
        ("CACHED", right().priority(120)),
        ("WROTE", right().priority(90)),
        ("MODEL", left().min(8).priority(80)),
    ];
    table(columns, rows.collect())
}

#[cfg(test)]
mod tests {
    use unspool_engine::ops::context_series::{ContextLimit, LimitSource, ModelLimit};
    use unspool_model::usage::Tokens;

    use super::*;

    fn fill(tokens: u64, limit: Option<u64>) -> String {
        let source = LimitSource::Table;
        let series = ContextSeries {
            points: vec![ContextPoint {
                entry: None,
                message: 0,
                time: None,
                turn: None,
                model: 0,
                tokens: Tokens { cache_read: tokens, ..Tokens::default() },
            }],
            models: vec![ModelLimit {
                model: String::new(),
                limit: limit.map(|tokens| ContextLimit { tokens, source }),
            }],
            ..ContextSeries::default()
        };
        context_fill(&series).map_or_else(String::new, |line| line.plain())
    }

    #[test]
    fn the_fill_is_a_bar_of_its_limit() {
        assert_eq!(fill(121_000, Some(200_000)), "ctx ███████▎░░░░ 121k/200k");
        assert_eq!(fill(200_001, Some(200_000)), "ctx ████████████ 200k/200k");
        assert_eq!(fill(1, Some(200_000)), "ctx ▏░░░░░░░░░░░ 1/200k");
        assert_eq!(fill(5_000, None), "ctx 5k, the limit is not known");
        assert_eq!(context_fill(&ContextSeries::default()), None);
    }
}
