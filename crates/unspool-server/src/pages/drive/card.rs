//! An approval as a card: the whole request, and the ways to answer it.
//!
//! Buttons show the key that presses them while the card has the focus: 1 allows, 2 allows for the
//! session, 3 moves to the reason of a denial.

use unspool_drive::json::ApprovalJson;
use unspool_drive::suggestion::{is_for_session, suggestion_words};
use unspool_drive::{ApprovalKind, Decision, PermissionMode, Resolution};
use unspool_model::time::Time;
use unspool_model::tool::AskedInput;
use unspool_text::html::Html;

use super::ask::{paint_questions, paint_request};
use super::form::paint_form;
use crate::driving::{Driving, about, heading};
use crate::frame::RunUrls;
use crate::pages::parts::{TimeStyle, moment};
use crate::state::ServerState;

/// The maximum length of a description in the head of a card, in characters; a longer one scrolls
/// with the request.
const HEAD: usize = 240;
/// How many characters of an answered request are shown.
const ANSWERED: usize = 80;

/// Paints an open approval.
pub(in crate::pages) fn paint_card(approval: &ApprovalJson, html: &mut Html) {
    html.tag("<article class=\"approval\"");
    html.attribute("id", &format!("approval-{}", approval.id));
    html.attribute("data-approval", &approval.id);
    html.attribute("data-kind", approval.kind.name());
    html.attribute("data-title", &heading(approval));
    html.attribute("data-words", &about(approval));
    html.attribute("aria-label", &heading(approval));
    html.tag(" tabindex=\"0\">\n");
    head(approval, html);
    let asked = approval.asked();
    match approval.kind {
        ApprovalKind::Tool => tool(approval, &asked, html),
        ApprovalKind::Question => question(asked, html),
        ApprovalKind::Plan => plan(&asked, html),
        ApprovalKind::Elicitation => form(approval, html),
    }
    html.tag("<p class=\"outcome\" role=\"status\"></p>\n</article>\n");
}

/// Paints the recently answered approvals of all runs, for pages about several sessions.
pub(in crate::pages) fn paint_lately(state: &ServerState, html: &mut Html) {
    let driving = state.driving.as_ref();
    let lately = driving.map(Driving::lately).unwrap_or_default();
    let ways = RunUrls::of(state, lately.iter().map(|one| one.session.as_str()));
    for approval in &lately {
        let way = ways.to(&approval.session, &approval.cwd);
        paint_answered(approval, Some(&way), html);
    }
}

/// Paints an answered approval in one line: what was asked, and who answered how. Pages about
/// several sessions pass the address of its session.
pub(super) fn paint_answered(approval: &ApprovalJson, way: Option<&str>, html: &mut Html) {
    html.tag("<p class=\"answered faint\"");
    html.attribute("id", &format!("answered-{}", approval.id));
    html.tag(">").text(approval.tool.as_deref().unwrap_or("A request"));
    let about: String = about(approval).chars().take(ANSWERED).collect();
    if !about.is_empty() {
        html.tag(" <code>").text(&about).tag("</code>");
    }
    let is_question = matches!(approval.kind, ApprovalKind::Question | ApprovalKind::Elicitation);
    if approval.resolved == Some(Resolution::TimedOut) {
        html.tag(if is_question {
            " not answered in time"
        } else {
            " denied, as no answer came in time"
        });
    } else {
        html.tag(match approval.decision {
            Some(Decision::Allow) if is_question => " answered by ",
            Some(Decision::Allow) => " allowed by ",
            _ => " denied by ",
        });
        html.text(approval.by.as_deref().unwrap_or("the client"));
    }
    if let Some(at) = approval.at.as_deref().and_then(Time::parse) {
        html.tag(", ");
        moment(at, TimeStyle::Clock, html);
    }
    if let Some(way) = way {
        html.tag(" \u{b7} ").link(way, "the session");
    }
    html.tag("</p>\n");
}

fn head(approval: &ApprovalJson, html: &mut Html) {
    html.tag("<header><h3>").text(&heading(approval));
    html.tag("</h3>\n<p class=\"facts\">");
    if let Some(agent) = &approval.agent {
        html.tag("<span>agent ").text(agent).tag("</span>");
    }
    // The message of a form is painted above its fields instead.
    let is_form = approval.kind == ApprovalKind::Elicitation;
    let description = approval.description.as_ref();
    if let Some(description) = description.filter(|words| !is_form && !is_long(words)) {
        html.tag("<span>").text(description).tag("</span>");
    }
    if let Some(reason) = &approval.reason {
        html.tag("<span>").text(reason).tag("</span>");
    }
    if approval.kind == ApprovalKind::Tool && !approval.cwd.is_empty() {
        html.tag("<span>in <code>").text(&approval.cwd).tag("</code></span>");
    }
    if let Some(deadline) = approval.deadline.as_deref().and_then(Time::parse) {
        html.tag(match approval.kind {
            ApprovalKind::Question | ApprovalKind::Elicitation => "<span>counts as not answered ",
            ApprovalKind::Tool | ApprovalKind::Plan => "<span>denied for you ",
        });
        moment(deadline, TimeStyle::Left, html);
        html.tag("</span>");
    }
    html.tag("</p></header>\n");
}

/// Returns whether a description is too long for the head of a card.
fn is_long(words: &str) -> bool {
    words.chars().nth(HEAD).is_some()
}

