//! Searching all sessions: what every way of searching gives.

pub mod group;
pub mod hit;
