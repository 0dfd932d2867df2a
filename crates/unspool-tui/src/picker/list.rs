//! The list: its rows with their order and groups, the selection, and the scroll position.
//!
//! The selection is a session, not a position. When rows change, the session stays selected while it is
//! shown, and keeps its line on the screen.

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{ToSpan as _, Zoned};
use unspool_engine::ops::inbox::LiveGroup;
use unspool_model::time::Time;

use super::counts::ListCounts;
use super::live_rows::LiveRows;
use crate::work::picker::rows::{PickerRow, PickerRows, RowKey, RowScope};
use crate::work::picker::saved::{PickerFilters, PickerScope, PickerSort};

/// A group of rows under one heading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PickerGroup {
    Live(LiveGroup),
    Today,
    Yesterday,
    Week,
    Older,
}

impl PickerGroup {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Live(LiveGroup::NeedsInput) => "Needs input",
            Self::Live(LiveGroup::Working) => "Working",
            Self::Live(LiveGroup::Idle) => "Idle",
            Self::Today => "Today",
            Self::Yesterday => "Yesterday",
            Self::Week => "This week",
            Self::Older => "Older",
        }
    }
}

/// A line of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListLine {
    /// The heading of a group.
    Heading(PickerGroup),
    /// A session, by its index.
    Row(u32),
    /// The hit in the session above.
    Found(u32),
}

/// Which rows the list shows, and in which order.
#[derive(Clone, Copy)]
pub(crate) struct ListArrangement<'a> {
    /// The matching rows, best first; `None` if nothing is typed.
    pub(crate) matches: Option<&'a [u32]>,
    pub(crate) lines: RowLines,
    pub(crate) scope: PickerScope,
    pub(crate) sort: PickerSort,
    pub(crate) filters: PickerFilters,
    pub(crate) live: &'a LiveRows,
    pub(crate) now: Time,
    pub(crate) zone: &'a TimeZone,
}

/// The number of lines of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowLines {
    One,
    /// The row, and below it its hit.
    Two,
}

/// The list of the picker.
#[derive(Default)]
pub(crate) struct PickerList {
    pub(crate) rows: Arc<PickerRows>,
    lines: Vec<ListLine>,
    /// The selected session.
    selected: Option<RowKey>,
    /// The line of the selected session.
    selected_line: usize,
    /// The first visible line.
    top: usize,
    pub(crate) counts: ListCounts,
}

/// How the selection changes with the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChoiceAfter {
    /// The selected session stays selected.
    Kept,
    /// The first row is selected.
    First,
    /// The newest row of the working directory is selected, if it is visible.
    NewestHere,
}

impl PickerList {
    /// Replaces the rows.
    pub(crate) fn arrange(
        &mut self,
        rows: Arc<PickerRows>,
        arrangement: &ListArrangement<'_>,
        choice: ChoiceAfter,
        height: usize,
    ) {
        let was_at_top = self.top == 0;
        let on_screen = self.selected_line.saturating_sub(self.top);
        let row_before = self.rows_before(self.selected_line);
        let (lines, counts) = lines(&rows, arrangement);
        (self.rows, self.lines, self.counts) = (rows, lines, counts);
        let kept = match choice {
            ChoiceAfter::Kept => self.selected.and_then(|key| self.line_of(key)),
            ChoiceAfter::First => None,
            ChoiceAfter::NewestHere => self.newest_here(height),
        };
        match (kept, choice) {
            (Some(line), _) => {
                self.select_line(line);
                // // A list that is scrolled to its top stays there; otherwise the row keeps its line of
                // the screen.
                if was_at_top && line < height || choice != ChoiceAfter::Kept {
                    self.top = 0;
                } else {
                    self.top = line.saturating_sub(on_screen);
                }
            }
            (None, ChoiceAfter::Kept) => {
                // The session is not shown any more: select the one in its place.
                self.select_nth(row_before);
            }
            (None, _) => {
                self.top = 0;
                self.select_nth(0);
            }
        }
        self.keep_in_view(height);
    }

    pub(crate) fn selected(&self) -> Option<RowKey> {
        self.selected
    }

    /// Returns the selected row, if it is shown.
    pub(crate) fn selected_row(&self) -> Option<&PickerRow> {
        match self.lines.get(self.selected_line) {
            Some(ListLine::Row(row)) => self.rows.row(*row),
            _ => None,
        }
    }

    pub(crate) fn selected_line(&self) -> usize {
        self.selected_line
    }

    /// Tells whether the first row is selected.
    pub(crate) fn is_at_first(&self) -> bool {
        self.rows_before(self.selected_line) == 0
    }