fn tool(approval: &ApprovalJson, asked: &AskedInput, html: &mut Html) {
    let words = approval.description.as_deref();
    paint_request(words.filter(|words| is_long(words)), asked, html);
    consequences(&approval.consequences, html);
    hold(html);
    html.tag("<div class=\"acts\">\n");
    html.tag("<button type=\"button\" class=\"main\" data-decide=\"allow\" data-press=\"1\">");
    html.tag("<kbd>1</kbd> Allow once</button>\n");
    let for_session = approval.suggestions.iter().position(is_for_session);
    for (number, suggestion) in approval.suggestions.iter().enumerate() {
        html.tag("<button type=\"button\" data-decide=\"allow\"");
        html.attribute("data-suggestion", &number.to_string());
        html.tag(if for_session == Some(number) {
            " data-press=\"2\"><kbd>2</kbd> Allow, and "
        } else {
            ">Allow, and "
        });
        html.text(&suggestion_words(suggestion)).tag("</button>\n");
    }
    html.tag("</div>\n");
    deny("Deny", "Why not, or what instead (Claude reads it)", html);
}

/// Lists what a call would do outside the project.
fn consequences(said: &[String], html: &mut Html) {
    if said.is_empty() {
        return;
    }
    html.tag("<ul class=\"consequences\" aria-label=\"Consequences\">");
    for words in said {
        html.tag("<li>").text(words).tag("</li>");
    }
    html.tag("</ul>\n");
}

/// Paints the hint that a script shows until the end of the request was visible.
fn hold(html: &mut Html) {
    html.tag("<p class=\"hold\" hidden>Read it to its end before you allow it. ");
    html.tag("<button type=\"button\" class=\"slim\" data-to-end>Go to the end</button></p>\n");
}

fn question(asked: AskedInput, html: &mut Html) {
    html.tag("<form data-answers>\n");
    paint_questions(&asked.questions(), html);
    html.tag("<div class=\"acts\"><button type=\"submit\" class=\"main\">Answer</button></div>\n");
    html.tag("</form>\n");
    deny("Do not answer", "What to do instead (Claude reads it)", html);
}

fn form(approval: &ApprovalJson, html: &mut Html) {
    if let Some(message) = &approval.description {
        html.tag("<p class=\"message\">").text(message).tag("</p>\n");
    }
    html.tag("<form data-form>\n");
    paint_form(&approval.input, html);
    html.tag("<div class=\"acts\"><button type=\"submit\" class=\"main\">Send</button>\n");
    html.tag("<button type=\"button\" data-decide=\"deny\">Decline</button></div>\n</form>\n");
}

fn plan(asked: &AskedInput, html: &mut Html) {
    paint_request(None, asked, html);
    hold(html);
    html.tag("<div class=\"acts\">\n");
    for (number, mode) in (1..).zip(PermissionMode::FOR_PLANS) {
        html.tag("<button type=\"button\" data-decide=\"allow\"");
        html.attribute("data-mode", mode.name());
        html.attribute("data-press", &format!("{number}"));
        html.tag(if number == 1 { " class=\"main\"><kbd>" } else { "><kbd>" });
        html.number(number).tag("</kbd> Go ahead, and ");
        html.text(mode.words()).tag("</button>\n");
    }
    html.tag("</div>\n");
    deny("Keep planning", "What is wrong with the plan", html);
}

fn deny(name: &'static str, hint: &'static str, html: &mut Html) {
    html.tag("<form class=\"deny\" data-deny>");
    html.tag("<input type=\"text\" name=\"words\" autocomplete=\"off\" data-press=\"3\"");
    html.attribute("placeholder", hint).attribute("aria-label", hint);
    html.tag("><button type=\"submit\"><kbd>3</kbd> ").tag(name).tag("</button></form>\n");
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn painted(input: &Value, suggestions: &Value) -> String {
        let approval = json!({
            "id": "a", "run": "r", "session": "s", "cwd": "/w", "kind": "tool", "tool": "Bash",
            "input": input, "description": null, "reason": null,
            "consequences": ["writes outside of the project: /etc/<x>"],
            "suggestions": suggestions, "call": null, "agent": null,
            "asked": "2026-01-01T00:00:00Z", "deadline": null, "resolved": null,
            "decision": null, "by": null, "at": null,
        });
        let approval: ApprovalJson = serde_json::from_value(approval).expect("an approval");
        let mut html = Html::new();
        paint_card(&approval, &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn the_key_for_the_session_adds_no_lasting_rule() {
        let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash"}],
            "behavior": "allow", "destination": "localSettings"});
        let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
        let input = json!({"command": "true"});
        let card = painted(&input, &json!([rule, mode]));
        assert!(card.contains("data-suggestion=\"1\" data-press=\"2\""), "{card}");
        assert_eq!(card.matches("data-press=\"2\"").count(), 1);
        let card = painted(&input, &json!([rule]));
        assert!(!card.contains("data-press=\"2\""), "{card}");
    }

    #[test]
    fn consequences_are_said_and_escaped() {
        let card = painted(&json!({"command": "true"}), &json!([]));
        let said = "<li>writes outside of the project: /etc/&lt;x&gt;</li>";
        assert!(card.contains(said), "{card}");
    }
}
