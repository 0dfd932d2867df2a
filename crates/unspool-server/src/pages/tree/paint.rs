//! The graph of a session, painted as rows.

use unspool_engine::ops::path_cost::BranchCosts;
use unspool_engine::ops::tree::{TreeBranch, TreeRow, TreeRowKind};
use unspool_model::positions::PathNumber;
use unspool_text::html::Html;
use unspool_text::human;

use super::lanes::{MOST_LANES, RowLanes, lanes};
use crate::pages::parts::{RowWindow, SessionPageContext, TimeStyle, moment, transcript_url};
use crate::route::Call;
use crate::web::RequestProblem;

/// The maximum number of rows on one page.
const PER_PAGE: usize = 1_000;
/// The maximum length of a row's text, in characters.
const WORDS: usize = 300;

/// The graph of a session, and the facts that its rows show.
pub(super) struct SessionGraph<'p> {
    pub(super) rows: &'p [TreeRow],
    pub(super) costs: &'p BranchCosts,
    /// The number of paths.
    pub(super) paths: usize,
    /// The number of the active path.
    pub(super) active: Option<PathNumber>,
    pub(super) about: &'p SessionPageContext,
}

impl SessionGraph<'_> {
    /// Paints the graph.
    pub(super) fn paint(&self, call: &Call, html: &mut Html) -> Result<(), RequestProblem> {
        let rows = self.rows;
        head(rows, self.paths, html);
        if rows.is_empty() {
            html.tag("<p class=\"empty\">This session has no conversation. ");
            html.link(&self.about.way("/raw", &[]), "Its entries").tag(" are there.</p>\n");
            return Ok(());
        }
        let lanes = lanes(rows);
        let width = lanes.iter().map(|row| row.lane + 1).max().unwrap_or(1);
        let from: usize = call.query.read("from")?.unwrap_or(0).min(rows.len());
        let end = rows.len().min(from + PER_PAGE);
        html.tag("<ol class=\"tree\"").attribute("data-lanes", &width.to_string());
        html.tag(">\n");
        for (at, (row, lanes)) in rows.iter().zip(&lanes).enumerate().take(end).skip(from) {
            let left = self.branch_totals(at);
            GraphRow { row, lanes, left }.paint(width, at, self, html);
        }
        html.tag("</ol>\n");
        if end < rows.len() || from > 0 {
            let window = RowWindow { from, end, total: rows.len(), per_page: PER_PAGE };
            window.paint(call, html);
        }
        Ok(())
    }

    /// Sums up the abandoned branch that a row begins, if it begins one.
    fn branch_totals(&self, at: usize) -> Option<BranchTotals> {
        let row = &self.rows[at];
        row.branch?;
        // The branch ends before the next one at its depth, and before a row of a smaller depth.
        let goes_on = |next: &&TreeRow| {
            next.depth > row.depth || next.depth == row.depth && next.branch.is_none()
        };
        let way = self.rows[at + 1..].iter().take_while(goes_on);
        let mut left = BranchTotals::default();
        for row in std::iter::once(row).chain(way) {
            left.turns += usize::from(row.kind == TreeRowKind::Turn);
            left.calls += row.calls;
            for &path in &row.paths {
                left.path = left.path.or(Some(path));
                let alone = self.costs.alone(path);
                left.cost += alone.and_then(|alone| alone.cost_usd()).unwrap_or(0.0);
            }
        }
        Some(left)
    }
}

fn head(rows: &[TreeRow], paths: usize, html: &mut Html) {
    let of = |kind: TreeRowKind| rows.iter().filter(|row| row.kind == kind).count();
    html.tag("<header class=\"list-head\"><div><h1>");
    html.text(&human::plural(paths, "path")).tag("</h1>\n<p class=\"remark\">");
    html.text(&human::plural(of(TreeRowKind::Turn), "turn"));
    let compactions = of(TreeRowKind::Compaction);
    if compactions > 0 {
        html.tag(" \u{b7} ").text(&human::plural(compactions, "compaction"));
    }
    html.tag_if(paths < 2, " \u{b7} nothing was rewound");
    html.tag("</p></div></header>\n");
}

