//! Laws that are true of every file, whatever it contains.
//!
//! Each test generates sessions, well formed or damaged in any way that the crate must survive, and
//! its name is the law that it checks. Seeds are fixed, so runs are reproducible; `PROPTEST_RNG_SEED`
//! sets another seed, and `PROPTEST_CASES` (usually 256) scales the number of cases of all laws.

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
