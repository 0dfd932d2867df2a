//! Tests of the library and its operations: one program, so that the crates below it are linked once.

mod check;
mod examples;
mod feed;
mod filtered;
mod follow;
mod growth;
mod imports;
mod inbox;
mod index;
mod insight;
mod keys;
mod layers;
mod open_sessions;
mod recap;
mod repeats;
mod rows;
mod setup;
mod sources;
mod step_by_step;
mod stored;
mod titles;
mod watcher;
