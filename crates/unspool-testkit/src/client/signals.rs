//! Signals that end a scripted client.

use std::sync::{Arc, mpsc};
use std::thread;

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use super::core::ClientCore;
use super::input;

/// Ends the client after a signal, with the exit code of the real one: 143 for `SIGTERM`, 129 for `SIGHUP`,
/// and 0 for `SIGINT`, which interrupts the turn first.
///
/// # Panics
///
/// Never in practice: the signals exist on every Unix.
pub(super) fn obey(core: &Arc<ClientCore>) {
    let core = Arc::clone(core);
    let (ready, waits) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_io().build();
        let kind = runtime.expect("a runtime").block_on(async {
            let listen = |kind| signal(kind).expect("the signal exists");
            let mut terminated = listen(SignalKind::terminate());
            let mut hung_up = listen(SignalKind::hangup());
            let mut interrupted = listen(SignalKind::interrupt());
            let _ = ready.send(());
            tokio::select! {
                _ = terminated.recv() => SignalKind::terminate(),
                _ = hung_up.recv() => SignalKind::hangup(),
                _ = interrupted.recv() => SignalKind::interrupt(),
            }
        });
        if kind == SignalKind::interrupt() {
            input::interrupted(&core);
            core.end(0);
        }
        core.end(128 + kind.as_raw_value());
    });
    let _ = waits.recv();
}
