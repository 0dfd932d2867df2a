//! Formats runs and their events as lines for a terminal.

mod approval;
mod events;
mod run;

use unspool_text::{Line, Role};

pub(crate) use approval::{approval_lines, approval_summary};
pub(crate) use events::{Painted, RunEventPainter, TextPieces};
pub(crate) use run::{
    end_words, failure_lines, failure_summary, need_words, run_table, state_words,
};

/// The length of a short id, which is enough to name a run or an approval.
const SHORT: usize = 8;

/// Returns the short form of an id.
pub(crate) fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// Indents the lines of a text.
fn block(text: &str, indent: usize, role: Role) -> Vec<Line> {
    let lines = text.lines().map(|text| {
        let mut line = Line::new();
        line.pad(indent).add(text, role);
        line
    });
    lines.collect()
}
