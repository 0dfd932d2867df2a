//! The picker: a finder over all sessions.
//!
//! Letters are text. `rows` is what there is to choose from, `query` and `fuzzy` find rows by what is typed,
//! `text` by what was said in them, `list` knows what is shown and what is chosen, `screen` takes events, and
//! `view` paints. `work` is what workers do for it.

mod flash;
mod fuzzy;
mod insert;
mod kept;
mod layout;
mod list;
mod live_rows;
mod menus;
mod preview;
mod query;
mod rows;
mod screen;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod view;
mod view_rows;
mod work;

pub(crate) use self::insert::text_of_messages;
pub(crate) use self::screen::PickerScreen;
pub(crate) use self::work::{PickerReply, PickerRequest, PickerWork};
