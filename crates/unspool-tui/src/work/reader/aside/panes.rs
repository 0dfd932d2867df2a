//! The rows of the panes and of the outline.

use std::io;

use unspool_engine::library::OpenSession;
use unspool_engine::ops::agent_work::{AgentOutcome, AgentWork, agent_work};
use unspool_engine::ops::agents::{AgentInfo, nested};
use unspool_engine::ops::changes::{FileEdit, changes};
use unspool_engine::ops::context_series::context_series;
use unspool_engine::ops::marks::marks;
use unspool_engine::ops::message::MessageText;
use unspool_engine::ops::raw::raw;
use unspool_engine::ops::summary::summary;
use unspool_engine::ops::timeline::timeline;
use unspool_engine::ops::transcript::Transcript;
use unspool_engine::ops::tree;
use unspool_model::conversation::Liveness;
use unspool_model::entry::MessageKind;
use unspool_model::time::Time;
use unspool_render::document::{StartFolder, spoken};
use unspool_render::terminal::{self, PageLayout};
use unspool_store::home::{LiveSessions, SystemProcesses};
use unspool_text::highlight::code_lines;
use unspool_text::style::{Line, Role, TextSpan};
use unspool_text::{human, sanitize, wrap};

use super::{OutlineRow, PaneRow, PaneTarget, ReadPane};
use crate::work::WorkContext;

/// The largest part of a record that is shown.
const RAW_BYTES: usize = 256 * 1024;
/// The columns of an id in the tree, and of a day.
const ID_COLUMNS: usize = 9;
const DAY_COLUMNS: usize = 11;
/// The width to which prompts are cut in the outline.
const OUTLINE_WORDS: usize = 60;

/// Reads the first words of the turns.
pub(crate) fn outline(shown: &Transcript<'_>) -> io::Result<Vec<OutlineRow>> {
    let mut reader = shown.reader();
    let marks = marks(shown);
    let turns = shown.turns.iter();
    let rows = turns.map(|turn| {
        let first = turn.messages.start as usize;
        let text = reader.read(&shown.view, &shown.view.messages[first])?;
        let messages = turn.messages.start as usize..turn.messages.end as usize;
        let own = &marks[messages.clone()];
        let groups = shown.view.messages[messages].iter();
        let mut groups = groups.filter_map(|message| message.group);
        Ok(OutlineRow {
            message: turn.messages.start,
            time: text.time,
            words: sanitize::one_line(&spoken(&text.said()), OUTLINE_WORDS),
            failed: own.iter().map(|mark| mark.failed).sum(),
            is_compacted: own.iter().any(|mark| mark.kind == MessageKind::Boundary),
            is_forked: groups.any(|group| shown.leaving(group).is_some()),
        })
    });
    rows.collect()
}

/// Builds the rows of a pane.
pub(crate) fn pane(
    context: &WorkContext,
    open: &OpenSession,
    shown: &Transcript<'_>,
    kind: ReadPane,
    layout: &PageLayout,
    message: u32,
) -> io::Result<Vec<PaneRow>> {
    let plain = |lines: Vec<Line>| {
        let rows = lines.into_iter().map(|line| PaneRow { line, target: None });
        rows.collect()
    };
    let prices = &context.settings.library.settings().prices;
    Ok(match kind {
        ReadPane::Tree => tree_pane(shown, layout)?,
        ReadPane::Agents => agents_pane(shown, process_began(open, shown), layout.width),
        ReadPane::Files => files_pane(shown, layout)?,
        ReadPane::Summary => {
            let sums = summary(shown, prices)?;
            let series = context_series(shown);
            plain(terminal::summary_with_context(&sums, &series, layout).collect())
        }
        ReadPane::Waterfall => {
            let times = timeline(shown, prices)?;
            plain(terminal::timeline(shown, &times, layout))
        }
        ReadPane::Raw => plain(raw_pane(shown, layout.width, message)?),
    })
}

fn tree_pane(shown: &Transcript<'_>, layout: &PageLayout) -> io::Result<Vec<PaneRow>> {
    let rows = tree::rows(shown)?;
    let drawn = |width: usize| terminal::tree_rows(shown, &rows, width, &layout.zone);
    let has_one_day = is_one_day(&drawn(layout.width));
    // The ids and the day that `tree_line` removes leave room for longer texts.
    let spared = ID_COLUMNS + if has_one_day { DAY_COLUMNS } else { 0 };
    let lines = drawn(layout.width + spared);
    // A target for each line that `tree_rows` paints for a row: the row, its texts, its agents.
    let targets = rows.iter().flat_map(|row| {
        let entry = row.entry.as_ref().map(|entry| PaneTarget::Entry {
            entry: entry.clone(),
            path: row.paths.first().copied(),
        });
        let said = row.said.iter().map(|_| None);
        let agents = row.agents.iter();
        let agents = agents.map(|agent| Some(PaneTarget::Agent(agent.id.clone())));
        std::iter::once(entry).chain(said).chain(agents)
    });
    let targets = targets.chain(std::iter::repeat(None));
    let rows = lines.iter().zip(targets);
    Ok(rows
        .map(|(line, target)| PaneRow {
            line: tree_line(line, has_one_day).truncated(layout.width),
            target,
        })
        .collect())
}

