//! Driven sessions as the command line has them.
//!
//! [`open`] makes a `Drive` of the settings, [`names`] finds the run or approval that was named,
//! [`paint`] shows what a run says, [`notify`] runs the command of the person when a run waits. Commands put these together; nothing here prints.

pub(crate) mod input;
pub(crate) mod names;
pub(crate) mod notify;
pub(crate) mod open;
pub(crate) mod paint;
pub(crate) mod refusal;
pub(crate) mod session;

/// The surface, as it is written down with prompts and answers.
pub(crate) const BY: &str = "command line";
