//! From the bytes of a Claude Code log to the conversation it records.
pub mod ids;
