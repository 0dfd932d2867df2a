//! Promises to programs beyond the form of each object, which the API's document describes.

use serde_json::Value;

use super::world::World;

#[test]
fn lists_are_of_a_project_and_have_a_cursor() {
    let world = World::new();
    let page = world.json("/api/sessions?limit=2");
    assert!(page["next"].is_string());
    let project = world.sessions()[0]["project"].clone();
    let way = format!("/api/projects/{}/sessions", project.as_str().expect("a name"));
    let page = world.json(&way);
    for row in page["sessions"].as_array().expect("a list") {
        assert_eq!(row["project"], project);
    }
    assert_eq!(world.server.get("/api/projects/-nowhere/sessions").status, 404);
}

#[test]
fn projects_take_the_filters_of_lists() {
    let world = World::new();
    let count = |way: &str| {
        let page = world.json(way);
        page["projects"].as_array().expect("a list").len()
    };
    let project = world.sessions()[0]["project"].clone();
    let project = project.as_str().expect("a name");
    let all = count("/api/projects");
    assert!(all > 1);
    let path = project.replace('-', "/");
    assert!((1..all).contains(&count(&format!("/api/projects?project={path}"))));
    assert_eq!(count("/api/projects?since=2099-01-01"), 0);
    let headless = world.json("/api/sessions?headless=true");
    assert_eq!(headless["sessions"], world.json("/api/sessions?kind=headless")["sessions"]);
}

#[test]
fn a_session_is_the_whole_document_without_messages_and_entries() {
    let world = World::new();
    let known = world.richest();
    let base = format!("/api/sessions/{}", known.id);
    let mut whole = world.json(&format!("{base}/transcript.json"));
    let overview = world.json(&base);
    let document = whole.as_object_mut().expect("an object");
    document.remove("messages").expect("messages");
    for path in document["paths"].as_array_mut().expect("paths") {
        let path = path.as_object_mut().expect("a path");
        path.remove("entries").expect("entries");
    }
    assert_eq!(overview, whole);
}

#[test]
fn the_newest_messages_come_first() {
    let world = World::new();
    let known = world.richest();
    let page = world.json(&format!("/api/sessions/{}/messages?limit=3", known.id));
    let messages = page["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 3);
    assert_eq!(page["before"], messages[0]["entries"][0]);
    assert_eq!(page["after"], Value::Null, "these are the newest");
}

#[test]
fn totals_have_groups_and_checks_count_what_they_leave_out() {
    let world = World::new();
    assert!(world.json("/api/search?q=the")["hits"][0].is_object());
    let stats = world.json("/api/stats?by=project,model");
    assert!(!stats["groups"].as_array().expect("groups").is_empty());
    let report = world.json("/api/check?limit=1");
    assert!(report["findings"].as_array().expect("a list").len() <= 1);
    let counts = &report["summary"]["findings"];
    let all = ["error", "warning", "info"].map(|name| counts[name].as_u64().unwrap_or(0));
    let listed = report["findings"].as_array().expect("a list").len() as u64;
    let left = report["left_out"].as_u64().expect("a number");
    assert_eq!(all.iter().sum::<u64>(), listed + left);
    assert_eq!(world.json("/api/status")["drive"], false);
}

#[test]
fn problems_are_documents_of_their_own_type() {
    let world = World::new();
    for (way, status, kind) in [
        ("/api/sessions/nothing-like-it", 404, "not-found"),
        ("/api/sessions?limit=0", 400, "bad-parameter"),
        ("/api/search", 400, "bad-parameter"),
        ("/api/search?q=%22open", 400, "bad-parameter"),
        ("/api/nothing", 404, "not-found"),
    ] {
        let answer = world.server.get(way);
        assert_eq!(answer.status, status, "{way}");
        let problem = answer.json();
        assert_eq!(problem["type"], kind, "{way}");
        let media_type = answer.header("content-type");
        assert_eq!(media_type, Some("application/problem+json"));
    }
    let answer = world.server.ask("POST", "/api/status", &[]);
    assert_eq!(answer.status, 401, "a token comes first");
}
