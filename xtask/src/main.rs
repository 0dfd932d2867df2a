//! Project tasks, run as `cargo xtask COMMAND`.
//!
//! Contains everything beyond plain cargo that contributors and continuous-integration machines
//! run, so that both run the same. Processes are started with the standard library only, and every
//! command line is printed before it runs.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task runner talks to the terminal; it has no other surface"
)]

mod commands;
mod hermetic;
mod packages;
mod paths;
mod step;
mod tools;

use std::process::ExitCode;

use clap::Parser as _;

use crate::commands::Xtask;

fn main() -> ExitCode {
    match Xtask::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
