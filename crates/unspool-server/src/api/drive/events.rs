//! The changes of a run, as events of a stream.

use serde_json::{Value, json};
use unspool_drive::json::{ApprovalJson, RunJson, SCHEMA};

use crate::driving::RunChanges;
use crate::stream::EventText;

/// Writes the changes of a run as events.
pub(in crate::api) fn write_events(news: &RunChanges, text: &mut EventText) {
    if news.has_state {
        text.event("run", None, &state(&news.run));
    }
    if news.has_queue {
        let queue = json!({ "schema": SCHEMA, "run": news.run.run, "queue": news.run.queue });
        text.event("queue", None, &queue);
    }
    for approval in &news.resolved {
        text.event("approvalResolved", None, &resolved(approval));
    }
    for approval in &news.asked {
        let mut told = json!(approval);
        told["schema"] = json!(SCHEMA);
        text.event("approval", None, &told);
    }
    for partial in &news.partials {
        let told = json!({
            "schema": SCHEMA,
            "message_id": partial.message,
            "text": partial.text,
            "parent": partial.parent,
        });
        text.event("partial", None, &told);
    }
}

/// Returns the state of a run without its queue and approvals.
fn state(run: &RunJson) -> Value {
    let mut told = json!(run);
    if let Some(fields) = told.as_object_mut() {
        fields.remove("queue");
        fields.remove("approvals");
    }
    told
}

fn resolved(approval: &ApprovalJson) -> Value {
    json!({
        "schema": SCHEMA,
        "id": approval.id,
        "resolved": approval.resolved,
        "decision": approval.decision,
        "by": approval.by,
        "at": approval.at,
    })
}
