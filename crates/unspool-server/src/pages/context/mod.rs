//! `/s/{id}/context`: the size of the model's context after each answer, with compactions as cliffs
//! and the limit as a line.

mod chart;

use unspool_engine::ops::context_series::{ContextSeries, context_series};
use unspool_engine::ops::transcript::Transcript;
use unspool_text::html::Html;
use unspool_text::human;

use super::parts::{SessionPageContext, paint_entry_link, path_choices, shown_path};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of a session's context.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = call.session()?;
    let view = open.view();
    let about = SessionPageContext::of(&view, call);
    let shown = shown_path(&view, call)?;
    let series = context_series(&shown);
    about.page(call, "/context", "Context", |html| {
        head(&series, &shown, call, html);
        if series.points.is_empty() {
            html.tag("<p class=\"empty\">No answer of this session says what it used.</p>\n");
        } else {
            chart::paint(&series, &about, html);
            cliffs(&series, &about, html);
            limits(&series, html);
        }
        Ok(())
    })
}

fn head(series: &ContextSeries, shown: &Transcript<'_>, call: &Call, html: &mut Html) {
    html.tag("<header class=\"list-head\"><div><h1>");
    match series.points.last() {
        Some(last) => {
            html.text(&human::count(last.context())).tag(" tokens");
            if let Some(limit) = series.limit() {
                html.tag(" <span class=\"soft\">of ").text(&human::count(limit.tokens));
                html.tag("</span>");
            }
        }
        None => _ = html.tag("Context"),
    }
    html.tag("</h1>\n<p class=\"remark\">");
    html.text(&human::plural(series.points.len(), "answer"));
    let peak = series.peak.and_then(|at| series.points.get(at));
    if let Some(peak) = peak {
        html.tag(" \u{b7} fullest ").text(&human::count(peak.context()));
    }
    if !series.cliffs.is_empty() {
        html.tag(" \u{b7} ").text(&human::plural(series.cliffs.len(), "compaction"));
    }
    html.tag("</p></div>");
    path_choices(shown, call, html);
    html.tag("</header>\n");
}

/// Lists the compactions.
fn cliffs(series: &ContextSeries, about: &SessionPageContext, html: &mut Html) {
    if series.cliffs.is_empty() {
        return;
    }
    html.tag("<section class=\"panel\" aria-labelledby=\"cliffs\">");
    html.tag("<h2 id=\"cliffs\">Compactions</h2>\n<ul class=\"slow\">");
    for cliff in &series.cliffs {
        let before = cliff.tokens_before.or_else(|| {
            let before = cliff.before_point.checked_sub(1)?;
            Some(series.points.get(before)?.context())
        });
        let after =
            cliff.tokens_after.or_else(|| Some(series.points.get(cliff.before_point)?.context()));
        let size = |tokens: Option<u64>| tokens.map_or("?".to_owned(), human::count);
        html.tag("<li data-row><span class=\"took\">turn ");
        html.number(cliff.turn.map_or(0, u64::from)).tag("</span>");
        let words = format!("{} \u{2192} {}", size(before), size(after));
        let place = cliff.entry.as_ref().map(|entry| (entry, None));
        paint_entry_link(about, place, &words, html);
        if let Some(trigger) = &cliff.trigger {
            html.tag(" <span class=\"n\">").text(trigger).tag("</span>");
        }
        html.tag("</li>\n");
    }
    html.tag("</ul></section>\n");
}

fn limits(series: &ContextSeries, html: &mut Html) {
    html.tag("<p class=\"remark\">");
    for (at, model) in series.models.iter().enumerate() {
        html.tag_if(at > 0, " \u{b7} ");
        html.text(&model.model).tag(": ");
        match model.limit {
            Some(limit) => {
                html.tag("window of ").text(&human::count(limit.tokens));
                html.tag(" (from the ").tag(limit.source.name()).tag(")");
            }
            None => _ = html.tag("window not known"),
        }
    }
    html.tag("</p>\n");
}
