//! The words of a recap, shared by all its surfaces.

use unspool_engine::ops::recap::{RecapFile, RecapPrompt, RecapSession, RecapTotals};
use unspool_model::conversation::TurnOutcome;
use unspool_store::prices::Cost;
use unspool_text::human;

/// Describes totals, part by part.
pub(crate) fn recap_parts(total: &RecapTotals) -> Vec<String> {
    let sums = &total.sums;
    let mut parts =
        vec![human::plural(total.sessions, "session"), human::plural(total.prompts, "prompt")];
    if total.files > 0 {
        let files = human::plural(total.files, "file");
        let (added, removed) = (sums.lines_added, sums.lines_removed);
        parts.push(format!("{files} +{added} −{removed}"));
    }
    if sums.active_ms > 0 {
        parts.push(human::duration(sums.active_ms));
    }
    let tokens = sums.tokens.sum();
    if tokens > 0 {
        parts.push(format!("{} tokens", human::count(tokens)));
    }
    parts.extend(sums.cost.map(Cost::usd).map(human::dollars));
    parts
}

/// Describes how a session ended in the period, and its duration and cost.
pub(crate) fn session_parts(session: &RecapSession) -> Vec<String> {
    let mut parts = Vec::new();
    let ended = match session.outcome {
        _ if session.row.live && !session.goes_on => Some("running"),
        Some(TurnOutcome::Done) => Some("done"),
        Some(TurnOutcome::Interrupted) => Some("interrupted"),
        Some(TurnOutcome::Error) => Some("ended with an error"),
        Some(TurnOutcome::Killed) => Some("killed"),
        Some(TurnOutcome::Open) => Some("left open"),
        None => None,
    };
    parts.extend(ended.map(str::to_owned));
    if session.goes_on {
        parts.push("went on later".to_owned());
    }
    let sums = &session.sums;
    if sums.active_ms > 0 {
        parts.push(human::duration(sums.active_ms));
    }
    parts.extend(sums.cost.map(Cost::usd).map(human::dollars));
    parts
}

/// Returns the prompts to show below a title: all of them, without a first one that is the title.
pub(crate) fn prompts_below<'s>(session: &'s RecapSession, title: &str) -> &'s [RecapPrompt] {
    match session.prompts.split_first() {
        Some((first, rest)) if first.text == title && !first.earlier => rest,
        _ => &session.prompts,
    }
}

/// Describes the change of a file.
pub(crate) fn file_note(file: &RecapFile) -> String {
    let mut note = format!("+{} −{}", file.added, file.removed);
    if file.deleted {
        note += " (removed)";
    } else if file.created {
        note += " (new)";
    }
    note
}

/// Returns a path relative to its project.
pub(crate) fn in_project<'p>(path: &'p str, cwd: Option<&str>) -> &'p str {
    let inside = cwd.and_then(|cwd| path.strip_prefix(cwd.trim_end_matches('/')));
    let inside = inside.and_then(|rest| rest.strip_prefix('/'));
    inside.unwrap_or(path)
}
