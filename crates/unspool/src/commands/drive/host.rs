//! The hidden commands: the host of a run, and the process that watches a run for `on_waiting`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use unspool_drive::host::{self, HostEnd, HostSettings};
use unspool_drive::spool::SpoolLimits;
use unspool_drive::{RunId, SystemDriveClock};

use crate::driving::{notify, open};
use crate::errors::RunOutcome;
use crate::settings::{Environment, Settings};

/// Run the client of a run
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct HostArgs {
    /// The run
    #[arg(long, value_parser = RunId::parse)]
    run: RunId,

    /// The folder for state
    #[arg(long)]
    state: PathBuf,

    /// The folder for sockets
    #[arg(long)]
    sockets: PathBuf,
}

/// Wait for a run, and run the command of the settings
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct NotifyArgs {
    /// The run
    #[arg(long, value_parser = RunId::parse)]
    run: RunId,
}

/// Runs the host, the process between the client and all surfaces.
pub(crate) fn run_host(args: &HostArgs) -> RunOutcome {
    let ended = host::run(&HostSettings {
        run: args.run.clone(),
        state: args.state.clone(),
        sockets: args.sockets.clone(),
        clock: Arc::new(SystemDriveClock),
        environment: Environment::all(),
        spool: SpoolLimits::default(),
    });
    match ended {
        HostEnd::Ended => RunOutcome::Done,
        HostEnd::NotStarted => RunOutcome::Problems,
    }
}

/// Watches a run, and runs the command of the settings when the run needs a person.
pub(crate) fn run_notify(args: &NotifyArgs, settings: &Settings) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let command = &settings.driving.on_waiting.value;
    notify::watch(&drive, &args.run, command)?;
    Ok(RunOutcome::Done)
}
