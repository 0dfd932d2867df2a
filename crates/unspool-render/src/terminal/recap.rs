//! A recap as a page for a terminal.

use unspool_model::time::Time;
use unspool_text::human;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};
use unspool_text::wrap::wrap_with;

use super::cards::joined;
use super::{ClockStyle, PageLayout, clock, tilde};
use crate::document::recap::{file_note, in_project, prompts_below, recap_parts, session_parts};
use unspool_engine::ops::recap::{Recap, RecapProject, RecapPrompt, RecapSession};

/// The separator of the parts of a line.
const DOT: &str = " · ";

/// The most prompts and the most files that are shown of a session.
const SHOWN: usize = 12;

/// Draws a recap under a heading.
pub fn recap(recap: &Recap, heading: &str, layout: &PageLayout) -> Vec<Line> {
    let mut lines = vec![Line::of(heading, Role::Title)];
    let parts = recap_parts(&recap.total);
    let parts = parts.into_iter().map(|part| Line::of(part, Role::Number));
    lines.extend(joined(parts.collect(), DOT, layout.width));
    for drawn in &recap.projects {
        lines.push(Line::new());
        lines.extend(project(drawn, layout));
    }
    lines
}

fn project(project: &RecapProject, layout: &PageLayout) -> Vec<Line> {
    let mut head = Line::of(&project.name, Role::Heading);
    if let Some(cwd) = &project.cwd {
        let folder = tilde(cwd, layout.user_home.as_deref());
        head.add(format!("  {folder}"), Role::Path);
    }
    let mut lines = vec![clean(&head).truncated(layout.width)];
    for drawn in &project.sessions {
        lines.extend(session(drawn, project.cwd.as_deref(), layout));
    }
    lines
}

/// Removes control characters and escape sequences from a line.
fn clean(line: &Line) -> Line {
    let mut cleaned = Line::new();
    for span in line.spans() {
        cleaned.add(sanitize::inline(span.text()), span.style());
    }
    cleaned
}

fn session(session: &RecapSession, cwd: Option<&str>, layout: &PageLayout) -> Vec<Line> {
    let width = layout.width;
    let title = session.row.title.as_deref().unwrap_or("no title");
    let mut head = Line::of("  ", Role::Plain);
    let title = sanitize::one_line(title, width.saturating_sub(2));
    head.add(title.as_str(), Role::Plain);
    let mut notes = vec![Line::of(session.row.short_id(), Role::Id)];
    notes.extend(session.active.map(|span| Line::of(times(span, layout), Role::Muted)));
    let parts = session_parts(session).into_iter();
    notes.extend(parts.map(|part| Line::of(part, Role::Muted)));
    let mut lines = vec![Line::new(), head.truncated(width)];
    let inside = width.saturating_sub(2);
    let notes = joined(notes, DOT, inside);
    lines.extend(notes.into_iter().map(|line| line.indented(&Line::of("  ", Role::Plain))));
    let prompts = prompts_below(session, &title);
    for asked in prompts.iter().take(SHOWN) {
        lines.extend(prompt(asked, width));
    }
    lines.extend(more(prompts.len(), "prompt"));
    for file in session.files.iter().take(SHOWN) {
        let mut line = Line::of("    ", Role::Plain);
        let path = sanitize::inline(in_project(&file.path, cwd)).into_owned();
        line.add(tilde(&path, layout.user_home.as_deref()), Role::Path);
        line.add(format!(" {}", file_note(file)), Role::Muted);
        lines.push(line.truncated(width));
    }
    lines.extend(more(session.files.len(), "file"));
    lines
}

/// Returns a note about the items that are not shown.
fn more(count: usize, noun: &str) -> Option<Line> {
    let left = count.checked_sub(SHOWN).filter(|left| *left > 0)?;
    let words = format!("    and {} more", human::plural(left, noun));
    Some(Line::of(words, Role::Muted))
}

fn prompt(prompt: &RecapPrompt, width: usize) -> Vec<Line> {
    let first = Line::of("    ❯ ", Role::User);
    let rest = Line::of("      ", Role::Plain);
    let mut line = Line::of(&prompt.text, Role::Plain);
    if prompt.earlier {
        line.add(" (asked earlier)", Role::Muted);
    }
    wrap_with(&line, width, &first, &rest)
}

/// Formats the period of a session's activity.
fn times((from, until): (Time, Time), layout: &PageLayout) -> String {
    let show = |time| clock(time, &layout.zone, ClockStyle::DateAndTime);
    let (from, until) = (show(from), show(until));
    let (day, last) = (from.split(' ').next(), until.split(' ').next());
    match until.split_once(' ') {
        _ if from == until => from,
        Some((_, hour)) if day == last => format!("{from}–{hour}"),
        _ => format!("{from} – {until}"),
    }
}
