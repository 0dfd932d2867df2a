//! Converts errors of driving to problems.

use serde_json::json;
use unspool_drive::{DriveError, FailureCause};
use unspool_model::time::Time;

use crate::web::{ProblemKind, RequestProblem};

impl From<DriveError> for RequestProblem {
    fn from(error: DriveError) -> Self {
        let problem = Self::new(kind(&error), error.to_string());
        match error {
            DriveError::Untrusted(report) => problem.with("trust", json!(report)),
            DriveError::Owned { session, pid } => problem.with("session", session).with("pid", pid),
            DriveError::Driven { session, run } => {
                problem.with("session", session).with("run", run.as_str())
            }
            DriveError::Conflict(first) => {
                let at = Time::from_millis(first.at).to_string();
                let decision = first.decision.name();
                problem.with("first", json!({ "decision": decision, "by": first.by, "at": at }))
            }
            DriveError::NotStarted(reason) => match FailureCause::of(&reason) {
                Some(cause) => problem.with("cause", cause.name()),
                None => problem,
            },
            _ => problem,
        }
    }
}

fn kind(error: &DriveError) -> ProblemKind {
    match error {
        DriveError::UnknownRun(_) | DriveError::Unknown(_) | DriveError::NoFolder(_) => {
            ProblemKind::NotFound
        }
        DriveError::Untrusted(_) => ProblemKind::UntrustedFolder,
        DriveError::Owned { .. } | DriveError::Driven { .. } => ProblemKind::SessionOwned,
        DriveError::Plan(_) | DriveError::Refused(_) => ProblemKind::BadRequest,
        DriveError::Over(_)
        | DriveError::NotOver(_)
        | DriveError::StillRunning(_)
        | DriveError::ApprovalOver(_)
        | DriveError::NoPrompt => ProblemKind::WrongState,
        DriveError::Conflict(_) => ProblemKind::Conflict,
        DriveError::NotStarted(reason) if is_not_installed(reason) => ProblemKind::NotInstalled,
        DriveError::NotStarted(_) | DriveError::Socket(_) => ProblemKind::NoClient,
        DriveError::Store(_) | DriveError::Failed(_) | DriveError::File { .. } => {
            ProblemKind::Unreadable
        }
    }
}

fn is_not_installed(reason: &str) -> bool {
    FailureCause::of(reason) == Some(FailureCause::NotInstalled)
}
