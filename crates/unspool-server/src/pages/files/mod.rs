//! `/s/{id}/files`: all changes of a session in one view, file by file.

mod paint;

use unspool_engine::ops::changes::changes;
use unspool_text::html::Html;

use super::parts::{PageParts, SessionAbout, opened, shown_path};
use crate::frame::PageFrame;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The page of a session's changes.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = opened(call)?;
    let view = open.view();
    let about = SessionAbout::of(&view, call);
    let shown = shown_path(&view, call)?;
    let changes = changes(&shown)?;
    let chosen = call.query.read::<usize>("file")?;
    if chosen.is_some_and(|at| at >= changes.files.len()) {
        return Err(RequestProblem::not_found("this session changed no such file"));
    }
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"files-page\">\n");
    about.ways("/files", &mut html);
    paint::ChangesPage { changes: &changes, shown: &shown, about: &about, call, chosen }
        .paint(&mut html);
    html.tag("</main>\n");
    let frame = PageFrame {
        title: &format!("Files \u{b7} {}", about.title),
        kind: "files",
        crumbs: about.crumbs("Files"),
        data: Vec::new(),
    };
    Ok(PageParts::of(call).answer(&frame, &[], |page| _ = page.append(&html)))
}
