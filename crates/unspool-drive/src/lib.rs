//! Runs of Claude Code: started, supervised and answered, with nothing lost when anything dies.
//!
//! ```text
//!  server, command, terminal ──▶ Drive ──socket──▶ host (one for each run) ──pipes──▶ client
//!                                  │                 │
//!                                  ▼                 ▼
//!                              drive.db          drive.db, spool
//! ```
//!
//! - [`supervisor::Drive`] is what surfaces call: it starts runs, puts prompts, answers approvals,
//!   follows what happens, and knows what became of runs whose host died. It needs no server.
//! - [`host::run`] is the process between: the same program under a hidden command. It owns the
//!   client's pipes, keeps the queue moving and the deadlines running while no server runs, and
//!   outlives all of them.
//! - [`machine`] decides: lines of the client, requests and the time go in; what to write down, to send
//!   and to say comes out. It touches nothing.
//! - [`store`] has what must survive, [`spool`] what the client said, [`socket`] how a host is talked to,
//!   [`wire`] the client's lines, [`launch`] how the client is started, [`trust`] what in a folder runs
//!   code, [`form`] forms to fill in, [`said`] what a line says to a person, [`failure`] what a person can do about a failure, [`json`] what scripts see.
//!
//! Write first, then act: a prompt or an answer is in the store before it is on the wire, and what
//! became of it is known from the client's own lines. Nothing here prints, reads the environment or
//! looks at the clock but through [`clock`].

#![cfg(unix)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod clock;
pub mod consequence;
pub mod failure;
pub mod folders;
pub mod form;
pub mod host;
pub mod ids;
pub mod json;
pub mod launch;
mod listing;
pub mod machine;
pub mod money;
mod processes;
pub mod reply;
pub mod said;
pub mod socket;
pub mod spool;
pub mod state;
pub mod store;
pub mod suggestion;
pub mod supervisor;
pub mod trust;
pub mod wire;

pub use clock::{DriveClock, SystemDriveClock};
pub use ids::{ActionId, ApprovalId, PromptId, RunId};
pub use launch::ClientProgram;
pub use money::UsdAmount;
pub use state::{
    ApprovalKind, AwaitedAnswer, Decision, FailureCause, LONGEST_LIMIT, PermissionMode,
    PromptState, Resolution, RunEnd, RunLimits, RunStage, RunState, SendWhen,
};
pub use supervisor::{
    Drive, DriveError, DriveSettings, FollowStop, Follower, HostCommand, RunEvent, RunNeed,
    RunRequest, RunView,
};
pub use wire::{ClientMenu, MenuCommand, MenuModel, PersonChoice, PromptContent, PromptImage};
