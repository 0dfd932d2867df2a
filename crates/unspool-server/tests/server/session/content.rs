//! Images, documents, long outputs, and messages as Markdown.

use serde_json::json;
use unspool_testkit::uuid;

use super::{ID, server};
use crate::harness::TestServer;

#[test]
fn a_long_output_is_cut_and_can_be_had_whole() {
    let lines: Vec<String> = (1..=900).map(|n| format!("line {n}.")).collect();
    let text = json!(lines.join("\n"));
    let server = server(&format!(
        "u1 user \"go\"\na1 assistant call Bash:t1 {{\"command\":\"make\"}}\nr1 result t1 {text}\n"
    ));
    let page = server.get(&format!("/s/{ID}")).body;
    assert!(page.contains("line 200.") && !page.contains("line 201."), "it is cut");
    let way = format!("/s/{ID}/output/t1?n=1");
    assert!(page.contains(&format!("href=\"{way}\">Show all 900 lines</a>")), "{page}");
    let whole = server.get(&way);
    assert!(whole.body.contains("line 900.") && whole.body.contains("<!doctype html>"));
    let bare = server.get(&format!("{way}&bare")).body;
    assert!(bare.contains("line 900.") && !bare.contains("doctype"));
    assert_eq!(server.get(&format!("/s/{ID}/output/t1?n=9")).status, 404);
    assert_eq!(server.get(&format!("/s/{ID}/output/none")).status, 404);
}

#[test]
fn of_a_long_failure_the_end_is_shown() {
    let lines: Vec<String> = (1..=900).map(|n| format!("line {n}.")).collect();
    let text = json!(lines.join("\n"));
    let server = server(&format!(
        "u1 user \"go\"\na1 assistant call Bash:t1 {{\"command\":\"make\"}}\nr1 result t1 error {text}\n"
    ));
    let page = server.get(&format!("/s/{ID}")).body;
    assert!(page.contains("line 900.") && page.contains("Show all 900 lines"), "{page}");
    assert!(!page.contains("line 500."));
}

/// Starts a server for a session whose prompt has these images and documents.
fn with_media(media: &[(&str, &str, &str)]) -> TestServer {
    let blocks: Vec<_> = media
        .iter()
        .map(|(kind, media_type, data)| {
            json!({"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}})
        })
        .collect();
    let line = json!({
        "uuid": uuid("u1"), "parentUuid": null, "sessionId": ID, "cwd": "/srv/demo", "type": "user",
        "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": blocks},
    });
    TestServer::of_session("/srv/demo", ID, format!("{line}\n"))
}

#[test]
fn media_are_served_as_what_they_are() {
    // The beginning of a real PNG, and an SVG whose declared type is PNG.
    let server = with_media(&[
        ("image", "image/png", "iVBORw0KGgoAAAAN"),
        ("image", "image/png", "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"),
        ("document", "text/html", "PHNjcmlwdD4="),
    ]);
    let page = server.get(&format!("/s/{ID}")).body;
    let way = |n: u32| format!("/s/{ID}/media/{}/{n}", uuid("u1"));
    assert!(page.contains(&format!("<img alt=\"image\" loading=\"lazy\" src=\"{}\">", way(0))));
    assert!(page.contains(&format!("<a download href=\"{}\">", way(2))), "{page}");
    assert!(!page.contains("base64"), "no bytes are in the page");
    let png = server.get(&way(0));
    assert_eq!(png.header("content-type"), Some("image/png"));
    assert_eq!(png.header("content-disposition"), None);
    for n in [1, 2] {
        let other = server.get(&way(n));
        assert_eq!(other.header("content-type"), Some("application/octet-stream"));
        let saved = other.header("content-disposition").expect("it is saved");
        assert!(saved.starts_with("attachment"), "{saved}");
    }
    for n in 0..3 {
        let answer = server.get(&way(n));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        let policy = answer.header("content-security-policy").expect("a policy");
        assert_eq!(policy, "default-src 'none'; sandbox");
    }
    assert_eq!(server.get(&way(3)).status, 404);
    assert_eq!(server.get(&format!("/s/{ID}/media/{}/x", uuid("u1"))).status, 404);
}

#[test]
fn a_message_can_be_copied_as_markdown() {
    let server = server(
        "u1 user \"go\"\na1 assistant \"**Yes**\" call Bash:t1 {\"command\":\"ls\"}\nr1 result t1 \"src\"\n",
    );
    let answer = server.get(&format!("/s/{ID}/md/{}", uuid("a1")));
    assert_eq!(answer.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(answer.body.contains("**Yes**") && answer.body.contains("ls"), "{}", answer.body);
    assert!(!answer.body.contains("Turn 1"), "{}", answer.body);
    assert_eq!(server.get(&format!("/s/{ID}/md/00000000")).status, 404);
}

#[test]
fn paths_of_the_file_system_are_no_ids() {
    let server = server("u1 user \"go\"\n");
    for id in ["..", "%2e%2e%2fetc%2fpasswd", "a%2fb", "x%00y", "%2Fetc%2Fpasswd", "~"] {
        for way in [
            format!("/s/{id}"),
            format!("/s/{id}/part"),
            format!("/s/{id}/media/{}/0", uuid("u1")),
            format!("/s/{ID}/media/{id}/0"),
            format!("/s/{ID}/md/{id}"),
            format!("/s/{ID}/output/{id}"),
            format!("/s/{ID}/a/{id}"),
            format!("/a/{id}"),
        ] {
            let status = server.get(&way).status;
            assert!((400..500).contains(&status), "{way}: {status}");
        }
    }
}
