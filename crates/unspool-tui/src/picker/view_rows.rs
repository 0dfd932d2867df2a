//! Paints a row of the list.

use unspool_engine::ops::inbox::LiveGroup;
use unspool_model::query::TextRole;
use unspool_model::time::Time;
use unspool_store::rows::{SessionKind, Status};
use unspool_text::human;
use unspool_text::style::{Line, Role, TextSpan};
use unspool_text::width::{units, width};

use super::flash::RowFlash;
use super::live_rows::{LiveRows, RunningRow};
use crate::work::picker::fuzzy::LetterMarks;
use crate::work::picker::rows::{PickerRow, PickerRows};
use crate::work::picker::text::FoundText;

/// The widths of a list's columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PickerColumns {
    title: usize,
    project: usize,
    when: usize,
    note: usize,
    /// Set if branch, model, turns, tokens, cost and length have columns.
    is_wide: bool,
}

/// The widths of the columns of a wide list.
const BRANCH: usize = 12;
const MODEL: usize = 9;
const TURNS: usize = 5;
const TOKENS: usize = 6;
const COST: usize = 7;
const LENGTH: usize = 7;
/// Below this screen width, project and note are left out.
const NARROW: usize = 60;
/// The columns before the title: the mark, the sign, a space.
const BEFORE: usize = 3;

impl PickerColumns {
    /// Divides the width of the list, on a screen of the given width.
    pub(super) fn of(list: usize, screen: usize) -> Self {
        let is_wide = list >= 100;
        let (project, when, note) = match list {
            _ if screen < NARROW => (0, 4, 0),
            0..70 => (10, 4, 11),
            70..100 => (12, 4, 16),
            _ => (13, 4, 0),
        };
        let gap = |column: usize| if column > 0 { column + 1 } else { 0 };
        let wide = if is_wide { BRANCH + MODEL + TURNS + TOKENS + COST + LENGTH + 6 } else { 0 };
        let rest = gap(project) + gap(when) + gap(note) + wide + BEFORE;
        Self { title: list.saturating_sub(rest + 1), project, when, note, is_wide }
    }

    fn wide_note() -> usize {
        BRANCH + MODEL + TURNS + TOKENS + COST + LENGTH + 5
    }
}

/// Paints rows.
pub(super) struct RowPainter<'a> {
    pub(super) rows: &'a PickerRows,
    pub(super) live: &'a LiveRows,
    pub(super) flash: &'a RowFlash,
    pub(super) now: Time,
    pub(super) columns: PickerColumns,
    pub(super) letters: Option<LetterMarks>,
}

impl RowPainter<'_> {
    /// Paints a row.
    pub(super) fn row(&mut self, row: &PickerRow, is_marked: bool) -> Line {
        let running = self.live.get(row.key);
        let mut line = Line::of(if is_marked { "+" } else { " " }, Role::Id);
        let (sign, role) = sign(row, running);
        let role = if self.flash.has(row.key) { Role::Match } else { role };
        line.add(sign, role).pad(1);
        let title = self.rows.title(row);
        let title = match &mut self.letters {
            Some(letters) => lettered(title, &letters.of(title)),
            None => Line::of(title.to_owned(), Role::Plain),
        };
        let PickerColumns { project, when, note, is_wide, .. } = self.columns;
        put(&mut line, title, self.columns.title);
        if project > 0 {
            let name = self.rows.name(row.project_name).to_owned();
            line.pad(1);
            put(&mut line, Line::of(name, Role::Path), project);
        }
        if is_wide {
            self.wide(&mut line, row, running);
        }
        let age = running.and_then(|it| it.since).unwrap_or(row.active);
        let age = age_words(self.now.as_millis() - age.as_millis());
        line.pad(1);
        put_right(&mut line, Line::of(age, Role::Time), when);
        if note > 0 {
            line.pad(1);
            put(&mut line, note_of(row, running, note), note);
        }
        line
    }

    fn wide(&self, line: &mut Line, row: &PickerRow, running: Option<&RunningRow>) {
        line.pad(1);
        if let Some(running) = running {
            let words = Line::of(running.words.clone(), live_role(running.group));
            put(line, words, PickerColumns::wide_note());
            return;
        }
        let branch = self.rows.name(row.branch).to_owned();
        put(line, Line::of(branch, Role::Muted), BRANCH);
        let model = self.rows.name(row.model).to_owned();
        line.pad(1);
        put(line, Line::of(model, Role::Model), MODEL);
        let turns = Some(row.turns).filter(|turns| *turns > 0);
        let tokens = Some(row.tokens).filter(|tokens| *tokens > 0);
        let cost = row.cost.filter(|cost| *cost > 0.0);
        for (text, width) in [
            (turns.map(|it| it.to_string()), TURNS),
            (tokens.map(human::count), TOKENS),
            (cost.map(human::dollars), COST),
            (row.length_ms.map(length_words), LENGTH),
        ] {
            line.pad(1);
            put_right(line, Line::of(text.unwrap_or_default(), Role::Number), width);
        }
    }
}

