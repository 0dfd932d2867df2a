//! The common elements of pages about one session: breadcrumbs, and links between the pages.

use unspool_engine::library::OpenState;
use unspool_model::ids::{ProjectId, SessionId, short};
use unspool_store::rows::project_name;
use unspool_store::titles;
use unspool_text::html::Html;

use super::part::PageParts;
use crate::frame::{Crumb, PageFrame, project_url, session_url, url_in_project};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The maximum length of a title in the bar, in characters.
const LONGEST: usize = 120;

/// The session that a page is about.
pub(crate) struct SessionPageContext {
    pub(crate) id: SessionId,
    pub(crate) title: String,
    project: Option<(ProjectId, String)>,
    /// The project that the request names, which addresses keep.
    asked: Option<String>,
}

/// The pages about a session: the name for keyboard shortcuts, the end of the address, the words.
const PAGES: [(&str, &str, &str); 6] = [
    ("transcript", "", "Transcript"),
    ("tree", "/tree", "Tree"),
    ("waterfall", "/time", "Time"),
    ("context", "/context", "Context"),
    ("files", "/files", "Files"),
    ("raw", "/raw", "Raw"),
];

impl SessionPageContext {
    /// Reads the title and the project of an open session.
    pub(crate) fn of(open: &OpenState, call: &Call) -> Self {
        let session = open.session();
        let log = session.log();
        let title = titles::title(log, session.scope, session.called.as_deref()).text;
        let title = title.filter(|title| !title.trim().is_empty());
        let title = title.unwrap_or_else(|| short(session.id.as_str()).to_owned());
        let cwd = log.facts.cwd().map(|cwd| log.text(cwd));
        let project = session.project.clone().map(|project| {
            let name = project_name(cwd, Some(&project)).to_owned();
            (project, name)
        });
        Self {
            id: session.id.clone(),
            title: title.chars().take(LONGEST).collect(),
            project,
            asked: call.query.get("project").map(str::to_owned),
        }
    }

    /// Returns the address of a page about the session.
    pub(crate) fn way(&self, below: &str, parameters: &[(&str, &str)]) -> String {
        url_in_project(&session_url(&self.id, below), self.asked.as_deref(), parameters)
    }

    /// Answers with a page about the session; `here` is the end of its address, and its kind.
    pub(crate) fn page(
        &self,
        call: &Call,
        here: &'static str,
        name: &str,
        paint: impl FnOnce(&mut Html) -> Result<(), RequestProblem>,
    ) -> Result<WebReply, RequestProblem> {
        let kind = here.trim_matches('/');
        let mut html = Html::new();
        html.tag("<main id=\"main\" class=\"").tag(kind).tag("-page\">\n");
        self.ways(here, &mut html);
        paint(&mut html)?;
        html.tag("</main>\n");
        let title = format!("{name} \u{b7} {}", self.title);
        let frame = PageFrame::new(&title, kind, self.crumbs(name));
        Ok(PageParts::of(call).answer(&frame, &[], |page| _ = page.append(&html)))
    }

    /// Returns the breadcrumbs of a page about the session.
    fn crumbs(&self, here: &str) -> Vec<Crumb> {
        let project = self.project.as_ref();
        let project = project.map(|(id, name)| Crumb::to(name.as_str(), project_url(id)));
        let session = Crumb::to(self.title.as_str(), self.way("", &[]));
        project.into_iter().chain([session, Crumb::here(here)]).collect()
    }

    /// Paints the links between the pages about the session; `here` is the end of this page's address.
    fn ways(&self, here: &str, html: &mut Html) {
        html.tag("<nav class=\"about\" aria-label=\"Pages about this session\">");
        for (known, below, name) in PAGES {
            html.tag("<a").attribute("href", &self.way(below, &[]));
            html.attribute("data-go", known);
            html.tag(if below == here { " aria-current=\"page\">" } else { ">" });
            html.tag(name).tag("</a>");
        }
        html.tag("</nav>\n");
    }
}
