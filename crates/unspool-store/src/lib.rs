//! Claude Code's files on this machine: homes, sessions, the catalogue of sessions, archives.
//!
//! This crate reads files and databases; the model reads neither. The caller passes in homes, time
//! and settings, and nothing is painted here. `unspool-search` builds the full text on the
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
