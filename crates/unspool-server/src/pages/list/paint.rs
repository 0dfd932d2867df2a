//! Lists of sessions, painted.

use unspool_text::html::Html;
use unspool_text::human;

use super::gather::ListData;
use crate::filters::FILTER_NAMES;
use crate::pages::parts::{RowColumns, RowList, SessionUrls, changed_url, note_lines};
use crate::route::Call;

/// The maximum number of folders in the head; the others are counted.
const FOLDERS: usize = 4;

/// Paints the head: the title and the totals of the list, and its sessions by week.
pub(super) fn head(data: &ListData, call: &Call, html: &mut Html) {
    html.tag("<header class=\"list-head\">\n<div>\n<h1>").text(&data.name);
    html.tag("</h1>\n<p class=\"remark\">");
    let facts = &data.facts;
    html.text(&human::plural(facts.sessions, "session"));
    if facts.live > 0 {
        html.tag(" \u{b7} ").number(facts.live as u64).tag(" running");
    }
    if facts.tokens > 0 {
        html.tag(" \u{b7} ").text(&human::count(facts.tokens)).tag(" tokens");
    }
    if facts.cost > 0.0 {
        html.tag(" \u{b7} ").text(&human::dollars(facts.cost));
    }
    html.tag("</p>\n");
    if data.project.is_some() {
        places(data, call, html);
    }
    html.tag("</div>\n<div class=\"weeks\">");
    data.weeks.paint(call, html);
    html.tag("<p class=\"remark\">26 weeks \u{b7} a bar is a week of sessions</p></div>\n");
    html.tag("</header>\n");
}

/// Lists the folders in which sessions of a project began: the project's own and its worktrees.
fn places(data: &ListData, call: &Call, html: &mut Html) {
    let folders = &data.facts.folders;
    if folders.is_empty() {
        return;
    }
    html.tag("<ul class=\"places\">");
    for (folder, count) in folders.iter().take(FOLDERS) {
        html.tag("<li><code translate=\"no\">");
        html.text(&shortened(folder, call.state.logs_home.as_deref()));
        html.tag("</code>");
        if folders.len() > 1 {
            html.tag(" <span class=\"n\">").number(*count as u64).tag("</span>");
        }
        html.tag("</li>");
    }
    if let Some(more @ 1..) = folders.len().checked_sub(FOLDERS) {
        html.tag("<li>and ").number(more as u64).tag(" more folders</li>");
    }
    html.tag("</ul>\n");
}

/// Abbreviates the user's home folder to `~`.
fn shortened(path: &str, home: Option<&str>) -> String {
    let home = home.filter(|home| !home.is_empty());
    match home.and_then(|home| path.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// Paints a page of rows, with links to other pages.
pub(super) fn rows(data: &ListData, call: &Call, html: &mut Html) {
    html.tag("<section id=\"part-rows\" data-part=\"rows\" aria-label=\"Sessions\">\n");
    note_lines(&data.notes, html);
    if data.rows.is_empty() {
        nothing(data, call, html);
    } else {
        let columns = match data.project {
            Some(_) => RowColumns::Branch,
            None => RowColumns::Project,
        };
        let ways = SessionUrls::of_rows(&call.state, &data.rows);
        RowList::new(columns, &ways).paint(&data.rows, html);
    }
    html.tag("<p class=\"pages\"><span>");
    html.text(&human::plural(data.rows.len(), "session"));
    html.tag(" here of ").number(data.facts.sessions as u64).tag("</span>");
    if call.query.get("cursor").is_some() {
        let way = changed_url(call, &[("cursor", None)]);
        html.tag("<a class=\"button\" rel=\"first\"").attribute("href", &way).tag(">Newest</a>");
    }
    if let Some(next) = &data.next {
        let way = changed_url(call, &[("cursor", Some(&next.to_string()))]);
        html.tag("<a class=\"button\" rel=\"next\"").attribute("href", &way).tag(">Older</a>");
    }
    html.tag("</p>\n</section>\n");
}

fn nothing(data: &ListData, call: &Call, html: &mut Html) {
    let filtered = FILTER_NAMES.iter().any(|name| call.query.get(name).is_some());
    html.tag("<div class=\"empty\"><p>");
    if filtered {
        html.tag("No session fits these filters. <a");
        html.attribute("href", &call.path).tag(">Show all ");
        html.number(data.facts.sessions as u64).tag("</a>");
    } else if data.facts.headless + data.facts.empty > 0 {
        html.tag(
            "No session of a person. <a href=\"?kind=headless&amp;kind=empty&amp;kind=main\">",
        );
        html.tag("Show the other ").number(data.facts.sessions as u64).tag("</a>");
    } else {
        html.tag("There are no sessions here yet.");
    }
    html.tag("</p></div>\n");
}
