//! Operations: a request goes in, data comes out.
//!
//! Every surface calls these and paints the data in its own way; nothing here knows a terminal, a
//! page or a flag.

pub mod agent_work;
pub mod agents;
pub mod anywhere;
pub mod changes;
pub mod check;
pub mod context_series;
pub mod find;
pub mod inbox;
mod lanes;
pub mod lineage;
pub mod list;
pub mod locate;
pub mod marks;
pub mod message;
pub mod now;
pub mod path_cost;
pub mod path_diff;
pub mod projects;
pub mod raw;
pub mod recap;
pub mod resume;
pub mod retention;
pub mod secrets;
pub mod spending;
pub mod stats;
pub mod summary;
pub mod timeline;
pub mod transcript;
pub mod tree;
