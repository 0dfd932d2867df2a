//! The home page, painted.

use unspool_engine::ops::projects::ProjectRow;
use unspool_model::named::Named as _;
use unspool_text::html::{Html, anchor};
use unspool_text::human;

use super::gather::{HomeData, HomeSidebar, RecentRows, STRIP_DAYS, ShownKinds};
use crate::pages::parts::{
    RowColumns, RowList, SessionUrls, StripBar, note_lines, project_url, query_url, strip,
};
use crate::state::ServerState;

/// How many projects are shown at once; the others are folded.
const PROJECTS: usize = 12;

/// Paints a welcome to an empty home, the progress of the index, and the notes of the library.
pub(super) fn notes(data: &HomeData, state: &ServerState, html: &mut Html) {
    if data.sessions == 0 {
        html.tag("<section class=\"welcome\">\n<h2>No sessions in ");
        html.text(&state.home_label);
        html.tag("</h2>\n<p>Claude Code writes them there. They show up here as soon as there is ");
        html.tag("one. <code>unspool serve --demo</code> shows what this looks like.</p>\n");
        html.tag("</section>\n");
    }
    if let Some(building) = state.refresher.building() {
        html.tag("<p class=\"note-line\">The index is being built: ");
        html.text(&human::bytes(building.done)).tag(" of ");
        html.text(&human::bytes(building.total));
        html.tag(" read. Sessions show up as they are found.</p>\n");
    }
    note_lines(&data.notes, html);
}

/// Paints the newest sessions.
pub(super) fn recent(recent: &RecentRows, ways: &SessionUrls, html: &mut Html) {
    html.tag("<section id=\"part-recent\" class=\"recent\" data-part=\"recent\" ");
    html.tag("aria-labelledby=\"recent\">\n<div class=\"head-line\"><h2 id=\"recent\">Recent</h2>");
    kinds(recent, html);
    html.tag("</div>\n");
    RowList::new(RowColumns::Project, ways).paint(&recent.rows, html);
    completeness(recent, html);
    html.tag("</section>\n");
}

fn kinds(recent: &RecentRows, html: &mut Html) {
    html.tag("<ul class=\"choices\">");
    for &kind in ShownKinds::ALL {
        let words = match kind {
            ShownKinds::People => "yours",
            ShownKinds::Headless => "with headless",
            ShownKinds::All => "all",
        };
        html.tag("<li>");
        if kind == recent.shown {
            html.tag("<span aria-current=\"true\">").tag(words);
            html.tag("</span>");
        } else {
            html.link(&query_url("/", &[("show", kind.name())]), words);
        }
        html.tag("</li>");
    }
    html.tag("</ul>");
}

/// Paints how many sessions are shown, running and hidden, so that none is missing silently.
fn completeness(recent: &RecentRows, html: &mut Html) {
    let (headless, empty) = match recent.shown {
        ShownKinds::People => (recent.headless, recent.empty),
        ShownKinds::Headless => (0, recent.empty),
        ShownKinds::All => (0, 0),
    };
    let hidden = headless + empty;
    html.tag("<p class=\"pages\"><span>");
    html.number(recent.rows.len() as u64).tag(" of ");
    html.number((recent.listed + recent.live + hidden) as u64).tag(" shown");
    if recent.live > 0 {
        html.tag("; ").number(recent.live as u64).tag(" running above");
    }
    if hidden > 0 {
        html.tag("; ").number(hidden as u64).tag(" hidden: ");
        let mut parts = Vec::new();
        if headless > 0 {
            parts.push(format!("{headless} headless"));
        }
        if empty > 0 {
            parts.push(format!("{empty} without a conversation"));
        }
        html.tag("<a href=\"/?show=all\">").text(&parts.join(", "));
        html.tag("</a>");
    }
    html.tag("</span>");
    if recent.rows.len() < recent.listed {
        html.tag("<a class=\"button\" href=\"/sessions\">All sessions</a>");
    }
    html.tag("</p>\n");
}

/// Paints the projects, and the totals of this week.
pub(super) fn side(side: &HomeSidebar, html: &mut Html) {
    html.tag("<aside id=\"part-projects\" data-part=\"projects\">\n");
    html.tag("<section class=\"panel\" aria-labelledby=\"projects\">\n");
    html.tag("<div class=\"head-line\"><h2 id=\"projects\">Projects</h2><span class=\"count\">");
    html.number(side.projects.len() as u64);
    html.tag("</span></div>\n");
    let (first, others) = side.projects.split_at(side.projects.len().min(PROJECTS));
    project_list(first, html);
    if !others.is_empty() {
        html.tag("<details id=\"more-projects\"><summary>");
        html.number(others.len() as u64).tag(" more</summary>\n");
        project_list(others, html);
        html.tag("</details>\n");
    }
    html.tag("</section>\n");
    week(side, html);
    html.tag("</aside>\n");
}

fn project_list(projects: &[ProjectRow], html: &mut Html) {
    html.tag("<ul class=\"projects\">\n");
    for project in projects {
        html.tag("<li data-row").attribute("id", &format!("p-{}", anchor(project.id.as_str())));
        html.tag("><a").attribute("href", &project_url(&project.id));
        html.attribute("title", project.cwd.as_deref().unwrap_or(&project.name));
        html.tag(">").text(&project.name);
        html.tag("</a><span class=\"count\">");
        html.number(project.sessions as u64).tag("</span>");
        days(project, html);
        html.tag("</li>\n");
    }
    html.tag("</ul>\n");
}

/// Paints the sessions per day of a project as a strip.
fn days(project: &ProjectRow, html: &mut Html) {
    let activity = &project.activity;
    let first = activity.days.len().saturating_sub(STRIP_DAYS);
    let days = activity.days.iter().enumerate().skip(first);
    let bars: Vec<StripBar> = days
        .map(|(at, &count)| {
            let day = activity.from.saturating_add(jiff::Span::new().days(at as i64));
            StripBar {
                value: count.into(),
                title: format!("{day}: {}", human::plural(count as usize, "session")),
                way: None,
                is_chosen: false,
            }
        })
        .collect();
    let sum: u64 = bars.iter().map(|bar| bar.value).sum();
    let sessions = human::plural(sum as usize, "session");
    strip(&bars, &format!("{sessions} in {STRIP_DAYS} days"), html);
}

fn week(side: &HomeSidebar, html: &mut Html) {
    let week = &side.week;
    html.tag("<section class=\"panel\" aria-labelledby=\"week\">\n<div class=\"head-line\">");
    html.tag("<h2 id=\"week\">Last 7 days</h2><span class=\"right\">");
    html.tag("<a class=\"button\" href=\"/stats\">Stats</a></span></div>\n<dl class=\"week\">");
    let mut fact = |name: &'static str, value: &str| {
        html.tag("<div><dt>").tag(name).tag("</dt><dd>");
        html.text(value).tag("</dd></div>");
    };
    fact("Tokens", &human::count(week.tokens.sum()));
    if let Some(cost) = week.cost {
        fact("Cost", &human::dollars(cost.usd()));
    }
    fact("Turns", &human::count(week.turns));
    fact("Calls", &human::count(week.calls));
    html.tag("</dl>\n</section>\n");
}
