//! A run with its state, its queue and its approvals.

use unspool_drive::json::{ApprovalJson, QueuedPromptJson, RunJson};
use unspool_drive::store::Survivor;
use unspool_drive::suggestion::mode_words;
use unspool_drive::{AwaitedAnswer, PromptState, RunStage};
use unspool_model::time::Time;
use unspool_text::html::Html;
use unspool_text::human;

use super::card::{paint_answered, paint_card};
use super::failure::paint_failure;
use super::limits::paint_limits;
use crate::pages::parts::{TimeStyle, cut_at, moment};

/// How many characters of a queued prompt are shown.
const PROMPT: usize = 400;

/// Paints a run and its recently answered approvals; paints an empty element if there is no run.
pub(in crate::pages) fn paint_run(run: Option<&RunJson>, lately: &[ApprovalJson], html: &mut Html) {
    html.tag("<div id=\"drive-state\"");
    let Some(run) = run else {
        html.tag("></div>\n");
        return;
    };
    html.attribute("data-run", &run.run);
    html.attribute("data-state", run.state.name());
    html.attribute("data-mode", run.permission_mode.as_deref().unwrap_or_default());
    html.attribute("data-model", run.model.as_deref().unwrap_or_default());
    html.attribute("data-session", &run.session).tag(">\n");
    for approval in lately {
        paint_answered(approval, None, html);
    }
    for approval in run.approvals.iter().filter(|one| one.resolved.is_none()) {
        paint_card(approval, html);
    }
    queue(run, html);
    state(run, html);
    html.tag("</div>\n");
}

fn queue(run: &RunJson, html: &mut Html) {
    if run.queue.is_empty() {
        return;
    }
    html.tag("<ol class=\"queue\" aria-label=\"Queue\">\n");
    // Only a prompt after another waiting one can move up.
    let mut has_before = false;
    for prompt in &run.queue {
        let is_held = run.held_by.is_some() || run.queue_held.is_some();
        queued(prompt, has_before, is_held, html);
        has_before |= prompt.state == PromptState::Queued;
    }
    html.tag("</ol>\n");
}

fn queued(prompt: &QueuedPromptJson, has_before: bool, is_held: bool, html: &mut Html) {
    html.tag("<li").attribute("data-prompt", &prompt.id);
    html.attribute("data-state", prompt.state.name()).tag("><p>");
    html.text(&cut_at(&prompt.text, PROMPT));
    html.tag("</p>\n<p class=\"facts\"><span>").tag(match prompt.state {
        PromptState::Queued if is_held => "held",
        PromptState::Queued => "waits for the turn to end",
        PromptState::Sent => "sent",
        PromptState::TakenUp => "being answered",
        PromptState::Lost => "interrupted",
        PromptState::Done => "answered",
        PromptState::Cancelled => "taken back",
    });
    html.tag("</span><span>by ").text(&prompt.by).tag("</span>");
    if prompt.images > 0 {
        html.tag("<span>").text(&human::plural(prompt.images, "image")).tag("</span>");
    }
    html.tag("</p>\n");
    if prompt.state == PromptState::Queued {
        if has_before {
            html.tag("<button type=\"button\" data-act=\"sooner\" ");
            html.tag("aria-label=\"Move up\">\u{2191}</button>");
        }
        html.tag("<button type=\"button\" data-act=\"cancel\">Cancel</button>");
    }
    html.tag("</li>\n");
}

fn state(run: &RunJson, html: &mut Html) {
    html.tag("<p class=\"run-state\"").attribute("data-state", run.state.name());
    html.tag("><span class=\"dot\"></span> <strong>");
    html.tag(match (run.state, run.waiting_for) {
        (RunStage::Starting, _) => "Starting",
        (RunStage::Running, _) => "Working",
        (RunStage::Waiting, Some(AwaitedAnswer::Question)) => "Waits for your answer",
        (RunStage::Waiting, Some(AwaitedAnswer::Plan)) => "Waits for your word on the plan",
        (RunStage::Waiting, _) => "Waits for your approval",
        (RunStage::Idle, _) => "Ready for a prompt",
        (RunStage::Ending, _) => "Ending",
        (RunStage::Lost, _) => "Interrupted",
        (RunStage::Ended, _) => "Ended",
    });
    html.tag("</strong>");
    if let Some(mode) = &run.permission_mode {
        html.tag(" <span class=\"faint\">\u{b7} ").text(&mode_words(mode)).tag("</span>");
    }
    if let Some(at) = run.deadlines.idle_at.as_deref().and_then(Time::parse) {
        html.tag(" <span class=\"faint\">\u{b7} ends ");
        moment(at, TimeStyle::Left, html);
        html.tag("</span> <button type=\"button\" class=\"slim\" data-act=\"stay\">Stay</button>");
    }
    html.tag("</p>\n");
    if let Some(pid) = run.held_by {
        html.tag("<p class=\"warn\">Process ").number(pid.into());
        html.tag(" has this session too, so the queue waits. ");
        html.tag("<button type=\"button\" data-act=\"release\">Go on anyway</button></p>\n");
    }
    for broken in run.broken_settings.iter().filter(|_| run.ended.is_none()) {
        html.tag("<p class=\"warn broken\">Settings are broken, and left out: <code>");
        html.text(broken).tag("</code></p>\n");
    }
    if let Some(spent) = run.over_budget.as_ref().filter(|_| run.ended.is_none()) {
        html.tag("<p class=\"warn spent\">").text(spent).tag("</p>\n");
    }
    paint_failure(run, html);
    if run.ended.is_some() {
        ended(run, html);
        return;
    }
    html.tag("<div class=\"acts\">");
    if matches!(run.state, RunStage::Running | RunStage::Waiting) {
        html.tag("<button type=\"button\" data-act=\"interrupt\">Interrupt</button>\n");
    }
    html.tag("<button type=\"button\" data-act=\"stop\">End the client</button></div>\n");
    paint_limits(run, html);
}

fn ended(run: &RunJson, html: &mut Html) {
    let Some(end) = &run.ended else {
        return;
    };
    if !end.survivors.is_empty() {
        survivors(&end.survivors, html);
    }
    let interrupted = run.approvals.len();
    if interrupted > 0 {
        html.tag("<p class=\"faint\">");
        html.text(&human::plural(interrupted, "request"));
        html.tag(" waited for a person when it ended.</p>\n");
    }
    html.tag("<div class=\"acts\"><button type=\"button\" data-act=\"go-on\">Go on</button>\n");
    if run.queue.iter().any(|prompt| prompt.state == PromptState::Lost) {
        html.tag("<button type=\"button\" data-act=\"again\">Run the last prompt again ");
        html.tag("<small>tools may run twice</small></button>\n");
    }
    html.tag("</div>\n");
}

/// Lists the processes that outlived their client, so that a person can end them.
fn survivors(left: &[Survivor], html: &mut Html) {
    html.tag("<div class=\"warn survivors\"><p>");
    html.text(&human::plural(left.len(), "process"));
    html.tag(" of it may still run:</p>\n<ul>");
    for process in left {
        html.tag("<li><code>").text(&process.command);
        html.tag("</code> <span class=\"faint\">process ");
        html.number(process.pid.into()).tag("</span></li>");
    }
    html.tag("</ul></div>\n");
}
