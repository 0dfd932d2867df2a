//! The effects that the program asks the event loop to carry out.

use unspool_model::time::Time;

use crate::settings::{TuiCommand, TuiOutcome};
use crate::work::WorkQuestion;

/// One effect.
#[derive(Debug)]
pub(crate) enum TuiEffect {
    /// Asks a worker; the answer comes back as an event.
    Ask(WorkQuestion),
    /// Copies a text with the terminal's own clipboard sequence.
    CopyToTerminal(String),
    /// Gives the terminal to a command; the program continues when the command ends.
    HandOver(TuiCommand),
    /// Ends the program with this outcome.
    Leave(Box<TuiOutcome>),
    /// Stops the process until the shell continues it.
    Suspend,
    /// Repaints the whole screen.
    Redraw,
    /// Sends a tick at this time.
    WakeAt(Time),
    /// Captures the mouse, or releases it to the terminal.
    TakeMouse(bool),
}
