//! Single sessions: ambiguous names, states that a client has already, original bytes.

use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, added, append, session, uuid};

use super::world::World;
use crate::harness::TestServer;

#[test]
fn an_id_that_two_projects_have_needs_the_project() {
    let home = TestHome::new();
    let id = uuid("twice");
    for (cwd, said) in [("/srv/one", "the first"), ("/srv/two", "the second")] {
        home.add_session(cwd, &id, session(&format!("u1 user \"{said}\"")));
    }
    let server = TestServer::of(home);
    let answer = server.get(&format!("/api/sessions/{id}"));
    assert_eq!(answer.status, 409);
    let problem = answer.json();
    assert_eq!(problem["type"], "ambiguous-name");
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(detail.contains("-srv-one") && detail.contains("-srv-two"), "{detail}");
    for (project, said) in [("-srv-one", "the first"), ("-srv-two", "the second")] {
        let of = |part: &str| server.json(&format!("/api/sessions/{id}{part}?project={project}"));
        assert_eq!(of("")["session"]["project"], project);
        assert_eq!(of("/messages")["messages"][0]["blocks"][0]["text"], said);
        assert_eq!(of("/tree")["rows"][0]["text"], said);
    }
    let elsewhere = format!("/api/sessions/{id}?project=-srv-three");
    assert_eq!(server.get(&elsewhere).status, 404);
}

#[test]
fn a_beginning_of_an_id_is_enough_if_it_is_the_only_one() {
    let server = TestServer::of_session("/srv/one", &uuid("a"), session("u1 user \"hello\""));
    let short = uuid("a")[..8].to_owned();
    let found = server.json(&format!("/api/sessions/{short}"));
    assert_eq!(found["session"]["id"], uuid("a"));
    let answer = server.get(&format!("/api/sessions/{}", &short[..3]));
    assert_eq!(answer.status, 404);
}

#[test]
fn a_state_that_the_client_has_is_not_sent_again() {
    let home = TestHome::new();
    let talk = "u1 user \"hello\"\na1 assistant \"hi\"";
    let log = home.add_session("/srv/one", &uuid("a"), session(talk));
    let server = TestServer::of(home);
    let ways: Vec<String> = [
        "",
        "/messages",
        "/agents",
        "/tree",
        "/transcript.md",
        "/transcript.json",
        "/messages?limit=1",
    ]
    .iter()
    .map(|part| format!("/api/sessions/{}{part}", uuid("a")))
    .chain(["/api/sessions".to_owned(), "/api/openapi.json".to_owned()])
    .collect();
    let mut tags = Vec::new();
    for way in &ways {
        let answer = server.get(way);
        assert_eq!(answer.status, 200, "{way}");
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"), "{way}");
        let tag = answer.header("etag").expect("a tag").to_owned();
        let known = server.get_unless(way, &tag);
        assert_eq!((known.status, known.body.as_str()), (304, ""), "{way}");
        assert_eq!(known.header("etag"), Some(tag.as_str()), "{way}");
        tags.push(tag);
    }
    let unlike: std::collections::BTreeSet<&String> = tags.iter().collect();
    assert_eq!(unlike.len(), tags.len());
    append(log, added(talk, "u2 user \"more\""));
    for (way, tag) in ways.iter().zip(&tags) {
        let is_same = way.ends_with("openapi.json");
        let expected = if is_same { 304 } else { 200 };
        assert_eq!(server.get_unless(way, tag).status, expected, "{way}");
    }
}

