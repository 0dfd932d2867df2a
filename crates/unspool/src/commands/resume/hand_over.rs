//! Starts the client in this terminal, or in a new pane of tmux.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use unspool_drive::ClientProgram;
use unspool_engine::ops::resume::ResumePlan;
use unspool_store::home::layout::HOME_VARIABLE;

use crate::errors::{RunOutcome, wrong_use};
use crate::resuming;
use crate::settings::Settings;

/// Where tmux opens the client.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TmuxPlace {
    /// In half of this pane
    Pane,
    /// In a new window
    Window,
}

/// Replaces this process by the client, so that no process is between the client and its terminal.
pub(super) fn become_client(plan: &ResumePlan, client: &ClientProgram) -> Result<RunOutcome> {
    let error = resuming::client_command(client, plan).process().exec();
    Err(error).with_context(|| format!("cannot run {}", client.path.display()))
}

/// Starts the client in a pane or a window of tmux.
pub(super) fn open_in_tmux(
    place: TmuxPlace,
    plan: &ResumePlan,
    client: &ClientProgram,
    settings: &Settings,
) -> Result<RunOutcome> {
    if !settings.in_tmux {
        return wrong_use(
            "`--tmux` opens a pane of the tmux that it is used in, and this is not one",
        );
    }
    let status = tmux_command(place, plan, client, settings.driving.named_home.as_deref())
        .status()
        .context("cannot run tmux")?;
    if !status.success() {
        bail!(std::io::Error::other(format!("tmux failed ({status})")));
    }
    Ok(RunOutcome::Done)
}

/// Builds the tmux command. A pane inherits the environment of the tmux server, not of this process, so the
/// home is set explicitly.
fn tmux_command(
    place: TmuxPlace,
    plan: &ResumePlan,
    client: &ClientProgram,
    named_home: Option<&Path>,
) -> Command {
    let mut command = Command::new("tmux");
    command.arg(match place {
        TmuxPlace::Pane => "split-window",
        TmuxPlace::Window => "new-window",
    });
    if let Some(folder) = &plan.folder {
        command.arg("-c").arg(folder);
    }
    let variable = plan.home.variable();
    let home = variable.map_or(named_home, |(_, home)| home);
    // tmux runs several words as a program with arguments, without a shell.
    command.arg("env");
    match home {
        Some(home) => {
            let mut setting = std::ffi::OsString::from(format!("{HOME_VARIABLE}="));
            setting.push(home);
            command.arg(setting);
        }
        None => {
            command.args(["-u", HOME_VARIABLE]);
        }
    }
    command.arg(&client.path).args(&client.arguments);
    command.args(&plan.arguments);
    command
}

#[cfg(test)]
mod tests {
    use unspool_engine::ops::resume::HomeNaming;
    use unspool_model::ids::SessionId;

    use super::*;

    #[test]
    fn tmux_gets_the_folder_the_home_and_whole_words() {
        let plan = |home: HomeNaming| ResumePlan {
            session: SessionId::new("s"),
            log: "/h/s.jsonl".into(),
            folder: Some("/srv/a b".into()),
            arguments: vec!["--resume".to_owned(), "s".to_owned()],
            home,
            obstacle: None,
            remarks: Vec::new(),
        };
        let client = ClientProgram::new("/bin/claude");
        let words = |place, plan: &ResumePlan, named: Option<&str>| {
            let command = tmux_command(place, plan, &client, named.map(Path::new));
            let args = command.get_args().map(|arg| arg.to_string_lossy());
            args.collect::<Vec<_>>().join("|")
        };
        let as_is = plan(HomeNaming::AsIs);
        assert_eq!(
            words(TmuxPlace::Pane, &as_is, None),
            "split-window|-c|/srv/a b|env|-u|CLAUDE_CONFIG_DIR|/bin/claude|--resume|s"
        );
        assert_eq!(
            words(TmuxPlace::Window, &as_is, Some("/h")),
            "new-window|-c|/srv/a b|env|CLAUDE_CONFIG_DIR=/h|/bin/claude|--resume|s"
        );
        assert_eq!(
            words(TmuxPlace::Window, &plan(HomeNaming::Named("/x".into())), Some("/h")),
            "new-window|-c|/srv/a b|env|CLAUDE_CONFIG_DIR=/x|/bin/claude|--resume|s"
        );
        assert!(words(TmuxPlace::Pane, &plan(HomeNaming::Unnamed), Some("/h")).contains("|-u|"));
    }
}
