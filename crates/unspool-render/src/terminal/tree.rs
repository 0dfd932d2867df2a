//! The graph of a session, drawn with lines.

use jiff::tz::TimeZone;
use unspool_model::ids::{EntryId, short};
use unspool_model::positions::PathNumber;
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::{human, sanitize};

use super::{ClockStyle, clock};
use crate::document::spoken;
use unspool_engine::ops::transcript::Transcript;
use unspool_engine::ops::tree::{TreeBranch, TreeRow, TreeRowKind};

/// Levels of forks with a column of their own; deeper levels share the last one.
const LEVELS: u32 = 16;

/// Draws the rows of a session's tree.
pub fn rows(shown: &Transcript<'_>, rows: &[TreeRow], width: usize, zone: &TimeZone) -> Vec<Line> {
    let goes_on = continues(rows);
    let active = shown.conversation.paths.active().map(|path| path.index);
    let mut lines = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        lines.push(draw(row, &goes_on[index], active, width, zone));
        for said in &row.said {
            let mut line = lanes(row, &goes_on[index]);
            line.add("❯ ", Role::User);
            let room = width.saturating_sub(line.width()).max(10);
            line.add(sanitize::one_line(&spoken(said), room), Role::Muted);
            lines.push(line);
        }
        for agent in &row.agents {
            let mut line = lanes(row, &goes_on[index]);
            line.pad(2 * (agent.depth as usize).clamp(1, 8) - 2);
            line.add("╰╴ ", Role::Muted).add(format!("agent {}", agent.id), Role::Id);
            if let Some(description) = &agent.description {
                line.add(format!("  {description}"), Role::Muted);
            }
            let count = human::plural(agent.message_count, "message");
            line.add(format!("  {count}"), Role::Muted);
            lines.push(line);
        }
    }
    lines.extend(super::unlinked(shown));
    lines.into_iter().map(|line| line.truncated(width)).collect()
}

/// Returns for each row which levels continue below it.
fn continues(rows: &[TreeRow]) -> Vec<Vec<bool>> {
    let mut open = vec![false; LEVELS as usize + 1];
    let mut all = Vec::with_capacity(rows.len());
    // From the bottom up: a row continues its own level for the rows above it, and ends deeper ones.
    for row in rows.iter().rev() {
        let depth = level(row);
        all.push(open[..=depth].to_vec());
        open[depth] = true;
        open[depth + 1..].fill(false);
    }
    all.reverse();
    all
}

fn level(row: &TreeRow) -> usize {
    row.depth.min(LEVELS - 1) as usize
}

/// Draws the lines that run past a row on its left, and below its own mark.
fn lanes(row: &TreeRow, goes_on: &[bool]) -> Line {
    let mut line = Line::new();
    for depth in 0..=level(row) {
        let runs = goes_on.get(depth) == Some(&true);
        line.add(if runs { "│ " } else { "  " }, Role::Muted);
    }
    line
}

fn draw(
    row: &TreeRow,
    goes_on: &[bool],
    active: Option<PathNumber>,
    width: usize,
    zone: &TimeZone,
) -> Line {
    let said = if row.active { Role::Plain } else { Role::Muted };
    let mut line = Line::new();
    for depth in 0..level(row) {
        let runs = goes_on.get(depth) == Some(&true);
        let last = depth + 1 == level(row);
        let text = match (runs, last) {
            (true, true) => "├─",
            (false, true) => "╰─",
            (true, false) => "│ ",
            (false, false) => "  ",
        };
        line.add(text, Role::Muted);
    }
    let (mark, role) = match row.kind {
        TreeRowKind::Turn if row.active => ("● ", Role::Success),
        TreeRowKind::Turn => ("○ ", Role::Muted),
        TreeRowKind::Continuation => ("· ", Role::Muted),
        TreeRowKind::Compaction => ("◆ ", Role::Warning),
    };
    line.add(mark, role);
    if let Some(time) = row.time {
        line.add(format!("{} ", clock(time, zone, ClockStyle::DateAndTime)), Role::Time);
    }
    let entry = row.entry.as_ref().map(EntryId::as_str).unwrap_or_default();
    line.add(format!("{} ", short(entry)), Role::Id);
    let tail = tail(row, active);
    let room = width.saturating_sub(line.width() + tail.width()).max(10);
    line.add(sanitize::one_line(&spoken(&row.text), room), said);
    line.append(tail);
    line
}

fn tail(row: &TreeRow, active: Option<PathNumber>) -> Line {
    let mut line = Line::new();
    if let Some(branch) = row.branch {
        let words = match branch {
            TreeBranch::Rewind => "rewound",
            TreeBranch::Retry => "answered again",
            TreeBranch::LeftOut => "left out at a resume",
        };
        line.add(format!("  {words}"), Role::Warning);
    }
    if row.calls > 0 {
        line.add(format!("  {}", human::plural(row.calls as usize, "call")), Role::Muted);
    }
    if row.forks > 0 {
        line.add(format!("  {}", human::plural(row.forks as usize, "fork")), Role::Warning);
    }
    for path in &row.paths {
        let strong = Style::from(Role::Id).with(Emphasis::STRONG);
        line.add(format!("  --path {path}"), strong);
        if Some(*path) == active && row.ends_active {
            line.add(" active", Role::Success);
        }
    }
    line
}
