//! Hostile logs and addresses.

use unspool_testkit::markup::HOSTILE;
use unspool_testkit::{TestHome, uuid};

use super::{open, page};
use crate::harness::TestServer;

/// Returns a log whose every text is hostile: title, prompt, answer, call, branch, folder, model.
fn hostile_log(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("a text");
    let user = format!(
        r#"{{"type":"user","uuid":"11111111-1111-4111-8111-111111111111","parentUuid":null,"sessionId":"s","timestamp":"2026-11-01T10:00:00.000Z","cwd":{quoted},"gitBranch":{quoted},"version":{quoted},"message":{{"role":"user","content":{quoted}}}}}"#
    );
    let assistant = format!(
        r#"{{"type":"assistant","uuid":"22222222-2222-4222-8222-222222222222","parentUuid":"11111111-1111-4111-8111-111111111111","sessionId":"s","timestamp":"2026-11-01T10:00:05.000Z","requestId":"r","message":{{"id":"m","role":"assistant","model":{quoted},"content":[{{"type":"text","text":{quoted}}},{{"type":"tool_use","id":"toolu_1","name":{quoted},"input":{{"file_path":{quoted},"old_string":"a","new_string":{quoted},"command":{quoted}}}}},{{"type":"tool_use","id":"toolu_2","name":"Write","input":{{"file_path":{quoted},"content":{quoted}}}}}],"usage":{{"input_tokens":10,"output_tokens":5}}}}}}"#
    );
    let result = format!(
        r#"{{"type":"user","uuid":"33333333-3333-4333-8333-333333333333","parentUuid":"22222222-2222-4222-8222-222222222222","sessionId":"s","timestamp":"2026-11-01T10:00:09.000Z","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_2","content":{quoted}}},{{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":{quoted}}}]}}}}"#
    );
    let title = format!(r#"{{"type":"custom-title","customTitle":{quoted},"sessionId":"s"}}"#);
    let odd = format!(r#"{{"type":{quoted},"text":{quoted}}}"#);
    format!("{user}\n{assistant}\n{result}\n{title}\n{odd}\n")
}

#[test]
fn what_a_log_says_is_text_on_every_page() {
    let home = TestHome::new();
    let mut ids = Vec::new();
    for (number, text) in HOSTILE.iter().enumerate() {
        let id = uuid(&format!("h{number}"));
        let folder = format!("/srv/h{number}<b>\"'&");
        home.add_session(&folder, &id, hostile_log(text));
        ids.push(id);
    }
    let server = TestServer::of(home);
    for way in [
        "/",
        "/?show=all",
        "/sessions",
        "/stats?since=all",
        "/stats?since=all&by=week&measure=tokens",
        "/check",
        "/live",
        "/search?q=alert",
        "/search?q=script",
    ] {
        page(&server, way);
    }
    for id in ids {
        for below in [
            "tree",
            "raw",
            "time",
            "context",
            "files",
            "compare",
            "raw/line:1",
            "raw/line:2",
            "raw/line:5",
        ] {
            page(&server, &format!("/s/{id}/{below}"));
        }
    }
}

#[test]
fn what_an_address_says_is_text_too() {
    let server = super::server();
    let id = uuid("one");
    for text in HOSTILE {
        let value: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        for way in [
            format!("/search?q={value}"),
            format!("/sessions?branch={value}"),
            format!("/sessions?project={value}&tool={value}&model={value}&file={value}"),
            format!("/stats?tool={value}"),
            format!("/?show={value}"),
            format!("/p/{}", value.replace('+', "%20")),
            format!("/s/{id}/raw/{}", value.replace('+', "%20")),
            format!("/s/{id}/raw?agent={value}"),
            format!("/s/{id}/tree?from={value}&project={value}"),
            format!("/s/{}/tree", value.replace('+', "%20")),
        ] {
            let answer = open(&server, &way);
            assert!(matches!(answer.status, 200 | 400 | 404), "{way}: {}", answer.status);
            unspool_testkit::markup::check_served(&answer.body);
        }
    }
}

#[test]
fn no_parameter_is_a_path() {
    let server = super::server();
    let id = uuid("one");
    for step in ["..", "../..", "..%2f..%2fetc%2fpasswd", "%2e%2e", "%00", "/etc/passwd", "~"] {
        for way in [
            format!("/p/{step}"),
            format!("/s/{step}/tree"),
            format!("/s/{step}/raw"),
            format!("/s/{step}/time"),
            format!("/s/{step}/context"),
            format!("/s/{step}/files"),
            format!("/s/{step}/compare"),
            format!("/s/{id}/raw/{step}"),
            format!("/s/{id}/raw?agent={step}"),
            format!("/check?session={step}"),
            format!("/assets/{step}/server.css"),
        ] {
            let answer = open(&server, &way);
            assert!(matches!(answer.status, 400 | 404), "{way}: {}", answer.status);
            assert!(!answer.body.contains("root:"), "{way}");
        }
    }
}
