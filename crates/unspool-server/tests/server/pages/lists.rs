//! Lists: the inbox, projects, sessions, the search, totals and checks.

use unspool_testkit::{TestHome, uuid};

use super::{open, page, server};
use crate::harness::TestServer;

#[test]
fn the_first_page_has_sessions_and_projects() {
    let html = page(&server(), "/");
    assert!(html.contains("Why is the importer slow?"), "{html}");
    assert!(html.contains("Make the logo larger"));
    assert!(html.contains("href=\"/p/-srv-tidepool\""));
    assert!(html.contains("Nothing is running"));
    assert!(html.contains("2 of 2 shown"));
    // The inbox comes before everything else.
    let (inbox, recent) = (html.find("part-inbox"), html.find("part-recent"));
    assert!(inbox.expect("an inbox") < recent.expect("recent sessions"));
}

#[test]
fn an_empty_home_says_where_sessions_come_from() {
    let empty = TestServer::of(TestHome::new());
    let html = page(&empty, "/");
    assert!(html.contains("No sessions in the test&#39;s home"), "{html}");
    assert!(html.contains("unspool serve --demo"));
    for way in ["/sessions", "/stats", "/check", "/search", "/live"] {
        page(&empty, way);
    }
}

#[test]
fn parts_of_a_page_come_alone() {
    let server = server();
    let answer = open(&server, "/?part=recent,bar");
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("id=\"part-recent\"") && answer.body.contains("id=\"waits\""));
    assert!(!answer.body.contains("<html") && !answer.body.contains("part-inbox"));
    let tag = answer.header("etag").expect("a tag").to_owned();
    assert_eq!(server.get_unless("/?part=recent,bar", &tag).status, 304);
    assert_eq!(server.get_unless("/?part=recent", &tag).status, 200);
}

#[test]
fn a_project_lists_its_sessions_and_filters_them() {
    let server = server();
    let html = page(&server, "/p/-srv-tidepool");
    assert!(html.contains("Why is the importer slow?"));
    assert!(!html.contains("Make the logo larger"));
    let filtered = page(&server, "/p/-srv-tidepool?since=1999-01-01&until=1999-01-02");
    assert!(filtered.contains("No session fits these filters"), "{filtered}");
    assert_eq!(open(&server, "/p/-srv-nowhere").status, 404);
    assert_eq!(open(&server, "/p/-srv-tidepool?since=soonish").status, 400);
    assert_eq!(open(&server, "/p/-srv-tidepool?cursor=x").status, 400);
    assert_eq!(open(&server, "/sessions?status=odd").status, 400);
}

#[test]
fn long_lists_come_in_pages() {
    let home = TestHome::new();
    for number in 0..205 {
        let talk = format!("u1 user \"Session number {number}.\"");
        let id = uuid(&format!("s{number}"));
        home.add_session("/srv/many", &id, unspool_testkit::session(&talk));
    }
    let server = TestServer::of(home);
    let first = page(&server, "/sessions");
    let count = |html: &str| html.matches("class=\"session-row\"").count();
    assert_eq!(count(&first), 200);
    let link = first.split("rel=\"next\" href=\"").nth(1).expect("a next page");
    let way = link.split('"').next().expect("an address").replace("&amp;", "&");
    let second = page(&server, &format!("/sessions{way}"));
    assert_eq!(count(&second), 5);
}

#[test]
fn a_search_finds_and_marks_and_leads_to_the_place() {
    let server = server();
    let html = page(&server, "/search?q=readers");
    assert!(html.contains("<mark>readers</mark>"), "{html}");
    let way = format!("/s/{}?at=", uuid("one"));
    assert!(html.contains(&way), "{html}");
    assert!(html.contains("&amp;find=readers#e-"));
    let empty = page(&server, "/search");
    assert!(empty.contains("Questions look like this"));
    let none = page(&server, "/search?q=%2Bzebra+-tiger");
    assert!(none.contains("Nothing was found"));
    let wider = page(&server, "/search?q=importer+is:headless");
    assert!(wider.contains("if `is:headless` is dropped"), "{wider}");
    let wrong = page(&server, "/search?q=since:soonish");
    assert!(wrong.contains("note-line warning"), "{wrong}");
    let part = open(&server, "/search?q=logo&part=results");
    assert!(part.body.contains("<mark>logo</mark>") && !part.body.contains("<html"));
}

#[test]
fn totals_are_charts_and_tables() {
    let server = server();
    let html = page(&server, "/stats?since=all&measure=tokens");
    assert!(html.contains("By month and model"), "{html}");
    for by in ["day", "week", "month", "weekday", "hour"] {
        page(&server, &format!("/stats?since=all&by={by}"));
    }
    assert_eq!(open(&server, "/stats?by=moon").status, 400);
    assert_eq!(open(&server, "/stats?since=soonish").status, 400);
}

#[test]
fn a_check_says_what_is_odd_and_where() {
    let home = super::home();
    let id = uuid("broken");
    home.add_session("/srv/tidepool", &id, b"{\"type\":\"user\",\"uu\n".as_slice());
    let server = TestServer::of(home);
    let html = page(&server, "/check");
    assert!(html.contains("Readable, with losses"), "{html}");
    assert!(html.contains(&format!("/s/{id}/raw/line:1")), "{html}");
    let one = page(&server, &format!("/check?session={id}"));
    assert!(one.contains("damaged-line") || one.contains("unfinished-line"), "{one}");
    assert_eq!(open(&server, "/check?session=../../etc").status, 404);
    assert_eq!(open(&server, "/check?session=00000000").status, 404);
}
