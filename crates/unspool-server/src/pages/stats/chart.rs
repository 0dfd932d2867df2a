//! A chart of stacked columns: an image whose columns are links, and a table.

use unspool_text::html::Html;
use unspool_text::human;

use super::columns::{COLOURED, ChartColumn, ColumnChart};
use super::gather::StatsData;
use crate::pages::parts::{query_url, table_head};

/// The size of the image, which is stretched to the width of the page.
const STEP: u64 = 20;
const GAP: u64 = 4;
const HEIGHT: u64 = 180;
/// The number of columns on a narrow screen: the newest.
const NEAR: usize = 12;
/// The maximum number of labels below the chart.
const LABELS: usize = 8;

/// Paints a chart with its table.
pub(super) fn paint(chart: &ColumnChart, data: &StatsData, html: &mut Html) {
    if chart.columns.is_empty() || chart.largest == 0 {
        html.tag("<p class=\"empty\">Nothing was used in this time.</p>\n");
        return;
    }
    html.tag("<figure class=\"chart\">\n");
    let newest = chart.columns.len().saturating_sub(NEAR);
    if newest == 0 {
        plot("all", &chart.columns, chart, data, html);
    } else {
        // A narrow screen has room for the newest columns only; the style sheet hides one of the two.
        plot("far", &chart.columns, chart, data, html);
        plot("near", &chart.columns[newest..], chart, data, html);
    }
    legend(chart, data, html);
    html.tag("</figure>\n");
    table(chart, data, html);
}

/// Paints columns with their labels.
fn plot(
    class: &'static str,
    columns: &[ChartColumn],
    chart: &ColumnChart,
    data: &StatsData,
    html: &mut Html,
) {
    html.tag("<div class=\"").tag(class);
    html.tag("\"><div class=\"plot\"><span class=\"top\">");
    html.text(&data.measure.write(chart.largest)).tag("</span>");
    html.tag("<svg role=\"group\" aria-label=\"By time and model\" preserveAspectRatio=\"none\" ");
    html.tag("viewBox=\"0 0 ").number(columns.len() as u64 * STEP);
    html.tag(" ").number(HEIGHT).tag("\">");
    for (at, column) in columns.iter().enumerate() {
        bar(column, at as u64 * STEP, chart, data, html);
    }
    html.tag("</svg></div>\n");
    labels(columns, html);
    html.tag("</div>\n");
}

fn bar(column: &ChartColumn, x: u64, chart: &ColumnChart, data: &StatsData, html: &mut Html) {
    let title = title(column, chart, data);
    let way = column.days.filter(|_| column.total > 0).map(|(first, last)| {
        let (first, last) = (first.to_string(), last.to_string());
        query_url("/sessions", &[("since", &first), ("until", &last)])
    });
    if let Some(way) = &way {
        html.tag("<a").attribute("href", way);
        html.attribute("aria-label", &title).tag(">");
    }
    html.tag("<g><title>").text(&title).tag("</title>");
    rect("hit", x, 0, STEP, HEIGHT, html);
    let mut below = HEIGHT;
    for (model, value) in &column.parts {
        // A value above zero is always visible.
        let height = (value * (HEIGHT - 4)).div_ceil(chart.largest).clamp(1, HEIGHT);
        below = below.saturating_sub(height);
        rect(colour(*model), x + GAP / 2, below, STEP - GAP, height, html);
    }
    html.tag("</g>");
    html.tag_if(way.is_some(), "</a>");
}

fn rect(class: &'static str, x: u64, y: u64, width: u64, height: u64, html: &mut Html) {
    html.tag("<rect class=\"").tag(class).tag("\" x=\"").number(x);
    html.tag("\" y=\"").number(y).tag("\" width=\"").number(width);
    html.tag("\" height=\"").number(height).tag("\"/>");
}

/// Returns the class of a model's colour.
fn colour(model: usize) -> &'static str {
    const CLASSES: [&str; COLOURED] = ["c0", "c1", "c2", "c3", "c4", "c5"];
    CLASSES.get(model).copied().unwrap_or("c9")
}

fn title(column: &ChartColumn, chart: &ColumnChart, data: &StatsData) -> String {
    let mut title = format!("{}: {}", column.key, data.measure.write(column.total));
    for (model, value) in &column.parts {
        let name = chart.models.get(*model).map_or("others", |(name, _)| name);
        title.extend(["\n", name, " ", &data.measure.write(*value)]);
    }
    title
}

/// Paints an element for the label of each column, and as many labels as fit next to each other.
fn labels(columns: &[ChartColumn], html: &mut Html) {
    let count = columns.len();
    let every = count.div_ceil(LABELS).max(1);
    html.tag("<p class=\"labels\" aria-hidden=\"true\">");
    for (at, column) in columns.iter().enumerate() {
        html.tag("<span>");
        let has_room = count - at > every / 2;
        if at % every == 0 && has_room {
            html.text(&column.label);
        }
        html.tag("</span>");
    }
    html.tag("</p>\n");
}

fn legend(chart: &ColumnChart, data: &StatsData, html: &mut Html) {
    html.tag("<figcaption class=\"legend\">");
    for (at, (model, value)) in chart.models.iter().enumerate() {
        html.tag("<span><i class=\"").tag(colour(at)).tag("\"></i>");
        html.text(model).tag(" <span class=\"n\">");
        html.text(&data.measure.write(*value)).tag("</span></span>");
    }
    html.tag("</figcaption>\n");
}

fn table(chart: &ColumnChart, data: &StatsData, html: &mut Html) {
    html.tag("<details class=\"as-table\"><summary>As a table</summary>\n<div class=\"scroll\">");
    html.tag("<table class=\"numbers\">\n");
    let models = chart.models.iter().map(|(model, _)| model.as_str());
    table_head([data.by.name(), "All"].into_iter().chain(models).chain(["Turns"]), html);
    for column in chart.columns.iter().filter(|column| column.total > 0) {
        html.tag("<tr><th scope=\"row\">").text(&column.key).tag("</th><td>");
        html.text(&data.measure.write(column.total)).tag("</td>");
        for model in 0..chart.models.len() {
            let part = column.parts.iter().find(|(at, _)| *at == model);
            html.tag("<td>");
            html.text(&part.map_or_else(String::new, |(_, value)| data.measure.write(*value)));
            html.tag("</td>");
        }
        html.tag("<td>").text(&human::count(column.turns)).tag("</td></tr>\n");
    }
    html.tag("</tbody></table></div></details>\n");
}
