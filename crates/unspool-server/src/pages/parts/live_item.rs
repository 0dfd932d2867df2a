//! A session of the inbox: its request, its activity, and the size of its context.

use unspool_engine::ops::inbox::{AskKind, InboxAsk, InboxItem};
use unspool_engine::ops::now::{AgentState, CallAsk, CallNow};
use unspool_model::tool::UserQuestion;
use unspool_store::prices::context_window;
use unspool_text::html::{Html, anchor};
use unspool_text::human;

use super::mark::{SessionMark, mark};
use super::moment::{TimeStyle, moment};
use super::plot::percent;
use super::row::{cut_at, row_title};
use crate::frame::{SessionUrls, project_url};

/// The maximum length of a question, a command or a sentence, in characters.
const WORDS: usize = 280;
/// The maximum number of listed answers to a question.
const OPTIONS: usize = 6;

/// Returns the id of a session's element.
pub(crate) fn item_id(item: &InboxItem) -> String {
    format!("i-{}", anchor(item.row.id.as_str()))
}

/// Paints the mark of a session, and its title as a link.
pub(crate) fn title(item: &InboxItem, state: SessionMark, ways: &SessionUrls, html: &mut Html) {
    mark(state, html);
    row_title(&item.row, ways, html);
}

/// Paints the project and the branch of a session.
pub(crate) fn place(item: &InboxItem, html: &mut Html) {
    let row = &item.row;
    html.tag("<span class=\"where\">");
    match &row.project {
        Some(project) => html.link(&project_url(project), row.project_name()),
        None => html.text(row.project_name()),
    };
    if let Some(branch) = &row.git_branch {
        html.tag("<span class=\"branch\">").text(branch).tag("</span>");
    }
    html.tag("</span>");
}

/// Paints how long a session has been in its state.
pub(crate) fn since(item: &InboxItem, words: &'static str, html: &mut Html) {
    html.tag("<span class=\"since\">").tag(words);
    if let Some(since) = item.since {
        html.tag(" ");
        moment(since, TimeStyle::For, html);
    }
    html.tag("</span>");
}

/// Paints the questions, the plan or the call that a session waits with for a person.
pub(crate) fn ask(ask: &InboxAsk, html: &mut Html) {
    html.tag("<div class=\"asks\">");
    let call = ask.call.as_ref();
    match call.map(|call| &call.asks) {
        Some(CallAsk::Questions(questions)) => {
            for question in questions {
                paint_question(question, html);
            }
        }
        Some(CallAsk::Plan(plan)) => {
            html.tag("<p><b>Is this plan good?</b> ");
            html.text(&cut(plan.as_deref().unwrap_or_default())).tag("</p>");
        }
        Some(CallAsk::Nothing) | None => {
            html.tag("<p><b>").tag(match ask.kind {
                AskKind::Permission => "May it run?",
                AskKind::Question => "It asks a question.",
                AskKind::Plan => "Is its plan good?",
                AskKind::Input => "It waits for you; its terminal says for what.",
            });
            html.tag("</b>");
            if let Some(call) = call {
                html.tag(" ");
                paint_call(call, html);
            }
            html.tag("</p>");
        }
    }
    if let Some(agent) = &ask.agent {
        html.tag("<p class=\"remark\">asked by agent ").text(agent).tag("</p>");
    }
    html.tag("</div>");
}

fn paint_question(question: &UserQuestion<'_>, html: &mut Html) {
    html.tag("<p>").text(&cut(&question.question)).tag("</p>");
    if question.options.is_empty() {
        return;
    }
    html.tag("<ol class=\"options\">");
    for option in question.options.iter().take(OPTIONS) {
        html.tag("<li");
        if let Some(words) = &option.description {
            html.attribute("title", &cut(words));
        }
        html.tag(">").text(&cut(&option.label)).tag("</li>");
    }
    html.tag("</ol>");
}

