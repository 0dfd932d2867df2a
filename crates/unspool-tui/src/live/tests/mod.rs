//! Running sessions, answers and prompts, with scripts of keys. Tests with a client are in the binary.

mod ask;
mod cards;
mod complete;
mod laws;
mod prompt;
mod run_menu;
mod stage;
mod start;
