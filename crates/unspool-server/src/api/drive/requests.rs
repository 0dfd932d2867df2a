//! Requests to a run that is not over: prompts and their order, interrupting, stopping, mode,
//! model, deadlines and budget.

use std::str::FromStr as _;

use axum::http::StatusCode;
use serde_json::{Value, json};
use unspool_drive::json::{
    ActionBodyJson, DeadlinesBodyJson, ModeBodyJson, OrderBodyJson, PromptBodyJson,
    PromptReceiptJson,
};
use unspool_drive::socket::{LimitChange, LimitsChange};
use unspool_drive::{
    Drive, LONGEST_DEADLINE, PromptContent, PromptId, PromptImage, PromptState, RunId, SendWhen,
    UsdAmount,
};
use unspool_engine::library::{FeedPosition, FeedTarget};
use unspool_render::json::StreamMessageJson;
use unspool_text::base64;
use unspool_text::picture::picture_type;

use super::{action, asker, drive, permission_mode, run_named, run_reply, wrong_id};
use crate::route::Call;
use crate::web::{ProblemKind, RequestProblem, WebReply};

/// How many unseen messages a problem shows at most.
const UNSEEN: usize = 20;

/// `POST /api/runs/{run}/prompts`
pub(in crate::api) fn put(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: PromptBodyJson = call.body()?;
    let (drive, run) = (drive(call)?, run_named(call)?);
    let id = PromptId::parse(&body.id).map_err(|error| wrong_id(&error))?;
    let is_known = drive.run(&run)?.prompts.iter().any(|prompt| prompt.id == id);
    if let Some(seen) = body.seen.as_deref().filter(|_| !body.force && !is_known) {
        check_seen(call, &drive.run(&run)?.run.session, seen)?;
    }
    let content = PromptContent { text: body.text, images: body.images };
    if content.text.trim().is_empty() && content.images.is_empty() {
        let detail = "text: it is empty, and the prompt has no images";
        return Err(RequestProblem::new(ProblemKind::BadRequest, detail));
    }
    check_images(&content.images)?;
    let send = if body.now { SendWhen::Now } else { SendWhen::Idle };
    let state = drive.put_prompt(&run, &id, &content, send, &asker(call))?;
    prompt_reply(&run, &id, state, StatusCode::ACCEPTED)
}

/// Refuses a prompt if the session has messages that its author has not seen.
pub(super) fn check_seen(call: &Call, session: &str, seen: &str) -> Result<(), RequestProblem> {
    let position = FeedPosition::from_str(seen).map_err(|_| {
        RequestProblem::new(ProblemKind::BadRequest, "seen: not the id of an event")
    })?;
    let Ok(open) = call.state.session_in(session, None) else {
        // There is no log yet, so there are no unseen messages.
        return Ok(());
    };
    let view = open.view();
    let target = FeedTarget::default();
    let Some(unseen) = view.feed_unseen(&target, &position, UNSEEN)? else {
        return Ok(());
    };
    let (missed, ordinals) = (unseen.count, unseen.ordinals);
    let texts = view.feed_messages(&target, &ordinals)?;
    let messages = ordinals.iter().zip(&texts);
    let messages: Vec<Value> = messages
        .map(|(ordinal, message)| json!(StreamMessageJson::new(*ordinal, message)))
        .collect();
    let detail = format!(
        "{missed} messages came since; send with `force` to go on anyway, or start a run with `fork` \
         and this `session` and `at` to go on from what was seen, in a copy"
    );
    let problem = RequestProblem::new(ProblemKind::NewerMessages, detail)
        .with("count", missed)
        .with("messages", messages)
        .with("session", session)
        .with("at", unseen.last_seen.map(|entry| entry.to_string()));
    Err(problem)
}

/// `DELETE /api/runs/{run}/prompts/{prompt}`
pub(in crate::api) fn cancel(call: &Call) -> Result<WebReply, RequestProblem> {
    let id = PromptId::parse(call.name("prompt")).map_err(|error| wrong_id(&error))?;
    let run = run_named(call)?;
    let state = drive(call)?.cancel_prompt(&run, &id)?;
    prompt_reply(&run, &id, state, StatusCode::OK)
}

fn prompt_reply(
    run: &RunId,
    id: &PromptId,
    state: PromptState,
    status: StatusCode,
) -> Result<WebReply, RequestProblem> {
    Ok(WebReply::json(&PromptReceiptJson::new(run, id, state))?.with_status(status))
}

