//! What a page needs to complete a prompt.

use std::fs;

use serde_json::json;

use super::{Driven, TOKEN, new_id};

#[test]
fn commands_models_and_files_are_there_for_completion() {
    let driven = Driven::start();
    fs::write(driven.folder.join("notes.txt"), "").expect("a file");
    let run = driven.run("first");
    driven.wait_state(&run, "idle");
    let id = run["run"].as_str().expect("an id");
    let menu = driven.get(&format!("/api/runs/{id}/menu"));
    assert_eq!(menu["commands"][0]["name"], "clear");
    assert!(menu["models"][0]["value"].is_string(), "{menu}");
    let files = driven.get(&format!("/api/runs/{id}/files?q=note"));
    assert_eq!(files["files"], json!(["notes.txt"]));
    let (status, _) = driven.ask("GET", &format!("/api/runs/{}/menu", new_id()), None);
    assert_eq!(status, 404);
    let all = driven.get(&format!("/api/runs/{id}/files"));
    assert_eq!(all["files"], json!(["notes.txt"]));
}

#[test]
fn without_a_client_the_last_menu_and_the_folder_are_asked() {
    let driven = Driven::start();
    fs::write(driven.folder.join("notes.txt"), "").expect("a file");
    let cwd = driven.folder.display().to_string();
    let menu = |query: &str| driven.get(&format!("/api/menu?{query}"));
    let nothing = json!({ "schema": 1, "run": null, "commands": [], "models": [] });
    assert_eq!(menu(&format!("cwd={cwd}")), nothing);
    let files = format!("/api/files?cwd={cwd}&q=note");
    // What a person has not trusted is not looked into, and reading is not enough to look.
    let (status, told) = driven.ask("GET", &files, None);
    assert_eq!((status, &told["type"]), (403, &json!("untrusted-folder")));
    let run = driven.run("first");
    let token = format!("authorization: Bearer {TOKEN}\r\n");
    let (status, _) = driven.ask_with("GET", &files, &token, None);
    assert_eq!(status, 403);
    let (status, _) = driven.ask_with("GET", &files, "x-unspool: 1\r\n", None);
    assert_eq!(status, 401);
    let found = json!({ "schema": 1, "run": null, "files": ["notes.txt"] });
    assert_eq!(driven.get(&files), found);
    driven.wait_state(&run, "idle");
    let (id, session) = (run["run"].clone(), run["session"].as_str().expect("an id"));
    driven.ask("POST", &format!("/api/runs/{}/stop", id.as_str().expect("an id")), Some(json!({})));
    driven.wait_state(&run, "ended");
    // By the session, wherever it would go on; by the folder; and not by another folder.
    for query in [format!("cwd=/elsewhere&session={session}"), format!("cwd={cwd}")] {
        let told = menu(&query);
        assert_eq!((&told["run"], &told["commands"][0]["name"]), (&id, &json!("clear")));
    }
    assert_eq!(menu("cwd=/elsewhere"), nothing);
}
