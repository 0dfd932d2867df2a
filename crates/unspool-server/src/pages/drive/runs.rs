//! `/runs`: open approvals, then running, interrupted and ended runs, and a new session.

use std::collections::BTreeSet;

use unspool_drive::json::RunJson;
use unspool_drive::{RunStage, RunView};
use unspool_engine::library::ListRequest;
use unspool_model::time::Time;
use unspool_store::progress::Unwatched;
use unspool_store::rows::SessionRow;
use unspool_text::html::Html;
use unspool_text::human;

use super::card::{paint_card, paint_lately};
use super::composer::Composer;
use crate::driving::Driving;
use crate::frame::{Crumb, PageFrame, RunUrls};
use crate::pages::parts::{PageParts, TimeStyle, moment};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The maximum number of listed runs in a group.
const LISTED: usize = 30;
/// The maximum number of folders that are offered for a new session.
const FOLDERS: usize = 200;

/// A group of runs: its id, its title, and the condition for its members.
type RunGroup = (&'static str, &'static str, fn(&RunJson) -> bool);

/// `GET /runs`
pub(in crate::pages) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let driving = call.state.driving()?;
    let parts = PageParts::of(call);
    let runs = driving.drive().runs()?;
    let runs: Vec<RunJson> = runs.iter().map(RunView::to_json).collect();
    let mut list = Html::new();
    if parts.wants("runs") {
        let ways = RunUrls::of(&call.state, runs.iter().map(|run| run.session.as_str()));
        let mut lately = Html::new();
        paint_lately(&call.state, &mut lately);
        paint_runs(&runs, &lately, &ways, &mut list);
    }
    let frame = PageFrame::new("Runs \u{b7} unspool", "runs", vec![Crumb::here("Runs")]);
    let folders = if parts.wants("new") { folders(call)? } else { BTreeSet::new() };
    let layout = |html: &mut Html| {
        html.tag("<main id=\"main\" class=\"runs-page\">\n<h1>Runs</h1>\n");
        html.append(&list);
        paint_new(&folders, driving, html);
        html.tag("</main>\n");
    };
    Ok(parts.answer(&frame, &[&list], layout))
}

/// Returns folders of sessions, to offer them for a new session.
fn folders(call: &Call) -> Result<BTreeSet<String>, RequestProblem> {
    let rows = call.state.library.list(&ListRequest::default(), &Unwatched)?.rows;
    Ok(distinct(rows.iter().flat_map(SessionRow::cwds)))
}

/// Returns the folders without duplicates, up to the maximum number.
fn distinct<'a>(folders: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in folders {
        if found.len() == FOLDERS {
            break;
        }
        if !found.contains(folder) {
            found.insert(folder.to_owned());
        }
    }
    found
}

fn paint_new(folders: &BTreeSet<String>, driving: &Driving, html: &mut Html) {
    html.tag("<section class=\"panel new-session js-only\" aria-labelledby=\"new-session\">\n");
    html.tag("<h2 id=\"new-session\">New session</h2>\n<label class=\"field\">Folder ");
    html.tag("<input id=\"new-folder\" list=\"folders\" autocomplete=\"off\" ");
    html.tag("spellcheck=\"false\"></label>\n<datalist id=\"folders\">");
    for folder in folders {
        html.tag("<option").attribute("value", folder).tag("></option>");
    }
    html.tag("</datalist>\n");
    let composer = Composer {
        session: None,
        folder: None,
        owner: None,
        at: None,
        run: None,
        client: &driving.client(),
        limits: driving.drive().limits(),
    };
    composer.paint(html);
    html.tag("</section>\n");
}

