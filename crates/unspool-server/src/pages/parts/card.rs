//! Cards of the inbox: what a session needs, does or did, in a few lines.

use unspool_engine::ops::inbox::{AskKind, InboxAsk, InboxItem};
use unspool_engine::ops::now::{AgentState, CallAsk, CallNow};
use unspool_text::html::{Html, anchor};
use unspool_text::human;

use super::mark::{SessionMark, mark};
use super::moment::{TimeStyle, moment};
use super::row::shown_title;
use super::way::{is_linkable, session_way};

/// Paints a card.
pub(crate) fn card(item: &InboxItem, state: SessionMark, html: &mut Html) {
    let row = &item.row;
    html.tag("<li class=\"card\" data-row")
        .attribute("id", &format!("i-{}", anchor(row.id.as_str())));
    html.tag(">\n<div class=\"card-line\">");
    mark(state, html);
    if is_linkable(&row.id) {
        html.tag("<a class=\"title\"")
            .attribute("href", &session_way(&row.id, ""))
            .tag(">");
        html.text(&shown_title(row)).tag("</a>");
    } else {
        html.tag("<span class=\"title\">").text(&shown_title(row));
        html.tag("</span>");
    }
    html.tag("<span class=\"where\">").text(row.project_name());
    if let Some(branch) = &row.git_branch {
        html.tag(" \u{b7} ").text(branch);
    }
    html.tag("</span><span class=\"when\">");
    if let Some(since) = item.since {
        let style = match state {
            SessionMark::Waits | SessionMark::Works => TimeStyle::For,
            _ => TimeStyle::Ago,
        };
        moment(since, style, html);
    }
    html.tag("</span></div>\n");
    if let Some(asks) = &item.asks {
        ask(asks, html);
    } else if let Some(call) = item.doing() {
        doing(call, html);
    }
    agents(item, html);
    said(item, html);
    facts(item, html);
    html.tag("</li>\n");
}

fn ask(ask: &InboxAsk, html: &mut Html) {
    let call = ask.call.as_ref();
    if let Some(CallAsk::Questions(questions)) = call.map(|call| &call.asks) {
        for question in questions {
            html.tag("<p class=\"asks\">").text(&question.question);
            html.tag("</p>\n<ol class=\"offers\">");
            for option in &question.options {
                html.tag("<li>").text(&option.label).tag("</li>");
            }
            html.tag("</ol>\n");
        }
        return;
    }
    html.tag("<p class=\"asks\">");
    html.tag(match ask.kind {
        AskKind::Question => "asks something",
        AskKind::Plan => "has a plan and asks whether it is good",
        AskKind::Permission => "asks whether it may run ",
        AskKind::Input => "waits in its terminal",
    });
    if let (AskKind::Permission, Some(call)) = (ask.kind, call) {
        html.tag("<code>").text(&call.tool).tag(" ");
        html.text(&call.summary).tag("</code>");
    }
    html.tag("</p>\n");
}

fn doing(call: &CallNow, html: &mut Html) {
    html.tag("<p class=\"doing\"><code>").text(&call.tool);
    html.tag(" ").text(&call.summary).tag("</code> ");
    if let Some(since) = call.since {
        moment(since, TimeStyle::For, html);
    }
    html.tag("</p>\n");
}

fn agents(item: &InboxItem, html: &mut Html) {
    if item.now.agents.is_empty() {
        return;
    }
    html.tag("<ul class=\"card-agents\">");
    for agent in &item.now.agents {
        let state = match agent.state {
            AgentState::Running => SessionMark::Works,
            AgentState::Done => SessionMark::Done,
        };
        html.tag("<li>");
        mark(state, html);
        let name = agent.description.as_deref().or(agent.kind.as_deref());
        html.tag("<span>")
            .text(name.unwrap_or(&agent.id))
            .tag("</span>");
        if let Some(call) = agent.call.as_ref().filter(|_| state == SessionMark::Works) {
            html.tag(" <code>").text(&call.tool).tag(" ");
            html.text(&call.summary).tag("</code>");
        }
        html.tag("</li>");
    }
    html.tag("</ul>\n");
}

fn said(item: &InboxItem, html: &mut Html) {
    if let Some(said) = item
        .now
        .last_said
        .as_deref()
        .filter(|said| !said.is_empty())
    {
        html.tag("<p class=\"last-said\">").text(said).tag("</p>\n");
    }
}

fn facts(item: &InboxItem, html: &mut Html) {
    let row = &item.row;
    let mut facts = Vec::new();
    if let Some(tokens) = item.now.context_tokens {
        facts.push(format!("context {}", human::count(tokens)));
    }
    if row.turns > 0 {
        facts.push(human::plural(row.turns, "turn"));
    }
    if let Some(cost) = row.cost_usd.filter(|cost| *cost > 0.0) {
        facts.push(human::dollars(cost));
    }
    if !facts.is_empty() {
        html.tag("<p class=\"card-facts\">");
        html.text(&facts.join(" \u{b7} ")).tag("</p>\n");
    }
}