/// The totals of an abandoned branch.
#[derive(Default)]
struct BranchTotals {
    turns: usize,
    calls: u32,
    cost: f64,
    /// The first path that ends on the branch.
    path: Option<PathNumber>,
}

struct GraphRow<'t> {
    row: &'t TreeRow,
    lanes: &'t RowLanes,
    left: Option<BranchTotals>,
}

impl GraphRow<'_> {
    fn paint(&self, width: u32, at: usize, graph: &SessionGraph<'_>, html: &mut Html) {
        let row = self.row;
        html.tag("<li data-row").attribute("id", &format!("t-{at}"));
        html.attribute("data-kind", row.kind.name());
        html.tag(if row.active { " class=\"on\">" } else { " class=\"off\">" });
        html.tag("<span class=\"graph\">");
        self.lanes.paint(width.min(MOST_LANES), html);
        html.tag("<span class=\"node\"").attribute("data-lane", &self.lanes.lane.to_string());
        html.tag("></span></span>");
        self.time(html);
        self.words(graph.about, html);
        self.facts(graph, html);
        html.tag("</li>\n");
    }

    fn time(&self, html: &mut Html) {
        html.tag("<span class=\"at\">");
        if let Some(time) = self.row.time {
            moment(time, TimeStyle::Clock, html);
        }
        html.tag("</span>");
    }

    fn words(&self, about: &SessionPageContext, html: &mut Html) {
        let text = self.row.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text: String = text.chars().take(WORDS).collect();
        let text = if text.is_empty() { "(nothing said)".to_owned() } else { text };
        match &self.row.entry {
            Some(entry) => {
                let way = transcript_url(about, entry.as_str(), None);
                html.tag("<a class=\"what\"").attribute("href", &way);
                html.attribute("title", &text).tag(">").text(&text).tag("</a>");
            }
            None => _ = html.tag("<span class=\"what\">").text(&text).tag("</span>"),
        }
    }

    fn facts(&self, graph: &SessionGraph<'_>, html: &mut Html) {
        let row = self.row;
        html.tag("<span class=\"facts\">");
        if let (Some(branch), Some(left)) = (row.branch, &self.left) {
            html.tag("<span class=\"tag\">").tag(branch_words(branch)).tag("</span>");
            paint_left(left, graph, html);
        } else if row.calls > 0 {
            html.tag("<span>").text(&human::plural(row.calls as usize, "call"));
            html.tag("</span>");
        }
        if !row.agents.is_empty() {
            html.tag("<span>").text(&human::plural(row.agents.len(), "agent"));
            html.tag("</span>");
        }
        for path in &row.paths {
            html.tag("<span class=\"path\">path ").text(&path.to_string());
            html.tag(if row.ends_active { " \u{b7} active</span>" } else { "</span>" });
        }
        html.tag("</span>");
    }
}

/// Paints the totals of an abandoned branch, and a link that compares it with the active path.
fn paint_left(left: &BranchTotals, graph: &SessionGraph<'_>, html: &mut Html) {
    html.tag("<span>").text(&human::plural(left.turns.max(1), "turn"));
    if left.calls > 0 {
        html.tag(", ").text(&human::plural(left.calls as usize, "call"));
    }
    if left.cost > 0.0 {
        html.tag(", ").text(&human::dollars(left.cost));
    }
    html.tag(" left</span>");
    if let (Some(path), Some(active)) = (left.path, graph.active) {
        let (a, b) = (path.to_string(), active.to_string());
        let way = graph.about.way("/compare", &[("a", &a), ("b", &b)]);
        html.tag("<a class=\"compare\"").attribute("href", &way);
        html.tag(" title=\"Compare with the active path\">\u{21c4} compare</a>");
    }
}

fn branch_words(branch: TreeBranch) -> &'static str {
    match branch {
        TreeBranch::Rewind => "rewound",
        TreeBranch::Retry => "retried",
        TreeBranch::LeftOut => "left out",
    }
}
