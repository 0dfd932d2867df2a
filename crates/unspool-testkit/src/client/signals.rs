//! The signals that end a scripted client.

use std::sync::Arc;
use std::thread;

use tokio::signal::unix::{SignalKind, signal};

use super::core::ClientCore;
use super::input;

/// Ends the client when it is told to, with the code that the real one has: 143 for `SIGTERM`, 129
/// for `SIGHUP`, 0 for `SIGINT`, which ends the turn first.
///
/// # Panics
///
/// Never in practice: the signals exist on every Unix.
pub(super) fn obey(core: &Arc<ClientCore>) {
    for (kind, code) in [
        (SignalKind::terminate(), 143),
        (SignalKind::hangup(), 129),
        (SignalKind::interrupt(), 0),
    ] {
        let core = Arc::clone(core);
        let (ready, waits) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let mut signals = signal(kind).expect("the signal exists");
                let _ = ready.send(());
                signals.recv().await;
            });
            if kind == SignalKind::interrupt() {
                input::interrupted(&core);
            }
            core.end(code);
        });
        let _ = waits.recv();
    }
}
