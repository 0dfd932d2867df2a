//! Runs the command of the settings when a run needs a person.
//!
//! A process of its own for each run that was started while `on_waiting` is set: a host may not run
//! it, since what runs below a host may not answer. It waits for the host without doing anything, and
//! ends with the run. The command gets the run as one line of JSON on standard input, and
//! `UNSPOOL_RUN`, `UNSPOOL_SESSION` and `UNSPOOL_NEED` in its environment. What becomes of it is not
//! looked at.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::Result;
use unspool_drive::{ApprovalId, Drive, RunId, RunNeed, RunView};

use super::open::this_program;
use crate::settings::Settings;

/// The hidden command that waits for a run.
pub(crate) const NOTIFY: &str = "__notify";

/// Starts the process that waits for a run, if there is a command to run. A run goes on without it.
pub(crate) fn begin(run: &RunId, settings: &Settings) -> Result<()> {
    if settings.driving.on_waiting.value.is_empty() {
        return Ok(());
    }
    Command::new(this_program()?)
        .args([NOTIFY, "--run", run.as_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Keys of the terminal are not for it.
        .process_group(0)
        .spawn()?;
    Ok(())
}

/// What a person was told of last.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ToldNeeds {
    need: Option<RunNeed>,
    approvals: Vec<ApprovalId>,
}

impl ToldNeeds {
    fn of(view: &RunView) -> Self {
        let open = view.approvals.iter().filter(|one| one.resolution.is_none());
        Self {
            need: view.need().filter(|need| *need != RunNeed::Over),
            approvals: open.map(|one| one.id.clone()).collect(),
        }
    }

    /// Tells whether there is something to say that was not said before.
    fn is_news(&self, before: &Self) -> bool {
        let is_asked_more =
            self.approvals.iter().any(|approval| !before.approvals.contains(approval));
        self.need.is_some() && (self.need != before.need || is_asked_more)
    }
}

/// Waits for a run until it is over, and runs the command each time that it needs a person.
pub(crate) fn watch(drive: &Drive, run: &RunId, command: &[String]) -> Result<()> {
    // A run that begins idle has not done anything that a person should look at.
    let mut told = ToldNeeds { need: Some(RunNeed::Idle), approvals: Vec::new() };
    loop {
        let before = told.clone();
        let has_changed =
            |view: &RunView| ToldNeeds::of(view) != before || view.run.state.is_over();
        let found = drive.wait(std::slice::from_ref(run), has_changed)?;
        let view = match found.first() {
            Some(view) if !view.run.state.is_over() => view,
            _ => return Ok(()),
        };
        told = ToldNeeds::of(view);
        if told.is_news(&before) {
            tell(view, command);
        }
    }
}

/// Starts the command and looks at it no more.
fn tell(view: &RunView, command: &[String]) {
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
    // It may read slowly, or not at all.
    thread::spawn(move || {
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(&line);
        }
        let _ = child.wait();
    });
}
