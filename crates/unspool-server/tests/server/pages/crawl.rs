//! Every link of every page of the demo leads to a page.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::open;
use crate::harness::TestServer;

/// The maximum number of addresses of one kind that are followed: filters can be combined without end.
const OF_A_KIND: usize = 12;

/// Returns the addresses of the links on a page.
fn links(html: &str) -> Vec<String> {
    let all = html.split(" href=\"").skip(1);
    let values = all.filter_map(|rest| rest.split('"').next());
    values.map(|value| value.replace("&amp;", "&").replace("&#39;", "'")).collect()
}

/// Resolves a link on a page to an address of this server; none if it stays on the page.
fn resolved(page: &str, link: &str) -> Option<String> {
    let link = link.split('#').next().unwrap_or_default();
    let path = page.split('?').next().unwrap_or(page);
    match link {
        "" => None,
        _ if link.starts_with('/') => Some(link.to_owned()),
        _ if link.starts_with('?') => Some(format!("{path}{link}")),
        _ => panic!("{link:?} on {page}"),
    }
}

/// Returns the kind of an address: its route, and the names of its parameters.
fn kind(way: &str) -> String {
    let (path, query) = way.split_once('?').unwrap_or((way, ""));
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let route = match steps.as_slice() {
        [""] => "/".to_owned(),
        ["p", _] => "/p/{project}".to_owned(),
        ["s", _] => "/s/{id}".to_owned(),
        ["s", _, "a", _] | ["a", _] => "/s/{id}/a/{agent}".to_owned(),
        ["s", _, "output" | "md", _] | ["s", _, "a", _, "output", _] => {
            "/s/{id}/content".to_owned()
        }
        ["s", _, "media", _, _] => "/s/{id}/media".to_owned(),
        ["api", "sessions", _, file] if file.starts_with("transcript.") => format!("/api/{file}"),
        ["s", _, "raw", _] => "/s/{id}/raw/{entry}".to_owned(),
        [
            "s",
            _,
            page @ ("tree" | "raw" | "time" | "context" | "files" | "compare" | "part" | "facts"),
        ] => {
            format!("/s/{{id}}/{page}")
        }
        ["assets", _, _] => "/assets".to_owned(),
        [page @ ("sessions" | "search" | "stats" | "check" | "live")] => format!("/{page}"),
        _ => panic!("{way} is not a page that is known"),
    };
    let names: BTreeSet<&str> =
        query.split('&').filter_map(|pair| pair.split('=').next()).collect();
    format!("{route} {names:?}")
}

#[test]
fn every_link_leads_to_a_page() {
    let server = TestServer::demo(TestServer::of);
    let mut waiting = VecDeque::from(["/".to_owned()]);
    let mut known = BTreeSet::from(["/".to_owned()]);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(way) = waiting.pop_front() {
        let answer = open(&server, &way);
        // The address of an entry on another path redirects to that path.
        if let (303, Some(next)) = (answer.status, answer.header("location")) {
            let next = next.split('#').next().unwrap_or_default().to_owned();
            if known.insert(next.clone()) {
                waiting.push_back(next);
            }
            continue;
        }
        assert_eq!(answer.status, 200, "{way}: {}", answer.body);
        let is_page = answer.header("content-type").is_some_and(|it| it.starts_with("text/html"));
        // A transcript is a page of its own kind, which the tests of exported pages check.
        if !is_page || way.starts_with("/api/") {
            continue;
        }
        unspool_testkit::markup::check_served(&answer.body);
        for link in links(&answer.body) {
            let Some(next) = resolved(&way, &link) else {
                continue;
            };
            let count = kinds.entry(kind(&next)).or_default();
            if *count < OF_A_KIND && known.insert(next.clone()) {
                *count += 1;
                waiting.push_back(next);
            }
        }
    }
    // The walk has seen every kind of page.
    for route in [
        "/p/{project}",
        "/sessions",
        "/search",
        "/stats",
        "/check",
        "/live",
        "/s/{id}",
        "/s/{id}/a/{agent}",
        "/s/{id}/tree",
        "/s/{id}/time",
        "/s/{id}/context",
        "/s/{id}/files",
        "/s/{id}/raw",
        "/s/{id}/raw/{entry}",
    ] {
        assert!(kinds.keys().any(|kind| kind.starts_with(&format!("{route} "))), "{route}");
    }
}
