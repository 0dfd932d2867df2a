//! From the bytes of a Claude Code log to the conversation it records.
//!
//! Bytes go in, values come out: no files, no clock, no terminal. Reading never
//! fails; what is damaged is kept as a fragment and remarked on.
//!
//! The way of data: [`json`] reads one value, [`line`](mod@line) takes a line apart,
//! a [`log::Log`] collects the [`entry::Entry`]s of a file, a `Graph` links them and
//! finds the paths, and a `Conversation` is what a person would recognise.

pub mod agent;
pub mod commands;
pub mod conversation;
pub mod diagnostic;
mod dialect;
pub mod entry;
pub mod facts;
pub mod graph;
pub mod ids;
pub mod json;
pub mod line;
pub mod log;
pub mod maybe;
pub mod near;
pub mod opening;
pub mod path_name;
pub mod paths;
pub mod query;
pub mod record;
mod resume;
pub mod schema;
mod sdk;
pub mod symbols;
pub mod time;
pub mod tool;
pub mod usage;
pub mod words;
pub mod work;