#[test]
fn an_entry_is_given_as_it_is() {
    let log = session("u1 user \"<script>alert(1)</script>\"\na1 assistant \"hi\"");
    let server = TestServer::of_session("/srv/one", &uuid("a"), &log);
    let way = |entry: &str| format!("/api/sessions/{}/entries/{entry}", uuid("a"));
    let answer = server.get(&way(&uuid("u1")));
    let first = log.split_inclusive(|byte| *byte == b'\n').next().expect("a line");
    let first = String::from_utf8_lossy(first);
    assert_eq!(answer.body.trim_end(), first.trim_end());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let policy = answer.header("content-security-policy").expect("a policy");
    assert!(policy.contains("sandbox"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(server.get(&way(&uuid("u1")[..8])).body, answer.body);
    assert_eq!(server.get(&way(&uuid("nothing"))).status, 404);
}

#[test]
fn damaged_lines_are_given_as_bytes() {
    let log = "{\"type\":\"user\",\"uuid\":\"11111111-1111-4111-8111-111111111111\",\
               \"message\":{\"role\":\"user\",\"content\":\"a\u{1}b\"}}\n";
    let server = TestServer::of_session("/srv/one", &uuid("a"), log);
    let answer = server.get(&format!("/api/sessions/{}/entries/line:1", uuid("a")));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/octet-stream"));
}

#[test]
fn transcripts_are_files() {
    let talk = "u1 user \"hello\"\na1 assistant \"hi\"\nu2 user < a1 \"one\"\nu3 user < a1 \"two\"";
    let server = TestServer::of_session("/srv/one", &uuid("a"), session(talk));
    let base = format!("/api/sessions/{}/transcript", uuid("a"));
    for (ending, media_type) in [
        ("md", "text/markdown; charset=utf-8"),
        ("html", "text/html; charset=utf-8"),
        ("json", "application/json"),
        ("jsonl", "application/x-ndjson"),
        ("txt", "text/plain; charset=utf-8"),
    ] {
        for (path, said, other) in [("", "two", "one"), ("?path=1", "one", "two")] {
            let answer = server.get(&format!("{base}.{ending}{path}"));
            assert_eq!(answer.status, 200, "{ending}: {}", answer.body);
            assert_eq!(answer.header("content-type"), Some(media_type));
            assert!(answer.body.contains(said), "{ending}{path}: {}", answer.body);
            if matches!(ending, "jsonl") {
                assert!(!answer.body.contains(&format!("\"{other}\"")), "{ending}{path}");
            }
            let policy = answer.header("content-security-policy").expect("a policy");
            assert!(policy.contains("sandbox"), "{policy}");
        }
        assert_eq!(server.get(&format!("{base}.{ending}?path=3")).status, 404);
    }
    let page = server.get(&format!("{base}.html"));
    let saved = page.header("content-disposition").expect("a disposition");
    assert_eq!(saved, format!("attachment; filename=\"transcript_{}.html\"", uuid("a")));
    assert_eq!(server.get(&format!("{base}.pdf")).status, 404);
}

#[test]
fn agents_are_found_by_their_project() {
    let home = TestHome::new();
    let talk =
        "u1 user \"go\"\na1 assistant call Task:t1 {\"prompt\":\"look\"}\nr1 result t1 \"done\"";
    home.add_session("/srv/one", &uuid("a"), session(talk));
    let agent = session("x1 user < - sidechain \"look\"\nx2 assistant sidechain \"seen\"");
    home.add_agent("/srv/one", &uuid("a"), &AgentFilePlace::Subagents, "aa11bb", &agent);
    let server = TestServer::of(home);
    let base = "/api/projects/-srv-one/agent-sessions";
    for name in ["aa11bb", "agent-aa11bb"] {
        let found = server.json(&format!("{base}/{name}"));
        assert_eq!(found["messages"].as_array().expect("messages").len(), 2);
        assert_eq!(found["schema"], 1);
        let of_session = format!("{base}/{name}?session={}", uuid("a"));
        let found = server.json(&of_session);
        assert_eq!(found["agent"], "aa11bb");
        assert_eq!(found["session"]["id"], uuid("a"));
        assert_eq!(found["messages"][1]["blocks"][0]["text"], "seen");
    }
    assert_eq!(server.get(&format!("{base}/cc22dd")).status, 404);
    let elsewhere = "/api/projects/-srv-two/agent-sessions/aa11bb";
    assert_eq!(server.get(elsewhere).status, 404);
    assert_eq!(server.get("/api/projects/srv/agent-sessions/aa11bb").status, 404);
}

#[test]
fn interrupted_calls_are_marked_hidden_or_answered() {
    let talk = "u1 user \"go\"\na1 assistant \"now\" call Bash:t1 {\"command\":\"ls\"}";
    let server = TestServer::of_session("/srv/one", &uuid("a"), session(talk));
    let blocks = |how: &str| {
        let way = format!("/api/sessions/{}/messages{how}", uuid("a"));
        server.json(&way)["messages"][1]["blocks"].clone()
    };
    assert_eq!(blocks("")[1]["status"], "interrupted");
    assert_eq!(blocks(""), blocks("?interrupted=mark"));
    assert_eq!(blocks("?interrupted=hide").as_array().map(Vec::len), Some(1));
    assert_eq!(blocks("?interrupted=synthesize")[1]["result"]["is_error"], true);
}

#[test]
fn a_log_without_a_conversation_is_an_answer_too() {
    let home = TestHome::new();
    home.add_session("/srv/one", &uuid("a"), "");
    home.add_session("/srv/one", &uuid("b"), "{\"type\":\"mode\",\"mode\":\"normal\"}\nnot json\n");
    let server = TestServer::of(home);
    for name in ["a", "b"] {
        let way = format!("/api/sessions/{}", uuid(name));
        assert_eq!(server.json(&way)["path"], serde_json::Value::Null);
        let page = server.json(&format!("{way}/messages"));
        assert_eq!(page["messages"], serde_json::json!([]));
        assert_eq!(page["before"], serde_json::Value::Null);
        assert_eq!(server.get(&format!("{way}/tree")).status, 200);
        assert_eq!(server.get(&format!("{way}/transcript.md")).status, 200);
    }
}

#[test]
fn a_missing_home_has_no_sessions() {
    let home = TestHome::new();
    std::fs::remove_dir_all(home.path()).ok();
    let server = TestServer::of(home);
    assert_eq!(server.json("/api/sessions")["sessions"], serde_json::json!([]));
    let way = format!("/api/sessions/{}", uuid("a"));
    assert_eq!(server.get(&way).status, 404);
    assert_eq!(server.get("/api/search?q=x").status, 200);
}

#[test]
fn hostile_names_in_logs_stay_text() {
    let world = World::new();
    let answer = world.server.get("/api/sessions?limit=1000");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(!answer.body.contains('\u{7f}') && !answer.body.contains('\u{202e}'));
}
