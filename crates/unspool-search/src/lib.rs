//! Finds words in sessions: the full text, ranked search, and scans of the logs.
//!
//! [`text`] indexes which words are where and follows the catalogue of `unspool-store`;
//! [`ranked`] answers queries from the index; [`scan`] reads the logs themselves. Both searches
//! return the same kind of hit. This crate paints nothing.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod excerpt;
pub mod hit;
mod opened_index;
pub mod ranked;
pub mod scan;
pub mod text;

pub use opened_index::OpenedIndex;