/// Paints the hit of a session.
pub(super) fn found_line(found: &FoundText, list: usize) -> Line {
    let mut about = vec![speaker(found.role).to_owned()];
    if found.is_agent {
        about.push("agent".to_owned());
    }
    if found.more > 0 {
        let more = if found.has_more { "+" } else { "" };
        let of = if list < 80 { "" } else { " in this session" };
        about.push(format!("{}{more} more{of}", found.more));
    }
    let about = Line::of(about.join(" · "), Role::Muted).truncated(list / 2);
    let room = list.saturating_sub(about.width() + BEFORE + 4);
    let mut line = Line::new();
    line.pad(BEFORE + 1);
    put(&mut line, snippet(found, room), room);
    line.pad(2).append(about);
    line
}

/// Returns the sign of a row and its role.
pub(super) fn sign(row: &PickerRow, live: Option<&RunningRow>) -> (&'static str, Role) {
    if let Some(live) = live {
        let sign = match live.group {
            LiveGroup::NeedsInput => "◆",
            LiveGroup::Working => "●",
            LiveGroup::Idle => "○",
        };
        return (sign, live_role(live.group));
    }
    if row.is_gone {
        return ("†", Role::Muted);
    }
    match row.status {
        Status::Error => ("✗", Role::Failure),
        Status::Interrupted => ("⊘", Role::Warning),
        Status::Open => ("●", Role::Success),
        Status::Complete if row.is_live => ("○", Role::Success),
        Status::Complete if row.kind == SessionKind::Headless => ("·", Role::Muted),
        Status::Complete => ("✓", Role::Success),
        Status::Empty => (" ", Role::Muted),
    }
}

fn live_role(group: LiveGroup) -> Role {
    match group {
        LiveGroup::NeedsInput => Role::Warning,
        LiveGroup::Working => Role::Success,
        LiveGroup::Idle => Role::Muted,
    }
}

/// Describes a session in a few columns: what it waits for, how it ended, or its size.
fn note_of(row: &PickerRow, running: Option<&RunningRow>, room: usize) -> Line {
    if let Some(running) = running {
        return Line::of(running.words.clone(), live_role(running.group));
    }
    let mut words = Vec::new();
    match row.status {
        Status::Error => words.push("error".to_owned()),
        Status::Interrupted => words.push("interrupted".to_owned()),
        _ => {}
    }
    match row.kind {
        SessionKind::Headless => words.push("headless".to_owned()),
        SessionKind::Agent => words.push("agent".to_owned()),
        SessionKind::Empty => words.push("empty".to_owned()),
        SessionKind::Main => {}
    }
    if row.has_only_agents {
        words.push("only agents".to_owned());
    }
    if row.is_gone {
        words.push("log is gone".to_owned());
    }
    if words.is_empty() {
        let counts =
            [(row.branches, "branch"), (row.compactions, "compaction"), (row.turns, "turn")];
        let first = counts.into_iter().find(|(count, _)| *count > 0);
        // `branches` counts the paths next to the active one; a person counts all of them.
        let first = first.map(|(count, noun)| match noun {
            "branch" => (count + 1, noun),
            _ => (count, noun),
        });
        words.extend(first.map(|(count, noun)| human::plural(count as usize, noun)));
    }
    // Words that do not fit are dropped: a cut word is useless.
    let mut said = String::new();
    for word in words {
        let gap = if said.is_empty() { "" } else { " · " };
        if said.is_empty() || width(&said) + width(gap) + width(&word) <= room {
            said = format!("{said}{gap}{word}");
        }
    }
    let mut line = Line::of(said, Role::Muted);
    let cost = row.cost.filter(|cost| *cost > 0.0).map(human::dollars);
    if let Some(cost) = cost
        && line.width() + 1 + width(&cost) <= room
    {
        let gap = room - line.width() - width(&cost);
        line.pad(gap).add(cost, Role::Number);
    }
    line
}

