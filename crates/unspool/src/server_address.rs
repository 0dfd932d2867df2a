//! The address of a server.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use unspool_server::ServerNotice;

/// The default port.
const PORT: u16 = 7717;
/// The number of ports that are tried after it: one person does not run more servers.
const MORE_PORTS: u16 = 32;

/// The address of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ServerAddress(SocketAddr);

/// Listens on the given port, or on the first free one.
pub(crate) fn listen(bind: IpAddr, port: Option<u16>) -> Result<TcpListener> {
    if let Some(port) = port {
        let address = SocketAddr::new(bind, port);
        return TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"));
    }
    let mut last = None;
    for port in PORT..=PORT + MORE_PORTS {
        match TcpListener::bind(SocketAddr::new(bind, port)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = Some(error),
            Err(error) => return Err(error).with_context(|| format!("cannot listen on {bind}")),
        }
    }
    let error = last.unwrap_or_else(|| io::ErrorKind::AddrInUse.into());
    Err(error).context("no port is free; name one with --port")
}

impl ServerAddress {
    /// Returns the address of a server. For one that listens on all addresses, that is this machine's
    /// address in its network.
    pub(crate) fn of(listener: &TcpListener) -> Result<Self> {
        let bound = listener.local_addr()?;
        Ok(Self(reachable(bound)))
    }

    /// Finds a running server.
    pub(crate) fn of_running(state: &Path, port: Option<u16>) -> Option<Self> {
        let noted = ServerNotice::all(state).into_iter().map(reachable);
        let mut wanted = noted.filter(|address| port.is_none_or(|port| address.port() == port));
        let answers = |address: &SocketAddr| {
            TcpStream::connect_timeout(address, Duration::from_secs(1)).is_ok()
        };
        wanted.find(answers).map(Self)
    }

    /// Returns the URL of a page of the server.
    pub(crate) fn url(&self, way: &str) -> String {
        format!("http://{}{way}", self.0)
    }

    /// Returns the host name of requests from the network; `None` for a loopback address.
    pub(crate) fn host_name(&self) -> Option<String> {
        let ip = self.0.ip();
        (!ip.is_loopback()).then(|| ip.to_string())
    }
}

fn reachable(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let ip = own_address().unwrap_or(bound.ip());
    SocketAddr::new(ip, bound.port())
}

/// Returns this machine's address in its network. No packet is sent: connecting a UDP socket only looks up
/// the route.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified()).then_some(ip)
}
