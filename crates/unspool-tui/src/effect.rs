//! What the program wants of the world around it.

use unspool_model::time::Time;

use crate::settings::{TuiCommand, TuiOutcome};
use crate::work::WorkQuestion;

/// Something that the program wants.
#[derive(Debug)]
pub(crate) enum TuiEffect {
    /// An answer of a worker.
    Ask(WorkQuestion),
    /// A text on the terminal's own clipboard.
    CopyToTerminal(String),
    /// A command that gets the terminal; the program goes on when it ends.
    HandOver(TuiCommand),
    /// The end, with this.
    Leave(Box<TuiOutcome>),
    /// Sleep, until the shell wakes the program.
    Suspend,
    /// Everything painted again.
    Redraw,
    /// To be woken at a time.
    WakeAt(Time),
    /// The mouse taken, or given back to the terminal.
    TakeMouse(bool),
}
