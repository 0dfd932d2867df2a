//! Approvals that ended a short while ago: a person sees who answered, in windows that did not.

use unspool_drive::RunView;
use unspool_drive::json::ApprovalJson;
use unspool_model::time::Time;

/// For how long an answer is shown: by judgement, as long as a person looks for a card that was there.
const SHOWN_MILLIS: i64 = 10 * 60 * 1000;
/// How many answers are shown at most.
const SHOWN: usize = 3;

/// Returns the approvals of a run that were answered a short while ago, the oldest first.
pub(crate) fn lately_answered(view: &RunView, now: Time) -> Vec<ApprovalJson> {
    let is_late = |at: Time| now.as_millis() - at.as_millis() < SHOWN_MILLIS;
    let answered = view.approvals.iter();
    let answered = answered.filter(|one| one.decided.is_some() && one.at.is_some_and(is_late));
    let mut answered: Vec<_> = answered.collect();
    answered.sort_by_key(|one| one.at);
    let before = answered.len().saturating_sub(SHOWN);
    answered[before..]
        .iter()
        .map(|one| ApprovalJson::from(*one))
        .collect()
}
