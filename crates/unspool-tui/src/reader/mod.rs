//! The reader: a conversation as `show` paints it, with a place that only keys move.
//!
//! `document` has the blocks, `strand` the place in them and what keys do to it, `screen` everything that is
//! around it, `view` the painting. Lines are laid out by the worker of `work`; panes, matches and texts to
//! copy come from `aside`.

mod act;
mod aside;
mod asking;
mod document;
mod find;
mod heights;
mod layout;
mod mouse;
mod pane;
mod screen;
mod strand;
#[cfg(test)]
mod tests;
mod view;
mod work;

pub(crate) use self::screen::ReaderScreen;
pub(crate) use self::work::{ReaderReply, ReaderRequest, ReaderWork};
