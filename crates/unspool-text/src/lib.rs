//! Text: styled lines, widths, tables, charts, diffs, highlighted code, Markdown and markup.
//!
//! This crate knows no session, queries no terminal and prints nothing: widths and options are
//! passed in. Colours are data: a [`TextSpan`] has a [`Role`], and only [`paint()`] turns roles
//! into escape codes.
//!
//! Content is hostile input. A [`TextSpan`] can only be made through [`sanitize::clean`], so no
//! control character of a log gets into a [`Line`] on any way.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod base64;
pub mod chart;
pub mod diff;
pub mod fold;
pub mod highlight;
pub mod html;
pub mod human;
pub mod link;
pub mod markdown;
pub mod paint;
pub mod picture;
pub mod sanitize;
pub mod style;
pub mod table;
pub mod width;
pub mod wrap;

pub use self::diff::{Diff, DiffHunk};
pub use self::link::LinkTarget;
pub use self::markdown::markdown;
pub use self::paint::{ColorMode, paint};
pub use self::style::{Emphasis, Line, Role, Style, TextSpan};
pub use self::table::{Align, Column, Table};
pub use self::wrap::wrap;
