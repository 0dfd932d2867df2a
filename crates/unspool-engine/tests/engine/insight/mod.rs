//! Timelines, contexts, agents, compared paths and changes of sessions that are written by hand,
//! and their invariants on logs of real clients.

mod agents;
mod changes;
mod context;
mod paths;
mod real;
mod timeline;
mod world;
