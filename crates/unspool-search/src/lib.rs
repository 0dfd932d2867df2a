//! Finding words in sessions: the full text, ranked search in it, and scans of the logs.
//!
//! [`text`] says which words are where and keeps that up to date with the catalogue of
//! `unspool-store`; [`ranked`] answers a question from it; [`scan`] reads the logs themselves.
//! Both ways give the same kind of hit. Nothing is painted here.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod excerpt;
pub mod hit;
mod opened_index;
pub mod ranked;
pub mod scan;
pub mod text;

pub use opened_index::OpenedIndex;
