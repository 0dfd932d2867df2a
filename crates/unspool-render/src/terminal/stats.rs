//! Totals as a page: a block of sums, a sparkline over the days, and a table of groups with
//! bars.

#[cfg(test)]
mod tests;

use unspool_model::ids::short;
use unspool_model::names;
use unspool_text::chart::{self, Glyphs};
use unspool_text::style::{Line, Role};
use unspool_text::table::{Align, Column, Table};
use unspool_text::width::{units, width};
use unspool_text::{human, sanitize, wrap};

use jiff::civil::Date;

use super::insight::table;
use super::tilde;
use unspool_engine::ops::stats::{By, Day, Stats, StatsGroup, Sums, used_keys};
use unspool_store::prices::Cost;

/// The layout of totals.
#[derive(Clone, Debug)]
pub struct StatsLayout {
    /// The width in columns.
    pub width: usize,
    /// The user's home folder, which paths show as `~`.
    pub user_home: Option<String>,
    /// The characters of bars and sparklines.
    pub glyphs: Glyphs,
}

/// Draws totals.
pub fn stats(stats: &Stats, layout: &StatsLayout) -> Vec<Line> {
    let mut lines = summary(&stats.total, layout);
    lines.extend(days(stats, layout));
    let keys: Vec<By> = used_keys(stats.by, stats.then).collect();
    let table = match keys.as_slice() {
        [By::Tool] => tools(stats, layout),
        keys => groups(stats, keys, layout),
    };
    if !table.is_empty() {
        lines.push(Line::new());
        lines.extend(table);
    }
    lines
}

/// Returns the sums of everything, one per line.
fn summary(total: &Sums, layout: &StatsLayout) -> Vec<Line> {
    let mut block = Table::new(vec![
        Column::new(Align::Left),
        Column::new(Align::Right),
        Column::new(Align::Left).min(0).flexible(),
    ]);
    let mut row = |label: &str, value: String, note: Line| {
        let label = match label.strip_prefix("  ") {
            Some(_) => Line::of(label, Role::Muted),
            None => Line::of(label, Role::Title),
        };
        block.row(vec![label, Line::of(value, Role::Number), note]);
    };
    let tokens = &total.tokens;
    let all = tokens.sum();
    row("tokens", human::count(all), Line::new());
    let kinds = [
        ("  input", tokens.input),
        ("  output", tokens.output),
        ("  cache writes, 5 min", tokens.cache_write_5m),
        ("  cache writes, 1 h", tokens.cache_write_1h),
        ("  cache reads", tokens.cache_read),
    ];
    for (label, count) in kinds {
        let bar = chart::bar(count, all, (layout.width / 4).min(30), layout.glyphs);
        row(label, human::count(count), Line::of(bar, Role::Muted));
    }
    let mut priced = Line::new();
    if total.unpriced > 0 {
        let left_out = human::count(total.unpriced);
        priced.add(format!("without {left_out} tokens that have no price"), Role::Warning);
    }
    row("cost", money(total.cost), priced);
    row("time working", human::duration(total.active_ms), Line::new());
    row("turns", human::count(total.turns), Line::new());
    row("messages", human::count(total.messages), Line::new());
    row("calls", human::count(total.calls), failures(total));
    row("lines", changed(total), Line::new());
    row("sessions", human::count(total.sessions), Line::new());
    block.lines(layout.width)
}

fn money(cost: Option<Cost>) -> String {
    cost.map_or_else(|| "no price".to_owned(), |cost| human::dollars(cost.usd()))
}

/// Returns the number of failed calls in words; empty if none failed.
fn failures(sums: &Sums) -> Line {
    if sums.failed_calls == 0 {
        return Line::new();
    }
    let count = human::count(sums.failed_calls);
    Line::of(format!("{count} failed, {}", rate(sums)), Role::Failure)
}

/// Returns the share of calls that failed, in percent with one decimal.
fn rate(sums: &Sums) -> String {
    let (failed, calls) = (u128::from(sums.failed_calls), u128::from(sums.calls.max(1)));
    let thousandths = (failed * 1000 + calls / 2) / calls;
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn changed(sums: &Sums) -> String {
    let (added, removed) = (sums.lines_added, sums.lines_removed);
    if added == 0 && removed == 0 {
        return "0".to_owned();
    }
    format!("+{} -{}", human::count(added), human::count(removed))
}

/// Draws the use of each day, one character for a day, or for several if not all days fit.
fn days(stats: &Stats, layout: &StatsLayout) -> Vec<Line> {
    let (Some(first), Some(last)) = (stats.days.first(), stats.days.last()) else {
        return Vec::new();
    };
    let length = distance(first.date, last.date) + 1;
    if length < 2 {
        return Vec::new();
    }
    let measure = Measure::of(stats);
    let value = |day: &Day| measure.value(day.tokens, Some(day.cost));
    let each = length.div_ceil(layout.width.clamp(10, 100));
    let mut values = vec![0u64; length.div_ceil(each)];
    for day in &stats.days {
        let at = distance(first.date, day.date) / each;
        values[at] = values[at].saturating_add(value(day));
    }
    let mut words =
        Line::of(format!("{} a day, {} to {}", measure.name(), first.date, last.date), Role::Muted);
    if each > 1 {
        words.add(format!(", {each} days a mark"), Role::Muted);
    }
    // Of equal days, `max_by_key` returns the last one; `rev` makes it the first.
    let most = stats.days.iter().rev().max_by_key(|day| value(day));
    if let Some(most) = most {
        let value = measure.text(most.tokens, Some(most.cost));
        words.add(format!("; most on {}: {value}", most.date), Role::Muted);
    }
    let spark = Line::of(chart::sparkline(&values, layout.glyphs), Role::Success);
    let mut lines = vec![Line::new(), spark];
    lines.extend(wrap(&words, layout.width));
    lines
}

/// Returns the number of days from one date to a later one.
fn distance(from: Date, to: Date) -> usize {
    from.until(to).map_or(0, |span| span.get_days()).max(0) as usize
}

names! {
    /// What bars and sparklines measure: the cost if there is any, otherwise tokens.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Measure {
        Cost = "cost",
        Tokens = "tokens",
    }
}

