//! Transcripts as they are shown and exported: what is in lines and pages, what a browser makes of pages, and
//! how much work it is.

mod blocks;
mod browser;
mod logs;
mod paper;
mod ranges;
mod sample;
mod site;
mod surface;
mod work;
