//! Recently answered approvals: windows in which a person did not answer show who did.

use unspool_drive::json::ApprovalJson;
use unspool_drive::store::ApprovalRecord;
use unspool_drive::{Drive, RunView};
use unspool_model::time::Time;

/// How long an answer is shown: by judgement, as long as a person looks for a card that disappeared.
const SHOWN_MILLIS: i64 = 10 * 60 * 1000;
/// The maximum number of answers that are shown.
const SHOWN: usize = 3;

/// Returns the recently answered approvals of a run, oldest first.
pub(crate) fn recently_answered(view: &RunView, now: Time) -> Vec<ApprovalJson> {
    let since = since(now);
    let answered = view.approvals.iter();
    let answered = answered.filter(|one| one.decided.is_some() && one.at >= Some(since));
    let mut answered: Vec<&ApprovalRecord> = answered.collect();
    answered.sort_by_key(|one| one.at);
    last_of(&answered)
}

/// Returns the recently answered approvals of all runs, oldest first; none if they cannot be read.
pub(super) fn recently_answered_in_all(drive: &Drive) -> Vec<ApprovalJson> {
    let answered = drive.answered_since(since(drive.now()));
    let answered = answered.unwrap_or_default();
    last_of(&answered.iter().collect::<Vec<_>>())
}

fn since(now: Time) -> Time {
    Time::from_millis(now.as_millis() - SHOWN_MILLIS)
}

fn last_of(answered: &[&ApprovalRecord]) -> Vec<ApprovalJson> {
    let before = answered.len().saturating_sub(SHOWN);
    let last = answered[before..].iter();
    last.map(|one| ApprovalJson::from(*one)).collect()
}
