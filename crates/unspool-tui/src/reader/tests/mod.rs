//! Tests of the reader with scripts of keys: the screen, and positions that must not move.

mod laws;
mod screens;
mod stage;
mod states;
