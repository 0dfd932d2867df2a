//! Laws that are true of every file, whatever it contains.
//!
//! Each test draws sessions, well formed or damaged in every way that a reader must
//! survive, and names the law it checks. Seeds are fixed, so a run repeats itself;
//! `PROPTEST_RNG_SEED` draws others, and `PROPTEST_CASES` (usually 256) scales the number
//! of cases of all laws alike.

mod changes;
mod checks;
mod growth;
mod json;
mod json_value;
mod kept;
mod ledger;
mod merging;
mod numbers;
mod portrait;
mod real;
mod sdk;
mod sessions;
mod snapshot;
mod snapshots;
mod spans;
mod steps;
mod structure;
mod tally;
