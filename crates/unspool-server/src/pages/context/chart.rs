//! The size of the context as a chart: one bar for each answer, stacked by the source of its tokens.

use unspool_engine::ops::context_series::{ContextPoint, ContextSeries};
use unspool_text::html::Html;
use unspool_text::human;

use crate::pages::parts::{
    SessionPageContext, paint_entry_link, pixels, share, table_head, transcript_url,
};

/// The height of the chart in pixels.
const HEIGHT: u64 = 240;
/// The maximum number of bars: a screen has few more pixels. A bar for several answers shows the
/// largest context.
const BARS: usize = 600;
/// The maximum number of rows of the table.
const ROWS: usize = 400;

/// Paints the chart, and the same data as a table.
pub(super) fn paint(series: &ContextSeries, about: &SessionPageContext, html: &mut Html) {
    let limit = series.limit().map(|limit| limit.tokens);
    let fullest = series.points.iter().map(ContextPoint::context).max();
    let fullest = fullest.unwrap_or(0).max(1);
    // A limit that is far away would leave no height for the bars, so it is only mentioned.
    let is_far = limit.is_some_and(|limit| limit / 3 > fullest);
    let top = match limit {
        Some(limit) if !is_far => fullest.max(limit),
        _ => fullest + fullest / 8,
    };
    html.tag("<figure class=\"chart context-chart\">\n<div class=\"plot\"><svg width=\"100%\" ");
    html.tag("role=\"group\" aria-label=\"Context after each answer\"");
    pixels("height", HEIGHT, html);
    html.tag(">");
    bars(series, top, about, html);
    cliffs(series, html);
    if let Some(limit) = limit.filter(|_| is_far) {
        html.tag("<text class=\"limit\" x=\"4\" y=\"12\">the limit of ");
        html.text(&human::count(limit)).tag(" is far above</text>");
    } else if let Some(limit) = limit {
        let y = HEIGHT - height(limit, top);
        html.tag("<line class=\"limit\" x1=\"0\" x2=\"100%\"");
        pixels("y1", y, html);
        pixels("y2", y, html);
        html.tag("/><text class=\"limit\" x=\"4\"");
        pixels("y", y + 14, html);
        html.tag(">limit ").text(&human::count(limit)).tag("</text>");
    }
    html.tag("</svg></div>\n<figcaption class=\"legend\">");
    for (class, name) in
        [("c1", "read from the cache"), ("c2", "written to the cache"), ("c0", "read without it")]
    {
        html.tag("<span><i class=\"").tag(class).tag("\"></i>").tag(name).tag("</span>");
    }
    html.tag("</figcaption></figure>\n");
    table(series, about, html);
}

fn height(tokens: u64, top: u64) -> u64 {
    (u128::from(tokens) * u128::from(HEIGHT - 6) / u128::from(top)) as u64
}

fn bars(series: &ContextSeries, top: u64, about: &SessionPageContext, html: &mut Html) {
    let per_bar = series.points.len().div_ceil(BARS).max(1);
    let chunks: Vec<&[ContextPoint]> = series.points.chunks(per_bar).collect();
    let width = 1.0 / chunks.len() as f64;
    for (at, chunk) in chunks.iter().enumerate() {
        let Some(point) = chunk.iter().max_by_key(|point| point.context()) else {
            continue;
        };
        let title = title(point);
        let way = point.entry.as_ref();
        let way = way.map(|entry| transcript_url(about, entry.as_str(), None));
        if let Some(way) = &way {
            html.tag("<a").attribute("href", way);
            html.attribute("aria-label", &title).tag(">");
        }
        let x = at as f64 * width;
        html.tag("<g><title>").text(&title).tag("</title><rect class=\"hit\" y=\"0\"");
        share("x", x, html);
        share("width", width, html);
        pixels("height", HEIGHT, html);
        html.tag("/>");
        let mut below = HEIGHT;
        for (class, tokens) in [
            ("c1", point.tokens.cache_read),
            ("c2", point.cache_write()),
            ("c0", point.tokens.input),
        ] {
            let height = height(tokens, top);
            below -= height.min(below);
            html.tag("<rect class=\"").tag(class).tag("\"");
            share("x", x, html);
            share("width", (width * 0.86).max(0.001), html);
            pixels("y", below, html);
            pixels("height", height, html);
            html.tag("/>");
        }
        html.tag("</g>");
        html.tag_if(way.is_some(), "</a>");
    }
}

/// Paints a line at each compaction.
fn cliffs(series: &ContextSeries, html: &mut Html) {
    let count = series.points.len().max(1) as f64;
    for cliff in &series.cliffs {
        let x = cliff.before_point as f64 / count;
        html.tag("<line class=\"cliff\" y1=\"0\" y2=\"100%\"");
        share("x1", x, html);
        share("x2", x, html);
        html.tag("/>");
    }
}

fn title(point: &ContextPoint) -> String {
    let turn = point.turn.map_or(String::new(), |turn| format!("turn {turn}, "));
    format!(
        "{turn}{} tokens: {} from the cache, {} written to it, {} without it; {} answered",
        human::count(point.context()),
        human::count(point.tokens.cache_read),
        human::count(point.cache_write()),
        human::count(point.tokens.input),
        human::count(point.tokens.output),
    )
}

fn table(series: &ContextSeries, about: &SessionPageContext, html: &mut Html) {
    html.tag("<details class=\"as-table\"><summary>As a table</summary>\n<div class=\"scroll\">");
    html.tag("<table class=\"numbers\">");
    let heads =
        ["Answer", "Turn", "Context", "From the cache", "Written to it", "Without it", "Answered"];
    table_head(heads, html);
    let skipped = series.points.len().saturating_sub(ROWS);
    for (at, point) in series.points.iter().enumerate().skip(skipped) {
        html.tag("<tr><th scope=\"row\">");
        let place = point.entry.as_ref().map(|entry| (entry, None));
        paint_entry_link(about, place, &(at + 1).to_string(), html);
        html.tag("</th><td>").number(point.turn.map_or(0, u64::from)).tag("</td>");
        for tokens in [
            point.context(),
            point.tokens.cache_read,
            point.cache_write(),
            point.tokens.input,
            point.tokens.output,
        ] {
            html.tag("<td>").text(&human::count(tokens)).tag("</td>");
        }
        html.tag("</tr>\n");
    }
    html.tag("</tbody></table></div></details>\n");
}
