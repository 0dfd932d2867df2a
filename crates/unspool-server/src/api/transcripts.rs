//! `GET /api/sessions/{id}/transcript.md` and other formats: a session as a file.
//!
//! The files are those of `unspool export`. An HTML file has its own script and styles, so browsers
//! download it instead of showing it; if one did show it, the page would be sandboxed.

use axum::http::header;
use unspool_engine::library::TitleNeed;
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_model::positions::PathNumber;
use unspool_render::document::AgentLayout;
use unspool_render::export::{self, ExportRequest, Format, OutputSetting, PathChoice};
use unspool_store::home::Resolved;
use unspool_text::html::Painting;

use super::opened::{document, unless_not_modified};
use super::parameters::{PATH, VIEW, view};
use crate::route::Call;
use crate::web::{Parameter, RequestProblem, WebReply};

/// The parameters that select a transcript.
pub(super) const TRANSCRIPT_PARAMETERS: &[Parameter] = &[PATH, VIEW];

/// The media type of Markdown.
pub(super) const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// The media type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";
/// The media type of JSON lines.
pub(super) const LINES: &str = "application/x-ndjson";
/// The media type of plain text.
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// `GET /api/sessions/{id}/transcript.md`
pub(super) fn markdown(call: &Call) -> Result<WebReply, RequestProblem> {
    transcript(call, Format::Markdown, MARKDOWN)
}

/// `GET /api/sessions/{id}/transcript.html`
pub(super) fn html(call: &Call) -> Result<WebReply, RequestProblem> {
    transcript(call, Format::Html(Painting::Highlighted), HTML)
}

/// `GET /api/sessions/{id}/transcript.json`
pub(super) fn object(call: &Call) -> Result<WebReply, RequestProblem> {
    let request = TranscriptRequest {
        view: view(call)?,
        path: call.query.read("path")?,
        ..TranscriptRequest::default()
    };
    let open = call.session()?;
    let reply = document(call, &open, &request)?;
    Ok(reply.sandboxed())
}

/// `GET /api/sessions/{id}/transcript.jsonl`
pub(super) fn lines(call: &Call) -> Result<WebReply, RequestProblem> {
    transcript(call, Format::Jsonl, LINES)
}

/// `GET /api/sessions/{id}/transcript.txt`
pub(super) fn text(call: &Call) -> Result<WebReply, RequestProblem> {
    transcript(call, Format::Text, TEXT)
}

fn transcript(
    call: &Call,
    format: Format,
    media_type: &'static str,
) -> Result<WebReply, RequestProblem> {
    let opened = call.session()?;
    let open = opened.view();
    unless_not_modified(call, &open, || write(call, opened.found(), format, media_type))
}

fn write(
    call: &Call,
    found: &Resolved,
    format: Format,
    media_type: &'static str,
) -> Result<WebReply, RequestProblem> {
    let path: Option<PathNumber> = call.query.read("path")?;
    let library = &call.state.library;
    let sources = library.export_of(found);
    let opener = sources.opener(match format {
        Format::Jsonl => TitleNeed::Unused,
        _ => TitleNeed::Shown,
    });
    let request = ExportRequest {
        sources: &sources.sessions,
        open: &|resolved: &Resolved| opener.open(resolved),
        relatives: &|resolved: &Resolved| sources.relatives(resolved),
        format,
        paths: match path {
            Some(_) => PathChoice::All,
            None => PathChoice::Active,
        },
        agents: AgentLayout::Inline,
        view: view(call)?,
        prices: &library.settings().prices,
        setting: OutputSetting::Folder,
        redaction: None,
    };
    let mut plan = export::plan(&request, &std::sync::atomic::AtomicU64::new(0));
    if let (Some(number), Some(planned)) = (path, plan.sessions.first_mut()) {
        planned.paths.retain(|path| path.number == number);
        if planned.paths.is_empty() {
            let detail = format!("path {number} does not exist; the last one is {}", planned.total);
            return Err(RequestProblem::not_found(detail));
        }
    }
    let mut body = Vec::new();
    export::write_one(&request, &mut plan, &mut body)?;
    let reply = WebReply::of(media_type, body).sandboxed();
    let name = file_name(call.name("id"), format);
    Ok(match format {
        Format::Html(_) => {
            reply.header(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))
        }
        _ => reply,
    })
}

/// Returns the name under which a browser saves the file.
fn file_name(id: &str, format: Format) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let id = id.chars().map(|c| if is_plain(c) { c } else { '_' });
    let id: String = id.collect();
    format!("transcript_{id}.{}", format.extension())
}
