//! Tests of hosts, clients and supervisors as real processes, which the tests kill.
//!
//! The client is the scripted one of the testkit, the host is `examples/drive_harness.rs`. Tests wait for
//! events and never for a fixed time; the clock of hosts is a number in a file.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "seeds and figures are for people who read the output")]

mod budgets;
#[allow(dead_code, reason = "the harness uses the rest of it")]
mod conversation;
mod deadlines;
mod floods;
mod holding;
mod killed_host;
mod killed_supervisor;
mod peers;
mod talking;
mod test_clock;
mod world;
