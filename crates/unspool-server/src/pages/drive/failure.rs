//! Failures, and what a person can do: install the client, log in, wait until a limit is reset, add credit.

use unspool_drive::failure::reset_time;
use unspool_drive::json::RunJson;
use unspool_drive::{FailureCause, RunStage};
use unspool_text::html::Html;

use crate::pages::parts::{TimeStyle, moment};
use crate::settings::ClientLocation;

/// Paints why the last turn of a run failed, or why the run ended; nothing if there was no failure.
pub(super) fn paint_failure(run: &RunJson, html: &mut Html) {
    let ended = run.ended.as_ref();
    let message = ended.and_then(|end| end.message.as_deref());
    let failed = run.last_failure.as_deref().filter(|_| ended.is_none());
    let Some(words) = message.or(failed) else {
        return;
    };
    html.tag("<section class=\"notice\" role=\"status\"");
    if let Some(cause) = run.failure_cause {
        html.attribute("data-cause", cause.name());
    }
    html.tag("><h3>").tag(match run.failure_cause {
        Some(cause) => cause.title(),
        None if run.state == RunStage::Lost => "The run was interrupted",
        None if ended.is_some() => "The client ended",
        None => "The last turn failed",
    });
    html.tag("</h3>\n<p class=\"said\">").text(words).tag("</p>\n");
    if let Some(cause) = run.failure_cause {
        paint_steps(cause, words, html);
    }
    if ended.is_none() {
        paint_held(run, html);
        html.tag("<div class=\"acts\"><button type=\"button\" class=\"main\" data-act=\"again\">");
        html.tag("Send the last prompt again</button>\n");
        if run.queue_held.is_some() {
            html.tag("<button type=\"button\" data-act=\"release\">Send the queue</button>\n");
        }
        html.tag("</div>\n");
    }
    html.tag("</section>\n");
}

/// Paints that the failure blocks queued prompts.
fn paint_held(run: &RunJson, html: &mut Html) {
    if let Some(words) = &run.queue_held {
        html.tag("<p class=\"warn held\">").text(words).tag("</p>\n");
    }
}

/// Paints that the client is not installed. The section is hidden if the client is there; the
/// script can show it.
pub(super) fn paint_missing(client: &ClientLocation, html: &mut Html) {
    html.tag("<section id=\"no-client\" class=\"notice\" role=\"status\"");
    html.attribute("data-cause", FailureCause::NotInstalled.name());
    html.tag_if(client.path.is_some(), " hidden");
    html.tag("><h3>").tag(FailureCause::NotInstalled.title());
    html.tag("</h3>\n<p>This server runs the program <code>").text(&client.program);
    html.tag("</code>, and it is not there. Reading works without it.</p>\n");
    paint_steps(FailureCause::NotInstalled, "", html);
    html.tag("<div class=\"acts\"><button type=\"button\" class=\"main\" data-look>Look again");
    html.tag("</button></div>\n</section>\n");
}

fn paint_steps(cause: FailureCause, words: &str, html: &mut Html) {
    match cause {
        FailureCause::NotInstalled => {
            html.tag("<ol><li>Install Claude Code on the machine of this server: ");
            html.tag("<a href=\"https://code.claude.com/docs\" rel=\"noreferrer noopener\" ");
            html.tag("target=\"_blank\">code.claude.com/docs</a></li>\n");
            html.tag("<li>Log in: run <code>claude</code> once in a terminal there</li>\n");
            html.tag("<li>Or, if it is in another place: name it with <code>client</code> in the ");
            html.tag("settings or with <code>UNSPOOL_CLAUDE</code>, and start the server again");
            html.tag("</li></ol>\n");
        }
        FailureCause::NotLoggedIn => {
            html.tag("<ol><li>Open a terminal on the machine of this server</li>\n");
            html.tag("<li>Run <code>claude</code> and type <code>/login</code></li>\n");
            html.tag("<li>Come back, and send the prompt again</li></ol>\n");
        }
        FailureCause::Limit => {
            html.tag("<p>");
            match reset_time(words) {
                Some(time) => {
                    html.tag("The limit is reset at ");
                    moment(time, TimeStyle::Minute, html);
                    html.tag(". Send the prompt again after that.");
                }
                None => _ = html.tag("Send the prompt again when the limit has been reset."),
            }
            html.tag(" Nothing of the session is lost.</p>\n");
        }
        FailureCause::NoCredit => {
            html.tag("<p>Add credit to the account, and send the prompt again.</p>\n");
        }
        FailureCause::Overloaded => {
            html.tag("<p>The API takes nothing more for now. Send the prompt again in some ");
            html.tag("minutes.</p>\n");
        }
    }
}
