//! Groups of a list: rows under a heading for each day or project.

use std::collections::HashMap;
use unspool_model::names;

use unspool_text::human;
use unspool_text::style::{Line, Role};

use super::ListLayout;
use crate::terminal::{ClockStyle, clock, tilde};
use unspool_store::rows::SessionRow;

names! {
    /// The property that rows under one heading share.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum ListGroup {
        /// The day of the last activity.
        Day = "day",
        /// The project.
        Project = "project",
    }
}

impl ListGroup {
    /// Returns the key of a row's group.
    fn key(self, row: &SessionRow, layout: &ListLayout) -> String {
        match self {
            Self::Day => clock(row.last_active(), &layout.zone, ClockStyle::Date),
            Self::Project => {
                let home = row.home.iter().map(|home| home.display().to_string());
                let project = row.project.iter().map(ToString::to_string);
                home.chain(project).collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Returns the heading of a row's group.
    fn heading(self, row: &SessionRow, layout: &ListLayout) -> String {
        match self {
            Self::Day => clock(row.last_active(), &layout.zone, ClockStyle::Weekday),
            Self::Project => {
                let folder = row.cwd.as_deref().unwrap_or_else(|| row.project_name());
                tilde(folder, layout.user_home.as_deref())
            }
        }
    }
}

/// The rows of one group.
pub(super) struct RowGroup {
    /// The heading.
    pub(super) heading: Line,
    /// The indices of the rows, in list order.
    pub(super) rows: Vec<usize>,
}

/// Groups rows. Groups are in the order of their first rows.
pub(super) fn groups(rows: &[SessionRow], by: ListGroup, layout: &ListLayout) -> Vec<RowGroup> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let place = *places.entry(by.key(row, layout)).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[place].push(at);
    }
    let group = |members: Vec<usize>| {
        let first = members.first().map(|&at| by.heading(&rows[at], layout));
        let mut heading = Line::of(first.unwrap_or_default(), Role::Title);
        let count = human::plural(members.len(), "session");
        heading.add(format!("  {count}"), Role::Muted);
        RowGroup { heading, rows: members }
    };
    members.into_iter().map(group).collect()
}
