//! `/s/{id}/raw` and `/s/{id}/raw/{entry}`: the original lines of a log. Every entry of every log
//! of a session can be reached from here, whatever the transcript shows.

mod list;
mod one;
mod pretty;
mod source;

use axum::http::header;

use self::source::RawSource;
use super::parts::SessionPageContext;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with a page of a log's entries.
pub(super) fn entries(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = call.session()?;
    let view = open.view();
    let about = SessionPageContext::of(&view, call);
    let source = RawSource::of(&view, &about, call)?;
    about.page(call, "/raw", "Raw", |html| list::paint(&source, call, html))
}

/// Answers with one line, as a page or as a file.
pub(super) fn entry(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = call.session()?;
    let view = open.view();
    let about = SessionPageContext::of(&view, call);
    let source = RawSource::of(&view, &about, call)?;
    let line = source.line(call.name("entry"))?;
    if call.query.get("as") == Some("line") {
        let name = format!("attachment; filename=\"line-{}.jsonl\"", line.number);
        let reply = WebReply::of("text/plain; charset=utf-8", line.bytes()?);
        return Ok(reply.header(header::CONTENT_DISPOSITION, name));
    }
    let name = format!("Line {}", line.number);
    about.page(call, "/raw/", &name, |html| Ok(one::paint(&line, html)?))
}
