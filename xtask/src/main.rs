//! Project tasks, run as `cargo xtask COMMAND`.
//!
//! Everything a contributor or a continuous-integration machine runs beyond
//! plain cargo lives here, so that both run the same thing. Only the standard
//! library starts processes, and every command line is printed before it runs.
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
