//! The panel: facts about a session.
//!
//! Context, cost, time, files, agents, tools, models, and the number of log entries by place. The
//! page of most sessions contains all facts from the tables of the log; that of a very long session
//! contains only those that need no sums, and the others are fetched. Facts that need all messages
//! (changed lines of each file, sessions that share entries) are in the page of a short session and
//! are fetched for a long one: [`more`].

mod charts;
mod facts;
mod more;

use std::io;

use unspool_engine::ops::timeline::time_sums;
use unspool_engine::ops::transcript::Transcript;
use unspool_model::usage::Tokens;
use unspool_render::document::StartFolder;
use unspool_store::rows::Bill;
use unspool_text::html::Html;
use unspool_text::human;

use self::facts::{CallFacts, ContextFill, calls, context_fill};
pub(super) use self::more::{MoreFacts, paint_more};
use super::exports;
use super::sheet::SessionSheet;
use super::time::moment;
use crate::pages::parts::percent;

/// The maximum number of lines of a list.
const LISTED: usize = 8;
/// The number of messages up to which the page contains sums. Summing up 75,000 messages takes 110
/// ms, and a page should begin within 50.
const ADDED_AT_ONCE: u32 = 8_000;

/// Returns whether the sums of a conversation are fetched after the page.
pub(super) fn is_late(sheet: &SessionSheet<'_>) -> bool {
    sheet.len() > ADDED_AT_ONCE
}

/// Paints the facts that need no sums, and a link to the others.
pub(super) fn paint_early(sheet: &SessionSheet<'_>, resume: &str, html: &mut Html) {
    let all = sheet.ways.page_with(&[("facts", "1")]);
    html.tag("<div id=\"panel-facts\" data-late>\n<p class=\"lead\"><a");
    html.attribute("href", &all);
    html.tag(">Add up context, cost and time</a></p>\n");
    agents(sheet, html);
    about(sheet, resume, html);
    completeness(sheet, html);
    exports::paint(sheet, html);
    html.tag("</div>\n");
}

/// Paints the panel. `more` are the facts that need all messages, if they were read; `resume` is
/// the command that continues the session.
pub(super) fn paint(
    sheet: &SessionSheet<'_>,
    more: Option<&MoreFacts>,
    resume: &str,
    html: &mut Html,
) -> io::Result<()> {
    let shown = &sheet.shown;
    html.tag("<div id=\"panel-facts\">\n");
    if let Some(fill) = context_fill(shown) {
        context(sheet, &fill, html);
    }
    let bill = Bill::of(shown.session, sheet.prices);
    cost(shown, &bill, html);
    time(sheet, html)?;
    let calls = calls(shown);
    match more {
        Some(more) => paint_more(sheet, more, html),
        None => files_by_name(sheet, &calls, html),
    }
    agents(sheet, html);
    tools(&calls, html);
    models(&bill, html);
    about(sheet, resume, html);
    completeness(sheet, html);
    exports::paint(sheet, html);
    html.tag("</div>\n");
    Ok(())
}

/// Opens a section of the panel.
pub(super) fn open_fact(title: &'static str, html: &mut Html) {
    html.tag("<section class=\"fact\">\n<h2>").tag(title).tag("</h2>\n");
}

fn context(sheet: &SessionSheet<'_>, fill: &ContextFill, html: &mut Html) {
    open_fact("Context", html);
    html.tag("<p class=\"big\">").text(&human::count(fill.tokens)).tag(" <small>");
    if let Some(limit) = fill.limit {
        html.tag("of ").text(&human::count(limit)).tag(" ");
    }
    html.tag("tokens</small></p>\n");
    if let Some(limit) = fill.limit {
        let percent = percent(fill.tokens, limit);
        html.tag("<meter min=\"0\" max=\"100\" low=\"70\" high=\"90\" optimum=\"0\"");
        html.attribute("value", &percent.to_string());
        html.attribute("aria-label", "Context in use").tag(">");
        html.number(percent).tag(" %</meter>\n");
    }
    charts::sawtooth(&fill.series, fill.limit, html);
    lead(sheet, "context", "How it filled", html);
    html.tag("</section>\n");
}

