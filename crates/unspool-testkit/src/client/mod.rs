//! A client that speaks the protocol of Claude Code and follows directives in its prompts.
//!
//! The program `scripted-client` accepts the client's flags, communicates over standard input and output, and
//! writes the session's log and the file of a running session to `CLAUDE_CONFIG_DIR`. The
//! [directives](crate::script) of a prompt determine its turn. Its behaviour follows measurements of version
//! [`CLIENT_VERSION`].
//!
//! Two files in the configuration folder are for tests: [`RAN`] has the id of each call that ran, and
//! [`SENT`] the requests that a real client would have sent to a model.
//!
//! The client runs commands, so it refuses to start outside of a folder that a test has marked: see
//! [`allow_in`].

mod calls;
mod core;
mod entropy;
mod faults;
mod history;
mod input;
mod lane;
mod marker;
mod options;
mod program;
mod session_log;
mod signals;
mod start;
mod turn;
mod wire;

pub use calls::RAN;
pub use history::{INTERRUPTED_CALL, NO_RESPONSE};
pub use input::SECRET_SETTING;
pub use lane::SENT;
pub use options::CLIENT_VERSION;
pub use program::scripted_client;
pub use start::{MARKER, allow_in, main};

pub(crate) use core::locked;
pub(crate) use entropy::{new_id, new_uuid};
