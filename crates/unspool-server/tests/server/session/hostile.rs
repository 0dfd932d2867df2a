//! Pages contain only our own markup, whatever a session contains.

use unspool_testkit::markup::{HOSTILE, check_served};
use unspool_testkit::saying::{SESSION, saying};

use crate::harness::TestServer;

/// Returns the addresses of a session and of everything that its pages fetch as markup.
fn pages(session: &str) -> Vec<String> {
    let base = format!("/s/{session}");
    let mut ways: Vec<String> = ["", "?facts=1", "?view=context", "?at=s4", "/rail", "/facts"]
        .iter()
        .map(|way| format!("{base}{way}"))
        .collect();
    ways.push(format!("{base}/part?from=0&to=50"));
    ways.extend((0..8).flat_map(|call| {
        let output = format!("{base}/output/t{call}");
        [output.clone(), format!("{output}?bare"), format!("{output}?n=1&bare")]
    }));
    let agent = format!("{base}/a/evil");
    ways.extend(["", "/part?form=bare", "/rail"].map(|way| format!("{agent}{way}")));
    ways.push(format!("{base}/a/nothing"));
    ways
}

#[test]
fn pages_of_hostile_sessions_are_made_of_our_own_markup() {
    for text in HOSTILE {
        let server = TestServer::of(saying(text));
        for way in pages(SESSION) {
            let answer = server.get(&way);
            assert!(answer.status < 500, "{way}: {} {}", answer.status, answer.body);
            let kind = answer.header("content-type").unwrap_or_default();
            if kind.starts_with("text/html") {
                check_served(&answer.body);
            }
            let policy = answer.header("content-security-policy").unwrap_or_default();
            assert!(policy.contains("default-src 'none'"), "{way}: {policy}");
        }
        let page = server.get(&format!("/s/{SESSION}")).body;
        assert!(page.contains("data-agent=\"/s/"), "{text:?}: {page}");
    }
}

#[test]
fn hostile_parameters_are_text() {
    let server = TestServer::of(saying("plain"));
    for text in HOSTILE {
        let asked: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        for way in [
            format!("/s/{SESSION}?at={asked}"),
            format!("/s/{SESSION}?project={asked}"),
            format!("/s/{SESSION}?path={asked}"),
            format!("/s/{SESSION}/find?q={asked}"),
            format!("/s/{SESSION}/where?entry={asked}"),
            format!("/s/{SESSION}/where?call={asked}"),
        ] {
            let answer = server.ask_as_owner("GET", &way, &[("accept", "text/html")]);
            assert!(answer.status < 500, "{way}: {}", answer.body);
            let kind = answer.header("content-type").unwrap_or_default();
            if kind.starts_with("text/html") {
                check_served(&answer.body);
            }
        }
    }
}