/// Paints a link to a page about the session, unless an agent is shown.
fn lead(sheet: &SessionSheet<'_>, page: &str, words: &'static str, html: &mut Html) {
    if sheet.shown.agent.is_none() {
        let way = sheet.ways.of_session(&[page], &[]);
        html.tag("<p class=\"lead\"><a").attribute("href", &way).tag(">").tag(words);
        html.tag("</a></p>\n");
    }
}

fn cost(shown: &Transcript<'_>, bill: &Bill, html: &mut Html) {
    let used = bill.tokens.sum();
    if used == 0 {
        return;
    }
    open_fact(if shown.agent.is_some() { "Cost of the session" } else { "Cost" }, html);
    html.tag("<p class=\"big\">");
    match bill.cost_usd {
        Some(cost) => _ = html.text(&human::dollars(cost)),
        None => _ = html.tag("<small>no price is known</small>"),
    }
    html.tag(" <small>").text(&human::count(used)).tag(" tokens</small></p>\n");
    token_list(bill.tokens, html);
    html.tag("</section>\n");
}

fn token_list(tokens: Tokens, html: &mut Html) {
    let kinds = [
        ("input", tokens.input),
        ("output", tokens.output),
        ("cache writes", tokens.cache_write_5m.saturating_add(tokens.cache_write_1h)),
        ("cache reads", tokens.cache_read),
    ];
    html.tag("<dl class=\"pairs\">\n");
    for (name, count) in kinds.into_iter().filter(|(_, count)| *count > 0) {
        html.tag("<div><dt>").tag(name).tag("</dt><dd>");
        html.text(&human::count(count)).tag("</dd></div>\n");
    }
    html.tag("</dl>\n");
}

fn time(sheet: &SessionSheet<'_>, html: &mut Html) -> io::Result<()> {
    let shown = &sheet.shown;
    let (first, last) = (shown.turns.first(), shown.turns.last());
    let ended = last.and_then(|turn| turn.ended.or(turn.started));
    let Some(started) = first.and_then(|turn| turn.started) else {
        return Ok(());
    };
    let sums = time_sums(shown)?;
    open_fact("Time", html);
    html.tag("<p class=\"big\">").text(&human::duration(sums.present_ms()));
    if sums.away_ms > 0 {
        html.tag(" <small>and ").text(&human::duration(sums.away_ms)).tag(" away</small>");
    }
    html.tag("</p>\n");
    charts::shares(sums.shares(), html);
    html.tag("<p class=\"faint\">");
    moment(started, html);
    if let Some(ended) = ended.filter(|ended| ended.since(started) > 0) {
        html.tag(" \u{2013} ");
        moment(ended, html);
    }
    html.tag("</p>\n");
    lead(sheet, "time", "Where it went", html);
    html.tag("</section>\n");
    Ok(())
}

/// Lists changed files without their changed lines, and a link that counts these.
fn files_by_name(sheet: &SessionSheet<'_>, calls: &CallFacts, html: &mut Html) {
    let way = sheet.ways.below(&["facts"], &[]);
    html.tag("<div id=\"more-facts\"").attribute("data-facts", &way).tag(">\n");
    if !calls.files.is_empty() {
        open_fact("Files", html);
        html.tag("<ul class=\"names\">\n");
        let folder = StartFolder::new(sheet.shown.cwd());
        for file in calls.files.iter().take(LISTED) {
            html.tag("<li><span class=\"path\">").text(folder.shorten(file));
            html.tag("</span></li>\n");
        }
        html.tag("</ul>\n");
        rest(calls.files.len(), html);
        html.tag("</section>\n");
    }
    let all = sheet.ways.page_with(&[("facts", "1")]);
    html.tag("<p class=\"lead\"><a").attribute("href", &all);
    html.tag(">Count changed lines and look for related sessions</a></p>\n</div>\n");
}

/// Paints how many items a list leaves out.
pub(super) fn rest(count: usize, html: &mut Html) {
    if count > LISTED {
        html.tag("<p class=\"faint\">and ").number((count - LISTED) as u64).tag(" more</p>\n");
    }
}