impl Measure {
    fn of(stats: &Stats) -> Self {
        match stats.total.cost {
            Some(cost) if cost > Cost::default() => Self::Cost,
            _ => Self::Tokens,
        }
    }

    /// Returns a number to compare with others of the same measure.
    fn value(self, tokens: u64, cost: Option<Cost>) -> u64 {
        match self {
            Self::Cost => (cost.unwrap_or_default().usd() * 1e6) as u64,
            Self::Tokens => tokens,
        }
    }

    fn text(self, tokens: u64, cost: Option<Cost>) -> String {
        match self {
            Self::Cost => money(cost),
            Self::Tokens => human::count(tokens),
        }
    }
}

/// Returns the width of bars.
fn bar_width(layout: &StatsLayout) -> usize {
    (layout.width.saturating_sub(40) / 4).clamp(6, 24)
}

/// A row of the table: a group, or all groups that a limit cut off.
struct StatsRow<'a> {
    /// A name for each key.
    names: Vec<Line>,
    title: Option<&'a str>,
    sums: &'a Sums,
}

fn rows<'s>(stats: &'s Stats, layout: &StatsLayout) -> Vec<StatsRow<'s>> {
    let mut rows: Vec<StatsRow<'_>> = stats
        .groups
        .iter()
        .map(|group| StatsRow {
            names: names(group, stats, layout),
            title: group.label.as_deref(),
            sums: &group.sums,
        })
        .collect();
    if let Some(others) = &stats.others {
        rows.push(StatsRow { names: names_of_others(stats), title: None, sums: &others.sums });
    }
    rows
}

/// Names the groups that a limit cut off, under the first key.
fn names_of_others(stats: &Stats) -> Vec<Line> {
    let keys = used_keys(stats.by, stats.then).count();
    let mut names = vec![Line::new(); keys.max(1)];
    names[0] = Line::of("(others)", Role::Muted);
    names
}

fn names(group: &StatsGroup, stats: &Stats, layout: &StatsLayout) -> Vec<Line> {
    let keys: Vec<By> = used_keys(stats.by, stats.then).collect();
    let width = name_width(layout, keys.len());
    let named = keys.iter().zip(group.keys());
    named.map(|(by, key)| name(*by, key, width, layout)).collect()
}

fn name(by: By, key: Option<&str>, width: usize, layout: &StatsLayout) -> Line {
    let Some(key) = key else {
        return Line::of("(none)", Role::Muted);
    };
    match by {
        By::Session => Line::of(short(key), Role::Id),
        By::Project => {
            let path = tilde(key, layout.user_home.as_deref());
            Line::of(end(&path, width), Role::Path)
        }
        By::Model => Line::of(key, Role::Model),
        By::Tool => Line::of(key, Role::ToolName),
        By::Day | By::Week | By::Month | By::Hour | By::Weekday | By::Branch | By::Nothing => {
            Line::of(key, Role::Plain)
        }
    }
}

/// Returns the width of the name of a group that has this many keys.
fn name_width(layout: &StatsLayout, keys: usize) -> usize {
    match keys {
        0 | 1 => (layout.width * 2 / 5).clamp(16, 48),
        _ => (layout.width / 5).clamp(12, 32),
    }
}

fn name_column(layout: &StatsLayout, keys: usize) -> Column {
    Column::new(Align::Left).max(name_width(layout, keys))
}

/// Cuts a path at the front, since its end distinguishes it from others.
fn end(path: &str, max: usize) -> String {
    let path = sanitize::inline(path);
    let mut over = width(&path).saturating_sub(max);
    if over == 0 {
        return path.into_owned();
    }
    // One more column for the ellipsis.
    over += 1;
    let mut cut = 0;
    for unit in units(&path) {
        if over == 0 {
            break;
        }
        over = over.saturating_sub(unit.width);
        cut += unit.text.len();
    }
    format!("…{}", &path[cut..])
}

