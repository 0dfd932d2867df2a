//! The lists of a site: projects, and the sessions of each.

use std::io;

use unspool_text::html::Html;
use unspool_text::human;

use super::{SITE_START, SiteBuilder, SiteProject, SiteSession, short_name};
use crate::html::assets::AssetSource;
use crate::html::help::{ButtonKind, action_button, key_help};
use crate::html::moment::{Precision, moment};
use crate::keys::{KeyAction, KeyContext};

/// The most sessions on one page of a list.
pub(super) const PER_PAGE: usize = 200;
/// The most sessions on the first page of the site.
const RECENT: usize = 30;

/// Writes the first page.
pub(super) fn write_index(site: &SiteBuilder) -> io::Result<()> {
    let mut html = Html::new();
    open("Sessions", "", &mut html);
    html.tag("<header class=\"front\">\n<h1>Sessions</h1>\n<p class=\"remark\">");
    let all = SiteTotals::of(site.order.iter().map(|session| &site.sessions[*session]));
    html.text(&human::plural(all.sessions, "session")).tag(" in ");
    html.text(&human::plural(site.projects.len(), "project"));
    all.paint(&mut html);
    html.tag("</p>\n").tag(SEARCH).tag("</header>\n");
    html.tag("<section class=\"list\" aria-label=\"Recent sessions\">\n<h2>Recent</h2>\n");
    sessions(
        site,
        &site.order[..site.order.len().min(RECENT)],
        "sessions/",
        ProjectNaming::Project,
        &mut html,
    );
    html.tag("</section>\n<section class=\"list\" aria-label=\"Projects\">\n<h2>Projects</h2>\n");
    html.tag("<ul class=\"rows\">\n");
    for project in &site.projects {
        project_line(site, project, &mut html);
    }
    html.tag("</ul>\n</section>\n");
    close("", &mut html);
    site.write(SITE_START, &html)
}

/// Writes the pages of a project.
pub(super) fn write_project(site: &SiteBuilder, project: &SiteProject) -> io::Result<()> {
    let pages = project.sessions.chunks(PER_PAGE);
    let count = pages.len();
    let all = SiteTotals::of(project.sessions.iter().map(|session| &site.sessions[*session]));
    for (page, list) in pages.enumerate() {
        let mut html = Html::new();
        open(short_name(&project.name), "../", &mut html);
        html.tag("<header class=\"front\">\n<p class=\"place\"><a href=\"../index.html\">All projects</a></p>\n");
        html.tag("<h1>").text(short_name(&project.name)).tag("</h1>\n<p class=\"remark\">");
        html.text(&project.name).tag(" \u{b7} ");
        html.text(&human::plural(all.sessions, "session"));
        all.paint(&mut html);
        html.tag("</p>\n</header>\n");
        steps(project, page, count, &mut html);
        html.tag("<section class=\"list\" aria-label=\"Sessions\">\n");
        sessions(site, list, "../sessions/", ProjectNaming::Nothing, &mut html);
        html.tag("</section>\n");
        steps(project, page, count, &mut html);
        close("../", &mut html);
        site.write(format!("projects/{}", project.page(page)), &html)?;
    }
    Ok(())
}

/// The search of the first page; a script shows it and runs it.
const SEARCH: &str = "<div class=\"search\" role=\"search\" hidden>
<input id=\"search\" type=\"search\" placeholder=\"Search everything\" aria-label=\"Search everything\" \
autocomplete=\"off\" spellcheck=\"false\">
<p class=\"hint\"><kbd>/</kbd><span>search</span><kbd>\u{2191}</kbd><kbd>\u{2193}</kbd><span>results</span>\
<kbd>Enter</kbd><span>opens</span><kbd>Esc</kbd><span>ends</span></p>
<p id=\"hits\" role=\"status\"></p>
<ol id=\"results\" class=\"rows\"></ol>
<button type=\"button\" id=\"more\" hidden>More</button>
</div>
";

