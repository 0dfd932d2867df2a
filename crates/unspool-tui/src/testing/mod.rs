//! Tools for tests of all screens: the program without a terminal, and keys in a short notation.

#[expect(
    dead_code,
    reason = "a tool for tests of all screens; each uses a part of it"
)]
pub(crate) mod lab;
pub(crate) mod script;