fn paint_call(call: &CallNow, html: &mut Html) {
    html.tag("<span class=\"call\"><b>").text(&call.tool).tag("</b> ");
    html.tag("<code translate=\"no\">").text(&cut(&call.summary)).tag("</code></span>");
}

/// Returns whether a session only waits for its agents.
fn waits_for_agents(item: &InboxItem) -> bool {
    let is_agent = |call: &CallNow| unspool_model::log::is_agent_tool(call.tool.as_bytes());
    item.doing().is_some_and(is_agent) && item.now.agents_in(AgentState::Running) > 0
}

/// Paints the call that a session works on, and for how long; nothing if it only waits for its agents.
pub(crate) fn doing(item: &InboxItem, html: &mut Html) {
    if waits_for_agents(item) {
        return;
    }
    html.tag("<span class=\"doing\">");
    match item.doing() {
        Some(call) => {
            paint_call(call, html);
            if let Some(since) = call.since {
                html.tag(" <span class=\"n\">");
                moment(since, TimeStyle::For, html);
                html.tag("</span>");
            }
        }
        None => _ = html.tag("<span class=\"n\">thinking</span>"),
    }
    html.tag("</span>");
}

/// Paints the number of a session's agents, and how many of them are done.
pub(crate) fn agent_count(item: &InboxItem, html: &mut Html) {
    let (running, done) =
        (item.now.agents_in(AgentState::Running), item.now.agents_in(AgentState::Done));
    if running + done == 0 {
        return;
    }
    html.tag("<span>").text(&human::plural(running + done, "agent"));
    if done > 0 {
        html.tag(" (").number(done as u64).tag(" done)");
    }
    html.tag("</span>");
}

/// Paints the agents of a session, one line each.
pub(crate) fn agents(item: &InboxItem, html: &mut Html) {
    if item.now.agents.is_empty() {
        return;
    }
    html.tag("<ul class=\"agents\">");
    for agent in &item.now.agents {
        let is_running = agent.state == AgentState::Running;
        html.tag("<li>");
        mark(if is_running { SessionMark::Works } else { SessionMark::Done }, html);
        let name = agent.description.as_deref().or(agent.kind.as_deref());
        html.tag("<span>").text(&cut(name.unwrap_or(&agent.id))).tag("</span>");
        if let Some(call) = agent.call.as_ref().filter(|_| is_running) {
            paint_call(call, html);
        }
        html.tag("<span class=\"n\">");
        if let Some(since) = agent.since.filter(|_| is_running) {
            moment(since, TimeStyle::For, html);
        }
        html.tag("</span></li>");
    }
    html.tag("</ul>");
}

/// Paints the size of the context, and the cost of the session.
pub(crate) fn meters(item: &InboxItem, html: &mut Html) {
    html.tag("<span class=\"meters\">");
    if let Some(tokens) = item.now.context_tokens {
        let model = item.row.models.last().map_or("", String::as_str);
        let limit = context_window(model).map(|window| window.limit_for(tokens));
        html.tag("<span class=\"ctx\" title=\"Context\">");
        if let Some(limit) = limit {
            let full = percent(tokens, limit).min(100);
            html.tag("<svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" role=\"img\"");
            html.attribute("aria-label", &format!("context {full} % full"));
            html.tag("><rect class=\"room\" width=\"100\" height=\"8\"/><rect");
            html.tag_if(full >= 80, " class=\"full\"");
            html.tag(" width=\"").number(full).tag("\" height=\"8\"/></svg>");
        }
        html.text(&human::count(tokens)).tag("</span>");
    }
    if let Some(cost) = item.row.cost_usd.filter(|cost| *cost > 0.0) {
        html.tag("<span class=\"cost\">").text(&human::dollars(cost)).tag("</span>");
    }
    html.tag("</span>");
}

/// Joins the lines of a text and shortens it.
pub(crate) fn cut(text: &str) -> String {
    cut_at(&text.split_whitespace().collect::<Vec<_>>().join(" "), WORDS)
}
