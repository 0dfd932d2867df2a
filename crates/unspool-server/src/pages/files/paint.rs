//! The changes of a session, painted: a list of files, and the edits of each as diffs.

use unspool_engine::ops::changes::{ChangedFile, EditSource, FileEdit, SessionChanges};
use unspool_engine::ops::transcript::Transcript;
use unspool_store::rows::last_part;
use unspool_text::html::{Html, diff};
use unspool_text::human;

use crate::pages::parts::{
    SessionPageContext, TimeStyle, changed_url, moment, path_choices, transcript_url,
};
use crate::route::Call;

/// How many changed lines the page of all files shows; the files after that are shown one at a time.
const MOST_LINES: u64 = 4_000;
/// The maximum number of lines of an edit on the page of all files.
const EDIT_LINES: u64 = 800;

/// The page of a session's changes.
pub(super) struct ChangesPage<'p> {
    pub(super) changes: &'p SessionChanges,
    pub(super) shown: &'p Transcript<'p>,
    pub(super) about: &'p SessionPageContext,
    pub(super) call: &'p Call,
    /// The index of the file that is shown alone.
    pub(super) chosen: Option<usize>,
}

impl ChangesPage<'_> {
    /// Paints the page.
    pub(super) fn paint(&self, html: &mut Html) {
        self.head(html);
        if self.changes.files.is_empty() {
            html.tag("<p class=\"empty\">No file was changed by name. What commands did to files ");
            html.tag("is in the transcript.</p>\n");
            return;
        }
        html.tag("<div class=\"with-facets files-grid\">\n");
        self.list(html);
        html.tag("<div class=\"file-edits\">\n");
        let mut room = MOST_LINES;
        for (at, file) in self.changes.files.iter().enumerate() {
            if self.chosen.is_some_and(|chosen| chosen != at) {
                continue;
            }
            let lines = file.edits.iter().map(|edit| edit.added + edit.removed).sum::<u64>();
            let is_shown = self.chosen.is_some() || lines <= room;
            room = room.saturating_sub(lines);
            self.file(at, file, is_shown, html);
        }
        html.tag("</div>\n</div>\n");
    }

    fn head(&self, html: &mut Html) {
        let totals = self.changes.totals();
        html.tag("<header class=\"list-head\"><div><h1>");
        html.text(&human::plural(self.changes.files.len(), "file"))
            .tag("</h1>\n<p class=\"remark\">");
        html.text(&human::plural(totals.edits as usize, "edit"));
        html.tag(" \u{b7} <span class=\"plus\">+").number(totals.added);
        html.tag("</span> <span class=\"minus\">\u{2212}").number(totals.removed);
        html.tag("</span>");
        if totals.failed > 0 {
            html.tag(" \u{b7} ").number(totals.failed.into()).tag(" did not work");
        }
        html.tag("</p></div>");
        path_choices(self.shown, self.call, html);
        html.tag("</header>\n");
    }

    /// Paints the list of files, with a link to each.
    fn list(&self, html: &mut Html) {
        html.tag("<nav class=\"facets\" aria-label=\"Files\"><ul class=\"file-list\">");
        if self.chosen.is_some() {
            let way = changed_url(self.call, &[("file", None)]);
            html.tag("<li>").link(&way, "All files").tag("</li>");
        }
        for (at, file) in self.changes.files.iter().enumerate() {
            let way = match self.chosen {
                Some(_) => self.alone(at),
                None => format!("#f-{at}"),
            };
            let totals = file.totals();
            html.tag("<li data-row><a").attribute("href", &way);
            html.attribute("title", &file.path);
            html.tag(if self.chosen == Some(at) { " aria-current=\"true\">" } else { ">" });
            html.tag("<span class=\"name\">").text(last_part(&file.path)).tag("</span>");
            html.tag("<span class=\"plus\">+").number(totals.added);
            html.tag("</span><span class=\"minus\">\u{2212}").number(totals.removed);
            html.tag("</span></a></li>");
        }
        html.tag("</ul></nav>\n");
    }

    fn alone(&self, at: usize) -> String {
        changed_url(self.call, &[("file", Some(&at.to_string()))])
    }

    fn file(&self, at: usize, file: &ChangedFile, is_shown: bool, html: &mut Html) {
        html.tag("<section class=\"file\"").attribute("id", &format!("f-{at}"));
        html.tag(">\n<h2><code translate=\"no\">").text(&file.path).tag("</code>");
        html.tag_if(file.is_new(), " <span class=\"tag\">new</span>");
        html.tag("</h2>\n");
        if !is_shown {
            html.tag("<p><a class=\"button\"").attribute("href", &self.alone(at));
            html.tag(">Show ").text(&human::plural(file.edits.len(), "edit"));
            html.tag(" of this file</a></p>\n</section>\n");
            return;
        }
        for edit in &file.edits {
            self.edit(at, edit, html);
        }
        html.tag("</section>\n");
    }

    fn edit(&self, file: usize, edit: &FileEdit, html: &mut Html) {
        html.tag(if edit.worked() {
            "<div class=\"edit\">\n<p class=\"facts\">"
        } else {
            "<div class=\"edit failed\">\n<p class=\"facts\">"
        });
        match &edit.entry {
            Some(entry) => {
                let way = transcript_url(self.about, entry.as_str(), edit.call.as_deref());
                html.link(&way, &edit.tool);
            }
            None => _ = html.tag("<span>").text(&edit.tool).tag("</span>"),
        }
        if let Some(turn) = edit.turn {
            html.tag("<span>turn ").number(turn.into()).tag("</span>");
        }
        if let Some(time) = edit.time {
            moment(time, TimeStyle::Minute, html);
        }
        if let Some(agent) = &edit.agent {
            html.tag("<span>agent ").text(agent).tag("</span>");
        }
        if !edit.worked() {
            html.tag("<span class=\"bad\">").tag(edit.status.name()).tag("</span>");
        }
        if edit.source == EditSource::Asked && edit.worked() {
            html.tag("<span>as it was asked for</span>");
        }
        html.tag("<span><span class=\"plus\">+").number(edit.added);
        html.tag("</span> <span class=\"minus\">\u{2212}").number(edit.removed);
        html.tag("</span></span></p>\n");
        html.tag_if(edit.deleted, "<p class=\"remark\">The file was removed.</p>\n");
        if self.chosen.is_none() && edit.added + edit.removed > EDIT_LINES {
            html.tag("<p><a class=\"button\"").attribute("href", &self.alone(file));
            html.tag(">Show ").number(edit.added + edit.removed);
            html.tag(" lines</a></p>\n");
        } else {
            diff(&edit.diff, html);
        }
        html.tag("</div>\n");
    }
}
