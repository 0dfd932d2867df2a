//! The session of a request, and the entity tag of its state.

use std::time::UNIX_EPOCH;

use axum::http::header;
use unspool_engine::library::{OpenSession, OpenSessionView};
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_model::conversation::Liveness;
use unspool_render::json;
use unspool_store::tail::LogFile;

use crate::route::Call;
use crate::web::{EntityTag, RequestProblem, WebReply};

/// Answers with a transcript as one JSON object, messages included.
pub(super) fn document(
    call: &Call,
    opened: &OpenSession,
    request: &TranscriptRequest,
) -> Result<WebReply, RequestProblem> {
    let lineage = call.state.library.relatives_of(opened);
    let view = opened.view();
    let mut shown = view.transcript(request)?;
    shown.lineage = lineage;
    let mut body = Vec::new();
    json::transcript(&shown, &mut body)?;
    Ok(WebReply::of("application/json", body))
}

/// Answers with 304 if the client's copy is current; otherwise builds the answer.
pub(super) fn unless_not_modified(
    call: &Call,
    view: &OpenSessionView<'_>,
    make: impl FnOnce() -> Result<WebReply, RequestProblem>,
) -> Result<WebReply, RequestProblem> {
    let tag = state_tag(call, view);
    if tag.is_in(call.header(header::IF_NONE_MATCH)) {
        return Ok(WebReply::not_modified(tag));
    }
    Ok(make()?.tagged(tag))
}

/// Returns the entity tag of an answer that depends only on a session: on its logs (their
/// fingerprints, read offsets and modification times), its name and whether it is live.
fn state_tag(call: &Call, view: &OpenSessionView<'_>) -> EntityTag {
    let session = view.session();
    let mut state = Vec::new();
    add_file(&mut state, &session.main);
    for agent in &session.agents {
        add_file(&mut state, &agent.file);
        for text in [&agent.kind, &agent.description] {
            state.extend(text.as_deref().unwrap_or_default().as_bytes());
            state.push(0);
        }
    }
    EntityTag::of(&[
        env!("CARGO_PKG_VERSION").as_bytes(),
        call.path.as_bytes(),
        call.query.with(&[]).as_bytes(),
        session.called.as_deref().unwrap_or_default().as_bytes(),
        &[u8::from(session.live == Liveness::Live)],
        &state,
    ])
}

fn add_file(state: &mut Vec<u8>, file: &LogFile) {
    let mark = file.mark();
    let modified = mark.stamp.modified.duration_since(UNIX_EPOCH);
    let numbers = [
        mark.prints.head,
        mark.prints.tail,
        mark.offset,
        file.log().bytes(),
        modified.map_or(0, |time| time.as_nanos() as u64),
    ];
    for number in numbers {
        state.extend(number.to_le_bytes());
    }
}
