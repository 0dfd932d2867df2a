//! Formats the events of a run, line by line.

use unspool_drive::json::{ApprovalJson, DriveEventJson};
use unspool_drive::spool_parts::SpoolPart;
use unspool_drive::{AwaitedAnswer, Decision};
use unspool_model::tool;
use unspool_text::{Line, Role, sanitize};

use super::{approval_lines, block, short};
use crate::driving::refusal::advice;

/// The largest width of a call on its line.
const ONE_LINE: usize = 100;
/// The largest number of lines of a result.
const OUTPUT: usize = 5;

/// The next output.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Painted {
    /// A part of a line that is still being written.
    Piece(String),
    /// Whole lines; an unfinished line is finished first.
    Lines(Vec<Line>),
}

/// Whether texts are shown while they are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextPieces {
    /// Piece by piece, for a person.
    Shown,
    /// Only when they are complete.
    Hidden,
}

/// Formats the events of a run in order.
#[derive(Debug)]
pub(crate) struct RunEventPainter {
    pieces: TextPieces,
    /// The number of bytes of the next text that were shown.
    shown: usize,
    /// The last state that was shown.
    state: String,
}

impl RunEventPainter {
    pub(crate) fn new(pieces: TextPieces) -> Self {
        Self { pieces, shown: 0, state: String::new() }
    }

    /// Formats an event; `None` if there is nothing to show.
    pub(crate) fn paint(&mut self, said: &SpoolPart) -> Option<Painted> {
        let lines = match said {
            SpoolPart::Piece(_) if self.pieces == TextPieces::Hidden => return None,
            SpoolPart::Piece(text) => {
                self.shown += text.len();
                return Some(Painted::Piece(sanitize::clean(text).into_owned()));
            }
            SpoolPart::Prompt(text) => marked("> ", text, Role::User, usize::MAX),
            SpoolPart::Text { text, is_agent } => {
                // Pieces of a very long answer may have been left out.
                let was_shown = *is_agent || std::mem::take(&mut self.shown) == text.len();
                if was_shown && !is_agent {
                    Vec::new()
                } else {
                    block(text, indent(*is_agent), Role::Plain)
                }
            }
            // The approval, with the whole request, follows.
            SpoolPart::Call { name, .. } if tool::asks_the_person(name) => return None,
            SpoolPart::Call { name, summary, is_agent } => vec![call(name, summary, *is_agent)],
            SpoolPart::Output { text, is_error, is_agent } => output(text, *is_error, *is_agent),
            SpoolPart::TurnEnd { failure: None } => return None,
            SpoolPart::TurnEnd { failure: Some(words) } => failed(words),
            SpoolPart::Event(event) => self.event(event)?,
        };
        Some(Painted::Lines(lines))
    }

    fn event(&mut self, event: &DriveEventJson) -> Option<Vec<Line>> {
        match event {
            DriveEventJson::Approval(approval) => Some(self.approval(approval)),
            DriveEventJson::ApprovalResolved { id, resolved, decision, by } => {
                let decision = decision.map_or(resolved.name(), Decision::name);
                let by = by.as_deref().map(|by| format!(", by {by}"));
                let words = format!("{decision}{}", by.unwrap_or_default());
                let mut line = Line::of("= ", Role::Muted);
                line.add(short(id), Role::Id).add("  ", Role::Plain).add(words, Role::Muted);
                Some(vec![line])
            }
            DriveEventJson::Run {
                state,
                waiting_for,
                how,
                held_by,
                over_budget,
                queue_held,
                ..
            } => {
                let mut words = state.to_string();
                for more in waiting_for.map(AwaitedAnswer::name).into_iter().chain(how.as_deref()) {
                    words = format!("{words}: {more}");
                }
                let standing = over_budget.iter().chain(queue_held);
                for why in standing.filter(|_| how.is_none()) {
                    words = format!("{words}; {why}");
                }
                if let Some(pid) = held_by {
                    words = format!("{words}; held, process {pid} has the session");
                }
                if self.state == words {
                    return None;
                }
                self.state.clone_from(&words);
                Some(vec![Line::of(format!("· {words}"), Role::Muted)])
            }
            DriveEventJson::LeftOut {} => {
                let words = "· something was left out here; the log of the session has it";
                Some(vec![Line::of(words, Role::Muted)])
            }
            DriveEventJson::Partial { .. } | DriveEventJson::Queue { .. } => None,
        }
    }

    fn approval(&mut self, approval: &ApprovalJson) -> Vec<Line> {
        // The call ends the text that is being written.
        self.shown = 0;
        approval_lines(approval)
    }
}

fn indent(is_agent: bool) -> usize {
    if is_agent { 4 } else { 0 }
}

fn marked(mark: &str, text: &str, role: Role, most: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (index, text) in text.lines().take(most).enumerate() {
        let mut line = Line::new();
        if index == 0 {
            line.add(mark, role);
        } else {
            line.pad(mark.chars().count());
        }
        line.add(text, role);
        lines.push(line);
    }
    lines
}

fn call(name: &str, summary: &str, is_agent: bool) -> Line {
    let mut line = Line::new();
    line.pad(indent(is_agent))
        .add("● ", Role::Tool)
        .add(name, Role::ToolName)
        .add("  ", Role::Plain)
        .add(sanitize::one_line(summary, ONE_LINE), Role::Tool);
    line
}

fn output(text: &str, is_error: bool, is_agent: bool) -> Vec<Line> {
    let role = if is_error { Role::Failure } else { Role::Tool };
    let clean = sanitize::output(text);
    let mut lines = marked("  └ ", &clean, role, OUTPUT);
    let more = clean.lines().count().saturating_sub(OUTPUT);
    if more > 0 {
        lines.push(Line::of(format!("    … {more} more lines"), Role::Muted));
    }
    let mut prefix = Line::new();
    prefix.pad(indent(is_agent));
    lines.into_iter().map(|line| line.indented(&prefix)).collect()
}

fn failed(words: &str) -> Vec<Line> {
    let mut lines = marked("✗ ", words, Role::Failure, usize::MAX);
    lines.extend(advice(words).map(|advice| Line::of(format!("  {advice}"), Role::Warning)));
    lines
}
