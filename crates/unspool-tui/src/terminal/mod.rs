//! The only module that touches the terminal.
//!
//! [`run()`] takes the terminal, runs the program, and restores the terminal however the program ends.
//! `modes` knows what was turned on; `keyboard` reads keys in a thread that is parked while another command
//! has the terminal; `signals` receives signals. All of them send events to one channel, and one thread
//! receives them, updates and paints.

mod keyboard;
mod modes;
mod run;
mod signals;

use std::io;

pub use self::run::run;

/// Why the program could not run.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// There is no terminal to draw on.
    #[error("there is no terminal to draw on: {0}")]
    NoTerminal(io::Error),
    /// The terminal cannot be used any more.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
}
