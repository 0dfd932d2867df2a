//! Surfaces: what operations found out, as styled lines, Markdown, plain text, pages or JSON.
//!
//! Nothing here asks a terminal or prints: widths and options are passed in. What is shown of a
//! message is decided once, in [`document`]; each surface paints it with the means of
//! [`unspool_text`].

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
