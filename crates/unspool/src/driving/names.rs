//! Finds runs, approvals and prompts by name.

use anyhow::Result;
use unspool_drive::store::ApprovalRecord;
use unspool_drive::{ApprovalId, Drive, DriveError, PromptId, RunView};
use unspool_model::near::near_id;
use unspool_store::home::MIN_PREFIX;

use super::refusal::DriveRefusal;

/// The number of suggestions for an unknown name.
const OFFERED: usize = 5;

/// Finds a run by its id, a prefix of it, or the session that it drives.
pub(crate) fn find_run(drive: &Drive, text: &str) -> Result<RunView> {
    choose_run(&drive.runs()?, text)
}

fn choose_run(runs: &[RunView], text: &str) -> Result<RunView> {
    let wanted = text.to_ascii_lowercase();
    check_length(&wanted)?;
    let mut found: Vec<&RunView> =
        runs.iter().filter(|view| view.run.id.as_str().starts_with(&wanted)).collect();
    // All runs of a session count as one match: the run that drives it.
    for view in runs {
        let is_named = view.run.session.starts_with(&wanted);
        let is_known = |other: &&RunView| other.run.session == view.run.session;
        if is_named && !found.iter().any(is_known) {
            found.push(driver(runs, &view.run.session).unwrap_or(view));
        }
    }
    let ids = runs.iter().flat_map(|view| [view.run.id.as_str(), &view.run.session]);
    Ok(only_one(text, &found, named)?.ok_or_else(|| unknown("run", text, ids))?)
}

/// Returns the run that drives a session, or the last one that did. Runs are newest first.
fn driver<'a>(runs: &'a [RunView], session: &str) -> Option<&'a RunView> {
    let of_session = || runs.iter().filter(|view| view.run.session == session);
    let live = of_session().find(|view| !view.run.state.is_over());
    live.or_else(|| of_session().next())
}

/// Finds an approval by its id, a prefix of it, or the run that waits for it. Pending approvals have
/// priority; an answered one is found too, because a repeated answer gets the reply of the first.
pub(crate) fn find_approval(drive: &Drive, text: &str) -> Result<ApprovalRecord> {
    match drive.approval(&ApprovalId::new(text)) {
        Err(DriveError::Unknown(_)) => {}
        known => return Ok(known?),
    }
    let wanted = text.to_ascii_lowercase();
    check_length(&wanted)?;
    let open = drive.approvals()?;
    let is_named = |one: &&ApprovalRecord| one.id.as_str().starts_with(&wanted);
    let found: Vec<&ApprovalRecord> = open.iter().filter(is_named).collect();
    if let Some(one) = only_one(text, &found, id_of)? {
        return Ok(one);
    }
    let runs = drive.runs()?;
    let answered = runs.iter().flat_map(|view| &view.approvals);
    let found: Vec<&ApprovalRecord> = answered.filter(is_named).collect();
    match only_one(text, &found, id_of)? {
        Some(one) => Ok(one),
        None => of_run(drive, &open, text),
    }
}

/// Finds the approval that a run waits for.
fn of_run(drive: &Drive, open: &[ApprovalRecord], text: &str) -> Result<ApprovalRecord> {
    let Ok(view) = find_run(drive, text) else {
        let ids = open.iter().map(|one| one.id.as_str());
        return Err(unknown("approval", text, ids).into());
    };
    let of_run: Vec<&ApprovalRecord> = open.iter().filter(|one| one.run == view.run.id).collect();
    let found = only_one(text, &of_run, id_of)?;
    Ok(found.ok_or(DriveRefusal::WaitsForNothing(view.run.id))?)
}

/// Finds a prompt of a run by its id, or a prefix of it.
pub(crate) fn find_prompt(view: &RunView, text: &str) -> Result<PromptId> {
    let wanted = text.to_ascii_lowercase();
    check_length(&wanted)?;
    let ids = view.prompts.iter().map(|prompt| &prompt.id);
    let found: Vec<&PromptId> = ids.clone().filter(|id| id.as_str().starts_with(&wanted)).collect();
    let found = only_one(text, &found, PromptId::to_string)?;
    Ok(found.ok_or_else(|| unknown("prompt", text, ids.map(PromptId::as_str)))?)
}

fn check_length(text: &str) -> Result<(), DriveRefusal> {
    if text.chars().count() < MIN_PREFIX {
        return Err(DriveRefusal::TooShort(text.to_owned()));
    }
    Ok(())
}

fn named(view: &RunView) -> String {
    let run = &view.run;
    format!("{}  session {}  {}", run.id, run.session, run.plan.cwd.display())
}

fn id_of(approval: &ApprovalRecord) -> String {
    approval.id.to_string()
}

/// Returns the only match, if there is any; several matches are an error.
fn only_one<T: Clone>(
    text: &str,
    found: &[&T],
    name: impl Fn(&T) -> String,
) -> Result<Option<T>, DriveRefusal> {
    match found {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        several => {
            let matches = several.iter().map(|one| name(one)).collect();
            Err(DriveRefusal::Ambiguous { text: text.to_owned(), matches })
        }
    }
}

fn unknown<'a>(what: &'static str, text: &str, ids: impl Iterator<Item = &'a str>) -> DriveRefusal {
    let mut near: Vec<(usize, &str)> =
        ids.filter_map(|id| Some((near_id(text, id, 0)?, id))).collect();
    near.sort_unstable();
    near.dedup();
    let near = near.into_iter().take(OFFERED);
    DriveRefusal::Unknown {
        what,
        text: text.to_owned(),
        near: near.map(|(_, id)| id.to_owned()).collect(),
    }
}