fn head_of(by: By) -> &'static str {
    match by {
        By::Nothing => "",
        By::Day => "DAY",
        By::Week => "WEEK",
        By::Month => "MONTH",
        By::Hour => "HOUR",
        By::Weekday => "WEEKDAY",
        By::Project => "PROJECT",
        By::Session => "SESSION",
        By::Model => "MODEL",
        By::Tool => "TOOL",
        By::Branch => "BRANCH",
    }
}

/// Formats a count; zero is empty, so that the other counts are easy to find.
fn number(count: u64) -> Line {
    if count == 0 { Line::new() } else { Line::of(human::count(count), Role::Number) }
}

fn groups(stats: &Stats, keys: &[By], layout: &StatsLayout) -> Vec<Line> {
    let right = |priority: u8| Column::new(Align::Right).priority(priority);
    let title = Column::new(Align::Left).min(24).priority(220).flexible();
    let has_titles = keys.contains(&By::Session);
    let mut columns: Vec<(&str, Column)> =
        keys.iter().map(|by| (head_of(*by), name_column(layout, keys.len()))).collect();
    columns.extend([
        ("COST", right(240)),
        ("", Column::new(Align::Left).priority(200)),
        ("TOKENS", right(230)),
        ("OUTPUT", right(170)),
        ("WORKING", right(160)),
        ("TURNS", right(150)),
        ("CALLS", right(140)),
        ("FAILED", right(120)),
        ("LINES", right(130)),
        if has_titles { ("TITLE", title) } else { ("SESSIONS", right(110)) },
    ]);
    let measure = Measure::of(stats);
    let size = |sums: &Sums| measure.value(sums.tokens.sum(), sums.cost);
    let rows = rows(stats, layout);
    let largest = rows.iter().map(|row| size(row.sums)).max().unwrap_or(0);
    let cells = rows.iter().map(|row| {
        let bar = chart::bar(size(row.sums), largest, bar_width(layout), layout.glyphs);
        cells(row, bar, has_titles)
    });
    lines_of(table(columns, cells.collect()), layout)
}

fn lines_of(table: Option<Table>, layout: &StatsLayout) -> Vec<Line> {
    table.map_or_else(Vec::new, |table| table.lines(layout.width))
}

fn cells(row: &StatsRow<'_>, bar: String, has_titles: bool) -> Vec<Line> {
    let sums = row.sums;
    let working = match sums.active_ms {
        0 => Line::new(),
        time => Line::of(human::duration(time), Role::Muted),
    };
    let mut cells = row.names.clone();
    cells.extend([
        cost(sums),
        Line::of(bar, Role::Success),
        number(sums.tokens.sum()),
        number(sums.tokens.output),
        working,
        number(sums.turns),
        number(sums.calls),
        failed(sums),
        lines(sums),
        if has_titles {
            Line::of(row.title.unwrap_or_default(), Role::Plain)
        } else {
            number(sums.sessions)
        },
    ]);
    cells
}

/// Formats the changed lines; empty if there are none.
fn lines(sums: &Sums) -> Line {
    match (sums.lines_added, sums.lines_removed) {
        (0, 0) => Line::new(),
        _ => Line::of(changed(sums), Role::Muted),
    }
}

/// Formats the cost of a group; a plus sign means that some of its tokens have no price.
fn cost(sums: &Sums) -> Line {
    match sums.cost {
        None => Line::of("no price", Role::Muted),
        Some(_) if sums.tokens.sum() == 0 => Line::new(),
        Some(cost) => {
            let more = if sums.unpriced > 0 { "+" } else { "" };
            Line::of(format!("{}{more}", human::dollars(cost.usd())), Role::Number)
        }
    }
}

fn failed(sums: &Sums) -> Line {
    if sums.failed_calls == 0 {
        return Line::new();
    }
    Line::of(human::count(sums.failed_calls), Role::Failure)
}

fn tools(stats: &Stats, layout: &StatsLayout) -> Vec<Line> {
    let right = |priority: u8| Column::new(Align::Right).priority(priority);
    let columns = vec![
        (head_of(stats.by), name_column(layout, 1)),
        ("CALLS", right(240)),
        ("", Column::new(Align::Left).priority(180)),
        ("FAILED", right(230)),
        ("RATE", right(220)),
        ("LINES", right(150)),
        ("SESSIONS", right(120)),
    ];
    let mut rows = rows(stats, layout);
    // Groups without calls are only in the sums.
    rows.retain(|row| row.sums.calls > 0);
    let largest = rows.iter().map(|row| row.sums.calls).max().unwrap_or(0);
    let cells = rows.into_iter().map(|row| {
        let sums = row.sums;
        let bar = chart::bar(sums.calls, largest, bar_width(layout), layout.glyphs);
        let share = match sums.failed_calls {
            0 => Line::new(),
            _ => Line::of(rate(sums), Role::Failure),
        };
        vec![
            row.names.into_iter().next().unwrap_or_default(),
            number(sums.calls),
            Line::of(bar, Role::Success),
            failed(sums),
            share,
            lines(sums),
            number(sums.sessions),
        ]
    });
    lines_of(table(columns, cells.collect()), layout)
}
