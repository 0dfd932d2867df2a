//! Content of messages that is not in the page: images, documents, long outputs, and a message as
//! Markdown, to be copied.
//!
//! The media type of bytes is detected; the type in the log is ignored. Only images are shown;
//! everything else is a file to be saved, and no answer can run anything.

use axum::http::header;
use unspool_engine::library::{LibraryError, OpenState};
use unspool_engine::ops::locate;
use unspool_engine::ops::message::{MediaBytes, MediaText};
use unspool_render::document::{
    DetailBody, Passage, PassagePart, ShownCall, StartFolder, WriterPaper,
};
use unspool_render::html::whole_detail;
use unspool_render::transcript_md::MarkdownSurface;
use unspool_text::html::Html;
use unspool_text::picture::picture_type;

use super::request::SheetRequest;
use super::sheet::SessionSheet;
use crate::frame::{Crumb, PageFrame};
use crate::route::Call;
use crate::web::{CachePolicy, RequestProblem, WebReply};

/// `GET /s/{id}/media/{entry}/{n}`: a picture or document of a message.
pub(super) fn media(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let missing = || RequestProblem::not_found("the message has no such picture or document");
    let number: usize = call.name("n").parse().map_err(|_| missing())?;
    let open = asked.open(call)?;
    let view = open.view();
    let (sheet, message) = entry_of(&view, &asked, call)?;
    let passage = passage(&sheet, message, MediaBytes::Read)?;
    let found = media_of(&passage).nth(number).ok_or_else(missing)?;
    let bytes = found.content().ok_or_else(missing)?;
    let kind = picture_type(&bytes);
    let reply = WebReply::of(kind.unwrap_or("application/octet-stream"), bytes)
        .sandboxed()
        .cached(CachePolicy::Ask);
    Ok(if kind.is_some() {
        reply
    } else {
        let name = format!("attachment; filename=\"{number}.{}\"", found.extension());
        reply.header(header::CONTENT_DISPOSITION, name)
    })
}

/// Returns the images and documents of a message, in the order of the page.
fn media_of(passage: &Passage) -> impl Iterator<Item = &MediaText> {
    passage.parts.iter().flat_map(|part| {
        let own = match part {
            PassagePart::Media(media) => Some(media),
            _ => None,
        };
        let details = match part {
            PassagePart::Call(call) => call.details.as_slice(),
            _ => &[],
        };
        let inside = details.iter().filter_map(|detail| match &detail.body {
            DetailBody::Media(media) => Some(media),
            _ => None,
        });
        own.into_iter().chain(inside)
    })
}

/// `GET …/output/{call}?n=`: a whole input or output of a call, as a page; with `bare` only its
/// markup, which the script inserts.
pub(super) fn output(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let missing = || RequestProblem::not_found("the call has no such output");
    let number: usize = call.query.read("n")?.unwrap_or(0);
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let message = sheet.message_of_call(call.name("call")).ok_or_else(missing)?;
    let passage = passage(&sheet, message, MediaBytes::Counted)?;
    let shown = calls_of(&passage).find(|shown| shown.id.as_deref() == Some(call.name("call")));
    let shown = shown.ok_or_else(missing)?;
    let detail = shown.details.get(number).ok_or_else(missing)?;
    let mut html = Html::new();
    if call.query.is_on("bare") {
        whole_detail(shown, detail, &mut html);
        return Ok(WebReply::html(&html));
    }
    html.tag("<main id=\"main\" class=\"sheet whole\" tabindex=\"-1\">\n<h1>");
    html.text(&shown.name).tag(" <small>").text(&shown.summary).tag("</small></h1>\n");
    whole_detail(shown, detail, &mut html);
    html.tag("</main>\n");
    let way = sheet.ways.page_with(&[("call", call.name("call"))]);
    let crumbs =
        vec![Crumb::to(super::front::title(&sheet), way), Crumb::here(shown.name.as_str())];
    let frame = PageFrame::new(&shown.name, "session", crumbs);
    Ok(WebReply::html(&frame.paint(&call.state, &html)))
}

fn calls_of(passage: &Passage) -> impl Iterator<Item = &ShownCall> {
    passage.parts.iter().filter_map(|part| match part {
        PassagePart::Call(call) => Some(&**call),
        _ => None,
    })
}

/// `GET /s/{id}/md/{entry}`: one message as Markdown.
pub(super) fn markdown(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let view = open.view();
    let (sheet, message) = entry_of(&view, &asked, call)?;
    let mut paper = WriterPaper(Vec::new());
    let mut surface = MarkdownSurface::new(&mut paper);
    sheet.playback().play_range(message..message + 1, &mut surface)?;
    Ok(WebReply::of("text/markdown; charset=utf-8", paper.0).sandboxed())
}

/// Lays out the conversation of an entry, and finds the entry's message.
fn entry_of<'v>(
    view: &'v OpenState,
    asked: &SheetRequest,
    call: &'v Call,
) -> Result<(SessionSheet<'v>, u32), RequestProblem> {
    let place = locate::find(view.session(), call.name("entry")).map_err(LibraryError::from)?;
    let sheet = SessionSheet::at(view, asked, call.state.prices(), place.clone())?;
    let message = sheet.message_of_entry(&place);
    let message = message
        .ok_or_else(|| RequestProblem::not_found("the entry is not part of a conversation"))?;
    Ok((sheet, message))
}

/// Reads a message with everything that is shown of it.
fn passage(
    sheet: &SessionSheet<'_>,
    message: u32,
    bytes: MediaBytes,
) -> Result<Passage, RequestProblem> {
    let shown = &sheet.shown;
    let message = &shown.view.messages[message as usize];
    let text = shown.reader().with_media(bytes).read(&shown.view, message)?;
    Ok(Passage::of(text, &StartFolder::new(shown.cwd())))
}
