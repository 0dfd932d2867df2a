//! Connections: accept, limit and end them.
//!
//! The accept loop is our own: a server on a person's machine needs a limit on connections, a
//! timeout for the head of a request and a shutdown that does not wait for open streams, and axum's
//! loop has none of them. It speaks HTTP/1.1: browsers speak nothing newer without TLS.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower_http::compression::CompressionLayer;

use crate::api;
use crate::guard;
use crate::limits::{ConnectionLimits, raise_descriptors};
use crate::pages;
use crate::router;
use crate::settings::ServerSettings;
use crate::state::ServerState;

/// An error that keeps the server from running.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The system refuses a resource that the server needs.
    #[error("the server cannot run: {0}")]
    System(#[from] io::Error),
}

/// Serves on a listener until `stop` completes.
pub fn run(
    settings: ServerSettings,
    listener: StdListener,
    stop: impl Future<Output = ()>,
) -> Result<(), ServerError> {
    raise_descriptors(settings.limits.connections);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(settings.limits.workers.max(1) + 2)
        .build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        serve(settings, listener, stop).await
    });
    // Blocking work in progress ends with the process.
    runtime.shutdown_background();
    Ok(served?)
}

/// A server that runs in its own thread.
pub struct RunningServer {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
}

/// Starts a server in its own thread.
pub fn start(
    settings: ServerSettings,
    listener: StdListener,
) -> Result<RunningServer, ServerError> {
    let address = listener.local_addr()?;
    let (stop, mut stopped) = watch::channel(false);
    let run = move || {
        run(settings, listener, async move {
            // An error means that the owner was dropped; the server stops as well.
            let _ = stopped.wait_for(|stopped| *stopped).await;
        })
    };
    Ok(RunningServer { address, stop, thread: Some(std::thread::spawn(run)) })
}

impl RunningServer {
    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the server and waits for its thread.
    pub fn stop(mut self) -> Result<(), ServerError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), ServerError> {
        self.stop.send_replace(true);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(_)) => Err(io::Error::other("the server panicked").into()),
            None => Ok(()),
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // A drop cannot report an error.
        let _ = self.end();
    }
}

async fn serve(
    settings: ServerSettings,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let limits = settings.limits;
    let (end, ending) = watch::channel(false);
    let port = listener.local_addr()?.port();
    let state = Arc::new(ServerState::new(settings, port, ending.clone()));
    let app = app(&state);
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((stream, _)) = accepted else {
            // The process has no file descriptors left, or the peer has disconnected already.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Ok(place) = room.clone().try_acquire_owned() else {
            connections.spawn(refuse(stream));
            continue;
        };
        let (app, ending) = (app.clone(), ending.clone());
        connections.spawn(async move {
            converse(stream, app, limits, ending).await;
            drop(place);
        });
    }
    drop(listener);
    end.send_replace(true);
    let drained = async { while connections.join_next().await.is_some() {} };
    // Connections that are open after that are dropped with the runtime.
    let _ = tokio::time::timeout(limits.drain, drained).await;
    Ok(())
}

/// Builds the service that answers requests: the routes, compression, and the checks of the guard.
pub(crate) fn app(state: &Arc<ServerState>) -> Router {
    let routes = api::routes().chain(pages::routes());
    router::router(Arc::clone(state), routes)
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(Arc::clone(state), guard::guard))
}

/// Serves one connection until the peer closes it or the server stops.
async fn converse(
    stream: TcpStream,
    app: Router,
    limits: ConnectionLimits,
    mut ending: watch::Receiver<bool>,
) {
    // Otherwise an event may wait until the peer has acknowledged the one before.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(limits.head_bytes)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = ending.wait_for(|ending| *ending) => connection.as_mut().graceful_shutdown(),
    }
    // It does not matter how the peer disconnected.
    let _ = connection.await;
}

/// Refuses a connection above the limit.
async fn refuse(mut stream: TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n\
        Content-Length: 30\r\nRetry-After: 1\r\nConnection: close\r\n\r\n\
        too many connections are open\n";
    let _ = stream.write_all(ANSWER).await;
    let _ = stream.shutdown().await;
}

/// Completes at the first signal to stop. A second signal exits at once.
pub async fn stop_signal() {
    asked_to_end().await;
    tokio::spawn(async {
        asked_to_end().await;
        std::process::exit(130);
    });
}

async fn asked_to_end() {
    let interrupt = arrived(tokio::signal::ctrl_c());
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let ended = async {
            let Ok(mut ended) = signal(SignalKind::terminate()) else {
                return std::future::pending().await;
            };
            ended.recv().await;
        };
        let hung_up = async {
            let Ok(mut hung_up) = signal(SignalKind::hangup()) else {
                return std::future::pending().await;
            };
            hung_up.recv().await;
        };
        tokio::select! {
            () = interrupt => {}
            () = ended => {}
            () = hung_up => {}
        }
    }
    #[cfg(not(unix))]
    {
        // Other systems have only Ctrl-C; closing the window ends the process.
        interrupt.await;
    }
}

/// Completes at a signal, and never if the system does not report it.
async fn arrived(signal: impl Future<Output = io::Result<()>>) {
    if signal.await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[tokio::test]
    async fn a_signal_that_cannot_be_reported_does_not_stop_the_server() {
        arrived(ready(Ok(()))).await;
        tokio::select! {
            biased;
            () = arrived(ready(Err(io::Error::other("no handler")))) => panic!("stops"),
            () = ready(()) => {}
        }
    }
}
