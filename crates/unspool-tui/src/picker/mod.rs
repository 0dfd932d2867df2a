//! The picker: a finder over all sessions.
//!
//! Letters are text. `list` manages the rows and the selection, `screen` takes events, and `view` paints.
//! The rows themselves, and the picker's worker, are in `work::picker`.

mod counts;
mod flash;
mod layout;
mod list;
mod live_rows;
mod menus;
mod screen;
#[cfg(test)]
pub(crate) mod tests;
mod view;
mod view_rows;

pub(crate) use self::screen::PickerScreen;
