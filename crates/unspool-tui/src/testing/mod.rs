//! Tools for tests of all screens: the program without a terminal, and keys in a short notation.

pub(crate) mod lab;
pub(crate) mod script;
