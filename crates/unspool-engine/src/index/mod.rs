//! The index: what was learnt from the logs, kept so that nothing is read twice.
//!
//! Two parts live in one folder. The catalogue, an SQLite file, knows every log file with
//! the offset up to which it was read, one row for each session, and what totals are made
//! of. The full text, a tantivy index, knows which words stand where. Both hold nothing
//! that the logs do not say: deleting the folder loses nothing but time.

pub mod ledger;
pub mod schema;
pub mod text;
