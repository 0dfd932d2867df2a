//! Which strings are texts, and their roles.

use unspool_model::entry::MessageKind;
use unspool_model::named::Named as _;
use unspool_model::query::{TextRole, TimeRange, Values};

use super::*;
use crate::scan::HitsBeyondLimit;

/// Checks that a line has one hit for the word `needle`, with a role, or none.
fn check(line: &str, expected: Option<TextRole>) {
    let hits = Files::log("a", line).find("needle", PatternKind::Exact);
    let roles: Vec<TextRole> = hits.iter().map(|hit| hit.role).collect();
    assert_eq!(roles, Vec::from_iter(expected), "{line}");
}

#[test]
fn every_text_is_found_in_its_role() {
    for line in include_str!("roles.txt").lines() {
        let (role, record) = line.split_once(' ').expect("a role");
        let role = TextRole::from_name(role).expect("a role");
        check(record, Some(role));
    }
}

#[test]
fn keys_ids_and_data_are_no_texts() {
    let data = format!("{}needle", "QUJD".repeat(20));
    for line in [
        r#"{"type":"needle"}"#,
        r#"{"needle":1,"message":{"needle":true,"content":[{"needle":null}]}}"#,
        r#"{"uuid":"needle","parentUuid":"needle","sessionId":"needle","requestId":"needle"}"#,
        r#"{"timestamp":"needle","cwd":"/needle","gitBranch":"needle","version":"needle"}"#,
        r#"{"message":{"id":"needle","model":"needle","role":"needle","stop_reason":"needle"}}"#,
        r#"{"message":{"content":[{"type":"tool_use","id":"needle"}]}}"#,
        r#"{"message":{"content":[{"type":"tool_result","tool_use_id":"needle"}]}}"#,
        r#"{"toolUseResult":{"agentId":"needle"}}"#,
        &format!(r#"{{"message":{{"content":[{{"source":{{"data":"{data}"}}}}]}}}}"#),
        r#"{"type":"torn","needle":"x","#,
    ] {
        check(line, None);
    }
    let id = "550e8400-e29b-41d4-a716-446655440000";
    let line = format!(r#"{{"type":"system","preserved":["{id}"]}}"#);
    assert!(Files::log("a", line).find(id, PatternKind::Exact).is_empty());
}

#[test]
fn a_hit_says_where_it_is() {
    let first = r#"{"type":"user","uuid":"u1","message":{"content":"x"}}"#;
    let second = r#"{"type":"assistant","uuid":"u2","agentId":"a1","timestamp":"2026-08-10T09:00:00.000Z","message":{"content":[{"type":"text","text":"x"}]}}"#;
    let files = Files::log("s", format!("\r\n{first}\r\n{second}"));
    let hits = files.find("x", PatternKind::Exact);
    assert_eq!(offsets(&hits), [2, first.len() as u64 + 4]);
    let hit = &hits[1];
    assert_eq!(hit.session.as_str(), "s");
    assert_eq!(hit.entry.as_ref().map(AsRef::as_ref), Some("u2"));
    assert_eq!(hit.agent.as_ref().map(AsRef::as_ref), Some("a1"));
    assert_eq!(hit.kind, Some(MessageKind::Answer));
    assert_eq!(hit.time, Time::parse("2026-08-10T09:00:00.000Z"));
    assert_eq!((hit.active, hit.gone), (None, false));
}

#[test]
fn of_records_that_are_glued_together_the_first_that_matches_is_the_hit() {
    let record = |uuid: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"s","message":{{"content":"{text}"}}}}"#
        )
    };
    let torn = r#"{"type":"user","uuid":"t","message":{"content":"torn needle"#;
    for (line, expected) in [
        (format!("{}{}", record("a", "x"), record("b", "needle")), Some("b")),
        (format!("{}{}", record("a", "needle"), record("b", "needle")), Some("a")),
        (format!("{torn}{}", record("b", "needle")), None),
        (format!("torn{}", record("b", "needle")), Some("b")),
    ] {
        let hits = Files::log("a", &line).find("needle", PatternKind::Exact);
        assert_eq!(hits.len(), 1, "{line}");
        assert_eq!(hits[0].entry.as_ref().map(AsRef::as_ref), expected, "{line}");
    }
    // The quote of the glued record does not end the torn text.
    let line = format!("{torn}{}", record("b", "x"));
    let files = Files::log("a", &line);
    assert!(files.find("needle{", PatternKind::Exact).is_empty());
}

#[test]
fn roles_and_times_are_filters() {
    let line = |time: &str, kind: &str| {
        format!(
            r#"{{"type":"{kind}","timestamp":"{time}","message":{{"content":[{{"thinking":"x"}},{{"text":"x"}}]}}}}"#
        )
    };
    let log = [
        line("2026-08-10T09:00:00Z", "user"),
        line("2026-08-11T09:00:00Z", "assistant"),
        r#"{"type":"custom-title","customTitle":"x"}"#.to_owned(),
    ];
    let mut files = Files::log("a", log.join("\n"));
    files.sources[0].modified = Time::parse("2026-08-12T00:00:00Z").expect("a time");
    let all = [TextRole::Thinking, TextRole::Thinking, TextRole::Title];
    for (any, none, from, expected) in [
        (&[][..], &[][..], None, &all[..]),
        (&[TextRole::Assistant], &[], None, &[TextRole::Assistant]),
        (&[], &[TextRole::Thinking], None, &[TextRole::User, TextRole::Assistant, TextRole::Title]),
        (&[], &[], Some("2026-08-11T00:00:00Z"), &all[1..]),
        (&[TextRole::Title], &[], Some("2026-08-12T00:00:00Z"), &[TextRole::Title]),
        (&[], &[], Some("2026-08-13T00:00:00Z"), &[]),
    ] {
        let mut request = ScanRequest::new("x", PatternKind::Exact);
        request.roles = Values { any: any.to_vec(), none: none.to_vec() };
        request.time = TimeRange { from: from.and_then(Time::parse), until: None };
        let scan = files.scan(&request);
        let roles: Vec<TextRole> = scan.hits.iter().map(|hit| hit.role).collect();
        assert_eq!(roles, expected, "{any:?} {none:?} {from:?}");
        request.limit = 0;
        assert_eq!(files.scan(&request).further, HitsBeyondLimit::Exactly(expected.len() as u64));
    }
}
