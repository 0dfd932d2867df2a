//! Tools and projects as tables with bars.

use unspool_engine::ops::stats::StatsGroup;
use unspool_text::html::Html;
use unspool_text::human;

use super::gather::StatsData;
use crate::pages::parts::{percent, query_url, table_head};

/// Paints the tools by the number of their calls.
pub(super) fn tools(data: &StatsData, html: &mut Html) {
    let mut tools: Vec<&StatsGroup> =
        data.tools.iter().filter(|group| group.key.is_some() && group.sums.calls > 0).collect();
    tools.sort_by_key(|group| std::cmp::Reverse(group.sums.calls));
    if tools.is_empty() {
        return;
    }
    let largest = tools[0].sums.calls;
    open("tools", "Tools", html);
    table_head(["Tool", "", "Calls", "Failed"], html);
    for group in tools {
        let name = group.key.as_deref().unwrap_or_default();
        first(name, &query_url("/sessions", &[("tool", name)]), html);
        meter(group.sums.calls, largest, html);
        cell(&human::count(group.sums.calls), html);
        cell(&share(group.sums.failed_calls, group.sums.calls), html);
        html.tag("</tr>\n");
    }
    html.tag("</tbody></table></section>\n");
}

/// Paints the projects.
pub(super) fn projects(data: &StatsData, html: &mut Html) {
    if data.projects.is_empty() {
        return;
    }
    let value = |group: &StatsGroup| data.measure.of(&group.sums);
    let largest = data.projects.iter().map(value).max().unwrap_or(0);
    open("projects", "Projects", html);
    table_head(["Project", "", "Cost", "Tokens", "Turns", "Lines"], html);
    for group in &data.projects {
        let sums = &group.sums;
        let path = group.key.as_deref().unwrap_or("outside of projects");
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        first(name, &query_url("/sessions", &[("project", path)]), html);
        meter(value(group), largest, html);
        let cost = sums.cost.map(|cost| human::dollars(cost.usd()));
        cell(&cost.unwrap_or_default(), html);
        cell(&human::count(sums.tokens.sum()), html);
        cell(&human::count(sums.turns), html);
        cell(&lines(sums.lines_added, sums.lines_removed), html);
        html.tag("</tr>\n");
    }
    html.tag("</tbody></table></section>\n");
}

fn open(id: &'static str, title: &'static str, html: &mut Html) {
    html.tag("<section class=\"panel\" aria-labelledby=\"").tag(id);
    html.tag("\"><h2 id=\"").tag(id).tag("\">").tag(title);
    html.tag("</h2>\n<table class=\"numbers bars\">");
}

fn first(name: &str, way: &str, html: &mut Html) {
    html.tag("<tr><th scope=\"row\">").link(way, name).tag("</th>");
}

fn cell(text: &str, html: &mut Html) {
    html.tag("<td>").text(text).tag("</td>");
}

fn meter(value: u64, largest: u64, html: &mut Html) {
    let width = percent(value, largest);
    html.tag("<td class=\"meter\" aria-hidden=\"true\"><svg viewBox=\"0 0 100 8\" ");
    html.tag("preserveAspectRatio=\"none\"><rect width=\"");
    html.number(width.max(u64::from(value > 0))).tag("\" height=\"8\"/></svg></td>");
}

fn share(part: u64, whole: u64) -> String {
    if part == 0 {
        return String::new();
    }
    format!("{part} ({} %)", ((part * 100 + whole / 2) / whole.max(1)).max(1))
}

/// Formats the numbers of added and removed lines.
fn lines(added: u64, removed: u64) -> String {
    if added == 0 && removed == 0 {
        return String::new();
    }
    format!("+{} \u{2212}{}", human::count(added), human::count(removed))
}
