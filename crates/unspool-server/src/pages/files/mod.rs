//! `/s/{id}/files`: all changes of a session, file by file.

mod paint;

use unspool_engine::ops::changes::changes;

use super::parts::{SessionPageContext, shown_path};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of a session's changes.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = call.session()?;
    let view = open.view();
    let about = SessionPageContext::of(&view, call);
    let shown = shown_path(&view, call)?;
    let changes = changes(&shown)?;
    let chosen = call.query.read::<usize>("file")?;
    if chosen.is_some_and(|at| at >= changes.files.len()) {
        return Err(RequestProblem::not_found("this session changed no such file"));
    }
    about.page(call, "/files", "Files", |html| {
        paint::ChangesPage { changes: &changes, shown: &shown, about: &about, call, chosen }
            .paint(html);
        Ok(())
    })
}
