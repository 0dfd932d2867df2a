//! A client that speaks the wire protocol of Claude Code and does what its prompts say.
//!
//! The program `scripted-client` takes the client's flags, talks over standard input and output, and
//! writes the session's log and the marker of a running session into `CLAUDE_CONFIG_DIR`. What it
//! does in a turn is told by the [directives](crate::script) of the prompt. It was written after the
//! behaviour of version [`CLIENT_VERSION`], as measured.
//!
//! Two files in the configuration folder tell a test what happened: [`RAN`] has the id of each call
//! that ran, and [`SENT`] what a real client would have sent to a model, request by request.
//!
//! It runs commands, so it refuses to start outside of a folder that a test made for it: see
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
