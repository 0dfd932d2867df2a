//! Paints two paths next to each other.

use unspool_engine::ops::changes::EditTotals;
use unspool_engine::ops::path_diff::{ComparedFile, PathDiff, PathSide, SideTurn};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::positions::PathNumber;
use unspool_text::html::{Html, Painting, prose};
use unspool_text::human;

use crate::pages::parts::{
    PageChoice, SessionPageContext, TimeStyle, cut_at, moment, paint_entry_link, table_head,
    transcript_url,
};
use crate::route::Call;

/// The maximum number of characters of a prompt or an answer.
const WORDS: usize = 600;

/// Paints the page.
pub(super) fn compare(
    diff: &PathDiff,
    shown: &Transcript<'_>,
    about: &SessionPageContext,
    call: &Call,
    html: &mut Html,
) {
    html.tag("<header class=\"list-head\"><div><h1>Path ").number(diff.a.number.into());
    html.tag(" and path ").number(diff.b.number.into()).tag("</h1>\n<p class=\"remark\">");
    html.text(&human::plural(diff.shared_messages, "message")).tag(" in common");
    if let Some(fork) = &diff.fork {
        if let Some(turn) = fork.turn {
            html.tag(" \u{b7} they part in turn ").number(turn.into());
        }
        if let Some(entry) = &fork.entry {
            html.tag(" \u{b7} ").link(&transcript_url(about, entry.as_str(), None), "show where");
        }
    }
    html.tag("</p></div></header>\n");
    html.tag("<div class=\"sides-two\">\n");
    for (name, side, other) in [("a", &diff.a, &diff.b), ("b", &diff.b, &diff.a)] {
        paint_side(name, side, other, shown, about, call, html);
    }
    html.tag("</div>\n");
    files(&diff.files, diff, html);
}

fn paint_side(
    name: &'static str,
    side: &PathSide,
    other: &PathSide,
    shown: &Transcript<'_>,
    about: &SessionPageContext,
    call: &Call,
    html: &mut Html,
) {
    html.tag("<section class=\"side\" aria-label=\"Path ").number(side.number.into());
    html.tag("\">\n<div class=\"head-line\"><h2>Path ").number(side.number.into());
    html.tag(" <span class=\"soft\">").tag(side.kind.words()).tag("</span></h2>");
    choices(name, side.number, shown, call, html);
    html.tag("</div>\n");
    numbers(side, other, html);
    html.tag("<ol class=\"side-turns\">");
    for turn in &side.turns {
        paint_turn(turn, about, html);
    }
    html.tag("</ol>\n");
    if let Some(answer) = &side.last_answer {
        html.tag("<h3>Last answer</h3>\n<div class=\"said-last\">");
        prose(&cut_at(&answer.text, WORDS), Painting::Highlighted, html);
        html.tag("</div>\n");
    }
    let number = side.number.to_string();
    let way = about.way("", &[("path", &number)]);
    html.tag("<p><a class=\"button\"").attribute("href", &way);
    html.tag(">Read this path</a></p>\n</section>\n");
}

/// Paints the choice of paths for one side.
fn choices(
    name: &'static str,
    here: PathNumber,
    shown: &Transcript<'_>,
    call: &Call,
    html: &mut Html,
) {
    let (_, paths) = shown.listed_paths();
    if paths.len() < 3 {
        return;
    }
    html.tag("<ul class=\"choices right\">");
    for path in paths {
        let number = shown.number_of(path);
        let value = number.to_string();
        let changes = [(name, Some(value.as_str()))];
        let choice = PageChoice { changes: &changes, is_chosen: number == here };
        choice.paint(call, html, |html| _ = html.number(number.into()));
    }
    html.tag("</ul>");
}

fn numbers(side: &PathSide, other: &PathSide, html: &mut Html) {
    html.tag("<dl class=\"tiles small\">");
    let mut tile = |name: &'static str, value: String, more: &str| {
        html.tag("<div><dt>").tag(name).tag("</dt><dd>").text(&value);
        html.tag("<small>").text(more).tag("</small></dd></div>");
    };
    if let Some(cost) = side.spending.cost_usd() {
        let other = other.spending.cost_usd().unwrap_or(0.0);
        let more = if cost > other && other > 0.0 { "more" } else { "" };
        tile("Cost", human::dollars(cost), more);
    }
    tile("Tokens", human::count(side.spending.tokens.sum()), "");
    tile("Worked", human::duration(side.worked_ms), "");
    let failed = match side.failed_calls {
        0 => String::new(),
        failed => format!("{failed} failed"),
    };
    tile("Calls", side.calls.to_string(), &failed);
    tile("Lines", lines(side.edits), "");
    html.tag("</dl>\n");
}

fn paint_turn(turn: &SideTurn, about: &SessionPageContext, html: &mut Html) {
    html.tag("<li data-row><p>");
    let prompt = turn.prompt.as_deref().map(|prompt| cut_at(prompt, WORDS));
    let prompt = prompt.as_deref().unwrap_or("(goes on with the turn before)");
    let place = turn.entry.as_ref().map(|entry| (entry, None));
    paint_entry_link(about, place, prompt, html);
    html.tag("</p>\n<p class=\"facts\"><span>turn ").number(turn.index.into()).tag("</span>");
    if let Some(time) = turn.started {
        moment(time, TimeStyle::Minute, html);
    }
    if turn.calls > 0 {
        html.tag("<span>").text(&human::plural(turn.calls as usize, "call")).tag("</span>");
    }
    if let Some(took) = turn.duration_ms {
        html.tag("<span>").text(&human::duration(took)).tag("</span>");
    }
    html.tag("<span>").tag(turn.outcome.name()).tag("</span></p></li>\n");
}

fn files(files: &[ComparedFile], diff: &PathDiff, html: &mut Html) {
    if files.is_empty() {
        html.tag("<p class=\"remark\">Neither path changed a file since they parted.</p>\n");
        return;
    }
    html.tag("<section class=\"panel\" aria-labelledby=\"files\"><h2 id=\"files\">Files</h2>\n");
    let [a, b] = [&diff.a, &diff.b].map(|side| format!("Path {}", side.number));
    html.tag("<table class=\"numbers\">");
    table_head(["File", &a, &b], html);
    for file in files {
        html.tag("<tr><th scope=\"row\"><code translate=\"no\">").text(&file.path);
        html.tag("</code></th>");
        for side in [file.a, file.b] {
            html.tag("<td>").text(&side.map_or_else(String::new, lines)).tag("</td>");
        }
        html.tag("</tr>\n");
    }
    html.tag("</tbody></table></section>\n");
}

fn lines(edits: EditTotals) -> String {
    format!("+{} \u{2212}{}", edits.added, edits.removed)
}
