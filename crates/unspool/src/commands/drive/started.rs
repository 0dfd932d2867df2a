//! Reports a run that was started: its id, or why its client ended at once.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use unspool_drive::{Drive, DriveError, RunStage, RunView};

use super::print_run;
use crate::driving::{notify, paint};
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// How long to wait for the first output of the client: by judgement, many times what it needs, even on a
/// busy machine. A client that takes longer is started nevertheless, and `attach` and `list` report on it.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Waits for the first output of the client, then prints the run and how to follow it. A client that ended
/// at once is an error.
pub(super) fn started(
    drive: &Arc<Drive>,
    view: &RunView,
    as_json: bool,
    settings: &Settings,
    ui: &Ui,
) -> Result<RunOutcome> {
    if let Err(error) = notify::begin(&view.run.id, settings) {
        ui.warning(&format!("`on_waiting` will not be run: {error}"));
    }
    let answered = answered(drive, view);
    let view = answered.as_ref().unwrap_or(view);
    print_run(view, as_json, ui)?;
    if let Some(end) = &view.run.end {
        let words = end.message.as_deref().unwrap_or("it said nothing");
        return Err(DriveError::NotStarted(format!("the client ended at once: {words}")).into());
    }
    if !as_json {
        let id = paint::short(view.run.id.as_str());
        ui.note(&format!("`unspool drive attach {id}` follows it"));
    }
    Ok(RunOutcome::Done)
}

/// Waits until the client has written something or has ended; `None` if it takes too long.
fn answered(drive: &Arc<Drive>, view: &RunView) -> Option<RunView> {
    let (sender, answered) = mpsc::channel();
    let (drive, run) = (Arc::clone(drive), view.run.id.clone());
    thread::spawn(move || {
        let is_past = |view: &RunView| view.run.state.stage() != RunStage::Starting;
        let found = drive.wait(&[run], is_past);
        // Without a receiver the command has ended.
        let _ = sender.send(found.ok().and_then(|found| found.into_iter().next()));
    });
    answered.recv_timeout(TIMEOUT).ok().flatten()
}