fn agents(sheet: &SessionSheet<'_>, html: &mut Html) {
    let agents = &sheet.shown.agents;
    if agents.is_empty() {
        return;
    }
    open_fact("Agents", html);
    html.tag("<ul class=\"names\" id=\"agents\">\n");
    for info in agents.iter().take(LISTED) {
        let head = super::agent_head(sheet, info);
        let way = sheet.ways.of_agent(Some(&info.id)).page();
        html.tag("<li><a").attribute("href", &way);
        html.tag_if(sheet.shown.agent.as_ref() == Some(&info.id), " aria-current=\"page\"");
        html.tag(">").text(&head.words()).tag("</a> <small>");
        html.number(info.message_count as u64).tag("</small></li>\n");
    }
    html.tag("</ul>\n");
    rest(agents.len(), html);
    html.tag("</section>\n");
}

fn tools(calls: &CallFacts, html: &mut Html) {
    if calls.tools.is_empty() {
        return;
    }
    open_fact("Tools", html);
    html.tag("<dl class=\"pairs\">\n");
    for tool in calls.tools.iter().take(LISTED) {
        html.tag("<div><dt>").text(&tool.name).tag("</dt><dd>");
        if tool.failed > 0 {
            html.tag("<span class=\"bad\">").number(tool.failed.into()).tag(" failed of</span> ");
        }
        html.number(tool.calls.into()).tag("</dd></div>\n");
    }
    html.tag("</dl>\n");
    rest(calls.tools.len(), html);
    html.tag("</section>\n");
}

fn models(bill: &Bill, html: &mut Html) {
    let models = &bill.models;
    if models.is_empty() {
        return;
    }
    open_fact("Models", html);
    html.tag("<ul class=\"names\">\n");
    for model in models.iter().take(LISTED) {
        html.tag("<li>").text(model).tag("</li>\n");
    }
    html.tag("</ul>\n</section>\n");
}

/// Paints where the session is, and the command that continues it.
fn about(sheet: &SessionSheet<'_>, resume: &str, html: &mut Html) {
    let shown = &sheet.shown;
    let log = shown.session.log();
    open_fact("Session", html);
    html.tag("<dl class=\"about\">\n");
    let mut pair = |name: &'static str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            html.tag("<dt>").tag(name).tag("</dt><dd>").text(&value).tag("</dd>\n");
        }
    };
    pair("Id", Some(shown.session.id.as_str().to_owned()));
    pair("Folder", shown.cwd());
    let facts = &log.facts;
    pair("Branch", facts.branch.map(|name| log.text(name).to_owned()));
    pair("Claude Code", facts.version.map(|name| log.text(name).to_owned()));
    html.tag("<dt>Log</dt><dd id=\"log-path\">");
    html.text(&shown.file.path().display().to_string());
    html.tag("</dd>\n</dl>\n");
    if shown.agent.is_none() {
        html.tag("<div class=\"code resume\" id=\"resume\"><pre tabindex=\"0\"><code>");
        html.text(resume).tag("</code></pre></div>\n");
    }
    html.tag("</section>\n");
}

/// Paints the number of log entries by place; every entry is counted once.
fn completeness(sheet: &SessionSheet<'_>, html: &mut Html) {
    let counts = sheet.counts();
    let raw = sheet.ways.of_session(&["raw"], &[]);
    let tree = sheet.ways.of_session(&["tree"], &[]);
    html.tag("<p class=\"complete\">").number(counts.entries).tag(" entries: ");
    let mut is_first = true;
    let mut part = |count: u64, words: &'static str, way: &str| {
        html.tag(if is_first { "" } else { ", " });
        is_first = false;
        if count > 0 {
            html.tag("<a").attribute("href", way).tag(">").number(count).tag(words).tag("</a>");
        } else {
            html.number(count).tag(words);
        }
    };
    let active = sheet.ways.on_path(None).page();
    let is_active = sheet.shown.path.as_ref().is_none_or(|path| path.active);
    let here = if is_active { " here" } else { " on the active path" };
    part(counts.active, here, &active);
    part(counts.other_paths, " on other paths", &tree);
    if counts.agents > 0 {
        part(counts.agents, " of agents", "#agents");
    }
    part(counts.metadata, " metadata", &raw);
    part(counts.damaged, " damaged", &raw);
    html.tag("</p>\n");
}
