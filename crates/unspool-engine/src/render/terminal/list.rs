//! Sessions as a table.

use jiff::tz::TimeZone;
use unspool_model::time::Time;

use super::{ClockStyle, clock};
use crate::ops::list::{Kind, Row, Status};
use crate::render::human;
use crate::render::style::{Line, Role};
use crate::render::table::{Align, Column, Table};

/// How a list is laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The columns to fill.
    pub width: usize,
    /// The zone that times are shown in.
    pub zone: TimeZone,
}

/// Lays the rows of a list out.
pub fn rows(rows: &[Row], layout: &Layout) -> Vec<Line> {
    let mut table = Table::new(vec![
        Column::new(Align::Left),
        Column::new(Align::Left).priority(200),
        Column::new(Align::Left).min(24).flexible(),
        Column::new(Align::Left).min(8).max(24).priority(150),
        Column::new(Align::Left).min(6).max(16).priority(60),
        Column::new(Align::Right).priority(120),
        Column::new(Align::Right).priority(80),
        Column::new(Align::Right).priority(100),
        Column::new(Align::Right).priority(90),
        Column::new(Align::Right).priority(50),
        Column::new(Align::Left).priority(180),
    ]);
    let heads = [
        "ID", "WHEN", "TITLE", "PROJECT", "BRANCH", "TURNS", "MSGS", "LENGTH", "TOKENS", "SIZE", "",
    ];
    table.row(
        heads
            .iter()
            .map(|head| Line::of(*head, Role::ColumnHead))
            .collect(),
    );
    for row in rows {
        table.row(cells(row, &layout.zone));
    }
    table.lines(layout.width)
}

fn cells(row: &Row, zone: &TimeZone) -> Vec<Line> {
    let muted = |text: String| Line::of(text, Role::Muted);
    let when = row.ended.unwrap_or_else(|| Time::from_millis(row.modified));
    let short: String = row.id.as_str().chars().take(8).collect();
    let length = row
        .started
        .zip(row.ended)
        .map(|(start, end)| human::duration(end.since(start)));
    let title = match &row.title {
        Some(title) => Line::of(title.clone(), Role::Plain),
        None => muted("(no conversation)".to_owned()),
    };
    let count = |count: usize| {
        if count == 0 {
            String::new()
        } else {
            count.to_string()
        }
    };
    vec![
        Line::of(short, Role::Id),
        Line::of(clock(when, zone, ClockStyle::DateAndTime), Role::Time),
        title,
        Line::of(project(row), Role::Path),
        muted(row.git_branch.clone().unwrap_or_default()),
        Line::of(count(row.turns), Role::Number),
        muted(count(row.messages)),
        muted(length.unwrap_or_default()),
        muted(if row.tokens.sum() == 0 {
            String::new()
        } else {
            human::count(row.tokens.sum())
        }),
        muted(human::bytes(row.bytes)),
        marks(row),
    ]
}

fn project(row: &Row) -> String {
    let cwd = row
        .cwd
        .as_deref()
        .map(|cwd| cwd.trim_end_matches(['/', '\\']));
    let name = cwd
        .and_then(|cwd| cwd.rsplit(['/', '\\']).next())
        .filter(|name| !name.is_empty());
    let folder = row
        .project
        .as_ref()
        .map(|project| project.as_str().to_owned());
    name.map(str::to_owned).or(folder).unwrap_or_default()
}

/// What is special about a session: live, interrupted, branches, compactions, agents.
fn marks(row: &Row) -> Line {
    let mut line = Line::new();
    let mut mark = |text: String, role: Role| {
        if !line.is_blank() {
            line.add(" ", Role::Plain);
        }
        line.add(text, role);
    };
    if row.live {
        mark("live".to_owned(), Role::Success);
    }
    match row.status {
        Status::Interrupted => mark("interrupted".to_owned(), Role::Warning),
        Status::Error => mark("error".to_owned(), Role::Failure),
        Status::Open => mark("open".to_owned(), Role::Success),
        Status::Complete | Status::Empty => {}
    }
    match row.kind {
        Kind::Headless => mark("headless".to_owned(), Role::Muted),
        Kind::Agent => mark("agent".to_owned(), Role::Muted),
        Kind::Empty => mark("empty".to_owned(), Role::Muted),
        Kind::Main => {}
    }
    if row.branches > 0 {
        mark(human::plural(row.branches, "branch"), Role::Warning);
    }
    if row.compactions > 0 {
        mark(human::plural(row.compactions, "compaction"), Role::Muted);
    }
    if row.agents > 0 {
        mark(human::plural(row.agents, "agent"), Role::Muted);
    }
    line
}
