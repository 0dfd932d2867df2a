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

mod args;
mod commands;
mod hermetic;
mod packages;
mod paths;
mod step;
mod tools;

use std::env;
use std::process::ExitCode;

use anyhow::Result;

use crate::args::XtaskRequest;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let words = args::from_os(env::args_os().skip(1))?;
    match args::request(&words, &commands::ALL)? {
        XtaskRequest::Help => {
            print!("{}", args::overview(&commands::ALL));
            Ok(())
        }
        XtaskRequest::Run(command, rest) => (command.run)(rest),
    }
}