    /// Returns the position of the selected row among the shown ones, counted from one.
    pub(crate) fn position(&self) -> usize {
        self.rows_before(self.selected_line) + 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the visible lines with their numbers.
    pub(crate) fn in_view(&self, height: usize) -> impl Iterator<Item = (usize, ListLine)> + '_ {
        let lines = self.lines.iter().copied().enumerate();
        lines.skip(self.top).take(height)
    }

    /// Moves the selection down by a number of rows, or up if it is negative.
    pub(crate) fn step(&mut self, rows: isize, height: usize) {
        let is_down = rows > 0;
        for _ in 0..rows.unsigned_abs() {
            let next = if is_down {
                self.next_row(self.selected_line)
            } else {
                self.previous_row(self.selected_line)
            };
            let Some(line) = next else { break };
            self.select_line(line);
        }
        self.keep_in_view(height);
    }

    /// Selects the row at a line of the screen; returns whether it was selected already, or `None` without
    /// a row.
    pub(crate) fn click(&mut self, screen_line: usize, height: usize) -> Option<bool> {
        let line = self.top + screen_line;
        let line = match self.lines.get(line)? {
            ListLine::Row(_) => line,
            ListLine::Found(_) => line.checked_sub(1)?,
            ListLine::Heading(_) => return None,
        };
        let was_selected = self.selected_line == line;
        self.select_line(line);
        self.keep_in_view(height);
        Some(was_selected)
    }

    /// Scrolls until the selected row is visible, with its hit and its heading.
    pub(crate) fn keep_in_view(&mut self, height: usize) {
        let height = height.max(1);
        let has_second = matches!(self.lines.get(self.selected_line + 1), Some(ListLine::Found(_)));
        let last = self.selected_line + usize::from(has_second && height > 1);
        let first = self.heading_above(self.selected_line);
        let most = self.lines.len().saturating_sub(height);
        // Scrolls up to the heading, then down to the hit, but not past the end of the list.
        self.top = self.top.min(first).max((last + 1).saturating_sub(height)).min(most.max(first));
    }

    /// Returns the line of the heading directly above a row, else the row's own line.
    fn heading_above(&self, line: usize) -> usize {
        match line.checked_sub(1).map(|above| self.lines[above]) {
            Some(ListLine::Heading(_)) => line - 1,
            _ => line,
        }
    }

    fn select_line(&mut self, line: usize) {
        self.selected_line = line;
        if let Some(ListLine::Row(row)) = self.lines.get(line) {
            self.selected = self.rows.row(*row).map(|row| row.key);
        }
    }

    fn select_nth(&mut self, wanted: usize) {
        let rows = self.lines.iter().enumerate();
        let mut rows = rows.filter(|(_, line)| matches!(line, ListLine::Row(_)));
        let last = rows.clone().next_back();
        if let Some((line, _)) = rows.nth(wanted).or(last) {
            self.select_line(line);
        } else {
            (self.selected, self.selected_line) = (None, 0);
        }
    }

    fn line_of(&self, key: RowKey) -> Option<usize> {
        let number = self.rows.number_of(key)?;
        let mut lines = self.lines.iter();
        lines.position(|line| *line == ListLine::Row(number))
    }

    fn newest_here(&self, height: usize) -> Option<usize> {
        let mut lines = self.lines.iter().take(height);
        lines.position(|line| match line {
            ListLine::Row(row) => {
                let row = self.rows.row(*row);
                row.is_some_and(|row| row.scope == RowScope::Here)
            }
            _ => false,
        })
    }

    fn rows_before(&self, line: usize) -> usize {
        let before = self.lines.iter().take(line);
        before.filter(|line| matches!(line, ListLine::Row(_))).count()
    }

    fn next_row(&self, line: usize) -> Option<usize> {
        let mut after = (line + 1)..self.lines.len();
        after.find(|&at| matches!(self.lines[at], ListLine::Row(_)))
    }

    fn previous_row(&self, line: usize) -> Option<usize> {
        let mut before = (0..line.min(self.lines.len())).rev();
        before.find(|&at| matches!(self.lines[at], ListLine::Row(_)))
    }
}

