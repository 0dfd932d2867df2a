//! What programs may rely on: the exact keys of each object.

use std::collections::BTreeSet;

use serde_json::Value;

use super::world::World;

fn keys(value: &Value) -> BTreeSet<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("{value}"));
    object.keys().map(String::as_str).collect()
}

fn assert_keys(value: &Value, expected: &str) {
    let expected: BTreeSet<&str> = expected.split_whitespace().collect();
    assert_eq!(keys(value), expected);
}

const LIST: &str = "schema id home project cwd cwds file title first_prompt started ended \
     duration_ms turns messages calls tools models git_branch version tokens cost_usd \
     files_changed agents branches compactions bytes status kind live";

#[test]
fn lists_have_list_objects_and_a_cursor() {
    let world = World::new();
    let page = world.json("/api/sessions?limit=2");
    assert_keys(&page, "schema sessions next");
    assert!(page["next"].is_string());
    for row in page["sessions"].as_array().expect("a list") {
        for key in LIST.split_whitespace() {
            assert!(keys(row).contains(key), "{key}");
        }
        assert_keys(&row["tokens"], "input output cache_write_5m cache_write_1h cache_read");
    }
    let project = world.sessions()[0]["project"].clone();
    let way = format!("/api/projects/{}/sessions", project.as_str().expect("a name"));
    let page = world.json(&way);
    assert_keys(&page, "schema sessions next");
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
    assert_keys(
        &overview,
        "schema session rule view agent path at counts paths turns tokens agents side_files lineage",
    );
    let document = whole.as_object_mut().expect("an object");
    document.remove("messages").expect("messages");
    for path in document["paths"].as_array_mut().expect("paths") {
        let path = path.as_object_mut().expect("a path");
        path.remove("entries").expect("entries");
    }
    assert_eq!(overview, whole);
    assert_keys(&overview["paths"][0], "index status kind head fork_point message_count");
    assert_keys(
        &overview["session"],
        "id home project cwd title file started ended version git_branch bytes live",
    );
    assert_keys(&overview["counts"], "entries active other_paths agents metadata damaged");
}

#[test]
fn messages_and_agents_have_their_own_answers() {
    let world = World::new();
    let known = world.richest();
    let base = format!("/api/sessions/{}", known.id);
    let page = world.json(&format!("{base}/messages?limit=3"));
    assert_keys(&page, "schema messages before after");
    let messages = page["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 3);
    assert_eq!(page["before"], messages[0]["entries"][0]);
    assert_eq!(page["after"], Value::Null, "these are the newest");
    for key in "role kind entries time model blocks left_out".split(' ') {
        assert!(keys(&messages[0]).contains(key), "{key}");
    }
    let agents = world.json(&format!("{base}/agents"));
    assert_keys(&agents, "schema agents");
    for key in "id call type description depth message_count file".split(' ') {
        assert!(keys(&agents["agents"][0]).contains(key), "{key}");
    }
}

#[test]
fn search_stats_and_checks_have_the_objects_of_commands() {
    let world = World::new();
    let found = world.json("/api/search?q=the");
    assert_keys(&found, "schema hits next");
    let hit = &found["hits"][0];
    for key in "session project entry role kind time score active agent snippet matches".split(' ')
    {
        assert!(keys(hit).contains(key), "{key}");
    }
    let stats = world.json("/api/stats?by=project,model");
    assert_keys(&stats, "schema total groups unpriced_models");
    assert_keys(
        &stats["total"],
        "tokens cost_usd messages turns calls failed_calls lines_added lines_removed active_ms \
         sessions",
    );
    assert!(!stats["groups"].as_array().expect("groups").is_empty());
    let report = world.json("/api/check?limit=1");
    assert_keys(&report, "schema findings left_out summary");
    assert!(report["findings"].as_array().expect("a list").len() <= 1);
    let counts = &report["summary"]["findings"];
    let all = ["error", "warning", "info"].map(|name| counts[name].as_u64().unwrap_or(0));
    let listed = report["findings"].as_array().expect("a list").len() as u64;
    let left = report["left_out"].as_u64().expect("a number");
    assert_eq!(all.iter().sum::<u64>(), listed + left);
    let server = world.json("/api/status");
    assert_keys(&server, "schema version home drive state client");
    assert_eq!(server["drive"], false);
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
        assert_keys(&problem, "schema type title status detail");
        assert_eq!(problem["type"], kind, "{way}");
        let media_type = answer.header("content-type");
        assert_eq!(media_type, Some("application/problem+json"));
    }
    let answer = world.server.ask("POST", "/api/status", &[]);
    assert_eq!(answer.status, 401, "a token comes first");
}
