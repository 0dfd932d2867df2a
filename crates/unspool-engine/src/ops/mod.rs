//! Operations: a request goes in, data comes out.
//!
//! Every surface calls these and paints the data in its own way; nothing here knows
//! a terminal, a page or a flag.

pub mod agents;
pub mod anywhere;
pub mod check;
pub mod find;
pub mod inbox;
pub mod lineage;
pub mod list;
pub mod locate;
pub mod message;
pub mod now;
pub mod projects;
pub mod raw;
pub mod stats;
pub mod summary;
pub mod transcript;
pub mod tree;
