//! The reader: a conversation as `show` paints it, with a place that only keys move.
//!
//! `document` has the blocks, `strand` the place in them and what keys do to it, `screen` everything that is
//! around it, `view` the painting. Lines are laid out by the worker of `work::reader`; panes, matches and
//! texts to copy come from its `aside`.

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
