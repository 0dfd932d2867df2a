//! Rows of sessions: one line for each, or two on a narrow screen.

use std::collections::HashMap;

use unspool_store::rows::{SessionKind, SessionRow, Status};
use unspool_text::html::{Html, anchor};
use unspool_text::human;

use super::mark::{SessionMark, mark};
use super::moment::{TimeStyle, moment};
use crate::frame::{SessionUrls, is_linkable, project_url};

/// The maximum length of a title, in characters; the width of the row cuts it further.
const LONGEST_TITLE: usize = 240;

/// The columns of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowColumns {
    /// The project of each session, for lists of several.
    Project,
    /// The git branch of each session, for a list of one project.
    Branch,
}

/// Returns the title of a session in lists.
pub(crate) fn shown_title(row: &SessionRow) -> String {
    let title = row.title.as_deref().or(row.opening());
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    match title {
        Some(title) => cut_at(title, LONGEST_TITLE),
        None if row.kind == SessionKind::Empty => format!("{} (no conversation)", row.short_id()),
        None => row.short_id(),
    }
}

/// Cuts a text after `most` characters, and marks the cut with an ellipsis.
pub(crate) fn cut_at(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let mut kept: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        kept.push('\u{2026}');
    }
    kept
}

/// Paints the rows of a list. Each has an id that is unique on the page, by which a script matches
/// old and new rows.
pub(crate) struct RowList<'w> {
    /// The prefix of the ids of its elements: a session may be in two lists of a page.
    prefix: &'static str,
    columns: RowColumns,
    ways: &'w SessionUrls,
    /// How often each session was painted: copies of a session have the same id.
    painted: HashMap<String, usize>,
}

impl<'w> RowList<'w> {
    /// Creates a list without rows.
    pub(crate) fn new(columns: RowColumns, ways: &'w SessionUrls) -> Self {
        Self::named("r", columns, ways)
    }

    /// Creates a list with another prefix of the ids of its elements.
    pub(crate) fn named(prefix: &'static str, columns: RowColumns, ways: &'w SessionUrls) -> Self {
        Self { prefix, columns, ways, painted: HashMap::new() }
    }

    /// Paints rows as a list.
    pub(crate) fn paint<'r>(
        &mut self,
        rows: impl IntoIterator<Item = &'r SessionRow>,
        html: &mut Html,
    ) {
        html.tag("<ul class=\"rows\">\n");
        for row in rows {
            self.row(row, html);
        }
        html.tag("</ul>\n");
    }

    fn row(&mut self, row: &SessionRow, html: &mut Html) {
        html.tag("<li class=\"session-row\" data-row").attribute("id", &self.id(row)).tag(">");
        mark(SessionMark::of(row), html);
        row_title(row, self.ways, html);
        html.tag("<span class=\"sub\">");
        self.place(row, html);
        facts(row, html);
        html.tag("<span class=\"cost\">");
        if let Some(cost) = row.cost_usd.filter(|cost| *cost > 0.0) {
            html.text(&human::dollars(cost));
        }
        html.tag("</span></span>");
        moment(row.last_active(), TimeStyle::Ago, html);
        html.tag("</li>\n");
    }

    fn id(&mut self, row: &SessionRow) -> String {
        let name = anchor(row.id.as_str());
        let painted = self.painted.entry(name.clone()).or_default();
        *painted += 1;
        match *painted {
            1 => format!("{}-{name}", self.prefix),
            again => format!("{}-{name}-{again}", self.prefix),
        }
    }

    fn place(&self, row: &SessionRow, html: &mut Html) {
        html.tag("<span class=\"where\">");
        if self.columns == RowColumns::Project {
            match &row.project {
                Some(project) => html
                    .tag("<a")
                    .attribute("href", &project_url(project))
                    .attribute("title", row.cwd.as_deref().unwrap_or(project.as_str()))
                    .tag(">")
                    .text(row.project_name())
                    .tag("</a>"),
                None => html.text(row.project_name()),
            };
        } else if let Some(branch) = &row.git_branch {
            html.tag("<span>").text(branch).tag("</span>");
        }
        html.tag("</span>");
    }
}

/// Paints the title of a session as a link.
pub(super) fn row_title(row: &SessionRow, ways: &SessionUrls, html: &mut Html) {
    let title = shown_title(row);
    if is_linkable(&row.id) {
        html.tag("<a class=\"what\"")
            .attribute("href", &ways.to_row(row))
            .attribute("title", &title);
        html.tag(">").text(&title).tag("</a>");
    } else {
        html.tag("<span class=\"what\">").text(&title).tag("</span>");
    }
}

fn facts(row: &SessionRow, html: &mut Html) {
    html.tag("<span class=\"facts\">");
    let mut fact = |count: usize, noun: &str| {
        if count > 0 {
            html.tag("<span>").text(&human::plural(count, noun)).tag("</span>");
        }
    };
    fact(row.turns, "turn");
    fact(row.files_changed, "file");
    fact(row.agents, "agent");
    fact(row.branches, "branch");
    match row.status {
        Status::Error => {
            html.tag("<span class=\"bad\">error</span>");
        }
        Status::Interrupted => {
            html.tag("<span>interrupted</span>");
        }
        Status::Complete | Status::Open | Status::Empty => {}
    }
    html.tag_if(row.kind == SessionKind::Headless, "<span>headless</span>");
    html.tag("</span>");
}
