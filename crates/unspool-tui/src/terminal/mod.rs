//! The terminal: the only part of the program that touches it.
//!
//! [`run()`] takes the terminal, runs the program, and gives the terminal back as it was, whatever way the
//! program ends. `modes` knows what was turned on; `keyboard` reads keys in a thread that can be parked
//! while another command has the terminal; `signals` hears what the system asks for. All of them send
//! events down one channel, and one thread takes them, updates and paints.

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
    /// The terminal could not be used any more.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
}
