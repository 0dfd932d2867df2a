//! What waits for a person, as a card: the whole request, and the ways to answer it.

use unspool_drive::json::ApprovalJson;
use unspool_model::time::Time;
use unspool_text::html::Html;

use super::ask::{paint_input, paint_plan, paint_questions};
use super::form::paint_form;
use crate::driving::{about, heading};
use crate::pages::parts::{TimeStyle, moment};
use unspool_drive::suggestion::{mode_words, suggestion_words};

/// The modes in which a plan can be carried out.
const PLAN_MODES: [&str; 2] = ["default", "acceptEdits"];

/// How many characters of a request that was answered are shown.
const ANSWERED: usize = 80;

/// Paints an approval that is open.
pub(in crate::pages) fn paint_card(approval: &ApprovalJson, html: &mut Html) {
    html.tag("<article class=\"approval\"");
    html.attribute("id", &format!("approval-{}", approval.id));
    html.attribute("data-approval", &approval.id);
    html.attribute("data-kind", &approval.kind);
    html.attribute("data-title", &heading(approval));
    html.attribute("data-words", &about(approval));
    html.tag(" tabindex=\"-1\">\n");
    head(approval, html);
    match approval.kind.as_str() {
        "question" => question(approval, html),
        "plan" => plan(approval, html),
        "elicitation" => form(approval, html),
        _ => tool(approval, html),
    }
    html.tag("<p class=\"outcome\" role=\"status\"></p>\n</article>\n");
}

/// Paints an approval that was answered, in a line: what was asked, and who answered how.
pub(super) fn paint_answered(approval: &ApprovalJson, html: &mut Html) {
    html.tag("<p class=\"answered faint\"");
    html.attribute("id", &format!("answered-{}", approval.id));
    html.tag(">")
        .text(approval.tool.as_deref().unwrap_or("A request"));
    let about: String = about(approval).chars().take(ANSWERED).collect();
    if !about.is_empty() {
        html.tag(" <code>").text(&about).tag("</code>");
    }
    html.tag(
        match (approval.kind.as_str(), approval.decision.as_deref()) {
            ("question" | "elicitation", Some("allow")) => " answered by ",
            (_, Some("allow")) => " allowed by ",
            _ => " denied by ",
        },
    );
    html.text(approval.by.as_deref().unwrap_or("the client"));
    if let Some(at) = approval.at.as_deref().and_then(Time::parse) {
        html.tag(", ");
        moment(at, TimeStyle::Clock, html);
    }
    html.tag("</p>\n");
}

fn head(approval: &ApprovalJson, html: &mut Html) {
    html.tag("<header><h3>").text(&heading(approval));
    html.tag("</h3>\n<p class=\"facts\">");
    if let Some(agent) = &approval.agent {
        html.tag("<span>agent ").text(agent).tag("</span>");
    }
    // The message of a form is what the person reads first, below.
    let description = approval.description.as_ref();
    if let Some(description) = description.filter(|_| approval.kind != "elicitation") {
        html.tag("<span>").text(description).tag("</span>");
    }
    if let Some(reason) = &approval.reason {
        html.tag("<span>").text(reason).tag("</span>");
    }
    if let Some(deadline) = approval.deadline.as_deref().and_then(Time::parse) {
        html.tag(match approval.kind.as_str() {
            "question" | "elicitation" => "<span>counts as not answered at ",
            _ => "<span>denied for you at ",
        });
        moment(deadline, TimeStyle::Clock, html);
        html.tag("</span>");
    }
    html.tag("</p></header>\n");
}

fn tool(approval: &ApprovalJson, html: &mut Html) {
    let tool = approval.tool.as_deref().unwrap_or_default();
    paint_input(tool, &approval.input, html);
    html.tag("<div class=\"acts\">\n");
    html.tag("<button type=\"button\" class=\"main\" data-decide=\"allow\">Allow</button>\n");
    for (number, suggestion) in approval.suggestions.iter().enumerate() {
        html.tag("<button type=\"button\" data-decide=\"allow\"");
        html.attribute("data-suggestion", &number.to_string());
        html.tag(">Allow, and ")
            .text(&suggestion_words(suggestion))
            .tag("</button>\n");
    }
    html.tag("</div>\n");
    deny("Deny", "Why not, or what instead (Claude reads it)", html);
}

fn question(approval: &ApprovalJson, html: &mut Html) {
    html.tag("<form data-answers>\n");
    paint_questions(&approval.input, html);
    html.tag("<div class=\"acts\"><button type=\"submit\" class=\"main\">Answer</button></div>\n");
    html.tag("</form>\n");
    deny(
        "Do not answer",
        "What to do instead (Claude reads it)",
        html,
    );
}

fn form(approval: &ApprovalJson, html: &mut Html) {
    if let Some(message) = &approval.description {
        html.tag("<p class=\"message\">")
            .text(message)
            .tag("</p>\n");
    }
    html.tag("<form data-form>\n");
    paint_form(&approval.input, html);
    html.tag("<div class=\"acts\"><button type=\"submit\" class=\"main\">Send</button>\n");
    html.tag("<button type=\"button\" data-decide=\"deny\">Decline</button></div>\n</form>\n");
}

fn plan(approval: &ApprovalJson, html: &mut Html) {
    paint_plan(&approval.input, html);
    html.tag("<div class=\"acts\">\n");
    for (number, mode) in PLAN_MODES.into_iter().enumerate() {
        html.tag("<button type=\"button\" data-decide=\"allow\"");
        html.attribute("data-mode", mode);
        html.tag(if number == 0 { " class=\"main\">" } else { ">" });
        html.tag("Go ahead, and ")
            .text(&mode_words(mode))
            .tag("</button>\n");
    }
    html.tag("</div>\n");
    deny("Keep planning", "What is wrong with the plan", html);
}

fn deny(name: &'static str, hint: &'static str, html: &mut Html) {
    html.tag("<form class=\"deny\" data-deny><label class=\"sr\">Words</label>");
    html.tag("<input type=\"text\" name=\"words\" autocomplete=\"off\"");
    html.attribute("placeholder", hint)
        .attribute("aria-label", hint);
    html.tag("><button type=\"submit\">")
        .tag(name)
        .tag("</button></form>\n");
}
