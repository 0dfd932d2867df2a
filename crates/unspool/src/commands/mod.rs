//! One file for each command.

pub(crate) mod archive;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod export;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tree;

use anyhow::Result;

use crate::args::{Args, Command};
use crate::errors::Outcome;
use crate::indexed::{Indexed, with_rebuild};
use crate::sessions::Homes;
use crate::settings::Settings;
use crate::ui::Ui;

/// Tells whether a command means anything while the settings are wrong.
pub(crate) fn needs_settings(args: &Args) -> bool {
    match &args.command {
        Some(Command::Config(args)) => args.needs_settings(),
        _ => true,
    }
}

/// Runs the command that was typed.
pub(crate) fn run(args: &Args, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let homes = || Homes::open(settings);
    match &args.command {
        None => list::run(&list::Args::default(), &homes()?, settings, ui),
        Some(Command::List(args)) => list::run(args, &homes()?, settings, ui),
        Some(Command::Show(args)) => show::run(args, &homes()?, settings, ui),
        Some(Command::Tree(args)) => tree::run(args, &homes()?, ui),
        Some(Command::Check(args)) => check::run(args, &homes()?, ui),
        Some(Command::Search(args)) => {
            let homes = homes()?;
            with_rebuild(&homes, settings, ui, || {
                search::run(args, &homes, settings, ui)
            })
        }
        Some(Command::Export(args)) => export::run(args, &homes()?, settings, ui),
        Some(Command::Stats(args)) => {
            let homes = homes()?;
            with_rebuild(&homes, settings, ui, || {
                let mut indexed = Indexed::open(&homes, settings)?;
                stats::run(args, &homes, indexed.material(ui)?, ui)
            })
        }
        Some(Command::Archive(args)) => archive::run(args, settings, ui),
        Some(Command::Config(args)) => config::run(args, settings, ui),
    }
}
