//! A server on a free port of loopback, with a home of the test's own, and a small client.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::time::SystemTime;

use unspool_engine::library::{Library, LibraryClock, LibrarySettings};
use unspool_server::{
    Access, AccessKey, ConnectionLimits, RunningServer, ServerSettings, TokenPolicy, start,
};
use unspool_testkit::TestHome;
use unspool_testkit::http::{self, EventClient, HttpAnswer};

/// The token of every test's server.
pub(crate) const TOKEN: &str = "a-token-that-tests-chose";

/// A server with a home of its own.
pub(crate) struct TestServer {
    pub(crate) home: TestHome,
    running: Option<RunningServer>,
}

impl TestServer {
    /// Starts a server for a home.
    pub(crate) fn of(home: TestHome) -> Self {
        Self::with(home, |_| {})
    }

    /// Starts a server with other settings.
    pub(crate) fn with(home: TestHome, change: impl FnOnce(&mut ServerSettings)) -> Self {
        let running = Some(Self::started(&home, change));
        Self { home, running }
    }

    fn started(home: &TestHome, change: impl FnOnce(&mut ServerSettings)) -> RunningServer {
        Self::started_at("127.0.0.1:0", home, change)
    }

    fn started_at(
        address: impl ToSocketAddrs,
        home: &TestHome,
        change: impl FnOnce(&mut ServerSettings),
    ) -> RunningServer {
        let clock = LibraryClock::new(SystemTime::now);
        let library = Library::open(LibrarySettings::of_home(home.path(), clock));
        let access = Access::in_memory(Some(AccessKey::new(TOKEN))).expect("access");
        let mut settings = ServerSettings {
            library: Arc::new(library.expect("a library")),
            access,
            tokens: TokenPolicy::Required,
            host_names: Vec::new(),
            limits: ConnectionLimits::default(),
            home_label: "the test's home".to_owned(),
            logs_home: None,
            drive: None,
        };
        change(&mut settings);
        let listener = TcpListener::bind(address).expect("a port");
        start(settings, listener).expect("a server")
    }

    /// Ends the server and starts another one, at another address, for the same home.
    pub(crate) fn restart(&mut self) {
        drop(self.running.take());
        self.running = Some(Self::started(&self.home, |_| {}));
    }

    /// Ends the server, and returns where it was.
    pub(crate) fn leave(&mut self) -> SocketAddr {
        let address = self.address();
        drop(self.running.take());
        address
    }

    /// Starts another server for the same home where one was.
    pub(crate) fn come_back(
        &mut self,
        address: SocketAddr,
        change: impl FnOnce(&mut ServerSettings),
    ) {
        self.running = Some(Self::started_at(address, &self.home, change));
    }

    /// Ends the server.
    pub(crate) fn end(mut self) {
        let running = self.running.take().expect("a server");
        running.stop().expect("an end");
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.as_ref().expect("a server").address()
    }

    /// Asks with the token, as a program does.
    pub(crate) fn get(&self, way: &str) -> HttpAnswer {
        self.ask("GET", way, &[("authorization", &format!("Bearer {TOKEN}"))])
    }

    /// Asks with these headers and no others but `Host` and `Connection`.
    pub(crate) fn ask(&self, method: &str, way: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        let host = self.address().to_string();
        let mut all = Vec::from(headers);
        if !headers.iter().any(|(name, _)| *name == "host") {
            all.push(("host", &host));
        }
        self.ask_raw(method, way, &all)
    }

    /// Asks with exactly these headers, and `Connection: close`.
    pub(crate) fn ask_raw(&self, method: &str, way: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        let mut request = format!("{method} {way} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            request.extend([*name, ": ", *value, "\r\n"]);
        }
        self.send(format!("{request}\r\n").as_bytes())
    }

    /// Opens a stream with the token. None if the server refuses.
    pub(crate) fn events(&self, way: &str) -> Option<EventClient> {
        EventClient::open(self.address(), way, TOKEN)
    }

    /// Sends bytes and reads the answer until the server closes the connection.
    pub(crate) fn send(&self, bytes: &[u8]) -> HttpAnswer {
        http::send(self.address(), bytes).expect("a connection")
    }
}
