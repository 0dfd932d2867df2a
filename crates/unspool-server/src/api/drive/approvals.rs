//! Approvals: requests of the client that wait for a person, and the person's answers.

use unspool_drive::json::{AnswerBodyJson, AnswerReceiptJson, ApprovalsJson};
use unspool_drive::{ApprovalId, Decision, PersonChoice};
use unspool_model::named::Named as _;

use super::{asker, drive, permission_mode};
use crate::route::Call;
use crate::web::{ProblemKind, RequestProblem, WebReply};

/// `GET /api/approvals`
pub(in crate::api) fn approvals(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = drive(call)?.approvals()?;
    WebReply::json(&ApprovalsJson::from(open.as_slice()))
}

/// `POST /api/approvals/{approval}`
pub(in crate::api) fn answer(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: AnswerBodyJson = call.body()?;
    let decision = Decision::from_name(&body.decision).ok_or_else(|| {
        RequestProblem::new(ProblemKind::BadRequest, "decision: `allow` or `deny`")
    })?;
    let choice = PersonChoice {
        decision,
        message: body.message,
        suggestions: body.suggestions,
        input: body.input,
        answers: body.answers,
        mode: permission_mode(body.permission_mode.as_deref())?,
    };
    let id = ApprovalId::new(call.name("approval"));
    let drive = drive(call)?;
    let given = drive.answer(&id, &choice, &asker(call))?;
    WebReply::json(&AnswerReceiptJson::new(&id, &given))
}
