//! The reader by key scripts: what is on the screen, and what stays where it is.

mod laws;
mod screens;
mod stage;
mod states;
