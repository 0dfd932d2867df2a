//! `/s/{id}/raw` and `/s/{id}/raw/{entry}`: the lines of a log as they are. Every entry of every
//! file of a session is reached from here, whatever the transcript shows.

mod list;
mod one;
mod pretty;
mod source;

use axum::http::header;
use unspool_text::html::Html;

use self::source::RawSource;
use super::parts::{PageParts, SessionAbout, opened};
use crate::frame::PageFrame;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The entries of a log, page by page.
pub(super) fn entries(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = opened(call)?;
    let view = open.view();
    let source = RawSource::of(&view, call)?;
    let about = SessionAbout::of(&view, call);
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"raw-page\">\n");
    about.ways("/raw", &mut html);
    list::paint(&source, call, &mut html)?;
    html.tag("</main>\n");
    Ok(framed(call, &about, "Raw", &html))
}

/// One entry, or one line.
pub(super) fn entry(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = opened(call)?;
    let view = open.view();
    let source = RawSource::of(&view, call)?;
    let line = source.line(call.name("entry"))?;
    if call.query.get("as") == Some("line") {
        let name = format!("attachment; filename=\"line-{}.jsonl\"", line.number);
        let reply = WebReply::of("text/plain; charset=utf-8", line.bytes()?);
        return Ok(reply.header(header::CONTENT_DISPOSITION, name));
    }
    let about = SessionAbout::of(&view, call);
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"raw-page\">\n");
    about.ways("/raw/", &mut html);
    one::paint(&line, &about, &mut html)?;
    html.tag("</main>\n");
    Ok(framed(call, &about, &format!("Line {}", line.number), &html))
}

fn framed(call: &Call, about: &SessionAbout, here: &str, main: &Html) -> WebReply {
    let frame = PageFrame {
        title: &format!("{here} \u{b7} {}", about.title),
        kind: "raw",
        crumbs: about.crumbs(here),
        data: Vec::new(),
    };
    PageParts::of(call).answer(&frame, &[], |html| _ = html.append(main))
}
