//! Transcripts as pages, and pages as a site.
#![allow(dead_code)]

mod ansi;
mod code;
mod diff;
mod escape;
mod highlight;
mod prose;
#[cfg(test)]
mod testing;

pub use self::code::Painting;