/// Paints recently answered approvals, open approvals, and the runs in groups.
fn paint_runs(runs: &[RunJson], lately: &Html, ways: &RunUrls, html: &mut Html) {
    html.tag("<div id=\"part-runs\" data-part=\"runs\">\n");
    html.append(lately);
    let open = runs.iter().flat_map(|run| &run.approvals);
    let open: Vec<_> = open.filter(|one| one.resolved.is_none()).collect();
    if !open.is_empty() {
        html.tag("<section aria-labelledby=\"needs\"><h2 id=\"needs\">Needs you</h2>\n");
        for approval in open {
            html.tag("<p class=\"approval-of\">");
            html.link(&ways.to(&approval.session, &approval.cwd), &approval.cwd).tag("</p>\n");
            paint_card(approval, html);
        }
        html.tag("</section>\n");
    }
    let groups: [RunGroup; 3] = [
        ("going", "Running", |run| run.ended.is_none()),
        ("interrupted", "Interrupted", |run| run.state == RunStage::Lost),
        ("ended", "Ended", |run| run.ended.is_some() && run.state != RunStage::Lost),
    ];
    for (id, name, belongs) in groups {
        let members: Vec<_> = runs.iter().filter(|run| belongs(run)).collect();
        if members.is_empty() {
            continue;
        }
        html.tag("<section").attribute("aria-labelledby", id).tag("><h2");
        html.attribute("id", id).tag(">").tag(name).tag("</h2>\n<ul class=\"runs\">\n");
        for run in members.iter().take(LISTED) {
            paint_row(run, ways, html);
        }
        html.tag("</ul>");
        if members.len() > LISTED {
            html.tag("<p class=\"faint\">");
            html.text(&human::plural(members.len() - LISTED, "older run"));
            html.tag(" not shown; <code>unspool drive list --all</code> has them</p>\n");
        }
        html.tag("</section>\n");
    }
    if runs.is_empty() {
        html.tag(
            "<p class=\"empty\">Nothing was run from here yet. Write a prompt on the page of ",
        );
        html.tag("a session, or begin a new one below.</p>\n");
    }
    html.tag("</div>\n");
}

fn paint_row(run: &RunJson, ways: &RunUrls, html: &mut Html) {
    html.tag("<li data-row").attribute("id", &format!("run-{}", run.run));
    html.attribute("data-run", &run.run).attribute("data-session", &run.session);
    html.tag(">").link(&ways.to(&run.session, &run.cwd), &run.cwd);
    html.tag(" <span class=\"facts\"><span>").text(run.state.name()).tag("</span>");
    if let Some(time) = Time::parse(&run.started) {
        moment(time, TimeStyle::Ago, html);
    }
    if let Some(end) = &run.ended {
        html.tag("<span>").text(&end.how).tag("</span>");
        if let Some(message) = &end.message {
            html.tag("<span>").text(message).tag("</span>");
        }
    }
    html.tag("</span>");
    if run.state == RunStage::Lost {
        html.tag(" <button type=\"button\" data-act=\"go-on\">Go on</button>");
    } else if run.ended.is_none() {
        html.tag(" <button type=\"button\" data-act=\"stop\">End the client</button>");
    }
    html.tag("</li>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_many_sessions_leaves_room_for_others() {
        let names: Vec<String> = (0..2 * FOLDERS).map(|number| number.to_string()).collect();
        let folders = std::iter::repeat_n("/w", FOLDERS).chain(names.iter().map(String::as_str));
        let found = distinct(folders);
        assert_eq!(found.len(), FOLDERS);
        assert!(found.contains("/w") && found.contains("0"));
    }

    #[test]
    fn runs_that_are_left_out_are_counted() {
        let run = serde_json::json!({
            "schema": 1, "run": "r", "session": "s", "cwd": "/w", "home": "/h", "state": "running",
            "waiting_for": null, "pid": 1, "started": "2026-01-01T00:00:00Z", "by": "test",
            "permission_mode": null, "model": null,
            "deadlines": {"idle": null, "waiting": null, "idle_at": null, "waiting_at": null},
            "held_by": null, "last_failure": null, "failure_cause": null, "budget": null,
            "cost_usd": null, "over_budget": null, "queue_held": null, "queue": [],
            "approvals": [], "ended": null,
        });
        let run: RunJson = serde_json::from_value(run).expect("a run");
        let painted = |count: usize| {
            let mut html = Html::new();
            let (runs, ways) = (vec![run.clone(); count], RunUrls::default());
            paint_runs(&runs, &Html::new(), &ways, &mut html);
            html.as_str().to_owned()
        };
        assert!(!painted(LISTED).contains("not shown"));
        let many = painted(LISTED + 2);
        assert!(many.contains("2 older runs not shown"), "{many}");
        assert_eq!(many.matches("<li").count(), LISTED);
    }
}
