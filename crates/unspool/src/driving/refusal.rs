//! Why something about a run is refused, and what the person can do.

use unspool_drive::trust::TrustReport;
use unspool_drive::{DriveError, FailureCause, RunId};
use unspool_text::human;

use crate::errors::RunOutcome;
use crate::ui::Ui;

/// Why something is refused before a run is asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DriveRefusal {
    /// The client cannot be found.
    #[error("Claude Code cannot be found: the program `{0}` is not there")]
    NotInstalled(String),
    /// Nothing has this name.
    #[error("no {what} is named `{text}`")]
    Unknown { what: &'static str, text: String, near: Vec<String> },
    /// Several have it.
    #[error("`{text}` could be any of {}", matches.len())]
    Ambiguous { text: String, matches: Vec<String> },
    /// It is too short to be trusted.
    #[error("`{0}` is too short: the beginning of an id needs 4 characters or more")]
    TooShort(String),
    /// The session has no run that could take a prompt.
    #[error("the run {run} is over ({how})")]
    Over { run: RunId, how: String },
    /// The run, or its client, is in the way of another one.
    #[error("{why}")]
    NotOver {
        run: RunId,
        why: String,
        /// What was asked for: `go-on` or `again --yes`.
        wanted: &'static str,
    },
    /// Messages came since the person looked; none is counted on another branch.
    #[error("{}; the prompt was not sent", newer_words(*count))]
    Newer { session: String, at: String, count: Option<usize> },
    /// The run has nothing that could be answered.
    #[error("the run {0} waits for nothing")]
    WaitsForNothing(RunId),
}

fn newer_words(count: Option<usize>) -> String {
    match count {
        Some(count) => format!("{} came since", human::plural(count, "message")),
        None => "the session goes on from another place by now".to_owned(),
    }
}

/// Returns how a run of the program ends with an error of driving; none if it is not one.
pub(crate) fn outcome_of(error: &anyhow::Error) -> Option<RunOutcome> {
    if let Some(refusal) = error.downcast_ref::<DriveRefusal>() {
        return Some(match refusal {
            DriveRefusal::Ambiguous { .. } | DriveRefusal::TooShort(_) => RunOutcome::Usage,
            _ => RunOutcome::Problems,
        });
    }
    Some(match error.downcast_ref::<DriveError>()? {
        DriveError::Plan(_) | DriveError::Refused(_) => RunOutcome::Usage,
        DriveError::Store(_)
        | DriveError::Failed(_)
        | DriveError::Socket(_)
        | DriveError::NoFolder(_)
        | DriveError::File { .. } => RunOutcome::Io,
        _ => RunOutcome::Problems,
    })
}

/// Says how a session is gone on with that another process has.
fn copy_words(session: &str) -> String {
    format!("`unspool drive start --session {session} --fork` goes on in a copy of the session")
}

/// Says what the person can do.
pub(crate) fn hint(ui: &Ui, error: &anyhow::Error) {
    if let Some(refusal) = error.downcast_ref() {
        return hint_refusal(ui, refusal);
    }
    match error.downcast_ref() {
        Some(DriveError::Untrusted(report)) => hint_trust(ui, report),
        Some(DriveError::Owned { session, .. }) => ui.note(&copy_words(session)),
        Some(DriveError::Driven { session, run }) => {
            ui.note(&format!("`unspool drive send {run} TEXT` gives it a prompt"));
            ui.note(&copy_words(session));
        }
        Some(DriveError::Over(_)) => {
            ui.note("`unspool drive go-on` with the same run goes on with its session");
        }
        _ => {}
    }
}

fn hint_refusal(ui: &Ui, refusal: &DriveRefusal) {
    let (words, list) = match refusal {
        DriveRefusal::NotInstalled(_) => {
            ui.note(FailureCause::NotInstalled.advice());
            return;
        }
        DriveRefusal::Over { run, .. } => {
            ui.note(&format!("`unspool drive go-on {run}` goes on with its session"));
            return;
        }
        DriveRefusal::NotOver { run, wanted, .. } => {
            ui.note(&format!(
                "`unspool drive stop {run} && unspool drive {wanted} {run}` ends it first"
            ));
            return;
        }
        DriveRefusal::Newer { session, at, .. } => {
            ui.note("without --seen it is sent anyway");
            ui.note(&format!(
                "`unspool drive start --session {session} --at {at} --fork --prompt TEXT` goes on from \
                 there as a new branch"
            ));
            return;
        }
        DriveRefusal::Unknown { what, near, .. } if near.is_empty() => {
            let all = match *what {
                "run" => "`unspool drive list --all` lists all runs",
                "prompt" => "`unspool drive list --json` lists the queue of a run",
                _ => "`unspool drive list` lists what waits",
            };
            ui.note(all);
            return;
        }
        DriveRefusal::Unknown { near, .. } => ("did you mean:", near),
        DriveRefusal::Ambiguous { matches, .. } => ("these match:", matches),
        DriveRefusal::TooShort(_) | DriveRefusal::WaitsForNothing(_) => return,
    };
    ui.note(words);
    ui.list(list);
}

/// Says what in a folder runs code, and how it is trusted.
fn hint_trust(ui: &Ui, report: &TrustReport) {
    if report.sources.is_empty() && report.broken.is_empty() {
        ui.note("nothing in it runs code now");
    } else {
        ui.note("these run code when a client works there:");
    }
    ui.list(report.lines());
    let folder = report.folder.display();
    ui.note(&format!("`unspool drive trust {folder}` trusts it"));
}

/// Returns what to do about a failure that the client told, where it is a known one.
pub(crate) fn advice(message: &str) -> Option<String> {
    let cause = FailureCause::of(message)?;
    Some(format!("{}: {}", cause.title(), cause.advice()))
}
