//! Session builder, hermetic home and log generator for tests and benchmarks.
//!
//! - [`browser`]: Chromium for tests of pages.
//! - [`client`]: a client that speaks the protocol of Claude Code and follows directives in its prompts.
//! - [`dag`]: sessions in a compact notation, so that a test reads like the picture on the whiteboard.
//! - [`driven`]: homes in which `unspool` drives the scripted client, and callers of its server.
//! - [`home`]: a Claude home in a temporary folder, and the environment of programs that use it.
//! - [`http`]: a server that a test starts, and a client for it.
//! - [`markup`]: a parser that accepts only the markup of pages, and hostile texts.
//! - [`model_api`]: a model for the real client that follows directives in prompts.
//! - [`reallogs`]: copies of logs that real versions of Claude Code wrote.
//! - [`resumes`]: random sessions that the real client resumed, with the requests that it sent.
//! - [`generate`]: large, realistic, reproducible homes and single files for benchmarks.
//! - [`process`]: process information from the system.
//! - [`pty`]: programs in a pseudo-terminal, with a model of the screen.
//! - [`questions`]: questions with known answers, to measure the ranking of a search.
//! - [`random`]: random and damaged session graphs for property tests.
//! - [`reaper`]: kills a program before its nth write, and counts writes.
//! - [`saying`]: a session that contains one text in every place that a session has for text.
//! - [`assert_reviewed`]: compares a reviewed document with its current content.
//! - [`SchemaCheck`]: compares a value with a JSON Schema.
//! - [`scenarios`]: conversations with a client, real or scripted, and their expected results.
//! - [`script`]: the directives in the prompts of tests.
//! - [`soak`]: the duration of tests that look for rare faults.
//!
//! Only the scripted client reads the format, to continue its own logs; everything else writes it. The crate
//! depends on no other crate of the workspace, so that the same mistake here cannot hide a mistake of the
//! reader.

#![expect(
    clippy::missing_panics_doc,
    reason = "a test tool: wrong use and a failing disk both end in a panic that names the place"
)]

pub mod browser;
pub mod client;
pub mod dag;
pub mod driven;
pub mod generate;
pub mod home;
pub mod http;
pub mod markup;
pub mod model_api;
pub mod process;
#[cfg(unix)]
pub mod pty;
pub mod questions;
pub mod random;
pub mod reallogs;
pub mod reaper;
pub mod resumes;
pub mod rng;
pub mod saying;
pub mod scenarios;
pub mod script;
pub mod soak;
pub mod time;

mod ids;
mod reviewed;
mod schema_check;

pub use dag::{added, session};
pub use home::{TestHome, append, files_below};
pub use ids::{ZERO_UUID, uuid};
pub use reviewed::assert_reviewed;
pub use schema_check::{SchemaCheck, spread_kinds};
