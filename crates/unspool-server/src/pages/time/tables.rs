//! The timeline of a session in numbers: shares of time, the slowest calls, and the turns.

use unspool_engine::ops::timeline::{SessionTimeline, SpanKind, TimeSpan, TimeSums};
use unspool_model::conversation::CallStatus;
use unspool_text::html::Html;
use unspool_text::human;

use crate::pages::parts::{
    SessionPageContext, TimeStyle, moment, paint_entry_link, share as place, table_head,
};

/// The maximum number of turns in the table.
const TURNS: usize = 300;

/// The shares of time: the class, the name, and the milliseconds.
fn sides(sums: &TimeSums) -> [(&'static str, &'static str, u64); 6] {
    [
        ("model", "Model", sums.model_ms),
        ("tool", "Tools", sums.tools_ms),
        ("agent", "Agents alone", sums.agents_ms),
        ("compaction", "Compaction", sums.compaction_ms),
        ("you", "You", sums.you_ms),
        ("other", "Other", sums.other_ms),
    ]
}

/// Paints the shares of time as a bar with a legend.
pub(super) fn shares(sums: &TimeSums, html: &mut Html) {
    let total = sums.present_ms().max(1);
    html.tag("<figure class=\"shares\">");
    bar(sums, "14", html);
    html.tag("<figcaption class=\"legend\">");
    for (class, name, ms) in sides(sums).into_iter().filter(|(.., ms)| *ms > 0) {
        html.tag("<span><i class=\"").tag(class).tag("\"></i>").tag(name);
        html.tag(" <span class=\"n\">").text(&human::duration(ms)).tag(", ");
        html.number((ms * 100 + total / 2) / total).tag(" %</span></span>");
    }
    html.tag("</figcaption></figure>\n");
}

fn bar(sums: &TimeSums, height: &'static str, html: &mut Html) {
    let total = sums.present_ms().max(1) as f64;
    html.tag("<svg class=\"share-bar\" width=\"100%\" height=\"").tag(height);
    html.tag("\" aria-hidden=\"true\">");
    let mut from = 0.0;
    for (class, _, ms) in sides(sums).into_iter().filter(|(.., ms)| *ms > 0) {
        let width = ms as f64 / total;
        html.tag("<rect height=\"100%\" class=\"").tag(class).tag("\"");
        place("x", from, html);
        place("width", width, html);
        html.tag("/>");
        from += width;
    }
    html.tag("</svg>");
}

/// Paints the slowest calls.
pub(super) fn slowest(time: &SessionTimeline, about: &SessionPageContext, html: &mut Html) {
    if time.slowest.is_empty() {
        return;
    }
    html.tag("<section class=\"panel\" aria-labelledby=\"slowest\">");
    html.tag("<h2 id=\"slowest\">Slowest calls</h2>\n<ol class=\"slow\">");
    for id in &time.slowest {
        let span = &time.spans[id.row()];
        html.tag("<li data-row").attribute("id", &format!("slow-{}", id.row()));
        html.tag("><span class=\"took\">");
        html.text(&human::duration(span.duration_ms().unwrap_or(0))).tag("</span>");
        let title = span_title(span);
        let entry = span.entry.as_ref();
        let place = entry.map(|entry| (entry, span.call.as_deref()));
        paint_entry_link(about, place, &title, html);
        html.tag("</li>\n");
    }
    html.tag("</ol></section>\n");
}

/// Paints the turns, each with its shares of time.
pub(super) fn turns(time: &SessionTimeline, about: &SessionPageContext, html: &mut Html) {
    if time.turns.is_empty() {
        return;
    }
    html.tag("<section class=\"panel\" aria-labelledby=\"turns\"><h2 id=\"turns\">Turns</h2>\n");
    html.tag("<table class=\"numbers bars turns\">");
    table_head(["Prompt", "", "Model", "Tools", "At"], html);
    for turn in time.turns.iter().take(TURNS) {
        html.tag("<tr><th scope=\"row\"><span class=\"n\">").number(turn.index.into());
        html.tag("</span> ");
        let prompt = turn.prompt.as_deref().unwrap_or("(nothing said)");
        let place = turn.entry.as_ref().map(|entry| (entry, None));
        paint_entry_link(about, place, prompt, html);
        html.tag("</th><td class=\"meter\" aria-hidden=\"true\">");
        bar(&turn.sums, "8", html);
        html.tag("</td><td>").text(&human::duration(turn.sums.model_ms)).tag("</td><td>");
        html.text(&human::duration(turn.sums.tools_ms)).tag("</td><td>");
        moment(turn.started, TimeStyle::Clock, html);
        html.tag("</td></tr>\n");
    }
    html.tag("</tbody></table></section>\n");
}

/// Describes a span in one line.
pub(super) fn span_title(span: &TimeSpan) -> String {
    let name = match span.kind {
        SpanKind::You => "You",
        SpanKind::Compaction => "Compaction",
        SpanKind::Model | SpanKind::Tool | SpanKind::Agent => {
            span.name.as_deref().unwrap_or(span.kind.name())
        }
    };
    let mut title = name.to_owned();
    match span.status {
        CallStatus::Done => {}
        status => title.extend([", ", status.name()]),
    }
    match span.duration_ms() {
        Some(took) => title.extend([", ", &human::duration(took)]),
        None => title += ", goes on",
    }
    if let Some(label) = span.label.as_deref().filter(|label| !label.is_empty()) {
        title.extend([": ", label]);
    }
    if let Some(cost) = span.spending.and_then(|spending| spending.cost_usd()) {
        title.extend([" (", &human::dollars(cost), ")"]);
    }
    title
}
