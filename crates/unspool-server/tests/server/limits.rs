//! Slow clients, many clients, and stopping.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use unspool_server::ConnectionLimits;
use unspool_testkit::{TestHome, session, uuid};

use crate::harness::TestServer;
use unspool_testkit::http::EventClient;

#[test]
fn a_head_that_never_ends_is_given_up() {
    let server = TestServer::with(TestHome::new(), |settings| {
        settings.limits.head = Duration::from_millis(200);
    });
    let mut slow = TcpStream::connect(server.address()).expect("a connection");
    slow.write_all(b"GET / HTTP/1.1\r\nhost: local").expect("a write");
    let mut rest = Vec::new();
    // The server closes the connection; otherwise this would wait forever.
    let _ = slow.read_to_end(&mut rest);
    assert_eq!(server.get("/api/status").status, 200);
}

#[test]
fn a_connection_too_many_is_told_so() {
    let server = TestServer::with(TestHome::new(), |settings| {
        settings.limits = ConnectionLimits { connections: 2, ..ConnectionLimits::default() };
    });
    let way = "/api/events";
    let first = server.events(way).expect("a stream");
    let second = server.events(way).expect("a stream");
    let refused = server.get("/api/status");
    assert_eq!(refused.status, 503);
    assert!(refused.body.contains("too many"), "{refused:?}");
    drop((first, second));
    // The server notices the closed connections when it next writes or reads.
    while server.get("/api/status").status == 503 {
        std::thread::yield_now();
    }
}

#[test]
fn a_server_with_open_streams_ends() {
    let id = uuid("one");
    let server = TestServer::of_session("/srv/demo", &id, session("u1 user \"hello\""));
    let ways = ["/api/events".to_owned(), format!("/api/sessions/{id}/stream")];
    let mut clients: Vec<EventClient> =
        (0..1_000).map(|number| server.events(&ways[number % 2]).expect("a stream")).collect();
    server.end();
    for client in &mut clients {
        while client.next().is_some() {}
    }
}

#[test]
fn a_body_is_not_waited_for() {
    let server = TestServer::of(TestHome::new());
    let head = format!(
        "POST /api/status HTTP/1.1\r\nhost: {}\r\ncontent-length: 1000000000\r\nconnection: close\r\n\r\n",
        server.address()
    );
    assert_eq!(server.send(head.as_bytes()).status, 401);
}
