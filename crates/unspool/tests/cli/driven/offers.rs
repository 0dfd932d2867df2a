//! The API for completing a prompt.

use serde_json::{Value, json};
use unspool_testkit::driven::{TOKEN, new_id};

use super::{Driven, refused};

#[test]
fn commands_models_and_files_are_there_for_completion() {
    let driven = Driven::start();
    driven.place.write("notes.txt", "");
    let run = driven.run("first");
    driven.until_done(&run);
    let id = run["run"].as_str().expect("an id");
    let menu = driven.get(&format!("/api/runs/{id}/menu"));
    assert_eq!(menu["commands"][0]["name"], "clear");
    assert!(menu["models"][0]["value"].is_string(), "{menu}");
    let files = driven.get(&format!("/api/runs/{id}/files?q=note"));
    assert_eq!(files["files"], json!(["notes.txt"]));
    let unknown = format!("/api/runs/{}/menu", new_id());
    let unknown = driven.try_ask("GET", &unknown, &Value::Null).expect("an answer");
    assert_eq!(unknown.0, 404);
    let all = driven.get(&format!("/api/runs/{id}/files"));
    assert_eq!(all["files"], json!(["notes.txt"]));
}

#[test]
fn without_a_client_the_last_menu_and_the_folder_are_asked() {
    let driven = Driven::start();
    driven.place.write("notes.txt", "");
    let cwd = driven.place.cwd();
    let menu = |query: &str| driven.get(&format!("/api/menu?{query}"));
    let nothing = json!({ "schema": 1, "run": null, "commands": [], "models": [] });
    assert_eq!(menu(&format!("cwd={cwd}")), nothing);
    let files = format!("/api/files?cwd={cwd}&q=note");
    // Files of an untrusted folder are not listed, and listing needs more than the right to read.
    let asked = driven.try_ask("GET", &files, &Value::Null).expect("an answer");
    refused(asked, 403, "untrusted-folder");
    let run = driven.run("first");
    let token = format!("authorization: Bearer {TOKEN}\r\n");
    for (headers, expected) in [(&*token, 403), ("x-unspool: 1\r\n", 401)] {
        assert_eq!(driven.ask_with("GET", &files, headers, &Value::Null).0, expected);
    }
    let found = json!({ "schema": 1, "run": null, "files": ["notes.txt"] });
    assert_eq!(driven.get(&files), found);
    driven.until_done(&run);
    let (id, session) = (run["run"].clone(), run["session"].as_str().expect("an id"));
    driven.act(&run, "stop", &json!({}));
    driven.wait_state(&run, "ended");
    // By session, wherever it would continue; by folder; but not by another folder.
    for query in [format!("cwd=/elsewhere&session={session}"), format!("cwd={cwd}")] {
        let told = menu(&query);
        assert_eq!((&told["run"], &told["commands"][0]["name"]), (&id, &json!("clear")));
    }
    assert_eq!(menu("cwd=/elsewhere"), nothing);
}

#[test]
fn a_server_that_starts_asks_the_clients_again() {
    let mut driven = Driven::start();
    let run = driven.run("first");
    driven.until_done(&run);
    driven.kill_server();
    // The client has a new command, which it reports when asked.
    driven.place.write(".claude/commands/fix.md", "fix it");
    driven.serve();
    let way = format!("/api/runs/{}/menu", run["run"].as_str().expect("an id"));
    driven.wait("the command", || {
        let menu = driven.get(&way);
        let mut commands = menu["commands"].as_array()?.iter();
        commands.find(|one| one["name"] == "fix").cloned()
    });
}
