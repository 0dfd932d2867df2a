//! The small charts of the panel, as images without scripts and inline styles.

use std::fmt::Write as _;

use unspool_engine::ops::timeline::TimeShares;
use unspool_text::html::Html;

/// The width of an image.
const WIDTH: f64 = 240.0;
/// The height of the curve.
const HEIGHT: f64 = 36.0;
/// The maximum number of points of the curve; each is the largest of the values that it replaces.
const POINTS: usize = 120;

/// Draws the tokens in the context over time, with the limit as the upper edge.
pub(super) fn sawtooth(series: &[u64], limit: Option<u64>, html: &mut Html) {
    if series.len() < 3 {
        return;
    }
    let most = series.iter().copied().max().unwrap_or(0).max(1);
    // A curve far below the limit would be a line at the bottom, so it gets the whole height.
    let top = limit.filter(|&limit| most > limit / 4).unwrap_or(most);
    let step = series.len().div_ceil(POINTS);
    let points: Vec<u64> =
        series.chunks(step).map(|some| some.iter().copied().max().unwrap_or(0)).collect();
    let last = (points.len() - 1).max(1) as f64;
    let mut way = String::new();
    for (at, tokens) in points.iter().enumerate() {
        let x = at as f64 / last * WIDTH;
        let y = HEIGHT - (*tokens as f64 / top as f64).min(1.0) * (HEIGHT - 2.0);
        // Writing to a string cannot fail.
        let step = if at == 0 { 'M' } else { 'L' };
        let _ = write!(way, "{step}{x:.1} {y:.1}");
    }
    html.tag("<svg class=\"sawtooth\" viewBox=\"0 0 240 36\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path");
    html.attribute("d", &format!("{way}L{WIDTH} {HEIGHT}L0 {HEIGHT}Z"));
    html.tag(" class=\"area\"></path><path").attribute("d", &way).tag("></path></svg>\n");
}

/// Draws the shares of time, and lists them as text.
pub(super) fn shares(shares: TimeShares, html: &mut Html) {
    let parts = [
        ("model", shares.model),
        ("tools", shares.tools),
        ("agents", shares.agents),
        ("compaction", shares.compaction),
        ("you", shares.you),
        ("other", shares.other),
    ];
    let parts: Vec<(&'static str, u32)> =
        parts.into_iter().filter(|(_, share)| *share > 0).collect();
    if parts.is_empty() {
        return;
    }
    html.tag("<svg class=\"shares\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let mut start = 0;
    for (name, share) in &parts {
        html.tag("<rect class=\"of-").tag(name).tag("\"");
        html.attribute("x", &start.to_string());
        html.attribute("width", &share.to_string());
        html.tag(" height=\"4\"></rect>");
        start += share;
    }
    html.tag("</svg>\n<ul class=\"legend\">\n");
    for (name, share) in parts {
        html.tag("<li class=\"of-").tag(name).tag("\">").tag(name);
        html.tag(" ").number(share.into()).tag(" %</li>\n");
    }
    html.tag("</ul>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_testkit::markup::check_served;

    #[test]
    fn drawings_are_made_of_our_own_markup() {
        let mut html = Html::new();
        sawtooth(&[1, 500, 3, u64::MAX], Some(10), &mut html);
        sawtooth(&vec![7; 100_000], None, &mut html);
        sawtooth(&[1, 2], None, &mut html);
        let all = TimeShares { model: 40, tools: 35, you: 25, ..TimeShares::default() };
        shares(all, &mut html);
        shares(TimeShares::default(), &mut html);
        check_served(html.as_str());
        assert_eq!(html.as_str().matches("<svg").count(), 3);
        assert!(html.as_str().len() < 8000, "{}", html.as_str().len());
        assert!(html.as_str().contains("you 25 %"));
    }
}
