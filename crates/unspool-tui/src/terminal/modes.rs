//! Turns terminal modes on, and off again.
//!
//! All threads share one [`TerminalModes`]. Any of them may call [`TerminalModes::leave`], any number of
//! times: the loop, the panic hook, the signal thread. No frame is begun after it, and it waits for a begun
//! frame, so that the frame does not land on the shell's screen. It does not wait for ever: the thread that
//! writes may be the one that panicked, or the terminal may not read.

#![expect(
    clippy::disallowed_methods,
    reason = "the terminal is opened for writing, and a wait for a frame is short"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use rustix::io::ioctl_fionbio;
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

/// How often, and after which time each, [`TerminalModes::leave`] tries to get the terminal from a thread
/// that writes: by judgement, longer than a frame takes.
const TRIES: usize = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(2);

/// The terminal, and whether its modes are on.
pub(super) struct TerminalModes {
    tty: File,
    /// Locked by the thread that writes to the terminal or changes its modes.
    writing: Mutex<()>,
    /// The original line settings, while the program has the terminal. Never locked during a write.
    before: Mutex<Option<Termios>>,
}

impl TerminalModes {
    /// Opens the controlling terminal, whatever the standard streams are.
    pub(super) fn open() -> io::Result<Self> {
        let tty = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        if !tty.is_terminal() {
            return Err(io::Error::other("it is not one"));
        }
        Ok(Self::of(tty))
    }

    fn of(tty: File) -> Self {
        Self { tty, writing: Mutex::new(()), before: Mutex::new(None) }
    }

    /// Duplicates the terminal's file descriptor, for a command that gets the terminal.
    pub(super) fn reopened(&self) -> io::Result<File> {
        self.tty.try_clone()
    }

    /// Takes the terminal: raw mode, the alternate screen, and the mouse if wanted.
    pub(super) fn enter(&self, mouse: MouseUse) -> io::Result<()> {
        let _writing = self.lock();
        if self.before().is_some() {
            return Ok(());
        }
        let before = tcgetattr(self.tty.as_fd())?;
        let mut raw = before.clone();
        raw.make_raw();
        *self.before() = Some(before);
        tcsetattr(self.tty.as_fd(), OptionalActions::Now, &raw)?;
        let mut tty = &self.tty;
        tty.write_all(ENTER.as_bytes())?;
        if mouse == MouseUse::Taken {
            tty.write_all(MOUSE_ON.as_bytes())?;
        }
        tty.flush()
    }

    /// Restores the terminal. Does nothing if the program does not have it.
    pub(super) fn leave(&self) {
        let writing = self.lock_soon();
        let Some(before) = self.before().clone() else {
            return;
        };
        let action = if writing.is_some() {
            OptionalActions::Drain
        } else {
            // Nothing here may wait for a terminal that does not read.
            let _ = ioctl_fionbio(&self.tty, true);
            OptionalActions::Now
        };
        let mut tty = &self.tty;
        let _ = tty.write_all(QUIET.as_bytes());
        let _ = tcsetattr(self.tty.as_fd(), action, &before);
        let _ = tty.write_all(LEAVE.as_bytes());
        let _ = tty.flush();
        // Only here: if this thread hangs in a write, another one that leaves restores the terminal too.
        *self.before() = None;
    }

    /// Captures the mouse, or releases it.
    pub(super) fn set_mouse(&self, mouse: MouseUse) -> io::Result<()> {
        self.write(match mouse {
            MouseUse::Taken => MOUSE_ON.as_bytes(),
            MouseUse::Released => MOUSE_OFF.as_bytes(),
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
        let _writing = self.lock();
        if self.before().is_none() {
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

    /// Waits for the thread that writes.
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the thread that writes, but not for long.
    fn lock_soon(&self) -> Option<MutexGuard<'_, ()>> {
        for _ in 0..TRIES {
            match self.writing.try_lock() {
                Ok(writing) => return Some(writing),
                Err(TryLockError::Poisoned(writing)) => return Some(writing.into_inner()),
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
            }
        }
        None
    }

    fn before(&self) -> MutexGuard<'_, Option<Termios>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TerminalModes {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    /// Opens a pseudo-terminal, and returns the side of a program and the side that reads its output.
    fn terminal() -> (TerminalModes, OwnedFd) {
        let reader = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&reader).expect("a terminal");
        unlockpt(&reader).expect("a terminal");
        let name = ptsname(&reader, Vec::new()).expect("a name");
        let tty = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty());
        (TerminalModes::of(tty.expect("a terminal").into()), reader)
    }

    fn local_modes(modes: &TerminalModes) -> rustix::termios::LocalModes {
        tcgetattr(modes.tty.as_fd()).expect("settings").local_modes
    }

    #[test]
    fn a_thread_that_writes_does_not_keep_the_terminal_raw() {
        let (modes, _reader) = terminal();
        let before = local_modes(&modes);
        modes.enter(MouseUse::Released).expect("a terminal");
        assert_ne!(local_modes(&modes), before);
        // The terminal does not read, and this thread is the one that writes.
        ioctl_fionbio(&modes.tty, true).expect("a terminal");
        while (&modes.tty).write(&[b'x'; 4096]).is_ok() {}
        ioctl_fionbio(&modes.tty, false).expect("a terminal");
        let writing = modes.lock();
        modes.leave();
        assert_eq!(local_modes(&modes), before);
        drop(writing);
        modes.write(b"a late frame").expect("nothing is written");
    }
}