/// `POST /api/runs/{run}/queue`
pub(in crate::api) fn reorder(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: OrderBodyJson = call.body()?;
    let ids = body.order.iter().map(|id| PromptId::parse(id));
    let ids = ids.collect::<Result<Vec<_>, _>>();
    let ids = ids.map_err(|error| wrong_id(&error))?;
    let action = action(body.id.as_deref())?;
    after(call, |drive, run| drive.reorder(&action, run, &ids))
}

/// `POST /api/runs/{run}/interrupt`
pub(in crate::api) fn interrupt(call: &Call) -> Result<WebReply, RequestProblem> {
    let action = action(bare(call)?.id.as_deref())?;
    after(call, |drive, run| drive.interrupt(&action, run))
}

/// `POST /api/runs/{run}/stop`
pub(in crate::api) fn stop(call: &Call) -> Result<WebReply, RequestProblem> {
    let action = action(bare(call)?.id.as_deref())?;
    after(call, |drive, run| drive.stop(&action, run))
}

/// `POST /api/runs/{run}/release`
pub(in crate::api) fn release(call: &Call) -> Result<WebReply, RequestProblem> {
    let action = action(bare(call)?.id.as_deref())?;
    after(call, |drive, run| drive.release_queue(&action, run))
}

/// `POST /api/runs/{run}/mode`
pub(in crate::api) fn mode(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: ModeBodyJson = call.body()?;
    let mode = permission_mode(body.permission_mode.as_deref())?;
    let action = action(body.id.as_deref())?;
    let model = body.model.as_deref();
    after(call, |drive, run| drive.set_mode(&action, run, mode, model))
}

/// `POST /api/runs/{run}/deadlines`
pub(in crate::api) fn deadlines(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: DeadlinesBodyJson = call.body()?;
    let action = action(body.id.as_deref())?;
    let limits = LimitsChange {
        idle: deadline("idle", body.idle)?,
        waiting: deadline("waiting", body.waiting)?,
        budget: body.budget,
    };
    if let LimitChange::To(budget) = body.budget {
        check_budget(budget)?;
    }
    after(call, |drive, run| drive.set_limits(&action, run, limits))
}

/// Refuses a deadline of zero, and one longer than `LONGEST_DEADLINE`.
pub(super) fn deadline(
    name: &str,
    change: LimitChange<u64>,
) -> Result<LimitChange<u64>, RequestProblem> {
    match change {
        LimitChange::To(seconds) if !(1..=LONGEST_DEADLINE).contains(&seconds) => {
            let detail = format!("{name}: seconds from 1 to {LONGEST_DEADLINE}, or null");
            Err(RequestProblem::new(ProblemKind::BadRequest, detail))
        }
        change => Ok(change),
    }
}

/// Refuses a budget of zero or less.
pub(super) fn check_budget(budget: UsdAmount) -> Result<(), RequestProblem> {
    if budget > UsdAmount::default() {
        return Ok(());
    }
    let detail = "budget: US dollars, more than 0";
    Err(RequestProblem::new(ProblemKind::BadRequest, detail))
}

/// Refuses images whose bytes are not of their declared type: the client cannot use them.
pub(super) fn check_images(images: &[PromptImage]) -> Result<(), RequestProblem> {
    let is_right = |image: &PromptImage| {
        let bytes = base64::decode(&image.data);
        let found = bytes.as_deref().and_then(picture_type);
        found.is_some_and(|found| found == image.media_type)
    };
    if images.iter().all(is_right) {
        return Ok(());
    }
    let detail = "images: PNG, JPEG, GIF or WebP as base64, with the type that the image has";
    Err(RequestProblem::new(ProblemKind::BadRequest, detail))
}

/// Parses a body that may be empty.
fn bare(call: &Call) -> Result<ActionBodyJson, RequestProblem> {
    if call.has_body() { call.body() } else { Ok(ActionBodyJson::default()) }
}

/// Changes a run and answers with its new state.
fn after(
    call: &Call,
    act: impl FnOnce(&Drive, &RunId) -> Result<(), unspool_drive::DriveError>,
) -> Result<WebReply, RequestProblem> {
    let (drive, run) = (drive(call)?, run_named(call)?);
    act(drive, &run)?;
    run_reply(&drive.run(&run)?.to_json(), StatusCode::OK)
}
