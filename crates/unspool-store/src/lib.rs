//! What a machine has of Claude Code's files: homes, sessions, the catalogue of them, archives.
//!
//! Files and databases are read here; the model knows neither. Home, time and settings are passed
//! in, and nothing is painted. The full text is not here: `unspool-search` builds it on the
//! catalogue.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod archive;
pub mod files;
pub mod filter;
pub mod home;
pub mod index;
pub mod prices;
pub mod progress;
pub mod rows;
pub mod seen;
pub mod session;
pub mod tail;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod titles;