/// Builds the lines of a list, and counts the rows that are not in it.
fn lines(rows: &PickerRows, arrangement: &ListArrangement<'_>) -> (Vec<ListLine>, ListCounts) {
    let ListArrangement { matches, lines: row_lines, scope, sort, filters, live, .. } =
        *arrangement;
    let mut counts = ListCounts {
        all: rows.len(),
        in_scope: rows.all().iter().filter(|row| scope.has(row.scope)).count(),
        ..ListCounts::default()
    };
    let mut shown: Vec<u32> = Vec::new();
    let mut consider = |number: u32| {
        let Some(row) = rows.row(number) else { return };
        let is_shown = filters.show(row, row.is_live || live.has(row.key));
        let is_in_scope = scope.has(row.scope);
        if is_in_scope && !filters.agents {
            counts.folded_agents += row.folded_agents as usize;
        }
        match (is_in_scope, is_shown) {
            (true, true) => shown.push(number),
            (true, false) => counts.hidden.add(row, filters),
            (false, true) => counts.elsewhere += 1,
            (false, false) => {}
        }
    };
    match matches {
        Some(matches) => matches.iter().for_each(|&number| consider(number)),
        None => (0..rows.len() as u32).for_each(&mut consider),
    }
    counts.shown = shown.len();
    if matches.is_none() {
        sorted(&mut shown, rows, sort);
        if sort == PickerSort::Newest {
            return (grouped(&shown, rows, arrangement), counts);
        }
    }
    let lines = shown.into_iter().flat_map(|number| {
        let found = (row_lines == RowLines::Two).then_some(ListLine::Found(number));
        [Some(ListLine::Row(number)), found].into_iter().flatten()
    });
    (lines.collect(), counts)
}

fn sorted(shown: &mut [u32], rows: &PickerRows, sort: PickerSort) {
    let of = |number: &u32| &rows.all()[*number as usize];
    match sort {
        // Rows are newest first and every sort is stable, so the newest of equals comes first.
        PickerSort::Newest => {}
        PickerSort::Oldest => shown.reverse(),
        PickerSort::Tokens => shown.sort_by_key(|it| std::cmp::Reverse(of(it).tokens)),
        PickerSort::Size => shown.sort_by_key(|it| std::cmp::Reverse(of(it).bytes)),
        PickerSort::Turns => shown.sort_by_key(|it| std::cmp::Reverse(of(it).turns)),
        PickerSort::Cost => shown.sort_by(|one, other| {
            let cost = |it: &u32| of(it).cost.unwrap_or(0.0);
            cost(other).total_cmp(&cost(one))
        }),
        PickerSort::Title => shown.sort_by(|one, other| {
            let title = |it: &u32| rows.title(of(it)).chars().flat_map(char::to_lowercase);
            title(one).cmp(title(other))
        }),
    }
}

/// Groups rows under headings: running sessions on top, then by day.
fn grouped(shown: &[u32], rows: &PickerRows, arrangement: &ListArrangement<'_>) -> Vec<ListLine> {
    let ListArrangement { live, .. } = arrangement;
    let mut running: Vec<(usize, LiveGroup, u32)> = Vec::new();
    let mut resting = Vec::with_capacity(shown.len());
    for &number in shown {
        let Some(row) = rows.row(number) else {
            continue;
        };
        match live.get(row.key) {
            Some(it) => running.push((it.order, it.group, number)),
            None => resting.push(number),
        }
    }
    running.sort_by_key(|(order, _, _)| *order);
    let running = running.into_iter().map(|(_, group, number)| (PickerGroup::Live(group), number));
    let days = DayBounds::of(arrangement.now, arrangement.zone);
    let resting = resting.into_iter().filter_map(|number| {
        let row = rows.row(number)?;
        Some((days.group(row.active), number))
    });
    let mut lines = Vec::with_capacity(shown.len() + 8);
    let mut last = None;
    for (group, number) in running.chain(resting) {
        if last != Some(group) {
            lines.push(ListLine::Heading(group));
            last = Some(group);
        }
        lines.push(ListLine::Row(number));
    }
    lines
}

/// The start times of days, in milliseconds.
struct DayBounds {
    today: i64,
    yesterday: i64,
    week: i64,
}

impl DayBounds {
    fn of(now: Time, zone: &TimeZone) -> Self {
        let start = |days_ago: i64| {
            let instant = jiff::Timestamp::from_millisecond(now.as_millis()).unwrap_or_default();
            let day = Zoned::new(instant, zone.clone()).start_of_day();
            let day = day.and_then(|day| day.checked_sub(days_ago.days()));
            day.map_or(i64::MIN, |day| day.timestamp().as_millisecond())
        };
        Self { today: start(0), yesterday: start(1), week: start(6) }
    }

    fn group(&self, time: Time) -> PickerGroup {
        let time = time.as_millis();
        if time >= self.today {
            PickerGroup::Today
        } else if time >= self.yesterday {
            PickerGroup::Yesterday
        } else if time >= self.week {
            PickerGroup::Week
        } else {
            PickerGroup::Older
        }
    }
}
