//! Sessions as a table that fits the terminal.
//!
//! The title gets half of the width before any column but id and time. The remaining width goes to
//! other columns in the order of their priority, and the title gets the rest. Dates omit the year
//! if it is that of the newest row, and marks show what is special about a session.

mod column;
mod group;
mod marks;

use jiff::tz::TimeZone;
use rayon::prelude::*;

use column::{cell, setting};
pub use group::ListGroup;
pub use marks::LEGEND as MARKS_LEGEND;
use unspool_text::style::{Line, Role};
use unspool_text::table::ColumnMeasurer;

use crate::row_fields::{ListColumn, ShownColumn};
use crate::terminal::{ClockStyle, clock};
use unspool_store::rows::{RowValue, SessionRow};

/// The column of the last activity; under the heading of a day it shows no date.
const WHEN: &str = "ended";
/// Additional columns are inserted before this one.
const LAST_NUMBER: &str = "size";

/// The layout of a list.
#[derive(Clone, Debug)]
pub struct ListLayout {
    /// The width of the terminal.
    pub width: usize,
    /// The time zone of the times.
    pub zone: TimeZone,
    /// The user's home folder, which paths show as `~`.
    pub user_home: Option<String>,
    /// The columns to show, in this order; `None` shows the usual ones that fit.
    pub columns: Option<Vec<&'static ListColumn>>,
    /// The column that rows are sorted by, which is dropped last.
    pub sort: &'static ListColumn,
    /// How rows are grouped under headings.
    pub group: Option<ListGroup>,
}

impl ListLayout {
    fn chosen(&self, rows: &[SessionRow]) -> Vec<&'static ListColumn> {
        if let Some(chosen) = &self.columns {
            return chosen.clone();
        }
        let is_known = |column: &ListColumn| {
            let value = |row| column.value(row).unwrap_or(RowValue::Nothing);
            rows.iter().any(|row| value(row) != RowValue::Nothing)
        };
        let (mut columns, others): (Vec<&ListColumn>, Vec<&ListColumn>) =
            ListColumn::all().into_iter().partition(|column| column.shown == ShownColumn::Usual);
        let at = columns.iter().position(|column| column.name == LAST_NUMBER);
        let at = at.unwrap_or(columns.len());
        let known =
            |column: &&&ListColumn| column.shown == ShownColumn::IfKnown && is_known(column);
        for column in others.iter().filter(known).chain([&self.sort]) {
            if !columns.contains(column) {
                columns.insert(at, *column);
            }
        }
        if self.group == Some(ListGroup::Project) {
            columns.retain(|column| column.name != ListGroup::Project.name());
        }
        columns
    }
}

/// Lays out the rows of a list under a header. Runs on every core, which takes a quarter of the
/// time for a list of thousands of rows.
pub fn rows(rows: &[SessionRow], layout: &ListLayout) -> Vec<Line> {
    let columns = layout.chosen(rows);
    let newest = rows.iter().map(SessionRow::last_active).max();
    let year = newest.map(|time| clock(time, &layout.zone, ClockStyle::Year));
    let heads = columns.iter().map(|column| Line::of(column.head(), Role::ColumnHead));
    let mut drawn = vec![heads.collect()];
    drawn.par_extend(rows.par_iter().map(|row| {
        let cells = columns.iter().map(|column| cell(column, row, layout, year.as_deref()));
        cells.collect::<Vec<Line>>()
    }));
    let settings = columns.iter().map(|column| setting(column, layout));
    let fitting = ColumnMeasurer::new(settings.collect());
    let measured = |mut fitting: ColumnMeasurer, cells: &Vec<Line>| {
        fitting.measure(cells);
        fitting
    };
    let parts = drawn.par_iter().fold(|| fitting.clone(), measured);
    let whole = parts.reduce(|| fitting.clone(), |one, other| one.with(&other));
    let fitted = whole.fit(layout.width);
    let lines: Vec<Line> = drawn.into_par_iter().map(|cells| fitted.draw(cells)).collect();
    match layout.group {
        Some(by) => under_headings(lines, &group::groups(rows, by, layout), layout.width),
        None => lines,
    }
}

