//! Pages about one session.

use unspool_testkit::{TestHome, session, uuid};

use super::{open, page, server};
use crate::harness::TestServer;

#[test]
fn the_tree_shows_what_was_left() {
    let html = page(&server(), &format!("/s/{}/tree", uuid("one")));
    assert!(html.contains("<h1>2 paths</h1>"), "{html}");
    assert!(
        html.contains("rewound") && html.contains("<span>1 turn") && html.contains(" left</span>"),
        "{html}"
    );
    assert!(html.contains("No, keep both readers"));
    let way = format!("/s/{}/compare?a=1&amp;b=2", uuid("one"));
    assert!(html.contains(&way), "{html}");
}

#[test]
fn two_paths_are_side_by_side() {
    let server = server();
    let id = uuid("one");
    let html = page(&server, &format!("/s/{id}/compare?a=1&b=2"));
    assert!(html.contains("Then read once") && html.contains("No, keep both readers"));
    assert!(html.contains("Path 1") && html.contains("Path 2"));
    let alone = page(&server, &format!("/s/{}/compare", uuid("two")));
    assert!(alone.contains("one path"), "{alone}");
    assert_eq!(open(&server, &format!("/s/{id}/compare?a=9&b=1")).status, 404);
    assert_eq!(open(&server, &format!("/s/{id}/compare?a=x")).status, 400);
}

#[test]
fn every_entry_is_reached() {
    let server = server();
    let id = uuid("one");
    let html = page(&server, &format!("/s/{id}/raw"));
    assert!(html.contains("<h1>6 entries</h1>"), "{html}");
    let mut buckets = std::collections::BTreeMap::new();
    for line in 1..=6 {
        assert!(html.contains(&format!("/s/{id}/raw/line:{line}\"")), "{line}");
        let entry = page(&server, &format!("/s/{id}/raw/line:{line}"));
        assert!(entry.contains("Set out") && entry.contains("As it is"));
        let bucket = entry.split("data-bucket=\"").nth(1).expect("a bucket");
        let bucket = bucket.split('"').next().expect("a name").to_owned();
        *buckets.entry(bucket).or_insert(0) += 1;
    }
    assert_eq!(buckets.get("active"), Some(&4), "{buckets:?}");
    assert_eq!(buckets.get("other"), Some(&2), "{buckets:?}");
    let other = page(&server, &format!("/s/{id}/raw?bucket=other"));
    assert_eq!(other.matches("<tr data-row").count(), 2);
}

#[test]
fn an_entry_is_shown_as_it_is_and_leads_to_its_parent() {
    let id = uuid("one");
    let text = "u1 user \"a < b & c\"\na1 assistant \"yes\"";
    let lines = String::from_utf8(session(text)).expect("text");
    let second = lines.lines().nth(1).expect("a line").to_owned();
    let server = TestServer::of_session("/srv/x", &id, session(text));
    let raw = open(&server, &format!("/s/{id}/raw/line:2?as=line"));
    assert_eq!(raw.body.trim_end(), second);
    assert_eq!(raw.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(raw.header("content-disposition").is_some_and(|it| it.starts_with("attachment")));
    let html = page(&server, &format!("/s/{id}/raw/line:2"));
    let parent = html.split("<dt>Parent</dt><dd><a href=\"").nth(1).expect("a parent");
    let parent = parent.split('"').next().expect("an address");
    let parent = page(&server, parent);
    assert!(parent.contains("a &lt; b &amp; c"), "{parent}");
    assert!(parent.contains("Goes on with"));
    for missing in ["line:9", "line:x", "line:-1", "ffffffff-0000", "..", "%2e%2e%2fetc%2fpasswd"] {
        let status = open(&server, &format!("/s/{id}/raw/{missing}")).status;
        assert!(matches!(status, 400 | 404), "{missing}: {status}");
    }
    assert_eq!(open(&server, &format!("/s/{id}/raw?agent=none")).status, 404);
}

#[test]
fn damaged_lines_are_shown_with_their_bytes() {
    let id = uuid("one");
    let mut bytes = session("u1 user \"hello\"");
    bytes.extend_from_slice(b"{\"type\":\"user\",<b>\xff\xfe\n");
    let server = TestServer::of_session("/srv/x", &id, bytes);
    let html = page(&server, &format!("/s/{id}/raw/line:2"));
    assert!(html.contains("not whole JSON") && html.contains("&lt;b&gt;"), "{html}");
    assert!(html.contains("data-bucket=\"damaged\""));
}

#[test]
fn time_context_and_files_work_for_every_path() {
    let server = server();
    let id = uuid("one");
    for below in ["time", "context", "files"] {
        page(&server, &format!("/s/{id}/{below}"));
        page(&server, &format!("/s/{id}/{below}?path=1"));
        let missing = open(&server, &format!("/s/{id}/{below}?path=9"));
        assert!(matches!(missing.status, 400 | 404), "{below}: {}", missing.status);
        assert_eq!(open(&server, &format!("/s/{id}/{below}?path=x")).status, 400);
        assert_eq!(open(&server, &format!("/s/00000000-none/{below}")).status, 404);
    }
    page(&server, &format!("/s/{id}/time?turn=1"));
    page(&server, &format!("/s/{id}/time?turn=77"));
    assert_eq!(open(&server, &format!("/s/{id}/files?file=7")).status, 404);
}

#[test]
fn a_session_without_a_conversation_has_pages_too() {
    let home = TestHome::new();
    let id = uuid("empty");
    home.add_session("/srv/x", &id, b"{\"type\":\"mode\",\"mode\":\"x\"}\n".as_slice());
    home.add_session("/srv/x", &uuid("nothing"), b"".as_slice());
    let server = TestServer::of(home);
    for id in [id, uuid("nothing")] {
        for below in ["tree", "raw", "time", "context", "files", "compare"] {
            page(&server, &format!("/s/{id}/{below}"));
        }
    }
}
