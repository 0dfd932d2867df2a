//! The picker: a finder over all sessions.
//!
//! Letters are text. `list` knows what is shown and what is chosen, `screen` takes events, and `view` paints.
//! The rows, and what workers do for the picker, are in `work::picker`.

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
