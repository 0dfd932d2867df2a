//! The thread that receives signals.
//!
//! The thread passes a signal that ends the program to the loop. If the loop does not end in time, the
//! thread restores the terminal itself and ends the process: a program that hangs must not keep the
//! terminal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::{Handle, Signals};

use super::modes::TerminalModes;
use crate::event::{ProgramSignal, TuiEvent};

/// How long the loop may take to end: by judgement, longer than any update takes.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Receives signals until it is dropped.
pub(super) struct SignalWatch {
    handle: Handle,
    shared: Arc<SignalShared>,
    /// Dropping it tells the thread that the loop has ended.
    _alive: Sender<()>,
}

#[derive(Default)]
struct SignalShared {
    /// Set while another command has the terminal; keyboard signals are then not for the program.
    is_away: AtomicBool,
    /// The number of the signal that ends the program, or zero.
    ended_by: AtomicI32,
}

impl SignalWatch {
    /// Starts the thread.
    pub(super) fn start(modes: Arc<TerminalModes>, events: Sender<TuiEvent>) -> io::Result<Self> {
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH])?;
        let handle = signals.handle();
        let shared = Arc::new(SignalShared::default());
        let (alive, is_alive) = crossbeam_channel::bounded(0);
        let heard = Arc::clone(&shared);
        thread::Builder::new().name("unspool-signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                handle_signal(signal, &modes, &events, &heard, &is_alive);
            }
        })?;
        Ok(Self { handle, shared, _alive: alive })
    }

    /// Sets whether another command has the terminal.
    pub(super) fn set_away(&self, is_away: bool) {
        self.shared.is_away.store(is_away, Ordering::SeqCst);
    }

    /// Returns the signal that ended the program.
    pub(super) fn ended_by(&self) -> Option<i32> {
        let signal = self.shared.ended_by.load(Ordering::SeqCst);
        (signal != 0).then_some(signal)
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        self.handle.close();
    }
}

fn handle_signal(
    signal: i32,
    modes: &TerminalModes,
    events: &Sender<TuiEvent>,
    shared: &SignalShared,
    is_alive: &Receiver<()>,
) {
    let is_away = shared.is_away.load(Ordering::SeqCst);
    match signal {
        SIGWINCH => {
            if let Ok(size) = modes.size() {
                let _ = events.send(TuiEvent::Resize(size));
            }
        }
        SIGINT | SIGQUIT | SIGTSTP if is_away => {}
        SIGTSTP => {
            let _ = events.send(TuiEvent::Signal(ProgramSignal::Suspend));
        }
        signal => {
            shared.ended_by.store(signal, Ordering::SeqCst);
            let _ = events.send(TuiEvent::Signal(ProgramSignal::End));
            if is_alive.recv_timeout(TIMEOUT) == Err(RecvTimeoutError::Timeout) {
                modes.leave();
                std::process::exit(128 + signal);
            }
        }
    }
}
