//! Searching all sessions: what every way of searching gives.

pub mod hit;
