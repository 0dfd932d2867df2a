//! The reader: a conversation as `show` paints it, with a cursor that only the user moves.
//!
//! `document` contains the blocks, `strand` the position and its movements, `screen` everything around
//! them, and `view` paints. A worker of `work::reader` lays out the lines; panes, matches and texts to copy
//! come from its `aside`.

mod act;
mod asking;
mod document;
mod heights;
mod layout;
mod mouse;
mod pane;
mod screen;
mod strand;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use self::screen::ReaderScreen;
