//! The sessions that run, answers and prompts, by key scripts. A client that answers is in the tests of
//! the binary.

mod ask;
mod cards;
mod complete;
mod laws;
mod prompt;
mod run_menu;
mod stage;
mod start;