fn open(title: &str, way: &'static str, html: &mut Html) {
    AssetSource::Linked(way).head(title, html);
    html.tag("<body class=\"lists\">\n");
    html.tag("<div class=\"tools\" role=\"toolbar\" aria-label=\"Page\">\n");
    html.tag("<div class=\"buttons\" hidden>\n");
    for (action, label) in [(KeyAction::Theme, "Theme"), (KeyAction::Help, "?")] {
        action_button(KeyContext::Site, action, ButtonKind::Once, label, html);
    }
    html.tag("</div>\n</div>\n");
    html.tag("<main id=\"transcript\" tabindex=\"-1\">\n");
}

fn close(way: &'static str, html: &mut Html) {
    html.tag("</main>\n");
    key_help(KeyContext::Site, html);
    AssetSource::Linked(way).script(html);
    html.tag("<script src=\"").tag(way).tag("assets/site.js\"></script>\n</body>\n</html>\n");
}

/// Whether a line about a session names its project.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProjectNaming {
    Project,
    Nothing,
}

fn sessions(
    site: &SiteBuilder,
    list: &[usize],
    way: &'static str,
    naming: ProjectNaming,
    html: &mut Html,
) {
    html.tag("<ul class=\"rows\">\n");
    for session in list {
        let session = &site.sessions[*session];
        html.tag("<li><a href=\"").tag(way).text(&session.file).tag("\">");
        let title = if session.title.is_empty() { session.id.as_str() } else { &session.title };
        html.text(title).tag("</a>\n<p>");
        if let Some(time) = session.ended.or(session.started) {
            moment(time, Precision::Minute, html);
        }
        if naming == ProjectNaming::Project {
            html.tag(" <span>").text(short_name(&session.project)).tag("</span>");
        }
        SiteTotals::of([session]).paint(html);
        html.tag("</p></li>\n");
    }
    html.tag("</ul>\n");
}

fn project_line(site: &SiteBuilder, project: &SiteProject, html: &mut Html) {
    html.tag("<li><a href=\"projects/").text(&project.page(0)).tag("\"");
    html.attribute("title", &project.name).tag(">");
    html.text(short_name(&project.name)).tag("</a>\n<p>");
    let sessions = || project.sessions.iter().map(|session| &site.sessions[*session]);
    if let Some(time) = sessions().filter_map(|session| session.ended.or(session.started)).max() {
        moment(time, Precision::Day, html);
        html.tag(" ");
    }
    let all = SiteTotals::of(sessions());
    html.tag("<span>").text(&human::plural(all.sessions, "session")).tag("</span>");
    all.paint(html);
    html.tag("</p></li>\n");
}

fn steps(project: &SiteProject, page: usize, count: usize, html: &mut Html) {
    if count < 2 {
        return;
    }
    html.tag("<nav class=\"steps\" aria-label=\"Pages\">\n");
    if page > 0 {
        html.tag("<a class=\"prev\" rel=\"prev\"").attribute("href", &project.page(page - 1));
        html.tag(">Newer</a>\n");
    }
    if page + 1 < count {
        html.tag("<a class=\"next\" rel=\"next\"").attribute("href", &project.page(page + 1));
        html.tag(">Older</a>\n");
    }
    html.tag("<span>Page ").number(page as u64 + 1).tag(" of ").number(count as u64);
    html.tag("</span>\n</nav>\n");
}

/// The totals of sessions.
#[derive(Clone, Copy, Default)]
struct SiteTotals {
    sessions: usize,
    turns: usize,
    tokens: u64,
    /// `None` if no session has a price.
    cost_usd: Option<f64>,
}

impl SiteTotals {
    fn of<'a>(sessions: impl IntoIterator<Item = &'a SiteSession>) -> Self {
        let mut totals = Self::default();
        for session in sessions {
            totals.sessions += 1;
            totals.turns += session.turns;
            totals.tokens += session.tokens;
            if let Some(cost) = session.cost_usd {
                totals.cost_usd = Some(totals.cost_usd.unwrap_or(0.0) + cost);
            }
        }
        totals
    }

    fn paint(&self, html: &mut Html) {
        html.tag(" <span>").text(&human::plural(self.turns, "turn")).tag("</span>");
        if self.tokens > 0 {
            html.tag(" <span>").text(&human::count(self.tokens)).tag(" tokens</span>");
        }
        if let Some(cost) = self.cost_usd.filter(|cost| *cost > 0.0) {
            html.tag(" <span>").text(&human::dollars(cost)).tag("</span>");
        }
    }
}
