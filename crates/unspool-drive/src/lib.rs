//! Starts, supervises and answers runs of Claude Code, and loses nothing if any of the processes dies.
//!
//! ```text
//!  server, command, terminal ──▶ Drive ──socket──▶ host (one for each run) ──pipes──▶ client
//!                                  │                 │
//!                                  ▼                 ▼
//!                              drive.db          drive.db, spool
//! ```
//!
//! - [`supervisor::Drive`] is the interface for surfaces: it starts runs, accepts prompts, answers approvals,
//!   follows events, and settles runs whose host died. It needs no server.
//! - [`host::run`] is the process between a surface and a client: the same program under a hidden command. It
//!   owns the client's pipes, sends queued prompts and keeps deadlines while no server runs, and outlives
//!   servers.
//! - [`machine`] makes the decisions: lines of the client, requests and the time go in; changes of the store,
//!   lines for the client and notes come out. It does no I/O.
//! - [`store`] has the state that must survive, [`spool`] every line of the client, [`socket`] the protocol
//!   of hosts, [`wire`] the client's lines, [`launch`] the arguments and environment of the client, [`trust`]
//!   the configuration of a folder that runs code, [`form`] the fields of forms, [`spool_parts`] what a line
//!   of a spool means to a person, [`failure`] causes of failures with advice, [`json`] the types that scripts
//!   see.
//!
//! A prompt or an answer is in the store before it is sent, and the client's own lines show what became of
//! it. This crate prints nothing, reads no environment variables, and reads the time only through [`clock`].

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
pub mod socket;
pub mod spool;
pub mod spool_parts;
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
    ApprovalKind, AwaitedAnswer, Decision, FailureCause, LONGEST_DEADLINE, PermissionMode,
    PromptState, Resolution, RunEnd, RunLimits, RunStage, RunState, SendWhen,
};
pub use supervisor::{
    Drive, DriveError, DriveSettings, FollowStop, Follower, HostCommand, RunEvent, RunNeed,
    RunRequest, RunView,
};
pub use wire::{ClientMenu, MenuCommand, MenuModel, PersonChoice, PromptContent, PromptImage};
