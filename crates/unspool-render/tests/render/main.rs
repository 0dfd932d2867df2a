//! Transcripts as they are shown and exported: the content of lines and pages, pages in a browser,
//! and the amount of work.

mod blocks;
mod browser;
mod logs;
mod paper;
mod ranges;
mod sample;
mod site;
mod surface;
mod work;
