//! Strips: small bars in a row, one for each day or week.

use unspool_text::html::Html;

/// One bar of a strip.
pub(crate) struct StripBar {
    /// The value, which determines the height.
    pub(crate) value: u64,
    /// The tooltip.
    pub(crate) title: String,
    /// The address that a click on the bar opens, if any.
    pub(crate) way: Option<String>,
    /// Whether the bar is the chosen one.
    pub(crate) is_chosen: bool,
}

/// The size of a strip: the width of a bar with its gap, the gap, and the height.
const STEP: u64 = 10;
const GAP: u64 = 2;
const HEIGHT: u64 = 28;

/// Paints a strip as an image. A bar with a value above zero is always visible.
pub(crate) fn strip(bars: &[StripBar], label: &str, html: &mut Html) {
    let width = (bars.len() as u64 * STEP).saturating_sub(GAP).max(1);
    let largest = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    html.tag("<svg class=\"strip\" role=\"img\"")
        .attribute("aria-label", label)
        .tag(" viewBox=\"0 0 ")
        .number(width)
        .tag(" ")
        .number(HEIGHT)
        .tag("\" preserveAspectRatio=\"none\">");
    for (at, bar) in bars.iter().enumerate() {
        paint_bar(bar, at as u64 * STEP, largest, html);
    }
    html.tag("</svg>");
}

fn paint_bar(bar: &StripBar, x: u64, largest: u64, html: &mut Html) {
    let is_none = bar.value == 0;
    let height = if is_none { 2 } else { (bar.value * HEIGHT).div_ceil(largest).clamp(3, HEIGHT) };
    if let Some(way) = &bar.way {
        html.tag("<a").attribute("href", way).attribute("aria-label", &bar.title);
        html.tag(if bar.is_chosen { " aria-current=\"true\">" } else { ">" });
        // The area for clicks is as high as the strip.
        html.tag("<rect class=\"hit\" y=\"0\" x=\"").number(x);
        html.tag("\" width=\"").number(STEP).tag("\" height=\"");
        html.number(HEIGHT).tag("\"/>");
    }
    html.tag(if is_none { "<rect class=\"none\" rx=\"1\" x=\"" } else { "<rect rx=\"1\" x=\"" });
    html.number(x).tag("\" y=\"").number(HEIGHT - height);
    html.tag("\" width=\"").number(STEP - GAP).tag("\" height=\"");
    html.number(height).tag("\"><title>").text(&bar.title);
    html.tag("</title></rect>");
    html.tag_if(bar.way.is_some(), "</a>");
}
