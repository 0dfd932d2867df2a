//! New messages since a session was last read, and the mark of how far it was read.
//!
//! The library keeps one mark for each session, so all pages and browsers of a person share it. A
//! mark applies to the active path; agents and other paths have none.

use unspool_engine::library::LibraryError;
use unspool_engine::ops::locate;
use unspool_model::time::Time;
use unspool_store::progress::Unwatched;

use super::request::SheetRequest;
use super::sheet::SessionSheet;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Where unread messages begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UnreadStart {
    /// The last message that was read.
    pub(super) after: u32,
    /// The time at which it was read.
    pub(super) since: Time,
}

/// Finds where unread messages begin; none if all messages were read, or if the session has no mark.
pub(super) fn unread(call: &Call, sheet: &SessionSheet<'_>) -> Option<UnreadStart> {
    let shown = &sheet.shown;
    let is_active = shown.path.as_ref().is_some_and(|path| path.active);
    if shown.agent.is_some() || !is_active {
        return None;
    }
    // A mark that cannot be read counts as missing.
    let mark = call.state.library.last_read(&shown.session.id, &Unwatched);
    let mark = mark.ok().flatten()?;
    let place = locate::find(shown.session, mark.entry.as_str()).ok();
    let after = place.and_then(|place| sheet.message_of_entry(&place));
    let after = after.or_else(|| u32::try_from(mark.ordinal).ok())?;
    (after + 1 < sheet.len()).then_some(UnreadStart { after, since: mark.at })
}

/// `POST /s/{id}/read?entry=`: marks the session as read up to an entry. A mark never moves back.
pub(super) fn mark_read(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let Some(uuid) = call.query.get("entry") else {
        return Err(RequestProblem::parameter("entry", "it is needed"));
    };
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let place = locate::find(view.session(), uuid).map_err(LibraryError::from)?;
    let message = sheet.message_of_entry(&place);
    let message =
        message.ok_or_else(|| RequestProblem::not_found("the entry is not on this path"))?;
    let library = &call.state.library;
    let id = &view.session().id;
    let known = library.last_read(id, &Unwatched)?;
    let known = known.and_then(|mark| locate::find(view.session(), mark.entry.as_str()).ok());
    let known = known.and_then(|place| sheet.message_of_entry(&place));
    if known.is_none_or(|known| known < message) {
        library.mark_read(id, &place.uuid, message.into(), &Unwatched)?;
    }
    Ok(WebReply::nothing())
}
