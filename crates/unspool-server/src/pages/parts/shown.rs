//! The path of a session that a page shows, chosen by `?path=`.

use unspool_engine::library::OpenState;
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::ids::EntryId;
use unspool_text::html::{Html, anchor};

use super::about::SessionPageContext;
use super::choices::PageChoice;
use crate::route::Call;
use crate::web::RequestProblem;

/// Lays out the path that a request names, or else the active one.
pub(crate) fn shown_path<'s>(
    view: &'s OpenState,
    call: &Call,
) -> Result<Transcript<'s>, RequestProblem> {
    let request =
        TranscriptRequest { path: call.query.read("path")?, ..TranscriptRequest::default() };
    Ok(view.transcript(&request)?)
}

/// Paints links to the paths, if there are several.
pub(crate) fn path_choices(shown: &Transcript<'_>, call: &Call, html: &mut Html) {
    let (_, paths) = shown.listed_paths();
    if paths.len() < 2 {
        return;
    }
    let here = shown.path.as_ref().map(|path| shown.number_of(path));
    html.tag("<ul class=\"choices\">");
    for path in paths {
        let number = shown.number_of(path);
        let value = number.to_string();
        let value = (!path.active).then_some(value.as_str());
        let choice = PageChoice { changes: &[("path", value)], is_chosen: Some(number) == here };
        choice.paint(call, html, |html| {
            html.tag("path ").number(number.into());
            html.tag_if(path.active, " \u{b7} active");
        });
    }
    html.tag("</ul>");
}

/// Returns the address of an entry in the transcript, or of one of its calls.
pub(crate) fn transcript_url(
    about: &SessionPageContext,
    entry: &str,
    call: Option<&str>,
) -> String {
    let way = about.way("", &[("at", entry)]);
    match call {
        Some(call) => format!("{way}#c-{}", anchor(call)),
        None => format!("{way}#e-{}", anchor(entry)),
    }
}

/// Paints a text, as a link to an entry in the transcript or to one of its calls if `place` is given.
pub(crate) fn paint_entry_link(
    about: &SessionPageContext,
    place: Option<(&EntryId, Option<&str>)>,
    text: &str,
    html: &mut Html,
) {
    match place {
        Some((entry, call)) => html.link(&transcript_url(about, entry.as_str(), call), text),
        None => html.text(text),
    };
}
