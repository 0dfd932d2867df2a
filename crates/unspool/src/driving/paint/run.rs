//! Formats runs as rows of a table and in words.

use unspool_drive::json::{QueuedPromptJson, RunJson};
use unspool_drive::store::RunRecord;
use unspool_drive::{AwaitedAnswer, PromptState, RunNeed, RunStage, RunView};
use unspool_model::time::Time;
use unspool_text::{Align, Column, Line, Role, Table, human, sanitize};

use super::short;
use crate::driving::refusal::advice;
use crate::settings::shown;

/// The largest width of a failure on one line.
const SUMMARY: usize = 160;

/// Formats runs as a table.
pub(crate) fn run_table(runs: &[RunView], now: Time, user_home: Option<&std::path::Path>) -> Table {
    let mut table = Table::new(vec![
        Column::new(Align::Left).priority(6),
        Column::new(Align::Left).priority(6),
        Column::new(Align::Left).priority(4),
        Column::new(Align::Right).priority(3),
        Column::new(Align::Left).priority(2),
        Column::new(Align::Left).min(12).flexible().priority(5),
    ]);
    let head = ["run", "state", "session", "queue", "started", "folder"];
    table.row(head.map(|name| Line::of(name, Role::ColumnHead)).to_vec());
    for view in runs {
        let run = view.to_json();
        // The current prompt does not wait any more.
        let waits = |prompt: &&QueuedPromptJson| {
            matches!(prompt.state, PromptState::Queued | PromptState::Lost)
        };
        let queue = match run.queue.iter().filter(waits).count() {
            0 => String::new(),
            count => count.to_string(),
        };
        let age = now.as_millis() - view.run.made.as_millis();
        table.row(vec![
            Line::of(short(&run.run), Role::Id),
            Line::of(state_words(&run, now), state_role(&run)),
            Line::of(short(&run.session), Role::Id),
            Line::of(queue, Role::Number),
            Line::of(human::ago(age), Role::Time),
            Line::of(shown(&view.run.plan.cwd, user_home), Role::Path),
        ]);
    }
    table
}

fn state_role(run: &RunJson) -> Role {
    match run.state {
        RunStage::Waiting => Role::Warning,
        RunStage::Running | RunStage::Starting => Role::Success,
        RunStage::Lost => Role::Failure,
        RunStage::Idle | RunStage::Ending | RunStage::Ended => Role::Plain,
    }
}

/// Describes the state of a run and its deadline.
pub(crate) fn state_words(run: &RunJson, now: Time) -> String {
    let left = |at: &Option<String>| {
        let at = at.as_deref().and_then(Time::parse);
        at.map(|at| human::duration(at.since(now)))
    };
    let mut words = match run.state {
        RunStage::Waiting => {
            let what = run.waiting_for.map_or("answer", AwaitedAnswer::name);
            let left = left(&run.deadlines.waiting_at);
            let left = left.map(|left| format!(", {left} left"));
            format!("waits: {what}{}", left.unwrap_or_default())
        }
        RunStage::Idle => {
            let left = left(&run.deadlines.idle_at);
            let ends = left.map(|left| format!(", ends in {left}"));
            format!("idle{}", ends.unwrap_or_default())
        }
        RunStage::Ended | RunStage::Lost => end_words(run),
        RunStage::Starting | RunStage::Running | RunStage::Ending => run.state.to_string(),
    };
    if run.over_budget.is_some() && run.ended.is_none() {
        words = format!("{words}; its budget is spent");
    }
    if run.queue_held.is_some() {
        words = format!("{words}; its queue is held");
    }
    if let Some(pid) = run.held_by {
        words = format!("held: process {pid} has the session");
    }
    words
}

/// Describes how a run ended.
pub(crate) fn end_words(run: &RunJson) -> String {
    let how = run.ended.as_ref().map(|end| end.how.as_str());
    let words = match how.unwrap_or(run.state.name()) {
        "stopped" => "ended: stopped",
        "idle_deadline" => "ended: idle for too long",
        "finished" => "ended",
        "died" => "ended: the client died",
        "not_started" => "not started",
        "lost" => "lost: the host died, what was pending is interrupted",
        other => other,
    };
    words.to_owned()
}

/// Explains why the last turn of a run failed, with advice; empty if it did not fail.
pub(crate) fn failure_lines(failure: Option<&str>) -> Vec<Line> {
    let Some(failure) = failure else {
        return Vec::new();
    };
    let words = format!("  the last turn failed: {failure}");
    let mut lines = vec![Line::of(words, Role::Failure)];
    lines.extend(advice(failure).map(|advice| Line::of(format!("  {advice}"), Role::Warning)));
    lines
}

/// Describes why the last turn failed and why the queue is held, one line each, with the run's id.
pub(crate) fn failure_summary(run: &RunJson) -> Vec<Line> {
    let failed = run.last_failure.as_deref().map(|failure| {
        let failure = sanitize::one_line(failure, SUMMARY);
        let mut line = Line::of(short(&run.run), Role::Id);
        line.add("  the last turn failed: ", Role::Failure).add(failure, Role::Plain);
        line
    });
    let held = run.queue_held.as_deref().map(|words| {
        let mut line = Line::of(short(&run.run), Role::Id);
        line.add(format!("  {words}"), Role::Warning);
        line
    });
    failed.into_iter().chain(held).collect()
}

/// Describes why a run needs a person.
pub(crate) fn need_words(need: RunNeed, run: &RunRecord) -> &'static str {
    match need {
        RunNeed::Answer => "waits for an answer",
        RunNeed::Held if run.held_by.is_none() => "is held: its last turn failed",
        RunNeed::Held => "is held: another process has the session",
        RunNeed::Budget => "has spent its budget",
        RunNeed::Idle => "is idle",
        RunNeed::Over => "is over",
    }
}
