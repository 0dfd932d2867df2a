//! Driven sessions on the command line.
//!
//! [`open`] opens a `Drive` from the settings, [`names`] finds runs and approvals by name, [`paint`]
//! formats the events of runs, [`notify`] runs the user's command when a run waits. Commands combine these;
//! this module prints nothing.

pub(crate) mod input;
pub(crate) mod names;
pub(crate) mod notify;
pub(crate) mod open;
pub(crate) mod paint;
pub(crate) mod refusal;
pub(crate) mod session;

/// The name of this surface, which is stored with prompts and answers.
pub(crate) const BY: &str = "command line";
