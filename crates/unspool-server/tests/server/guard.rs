//! Access control: tokens, addresses, origins and one-time links.

use unspool_server::OneTimeLink;
use unspool_testkit::TestHome;

use crate::harness::{TOKEN, TestServer};

fn server() -> TestServer {
    TestServer::of(TestHome::new())
}

#[test]
fn a_token_is_needed_for_everything_but_the_way_in() {
    let server = server();
    for way in ["/", "/api/status", "/api/openapi.json", "/nowhere"] {
        assert_eq!(server.ask("GET", way, &[]).status, 401, "{way}");
        let wrong = [("authorization", "Bearer wrong")];
        assert_eq!(server.ask("GET", way, &wrong).status, 401, "{way}");
    }
    let problem = server.ask("GET", "/api/status", &[]);
    assert_eq!(problem.header("content-type"), Some("application/problem+json"));
    assert_eq!(problem.json()["type"], "no-token");
    assert!(!problem.body.contains(TOKEN));
    assert_eq!(server.get("/api/status").status, 200);
    assert_eq!(server.get("/api/status").json()["schema"], 1);
}

#[test]
fn without_tokens_everybody_on_loopback_may_look() {
    let open = TestServer::open(TestHome::new());
    assert_eq!(open.ask("GET", "/api/status", &[]).status, 200);
}

#[test]
fn a_request_is_addressed_to_this_server() {
    let server = server();
    let token = format!("Bearer {TOKEN}");
    let ask = |host: &str| {
        let headers = [("host", host), ("authorization", &token)];
        server.ask_raw("GET", "/api/status", &headers).status
    };
    assert_eq!(ask("localhost:1"), 200);
    assert_eq!(ask("[::1]:80"), 200);
    assert_eq!(ask("evil.example"), 421);
    assert_eq!(ask("127.0.0.1.evil.example:7717"), 421);
    let none = server.ask_raw("GET", "/api/status", &[("authorization", &token)]);
    assert!(matches!(none.status, 400 | 421), "{none:?}");
    let named = TestServer::with(TestHome::new(), |settings| {
        settings.host_names = vec!["box.local".to_owned()];
    });
    let headers = [("host", "box.local:7717"), ("authorization", &*token)];
    assert_eq!(named.ask_raw("GET", "/api/status", &headers).status, 200);
}

#[test]
fn another_site_gets_nothing_but_a_link_that_a_person_follows() {
    let server = server();
    let ours = format!("http://{}", server.address());
    let ask = |headers: &[(&str, &str)]| server.ask_as_owner("GET", "/api/status", headers).status;
    assert_eq!(ask(&[("sec-fetch-site", "same-origin")]), 200);
    assert_eq!(ask(&[("sec-fetch-site", "none")]), 200);
    assert_eq!(ask(&[("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(ask(&[("sec-fetch-site", "same-site")]), 403);
    let navigation = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert_eq!(ask(&navigation), 200);
    let framed = [navigation[0], navigation[1], ("sec-fetch-dest", "iframe")];
    assert_eq!(ask(&framed), 403);
    assert_eq!(ask(&[("origin", &ours)]), 200);
    for origin in ["null", "http://evil.example", "https://127.0.0.1", "file://"] {
        assert_eq!(ask(&[("origin", origin)]), 403, "{origin}");
    }
}

#[test]
fn every_answer_tells_browsers_to_load_nothing_else() {
    let server = server();
    for answer in [
        server.get("/"),
        server.get("/nowhere"),
        server.ask("GET", "/", &[]),
        server.ask("POST", "/", &[]),
    ] {
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("trusted-types"));
        assert!(!policy.contains("unsafe"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

/// Starts a server, and returns it with a one-time link.
fn linked_server() -> (TestServer, OneTimeLink) {
    let (sent, link) = std::sync::mpsc::channel();
    let server = TestServer::with(TestHome::new(), |settings| {
        let now = std::time::SystemTime::now();
        sent.send(settings.access.new_link(now).expect("a link")).expect("a receiver");
    });
    (server, link.recv().expect("a link"))
}

#[test]
fn a_link_lets_one_browser_in() {
    let (server, link) = linked_server();
    let entered = server.ask("GET", link.way(), &[]);
    assert_eq!(entered.status, 303);
    assert_eq!(entered.header("location"), Some("/"));
    let cookie = entered.header("set-cookie").expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    assert!(cookie.starts_with(&format!("unspool-{}=", server.address().port())));
    assert!(!cookie.contains(TOKEN));
    let pair = cookie.split(';').next().expect("a pair");
    assert_eq!(server.ask("GET", "/", &[("cookie", pair)]).status, 200);
    assert_eq!(server.ask("GET", "/", &[("cookie", "unspool-1=x")]).status, 401);
    assert_eq!(server.ask("GET", link.way(), &[]).status, 401);
}

#[test]
fn a_link_that_another_site_shows_leads_to_the_inbox_with_the_key() {
    let (server, link) = linked_server();
    let navigation = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    let entered = server.ask("GET", link.way(), &navigation);
    assert_eq!(entered.header("location"), Some("/in"));
    let page = server.ask("GET", "/in", &navigation).body;
    // The browser does not send the key, so only a script can pass it on.
    let script = page.split("src=\"").nth(1).and_then(|rest| rest.split('"').next());
    let script = server.ask("GET", script.expect("a script"), &[]);
    assert_eq!(script.status, 200);
    assert!(script.body.contains("location.replace(\"/\" + location.hash)"));
    assert!(
        page.contains("<noscript><meta http-equiv=\"refresh\" content=\"0; url=/\">"),
        "{page}"
    );
}

#[test]
fn what_is_too_long_is_refused() {
    let server = server();
    let way = format!("/api/status?q={}", "x".repeat(9_000));
    assert_eq!(server.get(&way).status, 413);
    let header = "x".repeat(1_000_000);
    let answer = server.ask("GET", "/api/status", &[("x-long", &header)]);
    assert!(matches!(answer.status, 0 | 431), "{}", answer.status);
    assert_eq!(server.get("/api/status").status, 200);
}
