//! What a page needs to complete a prompt.

use std::fs;

use serde_json::json;

use super::{Driven, new_id};

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
    let (status, _) = driven.ask("GET", &format!("/api/runs/{id}/files"), None);
    assert_eq!(status, 400);
}
