//! One file for each command.

pub(crate) mod check;
pub(crate) mod list;
pub(crate) mod show;
pub(crate) mod tree;

use anyhow::Result;

use crate::args::{Args, Command};
use crate::errors::Outcome;
use crate::sessions::Homes;
use crate::ui::Ui;

/// Runs the command that was typed.
pub(crate) fn run(args: &Args, ui: &Ui) -> Result<Outcome> {
    let homes = Homes::open(&args.homes)?;
    match &args.command {
        None => list::run(&list::Args::default(), &homes, ui),
        Some(Command::List(args)) => list::run(args, &homes, ui),
        Some(Command::Show(args)) => show::run(args, &homes, ui),
        Some(Command::Tree(args)) => tree::run(args, &homes, ui),
        Some(Command::Check(args)) => check::run(args, &homes, ui),
    }
}
