//! Facts of the panel that need all messages: the changed lines of each file, and the sessions that
//! share entries.

use unspool_engine::library::{Library, OpenSession, OpenState};
use unspool_engine::ops::lineage::RelatedSession;
use unspool_engine::ops::summary::{self, FileChange};
use unspool_render::document::StartFolder;
use unspool_text::html::Html;
use unspool_text::human;

use super::{LISTED, lead, open_fact, rest};
use crate::pages::session::sheet::SessionSheet;
use crate::pages::session::urls::SheetUrls;
use crate::web::RequestProblem;

/// The facts that need all messages.
pub(in crate::pages::session) struct MoreFacts {
    files: Vec<FileChange>,
    lineage: Vec<RelatedSession>,
}

/// The number of messages up to which the page contains all facts.
const SHORT: u32 = 150;

impl MoreFacts {
    /// Reads all messages of a conversation if it is short.
    pub(in crate::pages::session) fn if_short(
        library: &Library,
        open: (&OpenSession, &OpenState),
        sheet: &SessionSheet<'_>,
    ) -> Result<Option<Self>, RequestProblem> {
        let is_short = sheet.len() <= SHORT;
        let read = is_short.then(|| Self::read(library, open, sheet));
        read.transpose()
    }

    /// Reads all messages of the shown conversation, and the beginnings of other logs of the project.
    pub(in crate::pages::session) fn read(
        library: &Library,
        (open, seen): (&OpenSession, &OpenState),
        sheet: &SessionSheet<'_>,
    ) -> Result<Self, RequestProblem> {
        let summary = summary::summary(&sheet.shown, &library.settings().prices)?;
        let lineage = match sheet.shown.agent {
            Some(_) => Vec::new(),
            None => library.relatives_seen(open, seen),
        };
        Ok(Self { files: summary.files, lineage })
    }
}

/// Paints the facts that need all messages.
pub(in crate::pages::session) fn paint_more(
    sheet: &SessionSheet<'_>,
    more: &MoreFacts,
    html: &mut Html,
) {
    html.tag("<div id=\"more-facts\">\n");
    files(sheet, &more.files, html);
    lineage(sheet, &more.lineage, html);
    html.tag("</div>\n");
}

fn files(sheet: &SessionSheet<'_>, files: &[FileChange], html: &mut Html) {
    if files.is_empty() {
        return;
    }
    let (added, removed) = files
        .iter()
        .fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed));
    open_fact("Files", html);
    html.tag("<p class=\"big\">").number(files.len() as u64).tag(" <small>");
    lines(added, removed, html);
    html.tag("</small></p>\n<ul class=\"names\">\n");
    let folder = StartFolder::new(sheet.shown.cwd());
    for file in files.iter().take(LISTED) {
        html.tag("<li><span class=\"path\">").text(folder.shorten(&file.path));
        html.tag("</span> <small>");
        html.tag_if(file.created, "new ");
        lines(file.added, file.removed, html);
        html.tag("</small></li>\n");
    }
    html.tag("</ul>\n");
    rest(files.len(), html);
    lead(sheet, "files", "All changes", html);
    html.tag("</section>\n");
}

fn lines(added: u64, removed: u64, html: &mut Html) {
    html.tag("<span class=\"good\">+").number(added);
    html.tag("</span> <span class=\"bad\">\u{2212}").number(removed).tag("</span>");
}

fn lineage(sheet: &SessionSheet<'_>, related: &[RelatedSession], html: &mut Html) {
    if related.is_empty() {
        return;
    }
    open_fact("Lineage", html);
    html.tag("<ul class=\"names\">\n");
    let project = sheet.shown.session.project.as_ref();
    for other in related.iter().take(LISTED) {
        let way = SheetUrls::new(other.session.as_str(), project.map(AsRef::as_ref)).page();
        html.tag("<li><a class=\"path\"").attribute("href", &way).tag(">");
        html.text(other.session.as_str()).tag("</a> <small>");
        html.text(&human::plural(other.shared as usize, "entry")).tag(" shared</small></li>\n");
    }
    html.tag("</ul>\n");
    rest(related.len(), html);
    html.tag("</section>\n");
}
