//! Sessions as cards: a few lines about the topic and the outcome of each.

use jiff::tz::TimeZone;
use unspool_text::style::{Line, Role};
use unspool_text::{human, sanitize, wrap};

use super::{ClockStyle, PageLayout, by_use, clock, rule, tilde};
use unspool_store::rows::{SessionKind, SessionRow, Status};

/// The most lines of a first prompt.
const PROMPT_LINES: usize = 3;

/// The separator of the parts of a line.
pub(super) const BAR: &str = " | ";

/// The most tools that are named.
const TOOLS: usize = 8;

/// Draws the cards of sessions, separated by rules.
pub fn cards<'a>(
    rows: &'a [SessionRow],
    layout: &'a PageLayout,
) -> impl Iterator<Item = Line> + 'a {
    rows.iter().enumerate().flat_map(|(index, row)| {
        let between = match index {
            0 => Vec::new(),
            _ => vec![Line::new(), rule(layout.width, None), Line::new()],
        };
        between.into_iter().chain(card(row, layout))
    })
}

/// Draws the card of a session.
fn card(row: &SessionRow, layout: &PageLayout) -> Vec<Line> {
    let width = layout.width;
    let mut lines = joined(when(row, &layout.zone), BAR, width);
    lines.extend(joined(place(row, layout), BAR, width));
    let mut parts = vec![label("Session").and(row.short_id(), Role::Id)];
    parts.extend(figures(row));
    lines.extend(joined(parts, BAR, width));
    lines.extend(title(row).iter().flat_map(|line| wrap(line, width)));
    let said = prompt(row, width);
    if !said.is_empty() {
        lines.push(Line::new());
        lines.extend(said);
    }
    lines.push(Line::new());
    let ends = [tools(row), models(row), Some(status(row))];
    let ends = ends.into_iter().flatten();
    lines.extend(ends.flat_map(|line| wrap(&line, width)));
    lines
}

/// Joins parts into lines; a part is broken only if it does not fit on a line of its own.
pub(super) fn joined(parts: Vec<Line>, between: &str, width: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + between.len() + part.width() <= width => {
                line.add(between, Role::Muted).append(part);
            }
            _ => lines.push(part),
        }
    }
    lines.iter().flat_map(|line| wrap(line, width)).collect()
}

/// Returns the day, the times, the duration, and the number of messages.
pub(super) fn when(row: &SessionRow, zone: &TimeZone) -> Vec<Line> {
    let end = row.last_active();
    let start = row.started.unwrap_or(end);
    let day = |time| clock(time, zone, ClockStyle::Day);
    let time = |time| clock(time, zone, ClockStyle::Time);
    let mut date = Line::of("📅 ", Role::Plain);
    date.add(day(start), Role::Title);
    let mut range = Line::of(time(start), Role::Time);
    if row.started.is_some() {
        let later = day(start) != day(end);
        let day = if later { format!("{}, ", day(end)) } else { String::new() };
        range.add(format!(" - {day}{}", time(end)), Role::Time);
    }
    if let Some(ms) = row.duration_ms() {
        range.add(format!(" ({})", human::duration(ms)), Role::Time);
    }
    let messages = Line::of(human::plural(row.messages, "message"), Role::Plain);
    let mut parts = vec![date, range, messages];
    if row.live {
        parts.push(Line::of("● live", Role::Success));
    }
    parts
}

fn label(text: &str) -> Line {
    Line::of(format!("{text}: "), Role::Muted)
}

fn place(row: &SessionRow, layout: &PageLayout) -> Vec<Line> {
    let branch = row.git_branch.as_ref();
    let branch = branch.map(|branch| label("Branch").and(branch.clone(), Role::Plain));
    let folder = row.cwd.as_deref().unwrap_or_else(|| row.project_name());
    let folder = tilde(folder, layout.user_home.as_deref());
    let path = (!folder.is_empty()).then(|| label("Path").and(folder, Role::Path));
    branch.into_iter().chain(path).collect()
}

/// Returns the kind, the counts, the tokens, the cost and the size of a session.
pub(super) fn figures(row: &SessionRow) -> Vec<Line> {
    let mut said = Vec::new();
    if !matches!(row.kind, SessionKind::Main | SessionKind::Empty) {
        said.push(row.kind.name().to_owned());
    }
    let counts = [
        (row.turns, "turn"),
        (row.branches, "rewind"),
        (row.compactions, "compaction"),
        (row.agents, "agent"),
        (row.files_changed, "changed file"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    said.extend(counts.map(|(count, noun)| human::plural(count, noun)));
    if row.tokens.sum() > 0 {
        said.push(format!("{} tokens", human::count(row.tokens.sum())));
    }
    said.extend(row.cost_usd.filter(|cost| *cost > 0.0).map(human::dollars));
    said.push(human::bytes(row.bytes));
    said.into_iter().map(|said| Line::of(said, Role::Plain)).collect()
}

/// Returns the title, unless it equals the first prompt.
fn title(row: &SessionRow) -> Option<Line> {
    let title = row.title.as_ref().filter(|_| row.title != row.first_prompt)?;
    Some(label("Title").and(title.clone(), Role::Title))
}

/// Returns the beginning of the first prompt, in quotes.
fn prompt(row: &SessionRow, width: usize) -> Vec<Line> {
    let Some(prompt) = &row.first_prompt else {
        return Vec::new();
    };
    let text = sanitize::clean(prompt);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut lines = wrap(&Line::of(format!("\"{}\"", words.join(" ")), Role::User), width);
    if lines.len() > PROMPT_LINES {
        lines.truncate(PROMPT_LINES);
        let last = lines.pop().unwrap_or_default().plain();
        let last = sanitize::truncate_width(&last, width.saturating_sub(2));
        let last = last.trim_end_matches(['…', ' ']);
        lines.push(Line::of(format!("{last}…\""), Role::User));
    }
    lines
}

fn tools(row: &SessionRow) -> Option<Line> {
    let tools = by_use(&row.tools);
    if tools.is_empty() {
        return None;
    }
    let mut line = label("Tools");
    let names: Vec<&str> = tools.iter().take(TOOLS).map(|(tool, _)| *tool).collect();
    line.add(names.join(", "), Role::ToolName);
    if tools.len() > TOOLS {
        line.add(format!(" and {} more", tools.len() - TOOLS), Role::Muted);
    }
    let count = human::plural(row.calls, "invocation");
    line.add(format!(" ({count})"), Role::Muted);
    Some(line)
}

fn models(row: &SessionRow) -> Option<Line> {
    (!row.models.is_empty()).then(|| label("Models").and(row.models.join(", "), Role::Model))
}

/// Returns how the session ended, and the number of failed calls.
pub(super) fn status(row: &SessionRow) -> Line {
    let (mark, word, role, note) = match row.status {
        Status::Complete => ("✓", "Complete", Role::Success, "no errors"),
        Status::Interrupted => {
            ("■", "Interrupted", Role::Warning, "the last turn was not finished")
        }
        Status::Error => ("✗", "Error", Role::Failure, "the last turn ended with an API error"),
        Status::Open => ("●", "Open", Role::Success, "a process is working on it"),
        Status::Empty => ("○", "Empty", Role::Muted, "no conversation"),
    };
    let failed = human::plural(row.failed_calls, "failed call");
    let notes = match row.failed_calls {
        0 => note.to_owned(),
        _ if row.status == Status::Complete => failed,
        _ => format!("{note}, {failed}"),
    };
    label("Status").and(format!("{mark} {word}"), role).and(format!(" ({notes})"), Role::Muted)
}