/// Tells whether all times in a tree are of the same day.
fn is_one_day(lines: &[Line]) -> bool {
    let spans = lines.iter().flat_map(Line::spans);
    let times = spans.filter(|span| span.style().role == Role::Time);
    let mut days = times.filter_map(|span| span.text().split_once(' ')).map(|(day, _)| day);
    let first = days.next();
    days.all(|day| Some(day) == first)
}

/// Removes the parts of a tree line that a pane has no room for: the ids of entries, which Enter leads to,
/// and the day if all lines have the same. Paths are named by number: the printed tree names the option
/// that shows one.
fn tree_line(line: &Line, has_one_day: bool) -> Line {
    let mut is_after_time = false;
    let spans = line.spans().iter().filter_map(|span| {
        let was_after_time = std::mem::replace(&mut is_after_time, span.style().role == Role::Time);
        if was_after_time && span.style().role == Role::Id {
            return None;
        }
        let text = match span.text().strip_prefix("  --path ") {
            Some(number) => format!("  path {number}"),
            None if is_after_time && has_one_day => {
                let time = span.text().split_once(' ').map_or(span.text(), |(_, time)| time);
                time.to_owned()
            }
            None => return Some(span.clone()),
        };
        Some(TextSpan::new(text, span.style()))
    });
    spans.collect()
}

/// Lists the agents, each after the one that started it: its outcome and task, and below that its facts.
fn agents_pane(shown: &Transcript<'_>, began: Option<Time>, width: usize) -> Vec<PaneRow> {
    let work = agent_work(shown, began);
    let mut rows = Vec::new();
    for at in nested(&shown.agents) {
        let (agent, work) = (&shown.agents[at], work[at]);
        let target = Some(PaneTarget::Agent(agent.id.clone()));
        let indent = 2 * (agent.depth as usize).saturating_sub(1).min(8);
        let room = width.saturating_sub(indent);
        for line in [agent_head(agent, work), agent_facts(agent, work, room)] {
            let mut row = Line::new();
            row.pad(indent).append(line);
            rows.push(PaneRow { line: row.truncated(width), target: target.clone() });
        }
    }
    if rows.is_empty() {
        rows.push(message_row("this session has no agents"));
    }
    rows
}

fn agent_head(agent: &AgentInfo, work: Option<AgentWork>) -> Line {
    let (mark, role) = match work.map(|work| work.outcome) {
        Some(AgentOutcome::Working) => ("●", Role::Success),
        Some(AgentOutcome::Done) => ("✓", Role::Success),
        Some(AgentOutcome::Failed) => ("✗", Role::Failure),
        Some(AgentOutcome::Interrupted) => ("⊘", Role::Warning),
        None => (" ", Role::Plain),
    };
    let task = agent.description.as_ref().or(agent.kind.as_ref());
    let task = task.map_or("(no task)", String::as_str);
    let mut line = Line::of(format!("{mark} "), role);
    line.add(sanitize::inline(task), Role::Plain);
    line
}

/// Returns the facts of an agent in one line; the last ones are dropped if they do not fit.
fn agent_facts(agent: &AgentInfo, work: Option<AgentWork>, width: usize) -> Line {
    let mut facts = Vec::new();
    let mut add = |words: String, role: Role| facts.push(Line::of(words, role));
    match work.map(|work| work.outcome) {
        Some(AgentOutcome::Failed) => add("failed".to_owned(), Role::Failure),
        Some(AgentOutcome::Interrupted) => add("interrupted".to_owned(), Role::Warning),
        Some(AgentOutcome::Working) => add("works".to_owned(), Role::Success),
        Some(AgentOutcome::Done) | None => {}
    }
    if let Some(took) = work.and_then(|work| work.duration_ms()) {
        add(human::duration(took), Role::Time);
    }
    add(human::plural(agent.message_count, "message"), Role::Muted);
    if let Some(work) = work {
        let calls = human::plural(work.calls as usize, "call");
        match work.failed_calls {
            0 => add(calls, Role::Muted),
            failed => add(format!("{calls}, {failed} failed"), Role::Failure),
        }
    }
    add(agent.id.clone(), Role::Id);
    if let Some(kind) = &agent.kind {
        add(sanitize::inline(kind).into_owned(), Role::Muted);
    }
    let mut line = Line::of("  ", Role::Plain);
    for (at, fact) in facts.into_iter().enumerate() {
        let dot = if at > 0 { " · " } else { "" };
        if line.width() + dot.chars().count() + fact.width() > width {
            break;
        }
        line.add(dot, Role::Muted).append(fact);
    }
    line
}

