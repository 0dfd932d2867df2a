//! Refusals of commands on runs, and hints for the user.

use unspool_drive::trust::TrustReport;
use unspool_drive::{DriveError, FailureCause, RunId};
use unspool_text::human;

use crate::errors::RunOutcome;
use crate::ui::Ui;

/// Why a command is refused before a run is asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DriveRefusal {
    /// The client program does not exist.
    #[error("Claude Code cannot be found: the program `{0}` is not there")]
    NotInstalled(String),
    /// No run, approval or prompt has this name.
    #[error("no {what} is named `{text}`")]
    Unknown { what: &'static str, text: String, near: Vec<String> },
    /// Several have this name.
    #[error("`{text}` could be any of {}", matches.len())]
    Ambiguous { text: String, matches: Vec<String> },
    /// The name is too short to be unambiguous.
    #[error("`{0}` is too short: the beginning of an id needs 4 characters or more")]
    TooShort(String),
    /// The run that would get the prompt has ended.
    #[error("the run {run} is over ({how})")]
    Over { run: RunId, how: String },
    /// The run, or its client, still has the session.
    #[error("{why}")]
    NotOver {
        run: RunId,
        why: String,
        /// The command that was refused: `go-on` or `again --yes`.
        wanted: &'static str,
    },
    /// Messages came since the person looked; they cannot be counted on another branch.
    #[error("{}; the prompt was not sent", newer_words(*count))]
    Newer { session: String, at: String, count: Option<usize> },
    /// The run has no pending approval.
    #[error("the run {0} waits for nothing")]
    WaitsForNothing(RunId),
}

fn newer_words(count: Option<usize>) -> String {
    match count {
        Some(count) => format!("{} came since", human::plural(count, "message")),
        None => "the session goes on from another place by now".to_owned(),
    }
}

/// Returns the outcome of an error of driving; `None` for other errors.
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

/// Explains how to continue a fork of a session that another process owns.
fn copy_words(session: &str) -> String {
    format!("`unspool drive start --session {session} --fork` goes on in a copy of the session")
}

/// Prints hints for an error.
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

/// Lists the settings of a folder that run code, and explains how to trust them.
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

/// Returns advice about a client's failure, if its cause is known.
pub(crate) fn advice(message: &str) -> Option<String> {
    let cause = FailureCause::of(message)?;
    Some(format!("{}: {}", cause.title(), cause.advice()))
}
