//! Turns terminal modes on, and off again.
//!
//! All threads share one [`TerminalModes`]. Any of them may call [`TerminalModes::leave`], any number of
//! times: the loop, the panic hook, the signal thread. Nothing is written after it, so an unfinished frame
//! cannot land on the shell's screen.

#![expect(clippy::disallowed_methods, reason = "the terminal is opened for writing")]

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::event::ScreenSize;
use crate::settings::MouseUse;

/// The alternate screen, bracketed paste, a hidden cursor.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?2004h\u{1b}[?25l";
/// Buttons, dragging and the wheel, but no motion without a button.
const MOUSE_ON: &str = "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h";
const MOUSE_OFF: &str = "\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1000l";
/// Turns off every mode that makes the terminal send bytes by itself, and the synchronized update that a
/// panic may have left open.
const QUIET: &str = "\u{1b}[?2026l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1000l\u{1b}[?2004l";
/// The shell's screen and its cursor. Written last, after the line settings are restored.
const LEAVE: &str = "\u{1b}[0m\u{1b}[?1049l\u{1b}[?25h";
/// Synchronized update: a terminal that supports it shows the frame at once.
const FRAME_BEGIN: &[u8] = b"\x1b[?2026h";
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// The terminal, and whether its modes are on.
pub(super) struct TerminalModes {
    tty: File,
    /// The original line settings, while the program has the terminal.
    held: Mutex<Option<Termios>>,
}

impl TerminalModes {
    /// Opens the controlling terminal, whatever the standard streams are.
    pub(super) fn open() -> io::Result<Self> {
        let tty = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        if !tty.is_terminal() {
            return Err(io::Error::other("it is not one"));
        }
        Ok(Self { tty, held: Mutex::new(None) })
    }

    /// Duplicates the terminal's file descriptor, for a command that gets the terminal.
    pub(super) fn reopened(&self) -> io::Result<File> {
        self.tty.try_clone()
    }

    /// Takes the terminal: raw mode, the alternate screen, and the mouse if wanted.
    pub(super) fn enter(&self, mouse: MouseUse) -> io::Result<()> {
        let mut held = self.lock();
        if held.is_some() {
            return Ok(());
        }
        let before = tcgetattr(self.tty.as_fd())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(self.tty.as_fd(), OptionalActions::Now, &raw)?;
        *held = Some(before);
        let mut tty = &self.tty;
        tty.write_all(ENTER.as_bytes())?;
        if mouse == MouseUse::Taken {
            tty.write_all(MOUSE_ON.as_bytes())?;
        }
        tty.flush()
    }

    /// Restores the terminal. Does nothing if the program does not have it.
    pub(super) fn leave(&self) {
        // A lock that a panic poisoned is taken too: the terminal has to be restored in any case.
        let mut held = match self.held.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => self.lock(),
        };
        let Some(before) = held.take() else {
            return;
        };
        let mut tty = &self.tty;
        let _ = tty.write_all(QUIET.as_bytes());
        let _ = tcsetattr(self.tty.as_fd(), OptionalActions::Drain, &before);
        let _ = tty.write_all(LEAVE.as_bytes());
        let _ = tty.flush();
    }

    /// Captures the mouse, or releases it.
    pub(super) fn set_mouse(&self, mouse: MouseUse) -> io::Result<()> {
        self.write(match mouse {
            MouseUse::Taken => MOUSE_ON.as_bytes(),
            MouseUse::Left => MOUSE_OFF.as_bytes(),
        })
    }

    /// Writes a frame.
    pub(super) fn write_frame(&self, frame: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(frame.len() + FRAME_BEGIN.len() + FRAME_END.len());
        bytes.extend_from_slice(FRAME_BEGIN);
        bytes.extend_from_slice(frame);
        bytes.extend_from_slice(FRAME_END);
        self.write(&bytes)
    }

    /// Writes bytes, unless the terminal was given back.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let held = self.lock();
        if held.is_none() {
            return Ok(());
        }
        let mut tty = &self.tty;
        tty.write_all(bytes)?;
        tty.flush()
    }

    /// Returns the size of the terminal.
    pub(super) fn size(&self) -> io::Result<ScreenSize> {
        let size = tcgetwinsize(self.tty.as_fd())?;
        let or = |value: u16, usual: u16| if value == 0 { usual } else { value };
        Ok(ScreenSize { columns: or(size.ws_col, 80), rows: or(size.ws_row, 24) })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Termios>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TerminalModes {
    fn drop(&mut self) {
        self.leave();
    }
}