/// Formats an age in at most four columns: `12s`, `2m`, `3h`, `1d`, `3w`, `2y`.
pub(super) fn age_words(ms: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const WEEK: i64 = 7 * DAY;
    const YEAR: i64 = 365 * DAY;
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        DAY..WEEK => format!("{}d", seconds / DAY),
        WEEK..YEAR => format!("{}w", seconds / WEEK),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Formats a duration in at most seven columns: `41s`, `12m`, `1h 12m`, `3d 4h`.
fn length_words(ms: u64) -> String {
    let minutes = ms / 60_000;
    match minutes {
        0 => format!("{}s", ms / 1000),
        1..60 => format!("{minutes}m"),
        60..1440 => format!("{}h {}m", minutes / 60, minutes % 60),
        1440..144_000 => format!("{}d {}h", minutes / 1440, minutes / 60 % 24),
        _ => format!("{}d", minutes / 1440),
    }
}

fn speaker(role: TextRole) -> &'static str {
    match role {
        TextRole::User => "prompt",
        TextRole::Assistant => "answer",
        role => role.name(),
    }
}

/// Highlights letters of a text.
fn lettered(text: &str, marks: &[usize]) -> Line {
    let mut line = Line::new();
    let mut marks = marks.iter().copied().peekable();
    let mut at = 0;
    for unit in units(text) {
        let end = at + unit.text.len();
        let mut is_marked = false;
        while marks.next_if(|&mark| mark < end).is_some() {
            is_marked = true;
        }
        let role = if is_marked { Role::Match } else { Role::Plain };
        line.push(TextSpan::new(unit.text, role));
        at = end;
    }
    line
}

/// Paints a snippet from shortly before its first match, with the matches highlighted.
fn snippet(found: &FoundText, room: usize) -> Line {
    let first = found.marks.first().map_or(0, |mark| mark.start);
    let count = found.text.chars().count();
    // The first match is in the first half of the visible text.
    let skipped = if count > room { first.saturating_sub(room / 2) } else { 0 };
    let mut line = Line::new();
    if skipped > 0 {
        line.add("…", Role::Muted);
    }
    let mut run = String::new();
    let mut was_marked = false;
    let role = |is_marked| if is_marked { Role::Match } else { Role::Muted };
    for (at, character) in found.text.chars().enumerate().skip(skipped) {
        let is_marked = found.marks.iter().any(|mark| mark.contains(&at));
        if is_marked != was_marked {
            line.add(std::mem::take(&mut run), role(was_marked));
            was_marked = is_marked;
        }
        run.push(character);
    }
    line.add(run, role(was_marked));
    line
}

/// Appends a cell, cut and padded to a width.
fn put(line: &mut Line, cell: Line, width: usize) {
    let cell = cell.truncated(width);
    let gap = width.saturating_sub(cell.width());
    line.append(cell).pad(gap);
}

/// Appends a right-aligned cell of a width.
fn put_right(line: &mut Line, cell: Line, width: usize) {
    let cell = cell.truncated(width);
    line.pad(width.saturating_sub(cell.width())).append(cell);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_take_four_columns() {
        const MINUTE: i64 = 60_000;
        for (ms, words) in [
            (-5, "0s"),
            (12_000, "12s"),
            (2 * MINUTE, "2m"),
            (3 * 60 * MINUTE, "3h"),
            (26 * 60 * MINUTE, "1d"),
            (22 * 24 * 60 * MINUTE, "3w"),
            (800 * 24 * 60 * MINUTE, "2y"),
        ] {
            assert_eq!(age_words(ms), words);
        }
    }

    #[test]
    fn columns_fill_the_list() {
        for screen in 40..220 {
            let list = if (100..180).contains(&screen) { 56 } else { screen };
            let columns = PickerColumns::of(list, screen);
            assert!(columns.title >= 20, "{screen}: {columns:?}");
        }
    }
}
