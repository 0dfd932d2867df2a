//! Converts text to markup: prose, code, diffs and terminal output.
//!
//! Everything is written to an [`Html`], which escapes it. Pages are put together elsewhere.

mod ansi;
mod code;
mod diff;
mod escape;
mod prose;

pub use self::ansi::ansi;
pub use self::code::{Painting, code_block};
pub use self::diff::diff;
pub use self::escape::{Html, anchor, is_base64};
pub use self::prose::{open_link, prose};