/// Returns the start time of the process that owns the session, if one does.
fn process_began(open: &OpenSession, shown: &Transcript<'_>) -> Option<Time> {
    let home = open.found().home.as_ref().filter(|_| shown.live == Liveness::Live)?;
    let live = LiveSessions::read(home, &SystemProcesses);
    let started = live.get(&shown.session.id)?.started_at?;
    Some(Time::from_millis(started))
}

fn message_row(words: &str) -> PaneRow {
    PaneRow { line: Line::of(words, Role::Muted), target: None }
}

fn files_pane(shown: &Transcript<'_>, layout: &PageLayout) -> io::Result<Vec<PaneRow>> {
    let found = changes(shown)?;
    let folder = StartFolder::new(shown.cwd());
    let entry =
        |edit: &FileEdit| Some(PaneTarget::Entry { entry: edit.entry.clone()?, path: None });
    let mut rows = Vec::new();
    for file in &found.files {
        let totals = file.totals();
        let mut line = Line::of(folder.shorten(&file.path).to_owned(), Role::Path);
        line.add(format!("  +{}", totals.added), Role::CountAdded);
        line.add(format!(" −{}", totals.removed), Role::CountRemoved);
        rows.push(PaneRow {
            line: line.truncated(layout.width),
            target: file.edits.first().and_then(entry),
        });
        for edit in &file.edits {
            let mut line = Line::of("  ", Role::Plain);
            if let Some(turn) = edit.turn {
                line.add(format!("turn {turn}  "), Role::Muted);
            }
            line.add(edit.tool.clone(), Role::ToolName);
            line.add(format!("  +{}", edit.added), Role::CountAdded);
            line.add(format!(" −{}", edit.removed), Role::CountRemoved);
            if !edit.worked() {
                line.add(format!("  {}", edit.status.name()), Role::Failure);
            }
            rows.push(PaneRow { line: line.truncated(layout.width), target: entry(edit) });
        }
    }
    if rows.is_empty() {
        rows.push(message_row("this session changed no files"));
    }
    Ok(rows)
}

/// Shows the records of a message as they are in the log, formatted as JSON.
fn raw_pane(shown: &Transcript<'_>, width: usize, message: u32) -> io::Result<Vec<Line>> {
    let at = message as usize;
    let texts = shown.messages_in(at..at + 1)?;
    let entries = texts.iter().flat_map(|text: &MessageText| &text.entries);
    let mut lines = Vec::new();
    for entry in entries {
        lines.push(Line::of(entry.as_str().to_owned(), Role::Id));
        let bytes = match raw(shown.session, entry.as_str()) {
            Ok(bytes) => bytes,
            Err(error) => {
                lines.push(Line::of(error.to_string(), Role::Failure));
                continue;
            }
        };
        let cut = &bytes[..bytes.len().min(RAW_BYTES)];
        let text = set_out(&String::from_utf8_lossy(cut));
        let code = code_lines("json", &sanitize::clean(&text), Role::Tool);
        lines.extend(code.iter().flat_map(|line| wrap(line, width.max(20))));
        if cut.len() < bytes.len() {
            let rest = human::bytes((bytes.len() - cut.len()) as u64);
            lines.push(Line::of(format!("… {rest} more"), Role::Muted));
        }
        lines.push(Line::new());
    }
    Ok(lines)
}

/// Puts each member of a JSON text on its own line. Only white space changes, so a damaged text stays
/// recognizable.
fn set_out(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut is_escaped) = (0usize, false, false);
    for character in json.trim().chars() {
        if in_text {
            out.push(character);
            in_text = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        let newline = |out: &mut String, depth: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', 2 * depth.min(24)));
        };
        match character {
            '"' => {
                in_text = true;
                out.push(character);
            }
            '{' | '[' => {
                depth += 1;
                out.push(character);
                newline(&mut out, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                newline(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                newline(&mut out, depth);
            }
            ':' => out.push_str(": "),
            space if space.is_whitespace() => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_set_out_and_damaged_ones_stay_what_they_are() {
        assert_eq!(
            set_out(r#"{"a":[1,"x:{\"y"],"b":{}}"#),
            "{\n  \"a\": [\n    1,\n    \"x:{\\\"y\"\n  ],\n  \"b\": {\n    \n  }\n}"
        );
        assert_eq!(set_out(r#"{"a":"half"#), "{\n  \"a\": \"half");
    }
}
