//! The program as its users run it: arguments in, output and exit code out.
//!
//! Every run has a home of its own and a cleared environment.

mod contract;
mod demo;
mod hostile;
mod naming;
mod run;
mod settings;
mod views;
