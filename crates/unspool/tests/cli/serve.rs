//! `unspool serve` as its users start it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use unspool_testkit::TestHome;

use crate::run::{home_with, run, run_bare};

/// A server that runs until it is dropped.
struct Served {
    child: Child,
    address: String,
    /// The line after the address: how to look.
    said: String,
}

impl Served {
    fn start(home: &TestHome, args: &[&str]) -> Self {
        let mut child = home
            .command(env!("CARGO_BIN_EXE_unspool"))
            .args(["serve", "--port", "0"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let first = line();
        let address = first.strip_prefix("listening on http://");
        let address = address.unwrap_or_else(|| panic!("{first}")).to_owned();
        let said = line();
        Self {
            child,
            address,
            said,
        }
    }

    fn status(&self, way: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let host = &self.address;
        write!(
            stream,
            "GET {way} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}\r\n"
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.split("\r\n").next().unwrap_or_default().to_owned()
    }

    fn json(&self, way: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let host = &self.address;
        write!(
            stream,
            "GET {way} HTTP/1.0\r\nhost: {host}\r\nconnection: close\r\n\r\n"
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{way}: {error}: {answer}"))
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status();
        assert!(sent.expect("kill").success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_says_where_it_listens_and_ends_when_asked() {
    for signal in ["-INT", "-TERM"] {
        let home = TestHome::new();
        let mut served = Served::start(&home, &["--demo", "--no-token"]);
        assert_eq!(served.status("/", ""), "HTTP/1.1 200 OK");
        assert_eq!(served.status("/api/status", ""), "HTTP/1.1 200 OK");
        assert!(served.said.contains("may look"), "{}", served.said);
        served.signal(signal);
        let status = served.child.wait().expect("an end");
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}

#[test]
fn a_link_lets_in_and_the_token_is_kept() {
    let home = home_with("u1 user \"hello\"\na1 assistant \"hi\"");
    let root = home.path().display().to_string();
    let served = Served::start(&home, &["--home", &root]);
    assert_eq!(served.status("/", ""), "HTTP/1.1 401 Unauthorized");
    let link = served.said.strip_prefix("open http://").expect("a link");
    let link = link.split(' ').next().expect("a link");
    let way = link.strip_prefix(&served.address).expect("a way");
    assert_eq!(served.status(way, ""), "HTTP/1.1 303 See Other");
    assert_eq!(served.status(way, ""), "HTTP/1.1 401 Unauthorized");
    // Another process makes a link for the server that runs.
    let another = run(&home, &["serve", "--link"]);
    assert_eq!(another.code, Some(0), "{}", another.err);
    let link = another.err.split("open http://").nth(1).expect("a link");
    let link = link.split(' ').next().expect("a link");
    let way = link.strip_prefix(&served.address).expect("a way");
    assert_eq!(served.status(way, ""), "HTTP/1.1 303 See Other");
    let token = fs::read_to_string(home.state().join("read.token")).expect("a token");
    let header = format!("authorization: Bearer {token}\r\n");
    assert_eq!(served.status("/", &header), "HTTP/1.1 200 OK");
}

#[test]
fn a_network_needs_a_token() {
    let home = TestHome::new();
    let refused = run_bare(
        &home,
        &["serve", "--bind", "0.0.0.0", "--no-token", "--demo"],
    );
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--no-token"), "{}", refused.err);
}

#[test]
fn a_port_that_is_taken_is_an_error_if_it_was_asked_for() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let home = TestHome::new();
    let refused = run_bare(&home, &["serve", "--demo", "--port", &port]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains(&port), "{}", refused.err);
}

#[cfg(unix)]
#[test]
fn a_folder_for_state_that_others_can_open_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = TestHome::new();
    let state = home.state();
    fs::create_dir_all(&state).expect("a folder");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).expect("permissions");
    let refused = run(&home, &["serve", "--port", "0"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("chmod 700"), "{}", refused.err);
}

#[test]
fn the_api_says_what_the_commands_say() {
    let home = TestHome::new();
    home.copy_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/home"));
    home.age();
    let served = Served::start(&home, &["--no-token"]);
    let rows = run(&home, &["list", "--json", "--limit", "1000"]).lines();
    let page = served.json("/api/sessions?limit=1000");
    let listed = page["sessions"].as_array().expect("a list");
    assert!(rows.len() > 5);
    for row in &rows {
        let same = |other: &&Value| other["id"] == row["id"] && other["file"] == row["file"];
        let told = listed.iter().find(same).expect("the same session");
        assert_eq!(told, row);
        let id = row["id"].as_str().expect("an id");
        let of = |way: &str| served.json(&format!("/api/sessions/{id}/{way}"));
        assert_eq!(
            of("transcript.json"),
            run(&home, &["show", id, "--json"]).json()
        );
        assert_eq!(of("tree"), run(&home, &["tree", id, "--json"]).json());
        for (way, flag) in [
            ("timeline", "--timeline"),
            ("context", "--context-series"),
            ("files", "--changes"),
        ] {
            let shown = run(&home, &["show", id, flag, "--json"]).json();
            assert_eq!(of(way), shown, "{id} {way}");
        }
    }
    let sums = run(&home, &["stats", "--json", "--by", "model"]).json();
    assert_eq!(served.json("/api/stats?by=model"), sums);
}
