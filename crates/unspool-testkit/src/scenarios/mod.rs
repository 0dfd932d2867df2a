//! Conversations with a client, real or scripted, and what must come of them.

mod driver;

pub use driver::{ClientDriver, ClientEnd, DriverOptions};
