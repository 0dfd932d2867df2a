//! Faults that a scripted client commits on request.

use std::collections::VecDeque;

use serde_json::json;

use super::core::locked;
use super::entropy;
use super::turn::{ScriptedModel, TurnEnd};
use crate::script::ScriptDirective;

/// Tells whether a script has a fault that keeps its turn out of the log.
pub(super) fn dies_unwritten(script: &VecDeque<ScriptDirective>) -> bool {
    let mut script = script.iter();
    script.any(|part| matches!(part, ScriptDirective::DieUnwritten(_)))
}

/// Carries out a directive that is neither a text nor a call.
pub(super) fn commit(
    model: &mut ScriptedModel<'_>,
    directive: &ScriptDirective,
) -> Result<(), TurnEnd> {
    let core = model.core;
    match directive {
        ScriptDirective::Die => core.die(),
        ScriptDirective::Torn => {
            let (first, second) = torn_frame();
            core.wire.raw(first);
            core.wire.flush();
            core.wire.raw(second);
        }
        ScriptDirective::HalfLine => {
            core.wire.raw(torn_frame().0);
            core.die();
        }
        ScriptDirective::HalfLog => {
            locked(&model.lane.log).bytes(br#"{"parentUuid":"half","type":"assis"#);
            core.die();
        }
        ScriptDirective::Wrong => wrong(model),
        ScriptDirective::Background(name) => {
            core.change(|state| state.background.push(name.clone()));
            core.tell_background();
        }
        ScriptDirective::BackgroundDone(name) => {
            core.change(|state| state.background.retain(|running| running != name));
            core.tell_background();
        }
        ScriptDirective::Cost(cents) => core.change(|state| state.cents += cents),
        ScriptDirective::RateLimit => {
            core.tell(json!({
                "type": "rate_limit_event",
                "rate_limit_info": {"status": "rejected", "resetsAt": 1_900_000_000},
            }));
            return Err(api_error(model, 429, "rate_limit", "API Error: 429 rate limited"));
        }
        ScriptDirective::NotLoggedIn => {
            let text = "Not logged in · Please run /login";
            return Err(api_error(model, 401, "authentication_failed", text));
        }
        ScriptDirective::ResultError => return Err(TurnEnd::Failed),
        _ => {}
    }
    Ok(())
}

/// Returns one frame in two parts.
fn torn_frame() -> (Vec<u8>, Vec<u8>) {
    let frame = json!({"type": "system", "subtype": "status", "status": null, "torn": "ä"});
    let mut first = format!("{frame}\n").into_bytes();
    // Splits a letter of two bytes.
    let place = first.len() - 4;
    let second = first.split_off(place);
    (first, second)
}

fn wrong(model: &ScriptedModel<'_>) {
    let core = model.core;
    core.tell(json!({"type": "no_such_type", "payload": [1, 2, 3]}));
    core.tell(json!({"type": "system", "subtype": "no_such_subtype"}));
    core.wire.send(&json!({"type": 7}));
    core.wire.send(&json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": "unknown", "response": {}},
    }));
    core.wire.send(&json!({"type": "control_cancel_request", "request_id": "unknown"}));
    core.wire.send(&json!({
        "type": "control_request", "request_id": entropy::new_uuid(),
        "request": {"subtype": "no_such_request"},
    }));
    core.wire.raw(b"not a frame\n".to_vec());
}

/// Writes an API error as a message of the model, like the real client.
fn api_error(
    model: &mut ScriptedModel<'_>,
    status: u16,
    kind: &str,
    text: &'static str,
) -> TurnEnd {
    let message = json!({
        "id": entropy::new_uuid(), "type": "message", "role": "assistant", "model": "<synthetic>",
        "content": [{"type": "text", "text": text}], "stop_reason": "stop_sequence",
        "usage": {"input_tokens": 0, "output_tokens": 0},
    });
    let uuid = entropy::new_uuid();
    model.lane.write(
        &uuid,
        json!({
            "type": "assistant", "message": message, "error": kind, "isApiErrorMessage": true,
            "apiErrorStatus": status,
        }),
    );
    // Errors are never sent to a model.
    model.lane.messages.pop();
    model.lane.tell(
        model.core,
        json!({"type": "assistant", "message": message, "uuid": uuid, "error": kind}),
    );
    TurnEnd::ApiError(status, text)
}
