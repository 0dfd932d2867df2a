//! Pages as a browser gets them.

mod about;
mod browser;
mod crawl;
mod hostile;
mod lists;
mod live;

use unspool_testkit::http::HttpAnswer;
use unspool_testkit::{TestHome, session, uuid};

use crate::harness::TestServer;

/// A conversation with a rewind.
const TALK: &str = r#"u1 user "Why is the importer slow?"
a1 assistant "It reads twice."
u2 user < a1 "Then read once"
a2 assistant "Done."
u3 user < a1 "No, keep both readers"
a3 assistant "Kept both readers."
"#;

/// Requests a page as a browser does.
pub(super) fn open(server: &TestServer, way: &str) -> HttpAnswer {
    server.ask_as_owner("GET", way, &[("accept", "text/html")])
}

/// Requests a page that exists, and checks that it contains only our own markup.
pub(super) fn page(server: &TestServer, way: &str) -> String {
    let answer = open(server, way);
    assert_eq!(answer.status, 200, "{way}: {}", answer.body);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    unspool_testkit::markup::check_served(&answer.body);
    answer.body
}

/// Returns a home with two projects.
pub(super) fn home() -> TestHome {
    let home = TestHome::new();
    home.add_session("/srv/tidepool", &uuid("one"), session(TALK));
    let other = "u1 user \"Make the logo larger\"\na1 assistant \"It is larger now.\"";
    home.add_session("/srv/lanterna", &uuid("two"), session(other));
    home
}

pub(super) fn server() -> TestServer {
    TestServer::of(home())
}
