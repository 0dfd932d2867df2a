//! Shared parts of the pages about one path: header, headings, tables.

use unspool_model::time::Time;
use unspool_text::sanitize;
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::table::{Align, Column, Table};

use super::{ClockStyle, PageLayout, cards, clock, tilde};
use unspool_engine::ops::timeline::SpanKind;
use unspool_engine::ops::transcript::Transcript;

/// The indentation below a heading.
const INDENT: usize = 2;

/// The lines of a page that is being built.
pub(super) struct InsightPage<'p> {
    pub(super) layout: &'p PageLayout,
    pub(super) lines: Vec<Line>,
}

impl<'p> InsightPage<'p> {
    /// Begins a page about a transcript with its title, session and folder.
    pub(super) fn new(shown: &Transcript<'_>, layout: &'p PageLayout) -> Self {
        let title = shown.title();
        let title = title.as_deref().unwrap_or("(no conversation)");
        let strong = Style::from(Role::Title).with(Emphasis::STRONG);
        let title = Line::of(sanitize::one_line(title, layout.width), strong);
        let id = shown.shown_id(shown.session.id.as_str());
        let mut place = vec![Line::of(id, Role::Id)];
        let cwd = shown.cwd();
        let home = layout.user_home.as_deref();
        place.extend(cwd.map(|cwd| Line::of(tilde(&cwd, home), Role::Path)));
        if let Some(agent) = &shown.agent {
            place.push(Line::of("agent ", Role::Muted).and(agent.clone(), Role::Id));
        }
        let mut lines = vec![title];
        lines.extend(cards::joined(place, "  ", layout.width));
        Self { layout, lines }
    }

    /// Returns the width below a heading.
    pub(super) fn room(&self) -> usize {
        self.layout.width.saturating_sub(INDENT).max(10)
    }

    /// Adds parts on one line, or on several if they do not fit.
    pub(super) fn facts(&mut self, parts: Vec<Line>) {
        let lines = cards::joined(parts, " · ", self.layout.width);
        self.lines.extend(lines);
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.lines.push(Line::new());
        self.lines.push(Line::of(text, Role::Heading));
    }

    /// Adds a line below a heading.
    pub(super) fn line(&mut self, line: Line) {
        self.lines.push(indented(line).trimmed_end());
    }

    /// Adds a table under a heading, unless the table is `None`.
    pub(super) fn section(&mut self, name: &str, table: Option<Table>) {
        let Some(table) = table else { return };
        self.heading(name);
        for line in table.lines(self.room()) {
            self.line(line);
        }
    }
}

/// Indents a line below a heading.
pub(super) fn indented(line: Line) -> Line {
    let mut indent = Line::new();
    indent.pad(INDENT);
    line.indented(&indent)
}

pub(super) fn muted(text: impl Into<String>) -> Line {
    Line::of(text, Role::Muted)
}

pub(super) fn number(count: u64) -> Line {
    let text = match count {
        0 => String::new(),
        count => count.to_string(),
    };
    Line::of(text, Role::Number)
}

pub(super) fn left() -> Column {
    Column::new(Align::Left)
}

pub(super) fn right() -> Column {
    Column::new(Align::Right)
}

/// Returns the style of the times on a page: with the day if there is more than one.
pub(super) fn clock_style(times: impl Iterator<Item = Time>, layout: &PageLayout) -> ClockStyle {
    let mut dates = times.map(|time| clock(time, &layout.zone, ClockStyle::Date));
    let first = dates.next();
    if dates.any(|date| Some(date) != first) { ClockStyle::DayAndTime } else { ClockStyle::Time }
}

/// Formats a time for a cell, which is empty if the time is not known.
pub(super) fn when(time: Option<Time>, layout: &PageLayout, style: ClockStyle) -> Line {
    let time = time.map(|time| clock(time, &layout.zone, style));
    Line::of(time.unwrap_or_default(), Role::Time)
}

/// Formats the numbers of added and removed lines.
pub(super) fn changed_lines(added: u64, removed: u64) -> Line {
    Line::of(format!("+{added}"), Role::CountAdded)
        .and(" ", Role::Plain)
        .and(format!("−{removed}"), Role::CountRemoved)
}

/// Returns the character and the style of a kind of time span: a pipe shows no colours, so each
/// kind has its own character.
pub(super) fn kind_paint(kind: SpanKind) -> (char, Role) {
    match kind {
        SpanKind::Model => ('█', Role::Assistant),
        SpanKind::Tool => ('▓', Role::Success),
        SpanKind::Agent => ('▒', Role::Warning),
        SpanKind::You => ('░', Role::User),
        SpanKind::Compaction => ('▽', Role::Failure),
    }
}

/// Builds a table with a header, without columns that are empty in all rows; `None` if there are no rows.
pub(super) fn table(columns: Vec<(&str, Column)>, rows: Vec<Vec<Line>>) -> Option<Table> {
    if rows.is_empty() {
        return None;
    }
    let says: Vec<bool> =
        (0..columns.len()).map(|index| rows.iter().any(|row| !row[index].is_blank())).collect();
    let telling = |cells: Vec<Line>| {
        let cells = cells.into_iter().zip(&says).filter(|(_, says)| **says);
        cells.map(|(cell, _)| cell).collect::<Vec<_>>()
    };
    let columns = columns.into_iter().zip(&says).filter(|(_, says)| **says);
    let mut table = headed(columns.map(|(column, _)| column).collect());
    for row in rows {
        table.row(telling(row));
    }
    Some(table)
}

/// Creates a table with a header.
pub(super) fn headed(columns: Vec<(&str, Column)>) -> Table {
    let heads = columns.iter().map(|(head, _)| Line::of(*head, Role::ColumnHead)).collect();
    let mut table = Table::new(columns.into_iter().map(|(_, column)| column).collect());
    table.row(heads);
    table
}
