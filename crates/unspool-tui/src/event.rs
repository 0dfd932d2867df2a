//! Events: keys, the mouse, the terminal, answers of workers, changed files, time.

use unspool_engine::library::LibraryEvent;
use unspool_model::time::Time;

use crate::press::KeyPress;
use crate::work::WorkAnswer;

/// The size of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScreenSize {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
}

impl ScreenSize {
    /// The smallest screen that the program paints on.
    pub(crate) const SMALLEST: Self = Self { columns: 40, rows: 10 };

    /// Tells whether the screen is too small to paint anything but that message.
    pub(crate) fn is_too_small(self) -> bool {
        self.columns < Self::SMALLEST.columns || self.rows < Self::SMALLEST.rows
    }
}

/// One event.
#[derive(Debug)]
pub(crate) enum TuiEvent {
    /// A key was pressed.
    Key(KeyPress),
    /// The mouse was used.
    Mouse(MouseInput),
    /// Text was pasted.
    Paste(String),
    /// The screen was resized.
    Resize(ScreenSize),
    /// The time has come at which a screen asked to be woken.
    Tick,
    /// A worker answered.
    Answer(WorkAnswer),
    /// Files changed.
    News(Vec<LibraryEvent>),
    /// Something happened in a run that unspool drives.
    RunsChanged,
    /// The command that had the terminal has ended, or the suspended program was continued.
    Returned,
    /// The system sent a signal.
    Signal(ProgramSignal),
}

/// A request of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgramSignal {
    /// Ends the program.
    End,
    /// Suspends the program.
    Suspend,
}

/// A mouse event and its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MouseInput {
    pub(crate) kind: MouseKind,
    pub(crate) column: u16,
    pub(crate) row: u16,
}

/// The kind of a mouse event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MouseKind {
    /// The left button was pressed.
    Press,
    /// The mouse moved while the left button was held down.
    Drag,
    /// The left button was released.
    Release,
    /// The wheel was turned up.
    WheelUp,
    /// The wheel was turned down.
    WheelDown,
}

/// The time and the screen size of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TuiMoment {
    pub(crate) now: Time,
    pub(crate) size: ScreenSize,
}