/// Puts the drawn rows of a list under the headings of their groups; the header stays above.
fn under_headings(lines: Vec<Line>, groups: &[group::RowGroup], width: usize) -> Vec<Line> {
    let mut drawn: Vec<Option<Line>> = lines.into_iter().map(Some).collect();
    let mut all: Vec<Line> = drawn.first_mut().and_then(Option::take).into_iter().collect();
    for group in groups {
        all.push(Line::new());
        all.push(group.heading.clone().truncated(width));
        let rows = group.rows.iter();
        all.extend(rows.filter_map(|row| drawn.get_mut(row + 1).and_then(Option::take)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_store::rows::Status;
    use unspool_store::testing::{row, time};

    fn layout(width: usize) -> ListLayout {
        ListLayout {
            width,
            zone: TimeZone::UTC,
            user_home: Some("/home/dev".to_owned()),
            columns: None,
            sort: Default::default(),
            group: None,
        }
    }

    fn named(name: &str) -> &'static ListColumn {
        let mut columns = ListColumn::all().into_iter();
        columns.find(|column| column.name == name).expect(name)
    }

    fn sample() -> Vec<SessionRow> {
        let mut a = row("0123456789ab", "/home/dev/tidepool");
        a.title =
            Some("A title that goes on for longer than a narrow terminal has place".to_owned());
        a.git_branch = Some("main".to_owned());
        (a.branches, a.status) = (2, Status::Interrupted);
        let mut b = row("fedcba987654", "/home/dev");
        b.ended = Some(time("2025-01-02T03:04:05Z"));
        b.title = None;
        vec![a, b]
    }

    #[test]
    fn the_title_gets_what_is_left_at_every_width() {
        let drawn = |width: usize| -> Vec<String> {
            let lines = rows(&sample(), &layout(width));
            lines.iter().map(Line::plain).collect()
        };
        assert_eq!(
            drawn(40),
            [
                "ID        WHEN         TITLE",
                "01234567  11-01 11:00  A title that goe…",
                "fedcba98  2025-01-02   (no conversation)",
            ]
        );
        assert_eq!(
            drawn(80),
            [
                "ID        WHEN         TITLE                                      PROJECT",
                "01234567  11-01 11:00  A title that goes on for longer than a n…  tidepool  ■ ↶2",
                "fedcba98  2025-01-02   (no conversation)                          dev",
            ]
        );
        for width in 60..220 {
            let lines = drawn(width);
            let title = lines[1].split("  ").nth(2).unwrap_or_default();
            let whole = sample()[0].title.clone().unwrap_or_default();
            assert!(title.chars().count() >= (width / 2).min(whole.len()), "{width} {title}");
        }
        for width in 20..220 {
            assert!(drawn(width).iter().all(|line| line.chars().count() <= width));
        }
    }

    #[test]
    fn chosen_columns_stay_and_what_is_sorted_by_is_shown() {
        let mut chosen = layout(60);
        chosen.columns = Some(["path", "status", "version"].map(named).into());
        let heads = rows(&sample(), &chosen)[0].plain();
        assert_eq!(heads, "PATH        STATUS       VERSION");
        let mut sorted = layout(72);
        let shown = |layout: &ListLayout| rows(&sample(), layout)[0].plain();
        assert!(!shown(&sorted).contains("CALLS"));
        sorted.sort = named("calls");
        assert!(shown(&sorted).contains("CALLS"), "{}", shown(&sorted));
    }

    #[test]
    fn rows_are_under_the_headings_of_their_groups() {
        let mut grouped = layout(64);
        grouped.group = Some(ListGroup::Day);
        let drawn = |layout: &ListLayout| -> Vec<String> {
            let lines = rows(&sample(), layout);
            lines.iter().map(Line::plain).collect()
        };
        assert_eq!(
            drawn(&grouped),
            [
                "ID        WHEN   TITLE                             PROJECT",
                "",
                "Sunday, Nov 1, 2026  1 session",
                "01234567  11:00  A title that goes on for longer…  tidepo…  ■ ↶2",
                "",
                "Thursday, Jan 2, 2025  1 session",
                "fedcba98  03:04  (no conversation)                 dev",
            ]
        );
        grouped.group = Some(ListGroup::Project);
        let lines = drawn(&grouped);
        assert!(!lines[0].contains("PROJECT"), "{lines:?}");
        assert_eq!(
            (lines[2].as_str(), lines[5].as_str()),
            ("~/tidepool  1 session", "~  1 session")
        );
    }
}
