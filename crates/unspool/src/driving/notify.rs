//! Runs the command of the settings when a run needs a person.
//!
//! Each run that was started while `on_waiting` is set gets a process of its own: a host cannot run the
//! command, because processes below a host may not answer approvals. The process sleeps until the host
//! reports a change, and ends with the run. The command gets the run as one line of JSON on standard input,
//! and `UNSPOOL_RUN`, `UNSPOOL_SESSION` and `UNSPOOL_NEED` in its environment. Its exit code is ignored.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::Result;
use unspool_drive::{ApprovalId, Drive, RunId, RunNeed, RunView};

use super::open::this_program;
use crate::settings::Settings;

/// The hidden command that watches a run.
pub(crate) const NOTIFY: &str = "__notify";

/// Starts the process that watches a run, if a command is set. A failure does not affect the run.
pub(crate) fn begin(run: &RunId, settings: &Settings) -> Result<()> {
    if settings.driving.on_waiting.value.is_empty() {
        return Ok(());
    }
    Command::new(this_program()?)
        .args([NOTIFY, "--run", run.as_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Signals of the terminal's keys must not reach it.
        .process_group(0)
        .spawn()?;
    Ok(())
}

/// The needs that the person was last notified of.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NotifiedNeeds {
    need: Option<RunNeed>,
    approvals: Vec<ApprovalId>,
}

impl NotifiedNeeds {
    fn of(view: &RunView) -> Self {
        let open = view.approvals.iter().filter(|one| one.resolution.is_none());
        Self {
            need: view.need().filter(|need| *need != RunNeed::Over),
            approvals: open.map(|one| one.id.clone()).collect(),
        }
    }

    /// Tells whether there is a need that was not in `before`.
    fn is_news(&self, before: &Self) -> bool {
        let is_asked_more =
            self.approvals.iter().any(|approval| !before.approvals.contains(approval));
        self.need.is_some() && (self.need != before.need || is_asked_more)
    }
}

/// Watches a run until it ends, and runs the command whenever the run needs a person.
pub(crate) fn watch(drive: &Drive, run: &RunId, command: &[String]) -> Result<()> {
    // A run that starts idle has done nothing worth a notification.
    let mut notified = NotifiedNeeds { need: Some(RunNeed::Idle), approvals: Vec::new() };
    loop {
        let before = notified.clone();
        let has_changed =
            |view: &RunView| NotifiedNeeds::of(view) != before || view.run.state.is_over();
        let found = drive.wait(std::slice::from_ref(run), has_changed)?;
        let view = match found.first() {
            Some(view) if !view.run.state.is_over() => view,
            _ => return Ok(()),
        };
        notified = NotifiedNeeds::of(view);
        if notified.is_news(&before) {
            run_command(view, command);
        }
    }
}

/// Starts the command without waiting for it.
fn run_command(view: &RunView, command: &[String]) {
    let (Some((program, arguments)), Some(json)) = (command.split_first(), view.to_need_json())
    else {
        return;
    };
    let started = Command::new(program)
        .args(arguments)
        .env("UNSPOOL_RUN", view.run.id.as_str())
        .env("UNSPOOL_SESSION", &view.run.session)
        .env("UNSPOOL_NEED", &json.need)
        .current_dir(&view.run.plan.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else { return };
    let mut line = serde_json::to_vec(&json).unwrap_or_default();
    line.push(b'\n');
    // The command may read slowly, or not at all.
    thread::spawn(move || {
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(&line);
        }
        let _ = child.wait();
    });
}
