//! Tools for tests of all screens: the program without a terminal, and a short notation for keys.

pub(crate) mod lab;
pub(crate) mod script;
