//! Surfaces: results of operations as styled lines, Markdown, plain text, pages or JSON.
//!
//! The crate neither queries a terminal nor prints: widths and options are passed in. [`document`]
//! decides once how each message is presented; every surface paints it with [`unspool_text`].

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod csv;
pub mod document;
pub mod export;
pub mod html;
pub mod json;
pub mod keys;
pub mod plain;
pub mod row_fields;
pub mod template;
pub mod terminal;
pub mod transcript_md;
