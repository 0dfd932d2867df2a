//! Tests of the program as a whole: arguments, output, exit codes.
//!
//! Each run has its own home and a cleared environment.

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
