//! The header of a transcript: its title, its origin, its cost.

use unspool_text::html::Html;
use unspool_text::human;
use unspool_text::sanitize::one_line;

use super::moment::{Precision, moment};
use crate::document::{OtherPath, OtherPaths, PathStatus, TranscriptHead};
use unspool_engine::ops::transcript::ViewKind;

/// The most columns of a title.
const TITLE: usize = 120;
/// The most characters of a title in large type.
const SHORT_TITLE: usize = 60;

/// Returns the title of a transcript.
pub(super) fn title(head: &TranscriptHead) -> String {
    let agent = head.agent.as_ref();
    let agent = agent.map(|agent| agent.description.as_deref().unwrap_or(&agent.id));
    let prompt = || head.turns.first().map(|turn| turn.prompt.as_str());
    let title = agent.or(head.title.as_deref()).or_else(prompt);
    let title = title.map(|title| one_line(title, TITLE));
    title.filter(|title| !title.is_empty()).unwrap_or_else(|| format!("Session {}", head.session))
}

/// Paints a title at the top of a page.
pub fn heading(title: &str, html: &mut Html) {
    let is_short = title.chars().count() <= SHORT_TITLE;
    html.tag(if is_short { "<h1>" } else { "<h1 class=\"long\">" });
    html.text(title).tag("</h1>\n");
}

/// Paints the header of the first page.
pub(super) fn paint(head: &TranscriptHead, title: &str, html: &mut Html) {
    html.tag("<header class=\"front\">\n");
    place(head, html);
    heading(title, html);
    if head.path.status == PathStatus::Abandoned {
        banner(head, html);
    }
    html.tag("<dl class=\"facts\">\n");
    times(head, html);
    numbers(head, html);
    origin(head, html);
    html.tag("</dl>\n");
    notes(head, html);
    paths(&head.others, html);
    html.tag("</header>\n");
}

fn place(head: &TranscriptHead, html: &mut Html) {
    let folder = head.cwd.as_deref().or(head.project.as_ref().map(AsRef::as_ref));
    if folder.is_none() && head.branch.is_none() {
        return;
    }
    html.tag("<p class=\"place\">");
    if let Some(folder) = folder {
        html.tag("<span>").text(folder).tag("</span>");
    }
    if let Some(branch) = &head.branch {
        html.tag(" <span class=\"branch\">").text(branch).tag("</span>");
    }
    html.tag("</p>\n");
}

fn banner(head: &TranscriptHead, html: &mut Html) {
    html.tag("<p class=\"banner\" role=\"note\"><strong>Abandoned path.</strong> ");
    html.tag("The conversation went on elsewhere; a resume would not continue here.");
    for other in head.others.named.iter().filter(|other| other.status == PathStatus::Active) {
        html.tag(" See ");
        path_link(other, html);
        html.tag(".");
    }
    html.tag("</p>\n");
}

/// Paints links to the other paths, if there are any.
pub(super) fn paths(others: &OtherPaths, html: &mut Html) {
    if others.count() > 0 {
        html.tag("<p class=\"remark\" id=\"paths\">Other paths: ");
        path_links(others, html);
        html.tag("</p>\n");
    }
}

/// Paints links to other paths, and the number of further paths.
pub(super) fn path_links(others: &OtherPaths, html: &mut Html) {
    for (index, other) in others.named.iter().enumerate() {
        html.tag_if(index > 0, ", ");
        path_link(other, html);
    }
    if others.more > 0 {
        html.text(&format!(" and {} more", others.more));
    }
}

/// Paints a link to another path, or its name if it is not written.
pub(super) fn path_link(other: &OtherPath, html: &mut Html) {
    let words = match other.status {
        PathStatus::Active => "the active path".to_owned(),
        PathStatus::Abandoned => format!("path {} (abandoned)", other.number),
    };
    match &other.file {
        Some(file) => html.link(file, &words),
        None => html.tag("<span>").text(&words).tag("</span>"),
    };
}

/// Paints one fact.
fn fact(name: &'static str, html: &mut Html, value: impl FnOnce(&mut Html)) {
    html.tag("<div><dt>").tag(name).tag("</dt><dd>");
    value(html);
    html.tag("</dd></div>\n");
}

fn times(head: &TranscriptHead, html: &mut Html) {
    if let Some(started) = head.started {
        fact("Started", html, |html| {
            moment(started, Precision::Minute, html);
        });
    }
    if let (Some(started), Some(ended)) = (head.started, head.ended) {
        let lasted = human::duration(ended.since(started));
        fact("Lasted", html, |html| {
            html.tag("<span").attribute("title", &ended.to_string()).tag(">");
            html.text(&lasted).tag("</span>");
        });
    }
}

fn numbers(head: &TranscriptHead, html: &mut Html) {
    fact("Turns", html, |html| {
        html.number(head.turns.len() as u64);
    });
    fact("Messages", html, |html| {
        html.number(head.messages as u64);
    });
    let tokens = head.tokens;
    if tokens.sum() > 0 {
        let parts = format!(
            "{} input, {} output, {} cache written, {} cache read",
            tokens.input,
            tokens.output,
            tokens.cache_write_5m + tokens.cache_write_1h,
            tokens.cache_read
        );
        fact("Tokens", html, |html| {
            html.tag("<span").attribute("title", &parts).tag(">");
            html.text(&human::count(tokens.sum())).tag("</span>");
        });
    }
    if let Some(cost) = head.cost_usd {
        fact("Cost", html, |html| _ = html.text(&human::dollars(cost)));
    }
}

fn origin(head: &TranscriptHead, html: &mut Html) {
    if !head.models.is_empty() {
        fact("Models", html, |html| {
            html.text(&head.models.join(", "));
        });
    }
    if let Some(version) = &head.version {
        fact("Version", html, |html| _ = html.text(version));
    }
    if let Some(kind) = head.agent.as_ref().and_then(|agent| agent.kind.as_ref()) {
        fact("Agent", html, |html| _ = html.text(kind));
    }
    // With one path there is nothing to distinguish.
    if head.path.total > 1 {
        fact("Path", html, |html| {
            html.number(head.path.number.into()).tag(" of ");
            html.number(head.path.total as u64).tag(", ");
            html.tag(head.path.status.name());
        });
    }
    if let Some(fork) = &head.path.fork_point {
        fact("Fork point", html, |html| {
            html.tag("<code>").text(fork.as_str()).tag("</code>");
        });
    }
    fact("Session", html, |html| {
        html.tag("<code>").text(head.session.as_str()).tag("</code>");
    });
}

/// Paints remarks: a context, compactions, paths that this one contains.
fn notes(head: &TranscriptHead, html: &mut Html) {
    let mut note = |write: &dyn Fn(&mut Html)| {
        html.tag("<p class=\"remark\">");
        write(html);
        html.tag("</p>\n");
    };
    if head.view == ViewKind::Context {
        note(&|html| _ = html.tag("This is what the model would be sent, not the whole history."));
    }
    if head.compactions > 0 {
        note(&|html| {
            html.tag("Contains ").text(&human::plural(head.compactions, "compaction"));
            html.tag(": the full conversation, with what was said before.");
        });
    }
    if !head.held_paths.is_empty() {
        note(&|html| {
            html.tag("Also contains, so that they are not written again:");
            for held in &head.held_paths {
                html.tag(" <code>").text(held.session.as_str()).tag("</code> path ");
                html.number(held.number.into());
            }
        });
    }
}
