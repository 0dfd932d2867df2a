//! Parses the bytes of a Claude Code log into the conversation it records.
//!
//! The crate takes bytes and returns values: no files, no clock, no terminal. Reading never
//! fails; damaged bytes are kept as fragments and reported as diagnostics.
//!
//! Data flow: [`json`] reads one value, [`line`](mod@line) splits a line into records and
//! fragments, a [`log::Log`] collects the [`entry::Entry`]s of a file, a `Graph` links them,
//! `Paths` finds the ways through them, and a `Conversation` has their messages, calls and turns.
//!
//! [`read()`] and [`ReadLog::active_messages`] take all these steps, from the bytes of a log to
//! the messages of its active path:
//!
//! ```
//! let log = br#"
//! {"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"What is 6 x 7?"}}
//! {"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"41"}]}}
//! {"type":"assistant","uuid":"3","parentUuid":"1","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"42"}]}}
//! "#;
//! let said: Vec<String> = unspool_model::read(log)
//!     .active_messages()
//!     .iter()
//!     .map(|message| format!("{}: {}", message.speaker.name(), message.text))
//!     .collect();
//! // The model answered twice (a retry). The first answer is on another path.
//! assert_eq!(said, ["user: What is 6 x 7?", "assistant: 42"]);
//! ```

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod agent;
pub mod commands;
pub mod conversation;
pub mod diagnostic;
pub mod dialect;
pub mod entry;
pub mod facts;
pub mod graph;
pub mod history;
pub mod ids;
pub mod json;
pub mod line;
pub mod log;
pub mod maybe;
pub mod named;
pub mod near;
pub mod node;
pub mod opening;
pub mod path_name;
pub mod paths;
pub mod positions;
pub mod query;
mod read;
pub mod record;
mod resume;
pub mod roles;
pub mod schema;
mod sdk;
pub mod sidecar;
pub mod symbols;
pub mod time;
pub mod tool;
pub mod usage;
pub mod words;

pub use read::{ReadLog, SaidMessage, read};
