//! The command line of unspool.

mod args;
mod commands;
mod demo;
mod errors;
mod filters;
mod sessions;
mod ui;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Args;
use crate::ui::Ui;

fn main() -> ExitCode {
    let args = Args::parse();
    let ui = Ui::new(&args.display);
    ui.say_panics_briefly();
    match commands::run(&args, &ui) {
        Ok(outcome) => outcome.into(),
        Err(error) => errors::report(&ui, &error).into(),
    }
}
