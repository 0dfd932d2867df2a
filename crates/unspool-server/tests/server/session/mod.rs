//! Session pages: their content, the parts that they fetch, and hostile sessions.

mod browser;
mod content;
mod hostile;
mod pages;
mod parts;
mod states;

use std::fmt::Write as _;

use unspool_testkit::session;

use crate::harness::TestServer;

/// The session of most tests.
pub(super) const ID: &str = "11111111-1111-4111-8111-111111111111";

/// Starts a server for a home with one session.
pub(super) fn server(notation: &str) -> TestServer {
    TestServer::of_session("/srv/demo", ID, session(notation))
}

/// Returns the notation of a session with many turns, each a prompt, a call with its result, and an answer.
pub(super) fn turns(count: usize) -> String {
    let mut lines = String::new();
    for n in 1..=count {
        let _ = writeln!(lines, "u{n} user \"prompt number {n}\"");
        let _ = writeln!(
            lines,
            "a{n} assistant \"looking {n}\" call Bash:t{n} {{\"command\":\"ls {n}\"}}"
        );
        let _ = writeln!(lines, "r{n} result t{n} \"output {n}\"");
        let _ = writeln!(lines, "b{n} assistant \"answer number {n}\"");
    }
    lines
}

/// Returns the values of an attribute, in the order of the markup.
pub(super) fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let start = format!(" {attribute}=\"");
    let pieces = html.split(start.as_str()).skip(1);
    pieces.map(|piece| piece.split('"').next().unwrap_or_default()).collect()
}

/// Returns the numbers of the messages in some markup, in order.
pub(super) fn messages(html: &str) -> Vec<u32> {
    let articles = html.split("<article ").skip(1);
    let heads = articles.map(|article| article.split('>').next().unwrap_or_default());
    heads.filter_map(|head| values(head, "data-m").first()?.parse().ok()).collect()
}

/// Returns the transcript of a page: the markup from its first chunk to the footer.
pub(super) fn transcript(html: &str) -> &str {
    let (_, rest) = html.split_once("<div id=\"transcript\">").expect("a transcript");
    rest.split_once("<footer class=\"end\"").expect("an end").0
}
