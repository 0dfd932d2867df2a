//! Paints the page of checks.

use unspool_engine::library::{LibraryNote, NoteLevel, WatchMode};
use unspool_engine::ops::check::{CheckVerdict, RuleCount, Severity};
use unspool_text::html::Html;
use unspool_text::human;

use super::gather::{CheckData, Checked, LocatedFinding};
use crate::pages::parts::{SessionUrls, entry_url, session_url, url_in_project};
use crate::route::Call;

/// Paints the page.
pub(super) fn check(data: &CheckData, call: &Call, html: &mut Html) {
    html.tag("<h1>Check</h1>\n");
    scope(data, html);
    match &data.checked {
        Some(checked) => findings(checked, html),
        None => ask(data, html),
    }
    server(&data.notes, call, html);
}

fn scope(data: &CheckData, html: &mut Html) {
    html.tag("<p class=\"remark\">");
    if let Some(session) = &data.session {
        html.tag("Session ").text(session);
        html.tag(" \u{b7} <a href=\"/check\">check all sessions</a>");
    } else {
        html.text(&human::plural(data.sessions, "session")).tag(", ");
        html.text(&human::bytes(data.bytes));
    }
    html.tag("</p>\n");
}

/// Offers a check that may take a while.
fn ask(data: &CheckData, html: &mut Html) {
    html.tag("<p>A check reads every line of every log (");
    html.text(&human::bytes(data.bytes));
    html.tag(") and may take a while. Nothing is changed.</p>\n");
    html.tag("<p><a class=\"button\" href=\"/check?full=1\">Check everything</a></p>\n");
}

fn findings(checked: &Checked, html: &mut Html) {
    let summary = &checked.summary;
    let verdict = CheckVerdict::of(summary.findings);
    html.tag("<p class=\"verdict\"").attribute("data-verdict", verdict_name(verdict));
    html.tag(">").tag(verdict.words()).tag("</p>\n<p class=\"remark\">");
    html.text(&human::plural(summary.files as usize, "file")).tag(" \u{b7} ");
    html.text(&human::plural(summary.entries as usize, "entry")).tag(" \u{b7} ");
    html.text(&human::plural(summary.damaged as usize, "damaged piece")).tag("</p>\n");
    for error in &checked.errors {
        html.tag("<p class=\"note-line warning\">").text(error).tag("</p>\n");
    }
    let rules = checked.overview.rules(Severity::Info);
    if rules.is_empty() {
        return;
    }
    html.tag("<ul class=\"rules\">\n");
    for count in rules {
        let found = checked.findings.get(&count.rule);
        rule(count, found.map_or(&[], Vec::as_slice), &checked.ways, html);
    }
    html.tag("</ul>\n");
}

fn verdict_name(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Clean | CheckVerdict::Healthy => "healthy",
        CheckVerdict::Losses => "losses",
        CheckVerdict::Broken => "broken",
    }
}

fn rule(count: &RuleCount, found: &[LocatedFinding], ways: &SessionUrls, html: &mut Html) {
    let severity = count.rule.severity().name();
    html.tag("<li class=\"rule\"").attribute("data-severity", severity);
    html.attribute("id", &format!("rule-{}", count.rule.id())).tag(">");
    html.tag("<details><summary data-row><span class=\"severity\">").tag(severity);
    html.tag("</span><code>").tag(count.rule.id()).tag("</code><span class=\"meaning\">");
    html.text(count.rule.meaning()).tag("</span><span class=\"n\">");
    html.number(count.found).tag(" in ");
    html.text(&human::plural(count.files as usize, "file"));
    html.tag("</span></summary>\n<p>").text(count.rule.advice()).tag("</p>\n<ul>");
    for there in found {
        place(there, ways, html);
    }
    html.tag("</ul>");
    if count.found > found.len() as u64 {
        html.tag("<p class=\"remark\">and ").number(count.found - found.len() as u64);
        html.tag(" more</p>");
    }
    html.tag("</details></li>\n");
}

/// Paints the location of a finding, with a link to it.
fn place(there: &LocatedFinding, ways: &SessionUrls, html: &mut Html) {
    let finding = &there.finding;
    html.tag("<li>");
    let name = finding.file.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    let name = match finding.line {
        Some(line) => format!("{name}:{line}"),
        None => name.into_owned(),
    };
    match &there.session {
        Some(session) => {
            let is_own = finding.file.file_stem().is_some_and(|stem| stem == session.as_str());
            let way = match (finding.line, is_own, &finding.entry) {
                (Some(line), true, _) => format!("{}/line:{line}", session_url(session, "/raw")),
                (_, false, Some(entry)) => entry_url(session, entry),
                _ => session_url(session, "/raw"),
            };
            let project = ways.project(session, there.project.as_ref());
            let way = url_in_project(&way, project, &[]);
            html.tag("<a").attribute("href", &way).tag("><code>");
            html.text(&name).tag("</code></a> ");
        }
        None => _ = html.tag("<code>").text(&name).tag("</code> "),
    }
    html.text(&finding.message).tag("</li>");
}

/// Paints messages about the server and its homes.
fn server(notes: &[LibraryNote], call: &Call, html: &mut Html) {
    html.tag(
        "<section class=\"panel\" aria-labelledby=\"server\"><h2 id=\"server\">Server</h2>\n<ul>",
    );
    html.tag("<li>reads ").text(&call.state.home_label).tag("</li>");
    if let Some(building) = call.state.refresher.building() {
        html.tag("<li>is building its index: ").text(&human::bytes(building.done));
        html.tag(" of ").text(&human::bytes(building.total)).tag("</li>");
    }
    watching(call, html);
    for note in notes {
        html.tag(match note.level() {
            NoteLevel::Note => "<li>",
            NoteLevel::Warning | NoteLevel::Error => "<li class=\"bad\">",
        });
        html.text(&note.to_string()).tag("</li>");
    }
    html.tag("</ul></section>\n");
}

/// Paints the homes that are polled, and the number of folders that are not watched.
fn watching(call: &Call, html: &mut Html) {
    let report = call.state.watcher.report();
    for home in &report.homes {
        if let WatchMode::Polling { reason } = &home.mode {
            html.tag("<li class=\"bad\">is polling ");
            html.text(&home.home.display().to_string()).tag(": ");
            html.text(&reason.to_string()).tag("</li>");
        }
    }
    if report.left_out > 0 {
        html.tag("<li>has no room to watch ");
        html.text(&human::plural(report.left_out, "folder"));
        html.tag("; changes there are found some seconds later</li>");
    }
}
