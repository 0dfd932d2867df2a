//! The checks and the inputs of the fuzz targets.
//!
//! The checks are the laws of the model's tests, for bytes that no generator creates. Inputs start as random
//! sessions of the testkit, so no corpus is needed to get past the first brace; libFuzzer adds its own inputs
//! to `corpus/`.
//!
//! A finding is an input file under `artifacts/`. `cargo fuzz tmin` minimises it, and a test with the reason
//! in its name keeps it.

#![expect(clippy::missing_panics_doc, reason = "a panic is how a fuzz target says what it found")]

#[path = "../../crates/unspool-model/tests/laws/checks.rs"]
mod checks;
mod json;
#[path = "../../crates/unspool-model/tests/laws/json_value.rs"]
mod json_value;
mod line;
mod log;
mod mutate;
#[path = "../../crates/unspool-model/tests/laws/portrait.rs"]
mod portrait;
mod record;
mod snapshot;
#[path = "../../crates/unspool-model/tests/laws/snapshots.rs"]
mod snapshots;
#[path = "../../crates/unspool-model/tests/laws/steps.rs"]
mod steps;

pub use json::check_json;
pub use line::check_line;
pub use log::check_log;
pub use mutate::{mutate, mutate_snapshot};
pub use record::check_record;
pub use snapshot::check_snapshot;
