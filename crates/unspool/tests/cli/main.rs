//! The program as its users run it: arguments in, output and exit code out.
//!
//! Every run has a home of its own and a cleared environment.

mod archive;
mod at;
mod check;
mod completions;
mod contract;
mod damage;
mod demo;
#[cfg(target_os = "linux")]
mod drive;
mod driven;
mod export;
mod first_run;
mod help;
mod homes;
mod hostile;
mod insight;
mod kill;
mod left_out;
mod list;
mod memory;
mod naming;
mod opening;
mod pick;
mod prompts;
mod reading;
mod recap;
mod resume;
mod run;
mod schema;
mod search;
mod secrets;
mod serve;
mod settings;
mod stats;
mod summary;
mod titles;
mod views;
#[cfg(target_os = "linux")]
mod watch;
