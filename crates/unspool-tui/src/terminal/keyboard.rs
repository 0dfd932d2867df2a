//! The thread that reads keys.
//!
//! The thread polls the terminal and a pipe, so the loop can park it. A parked thread takes no byte from
//! the terminal: the command that has the terminal gets all input. crossterm is called only when there are
//! bytes, so the thread sleeps while nothing is typed. crossterm is built with `use-dev-tty`, whose poll is
//! level-triggered: its default poll is edge-triggered, and left a key that arrived together with a resize
//! unread until the next key.

use std::fs::File;
use std::io::{self, IsTerminal as _, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};
use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use rustix::event::{PollFd, PollFlags, poll};

use crate::event::{MouseInput, MouseKind, ProgramSignal, TuiEvent};
use crate::press::{KeyName, KeyPress};
use crate::settings::TuiFault;

/// How long to wait for more bytes of the same input. With a timeout of zero crossterm does not read at
/// all.
const AT_HAND: Duration = Duration::from_millis(1);

/// The loop's handle of the thread that reads keys.
pub(super) struct Keyboard {
    wake: PipeWriter,
    parked: Receiver<()>,
    go_on: Sender<()>,
}

/// The state of the thread.
struct KeyReader {
    tty: File,
    wake: PipeReader,
    parked: Sender<()>,
    go_on: Receiver<()>,
    fault: Option<TuiFault>,
    events: Sender<TuiEvent>,
}

impl Keyboard {
    /// Starts the thread.
    pub(super) fn start(
        tty: File,
        fault: Option<TuiFault>,
        events: Sender<TuiEvent>,
    ) -> io::Result<Self> {
        let (wake_read, wake) = io::pipe()?;
        let (parked_send, parked) = crossbeam_channel::bounded(1);
        let (go_on, go_on_receive) = crossbeam_channel::bounded(1);
        let reader = KeyReader {
            tty,
            wake: wake_read,
            parked: parked_send,
            go_on: go_on_receive,
            fault,
            events,
        };
        thread::Builder::new().name("unspool-keys".to_owned()).spawn(move || reader.run())?;
        Ok(Self { wake, parked, go_on })
    }

    /// Waits until the thread has stopped reading from the terminal.
    pub(super) fn park(&mut self) {
        if self.wake.write_all(b"p").is_ok() {
            // A thread that has ended does not read either.
            let _ = self.parked.recv();
        }
    }

    /// Lets the thread read again.
    pub(super) fn go_on(&self) {
        let _ = self.go_on.send(());
    }
}

impl KeyReader {
    fn run(mut self) {
        while self.wait() {}
    }

    /// Waits for keys or for the loop; returns whether the thread continues.
    fn wait(&mut self) -> bool {
        let stdin = io::stdin();
        // Some systems cannot poll `/dev/tty`; standard input is the same terminal.
        let keys = if stdin.is_terminal() { stdin.as_fd() } else { self.tty.as_fd() };
        let mut waited = [
            PollFd::from_borrowed_fd(keys, PollFlags::IN),
            PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN),
        ];
        match poll(&mut waited, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return true,
            Err(_) => return self.end(),
        }
        let [keys, wake] = waited.map(|it| it.revents());
        if !wake.is_empty() {
            return self.park();
        }
        if keys.contains(PollFlags::IN) {
            return self.read();
        }
        // The terminal was closed.
        keys.is_empty() || self.end()
    }

    fn park(&mut self) -> bool {
        let mut word = [0];
        matches!(self.wake.read(&mut word), Ok(1))
            && self.parked.send(()).is_ok()
            && self.go_on.recv().is_ok()
    }

    fn read(&self) -> bool {
        loop {
            match event::poll(AT_HAND) {
                Ok(true) => {}
                Ok(false) => return true,
                Err(_) => return self.end(),
            }
            match event::read() {
                Ok(event) => {
                    let is_asked = self.fault == Some(TuiFault::Keys)
                        && event.as_key_press_event().is_some_and(|key| key.code == KeyCode::F(12));
                    assert!(!is_asked, "a test asked for it");
                    if let Some(event) = translate(event)
                        && self.events.send(event).is_err()
                    {
                        return false;
                    }
                }
                Err(_) => return self.end(),
            }
        }
    }

    fn end(&self) -> bool {
        let _ = self.events.send(TuiEvent::Signal(ProgramSignal::End));
        false
    }
}

/// Translates a terminal event. Key releases are dropped, and so are resizes, which arrive as signals.
fn translate(event: Event) -> Option<TuiEvent> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(key).map(TuiEvent::Key),
        Event::Paste(text) => Some(TuiEvent::Paste(text)),
        Event::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Press,
                MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseKind::Release,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                _ => return None,
            };
            Some(TuiEvent::Mouse(MouseInput { kind, column: mouse.column, row: mouse.row }))
        }
        _ => None,
    }
}

fn pressed(key: KeyEvent) -> Option<KeyPress> {
    let held = key.modifiers;
    let shift = held.contains(KeyModifiers::SHIFT);
    let (name, shift) = match key.code {
        KeyCode::Char(character) => {
            let upper = held.contains(KeyModifiers::CONTROL);
            // With Control, terminals do not agree on how they report capital letters.
            let character = if upper { character.to_ascii_lowercase() } else { character };
            (KeyName::Char(character), false)
        }
        KeyCode::Enter => (KeyName::Enter, false),
        KeyCode::Esc => (KeyName::Escape, false),
        KeyCode::Tab => (KeyName::Tab, shift),
        KeyCode::BackTab => (KeyName::Tab, true),
        KeyCode::Backspace => (KeyName::Backspace, false),
        KeyCode::Delete => (KeyName::Delete, false),
        KeyCode::Up => (KeyName::Up, shift),
        KeyCode::Down => (KeyName::Down, shift),
        KeyCode::Left => (KeyName::Left, shift),
        KeyCode::Right => (KeyName::Right, shift),
        KeyCode::Home => (KeyName::Home, shift),
        KeyCode::End => (KeyName::End, shift),
        KeyCode::PageUp => (KeyName::PageUp, shift),
        KeyCode::PageDown => (KeyName::PageDown, shift),
        KeyCode::F(number) => (KeyName::Function(number), shift),
        _ => return None,
    };
    Some(KeyPress {
        key: name,
        control: held.contains(KeyModifiers::CONTROL),
        alt: held.contains(KeyModifiers::ALT),
        shift,
    })
}
