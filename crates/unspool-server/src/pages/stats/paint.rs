//! The page of totals, painted.

use unspool_model::named::Named as _;
use unspool_text::html::Html;
use unspool_text::human;

use super::columns::{ColumnChart, cache_share};
use super::gather::{COLUMNS, ChartMeasure, StatsData, USUAL_TIME};
use super::{chart, tables};
use crate::filters::FILTER_NAMES;
use crate::pages::parts::{PageChoice, changed_url, note_lines};
use crate::route::Call;

/// The offered time ranges: the value of the parameter, and the words for it.
const TIMES: [(&str, &str); 4] =
    [("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), ("all", "all time")];

/// Paints the page.
pub(super) fn stats(data: &StatsData, call: &Call, html: &mut Html) {
    html.tag(
        "<div id=\"part-stats\" data-part=\"stats\">\n<div class=\"head-line\"><h1>Stats</h1>",
    );
    html.tag("<nav class=\"right\" aria-label=\"Time\">");
    let since = call.query.get("since").unwrap_or(USUAL_TIME);
    choices("since", since, &TIMES, call, html);
    html.tag("</nav></div>\n");
    asked(call, html);
    note_lines(&data.notes, html);
    totals(data, html);
    if data.total.sessions == 0 {
        html.tag(
            "<p class=\"empty\">There is nothing to count in this time. <a href=\"?since=all\">",
        );
        html.tag("All time</a></p>\n</div>\n");
        return;
    }
    html.tag("<section class=\"panel\" aria-labelledby=\"by-time\"><div class=\"head-line\">");
    html.tag("<h2 id=\"by-time\">By ").tag(data.by.name()).tag(" and model</h2>");
    html.tag("<span class=\"right\">");
    let measures: Vec<_> = ChartMeasure::NAMES.iter().map(|&name| (name, name)).collect();
    choices("measure", data.measure.name(), &measures, call, html);
    let by = COLUMNS.map(|(name, _)| (name, name));
    choices("by", data.by.name(), &by, call, html);
    html.tag("</span></div>\n");
    chart::paint(&ColumnChart::of(data), data, html);
    html.tag("</section>\n<div class=\"halves\">\n");
    tables::projects(data, html);
    tables::tools(data, html);
    html.tag("</div>\n");
    unpriced(data, html);
    html.tag("</div>\n");
}

/// Paints the values of a parameter as links.
fn choices(
    name: &'static str,
    chosen: &str,
    all: &[(&'static str, &'static str)],
    call: &Call,
    html: &mut Html,
) {
    html.tag("<ul class=\"choices\">");
    for (value, words) in all {
        let mut changes = vec![(name, Some(*value))];
        if name == "since" {
            changes.extend([("until", None), ("by", None)]);
        }
        let choice = PageChoice { changes: &changes, is_chosen: *value == chosen };
        choice.paint(call, html, |html| _ = html.tag(words));
    }
    html.tag("</ul>");
}

/// Paints the active filters, each with a link that removes it.
fn asked(call: &Call, html: &mut Html) {
    for name in FILTER_NAMES.iter().filter(|name| **name != "since") {
        for value in call.query.all(name) {
            let way = changed_url(call, &[(name, None)]);
            html.tag("<p class=\"note-line\">").tag(name).tag(": ").text(value);
            html.tag(" ").link(&way, "take this filter off").tag("</p>\n");
        }
    }
}

fn totals(data: &StatsData, html: &mut Html) {
    let sums = &data.total;
    html.tag("<dl class=\"tiles\">\n");
    let mut tile = |name: &'static str, value: &str, more: &str| {
        html.tag("<div><dt>").tag(name).tag("</dt><dd>").text(value);
        html.tag("<small>").text(more).tag("</small></dd></div>\n");
    };
    if let Some(cost) = sums.cost {
        tile("Cost", &human::dollars(cost.usd()), "");
    }
    let share = cache_share(sums).map(|share| format!("{share} % of input from the cache"));
    tile("Tokens", &human::count(sums.tokens.sum()), &share.unwrap_or_default());
    let turns = format!("{} messages", human::count(sums.messages));
    tile("Turns", &human::count(sums.turns), &turns);
    let failed = format!("{} failed", human::count(sums.failed_calls));
    tile("Calls", &human::count(sums.calls), &failed);
    let added = format!("{} removed", human::count(sums.lines_removed));
    tile("Lines added", &human::count(sums.lines_added), &added);
    let sessions = human::plural(sums.sessions as usize, "session");
    tile("Time in turns", &human::duration(sums.active_ms), &sessions);
    html.tag("</dl>\n");
}

fn unpriced(data: &StatsData, html: &mut Html) {
    if data.unpriced.is_empty() {
        return;
    }
    html.tag("<p class=\"remark\">No price is known for ");
    html.text(&data.unpriced.join(", "));
    html.tag("; tokens are counted, their cost is not.</p>\n");
}
