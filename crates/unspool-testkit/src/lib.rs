//! Session builder, hermetic home and log generator for tests and benchmarks.
//!
//! - [`browser`]: Chromium, driven by tests of pages.
//! - [`client`]: a client that speaks the wire protocol of Claude Code and does what its prompts say.
//! - [`dag`]: sessions in a compact notation, so that a test reads like the picture on the whiteboard.
//! - [`driven`]: homes in which `unspool` drives the scripted client, and programs that ask its server.
//! - [`home`]: a Claude home in a temporary folder and the environment to run a binary against it.
//! - [`http`]: a server that a test starts, and a client of it.
//! - [`markup`]: a reader of markup that accepts only what pages consist of, and hostile texts.
//! - [`model_api`]: a model that does what prompts say, for the real client.
//! - [`reallogs`]: copies of logs that real versions of Claude Code wrote.
//! - [`resumes`]: random sessions that the real client resumed, with what it sent.
//! - [`generate`]: large, realistic, reproducible homes and single files for benchmarks.
//! - [`process`]: what the system says of processes.
//! - [`pty`]: programs in a pseudo-terminal, with a model of the screen.
//! - [`questions`]: questions with known answers, to measure how well a search ranks.
//! - [`random`]: random and damaged session graphs for property tests.
//! - [`reaper`]: ends a program before its nth write, and tells what one took.
//! - [`saying`]: a session that says one text wherever a session can say something.
//! - [`assert_reviewed`]: compares a document with what the code says.
//! - [`SchemaCheck`]: compares a value with a JSON Schema.
//! - [`scenarios`]: conversations with a client, real or scripted, and what must come of them.
//! - [`script`]: the directives that prompts of tests consist of.
//! - [`soak`]: how long tests go on that look for rare faults.
//!
//! The crate knows the format only as something to *write*, but for the scripted client, which goes
//! on with its own logs. It depends on no other crate of the
//! workspace, so the same mistake here cannot hide a mistake in the reader.

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
