//! What happens: keys, the mouse, the terminal, answers of workers, changes of files, time.

use unspool_engine::library::LibraryEvent;
use unspool_model::time::Time;

use crate::press::KeyPress;
use crate::work::WorkAnswer;

/// How large the screen is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScreenSize {
    /// Its columns.
    pub(crate) columns: u16,
    /// Its rows.
    pub(crate) rows: u16,
}

impl ScreenSize {
    /// The smallest screen that anything is painted on.
    pub(crate) const SMALLEST: Self = Self { columns: 40, rows: 10 };

    /// Tells whether nothing is painted but that the screen is too small.
    pub(crate) fn is_too_small(self) -> bool {
        self.columns < Self::SMALLEST.columns || self.rows < Self::SMALLEST.rows
    }
}

/// Something that happened.
#[derive(Debug)]
pub(crate) enum TuiEvent {
    /// A key was pressed.
    Key(KeyPress),
    /// The mouse did something.
    Mouse(MouseInput),
    /// Text was pasted.
    Paste(String),
    /// The screen has another size.
    Resize(ScreenSize),
    /// The time that a screen asked to be woken at has come.
    Tick,
    /// A worker has an answer.
    Answer(WorkAnswer),
    /// Files changed.
    News(Vec<LibraryEvent>),
    /// Something happened in a run that unspool drives.
    RunsChanged,
    /// What was run with the terminal has ended, or the program was put to sleep and woken.
    Returned,
    /// The system asks the program to do something.
    Signal(ProgramSignal),
}

/// What the system asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgramSignal {
    /// To end.
    End,
    /// To sleep.
    Suspend,
}

/// What the mouse did, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MouseInput {
    pub(crate) kind: MouseKind,
    pub(crate) column: u16,
    pub(crate) row: u16,
}

/// What the mouse did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MouseKind {
    /// The left button was pressed.
    Press,
    /// It was moved while the left button was held down.
    Drag,
    /// The left button was let go.
    Release,
    /// The wheel was turned up.
    WheelUp,
    /// The wheel was turned down.
    WheelDown,
}

/// When something happens, for screens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TuiMoment {
    pub(crate) now: Time,
    pub(crate) size: ScreenSize,
}
