//! A server on a free port of loopback, with its own home, and a small client.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;
use unspool_engine::library::{Library, LibraryClock, LibrarySettings};
use unspool_server::{
    Access, AccessKey, ConnectionLimits, RunningServer, ServerSettings, TokenPolicy, start,
};
use unspool_testkit::TestHome;
use unspool_testkit::http::{self, EventClient, HttpAnswer};

pub(crate) use unspool_testkit::driven::TOKEN;

/// Returns the folder with the home of the demo.
pub(crate) fn demo_home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../unspool/demo/home")
}

/// A server with its own home.
pub(crate) struct TestServer {
    pub(crate) home: TestHome,
    running: Option<RunningServer>,
}

impl TestServer {
    /// Starts a server for a home.
    pub(crate) fn of(home: TestHome) -> Self {
        Self::with(home, |_| {})
    }

    /// Starts a server for a home with one session.
    pub(crate) fn of_session(cwd: &str, id: &str, log: impl AsRef<[u8]>) -> Self {
        let home = TestHome::new();
        home.add_session(cwd, id, log);
        Self::of(home)
    }

    /// Starts a server with changed settings.
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

    /// Stops the server and starts another one, at another address, for the same home.
    pub(crate) fn restart(&mut self) {
        drop(self.running.take());
        self.running = Some(Self::started(&self.home, |_| {}));
    }

    /// Stops the server and returns its address.
    pub(crate) fn leave(&mut self) -> SocketAddr {
        let address = self.address();
        drop(self.running.take());
        address
    }

    /// Starts another server for the same home at an address.
    pub(crate) fn come_back(
        &mut self,
        address: SocketAddr,
        change: impl FnOnce(&mut ServerSettings),
    ) {
        self.running = Some(Self::started_at(address, &self.home, change));
    }

    /// Stops the server.
    pub(crate) fn end(mut self) {
        let running = self.running.take().expect("a server");
        running.stop().expect("an end");
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.as_ref().expect("a server").address()
    }

    /// Sends a GET request with the token, as a program does.
    pub(crate) fn get(&self, way: &str) -> HttpAnswer {
        self.ask_as_owner("GET", way, &[])
    }

    /// Sends a request with the token and more headers.
    pub(crate) fn ask_as_owner(
        &self,
        method: &str,
        way: &str,
        headers: &[(&str, &str)],
    ) -> HttpAnswer {
        let token = format!("Bearer {TOKEN}");
        self.ask(method, way, &[&[("authorization", &*token)], headers].concat())
    }

    /// Sends a GET request with the entity tag of a state that the client has.
    pub(crate) fn get_unless(&self, way: &str, tag: &str) -> HttpAnswer {
        self.ask_as_owner("GET", way, &[("if-none-match", tag)])
    }

    /// Requests JSON, which must be there.
    pub(crate) fn json(&self, way: &str) -> Value {
        let answer = self.get(way);
        assert_eq!(answer.status, 200, "{way}: {}", answer.body);
        answer.json()
    }

    /// Starts a server that needs no token.
    pub(crate) fn open(home: TestHome) -> Self {
        Self::with(home, |settings| settings.tokens = TokenPolicy::Open)
    }

    /// Starts a server for the demo, with files as old as most files of a person.
    pub(crate) fn demo(start: impl FnOnce(TestHome) -> Self) -> Self {
        let home = TestHome::new();
        home.copy_from(&demo_home());
        home.age();
        start(home)
    }

    /// Sends a request with these headers, `Host` and `Connection`.
    pub(crate) fn ask(&self, method: &str, way: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        let host = self.address().to_string();
        self.ask_raw(method, way, &[headers, &[("host", &*host)]].concat())
    }

    /// Sends a request with exactly these headers, and `Connection: close`.
    pub(crate) fn ask_raw(&self, method: &str, way: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        let mut request = format!("{method} {way} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            request.extend([*name, ": ", *value, "\r\n"]);
        }
        self.send(format!("{request}\r\n").as_bytes())
    }

    /// Opens a stream with the token; none if the server refuses it.
    pub(crate) fn events(&self, way: &str) -> Option<EventClient> {
        EventClient::open(self.address(), way, TOKEN)
    }

    /// Sends bytes and reads the answer until the server closes the connection.
    pub(crate) fn send(&self, bytes: &[u8]) -> HttpAnswer {
        http::send(self.address(), bytes).expect("a connection")
    }
}
