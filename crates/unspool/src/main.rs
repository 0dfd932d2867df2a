//! The command line of unspool.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod args;
mod cli;
mod commands;
mod completing;
mod context;
mod demo;
mod driving;
mod errors;
mod filters;
mod first_run;
mod fullscreen;
#[cfg(test)]
mod help_tests;
mod opener;
mod report;
mod resuming;
mod server_address;
mod settings;
mod typed;
mod ui;

use std::ffi::OsString;
use std::process::ExitCode;

use mimalloc::MiMalloc;

use crate::first_run::FirstRun;
use crate::settings::{Environment, FileSettings, Settings};
use crate::ui::Ui;

/// A run allocates millions of short strings on several threads and then ends. The default allocator
/// requests memory from the system page by page, which takes a tenth of the time of a first run.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let environment = Environment::read(ui::terminal_width());
    let args = typed::parse(words.clone(), environment.user_home());
    let (file, wrong) = match FileSettings::read(&environment) {
        Ok(file) => (file, None),
        Err(error) => (FileSettings::default(), Some(error)),
    };
    let settings = Settings::resolve(&args.global, &environment, &file);
    let ui = Ui::new(&settings.display);
    ui.install_panic_hook();
    let first = FirstRun::before(&settings, &words, &ui);
    let outcome = match wrong {
        Some(error) if cli::needs_settings(&args) => Err(error.into()),
        _ => cli::run(&args, &settings, &ui),
    };
    if let Some(first) = first.filter(|_| outcome.is_ok()) {
        first.after(&settings, &ui);
    }
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => report::report(&ui, &error).into(),
    }
}
