//! Driving by programs.

use std::path::Path;

use serde_json::json;
use unspool_testkit::client::{SECRET_SETTING, SENT, scripted_client};
use unspool_testkit::http::StreamEvent;
use unspool_testkit::uuid;

use super::{Driven, TOKEN, new_id};

#[test]
fn a_run_asks_is_answered_and_goes_on() {
    let driven = Driven::start();
    let run = driven.run("go [[bash: touch made]]");
    let approval = driven.approval();
    assert_eq!(approval["tool"], "Bash");
    assert_eq!(approval["kind"], "tool");
    assert_eq!(approval["input"]["command"], "touch made");
    let way = format!("/api/approvals/{}", approval["id"].as_str().expect("an id"));
    let (status, given) = driven.ask("POST", &way, Some(json!({ "decision": "allow" })));
    assert_eq!((status, &given["decision"]), (200, &json!("allow")));
    assert_eq!(given["by"], "program");
    // The same again is the same; another answer is told the first.
    let (status, again) = driven.ask("POST", &way, Some(json!({ "decision": "allow" })));
    assert_eq!((status, &again["at"]), (200, &given["at"]));
    let (status, other) = driven.ask("POST", &way, Some(json!({ "decision": "deny" })));
    assert_eq!((status, &other["first"]["decision"]), (409, &json!("allow")));
    driven.wait_state(&run, "idle");
    assert!(driven.folder.join("made").exists());
    assert_eq!(driven.calls_run(), 1);
}

#[test]
fn a_question_is_not_allowed_without_an_answer() {
    let driven = Driven::start();
    let run = driven.run("go [[ask: Which colour? | Red | Blue]]");
    let approval = driven.approval();
    let way = format!("/api/approvals/{}", approval["id"].as_str().expect("an id"));
    for answers in [
        json!(null),
        json!({}),
        json!({ "Which colour?": " " }),
        json!({ "Which colour?": "Red", "Which size?": "S" }),
    ] {
        let answer = json!({ "decision": "allow", "answers": answers });
        let (status, told) = driven.ask("POST", &way, Some(answer));
        assert_eq!((status, &told["type"]), (400, &json!("bad-request")), "{told}");
    }
    let answer = json!({ "decision": "allow", "answers": { "Which colour?": "Blue" } });
    let (status, given) = driven.ask("POST", &way, Some(answer));
    assert_eq!((status, &given["decision"]), (200, &json!("allow")));
    driven.wait_state(&run, "idle");
}

#[test]
fn the_same_request_again_changes_nothing() {
    let driven = Driven::start();
    let run = driven.run("one");
    driven.wait_state(&run, "idle");
    let id = run["run"].as_str().expect("an id");
    let cwd = driven.folder.display().to_string();
    let body = json!({ "id": id, "cwd": cwd, "prompt": "one" });
    let (status, same) = driven.ask("POST", "/api/runs", Some(body));
    assert_eq!((status, &same["session"]), (201, &run["session"]));
    let prompt = json!({ "id": new_id(), "text": "two [[bash: echo x]]" });
    let way = format!("/api/runs/{id}/prompts");
    for _ in 0..3 {
        let (status, told) = driven.ask("POST", &way, Some(prompt.clone()));
        assert_eq!(status, 202, "{told}");
    }
    let approval = driven.approval();
    let answer = format!("/api/approvals/{}", approval["id"].as_str().expect("an id"));
    driven.ask("POST", &answer, Some(json!({ "decision": "allow" })));
    driven.wait_state(&run, "idle");
    assert_eq!(driven.calls_run(), 1);
}

#[test]
fn a_prompt_without_text_and_images_is_refused() {
    let driven = Driven::start();
    let run = driven.run("one");
    let way = format!("/api/runs/{}/prompts", run["run"].as_str().expect("an id"));
    for text in ["", " \n"] {
        let body = json!({ "id": new_id(), "text": text });
        let (status, told) = driven.ask("POST", &way, Some(body));
        assert_eq!((status, &told["type"]), (400, &json!("bad-request")));
    }
    let pixel = "R0lGODlhAQABAAAAACw=";
    for (media_type, data, expected) in [
        ("image/gif", pixel, 202),
        ("image/png", pixel, 400),
        ("image/gif", "!!!", 400),
        ("image/svg+xml", "PHN2Zy8+", 400),
    ] {
        let image = json!({ "media_type": media_type, "data": data });
        let body = json!({ "id": new_id(), "text": "look", "images": [image] });
        let (status, told) = driven.ask("POST", &way, Some(body));
        assert_eq!(status, expected, "{media_type}: {told}");
    }
}

#[test]
fn what_does_not_fit_a_run_is_refused() {
    let driven = Driven::start();
    let cwd = driven.folder.display().to_string();
    for extra in [
        json!({ "at": "zzz" }),
        json!({ "fork": true }),
        json!({ "idle": 0 }),
        json!({ "waiting": u64::MAX }),
        json!({ "budget": 0 }),
    ] {
        let mut body = json!({ "id": new_id(), "cwd": cwd });
        let fields = body.as_object_mut().expect("an object");
        fields.extend(extra.as_object().expect("an object").clone());
        let (status, told) = driven.ask("POST", "/api/runs", Some(body));
        assert_eq!((status, &told["type"]), (400, &json!("bad-request")), "{told}");
    }
}

#[test]
fn queued_prompts_are_ordered_and_taken_back() {
    let driven = Driven::start();
    let run = driven.run("first [[bash: true]]");
    driven.approval();
    let id = run["run"].as_str().expect("an id");
    let ids: Vec<String> = (0..3).map(|_| new_id()).collect();
    for prompt in &ids {
        let body = json!({ "id": prompt, "text": format!("queued {prompt}") });
        let (status, told) = driven.ask("POST", &format!("/api/runs/{id}/prompts"), Some(body));
        assert_eq!((status, &told["state"]), (202, &json!("queued")));
    }
    let order = json!({ "order": [ids[2], ids[0]] });
    let (status, told) = driven.ask("POST", &format!("/api/runs/{id}/queue"), Some(order));
    assert_eq!(status, 200, "{told}");
    let cancel = format!("/api/runs/{id}/prompts/{}", ids[0]);
    let (status, told) = driven.ask("DELETE", &cancel, None);
    assert_eq!((status, &told["state"]), (200, &json!("cancelled")));
    let queue = driven.get(&format!("/api/runs/{id}"))["queue"].clone();
    let waits = queue.as_array().expect("a list").iter();
    let waits: Vec<&str> = waits
        .filter(|prompt| prompt["state"] == "queued")
        .filter_map(|prompt| prompt["id"].as_str())
        .collect();
    assert_eq!(waits, [&ids[2], &ids[1]]);
}

#[test]
fn driving_needs_more_than_reading() {
    let driven = Driven::start();
    let body = || Some(json!({ "id": new_id(), "cwd": driven.folder.display().to_string() }));
    let token = format!("authorization: Bearer {TOKEN}\r\n");
    // Without the mark, without a token, from another site.
    let (status, told) = driven.ask_with("POST", "/api/runs", &token, body());
    assert_eq!((status, &told["type"]), (403, &json!("foreign-request")));
    let (status, _) = driven.ask_with("POST", "/api/runs", "x-unspool: 1\r\n", body());
    assert_eq!(status, 401);
    let foreign = format!("{token}x-unspool: 1\r\norigin: http://evil.example\r\n");
    let (status, _) = driven.ask_with("POST", "/api/runs", &foreign, body());
    assert_eq!(status, 403);
    // A folder that a person did not trust.
    let (status, told) = driven.ask("POST", "/api/runs", body());
    assert_eq!((status, &told["type"]), (403, &json!("untrusted-folder")));
    assert!(told["trust"]["print"].is_string(), "{told}");
    // A folder in which no session was.
    let (status, _) = driven.ask("POST", "/api/trust", Some(json!({ "cwd": "/etc" })));
    assert_eq!(status, 404);
    driven.trust();
    // A home that is not served: its hooks would run.
    let other = driven.home.user_home().join("other");
    std::fs::create_dir_all(other.join("projects")).expect("a folder");
    for home in [other.display().to_string(), "nowhere".to_owned()] {
        let mut elsewhere = body().expect("a body");
        elsewhere["home"] = json!(home);
        let (status, told) = driven.ask("POST", "/api/runs", Some(elsewhere));
        assert_eq!((status, &told["type"]), (403, &json!("unknown-home")));
    }
    // Bypassing permissions was not allowed when the server was started.
    let mut bypass = body().expect("a body");
    bypass["permission_mode"] = json!("bypassPermissions");
    let (status, told) = driven.ask("POST", "/api/runs", Some(bypass));
    assert_eq!(status, 400, "{told}");
    assert_eq!(driven.get("/api/runs")["runs"], json!([]));
}

#[test]
fn a_prompt_against_an_old_state_is_held() {
    let driven = Driven::start();
    let run = driven.run("first");
    let session = run["session"].as_str().expect("an id");
    let id = run["run"].as_str().expect("an id");
    // A client that has not been given the first prompt yet is idle too.
    let done = |driven: &Driven| {
        let run = driven.get(&format!("/api/runs/{id}"));
        let is_done = run["state"] == "idle" && run["queue"] == json!([]);
        is_done.then_some(())
    };
    driven.wait("the first prompt", done);
    // The position of a reader who saw everything so far.
    let position = driven.events(session, "").wait_for("hello").data["position"].clone();
    let put = |text: &str, more: serde_json::Value| {
        let mut body = json!({ "id": new_id(), "text": text });
        for (name, value) in more.as_object().expect("fields") {
            body[name] = value.clone();
        }
        driven.ask("POST", &format!("/api/runs/{id}/prompts"), Some(body))
    };
    let (status, told) = put("second", json!({ "seen": position }));
    assert_eq!(status, 202, "{told}");
    driven.wait("the second prompt", done);
    let (status, told) = put("third", json!({ "seen": position }));
    assert_eq!((status, &told["type"]), (409, &json!("newer-messages")));
    assert_eq!(told["messages"][0]["message"]["blocks"][0]["text"], "second");
    // From there as a new branch: a copy of the session that ends with what was seen.
    assert_eq!(told["session"], session);
    let at = told["at"].as_str().expect("an entry");
    let seen = driven.get(&format!("/api/sessions/{session}/messages"));
    let seen = seen["messages"].as_array().expect("messages");
    let place = seen.iter().position(|message| {
        let entries = message["entries"].as_array().expect("entries");
        entries.iter().any(|entry| entry == at)
    });
    assert_eq!(place, Some(1), "{seen:?}");
    let body = json!({
        "id": new_id(), "cwd": driven.folder.display().to_string(), "session": session, "at": at,
        "fork": true, "prompt": "third",
    });
    let (status, branch) = driven.ask("POST", "/api/runs", Some(body));
    assert_eq!(status, 201, "{branch}");
    assert_ne!(branch["session"], session);
    driven.wait_state(&branch, "idle");
    let copy = branch["session"].as_str().expect("an id");
    let copy = driven.get(&format!("/api/sessions/{copy}/messages")).to_string();
    assert!(copy.contains("first") && copy.contains("third") && !copy.contains("second"));
    let (status, _) = put("third", json!({ "seen": position, "force": true }));
    assert_eq!(status, 202);
    driven.wait("the third prompt", done);
    // A run that would go on from messages that were not seen is held, too.
    driven.ask("POST", &format!("/api/runs/{id}/stop"), Some(json!({ "id": new_id() })));
    driven.wait_state(&run, "ended");
    let start = |force: bool| {
        let body = json!({
            "id": new_id(), "cwd": driven.folder.display().to_string(), "session": session,
            "prompt": "fourth", "seen": position, "force": force,
        });
        driven.ask("POST", "/api/runs", Some(body))
    };
    let (status, told) = start(false);
    assert_eq!((status, &told["type"]), (409, &json!("newer-messages")));
    let (status, told) = start(true);
    assert_eq!(status, 201, "{told}");
}

#[test]
fn a_client_that_is_not_there_is_named_until_it_is() {
    let driven = Driven::start_with(|home| home.user_home().join("claude"));
    driven.trust();
    let client = driven.get("/api/status")["client"].clone();
    let program = driven.client.display().to_string();
    assert_eq!(client, json!({ "program": program, "path": null }));
    let body = json!({ "id": new_id(), "cwd": driven.folder.display().to_string() });
    let (status, told) = driven.ask("POST", "/api/runs", Some(body.clone()));
    assert_eq!((status, &told["type"]), (502, &json!("not-installed")));
    assert_eq!(told["program"], program);
    assert_eq!(driven.get("/api/runs")["runs"], json!([]));
    std::os::unix::fs::symlink(scripted_client(), &driven.client).expect("a link");
    assert_eq!(driven.get("/api/status")["client"]["path"], program);
    let (status, told) = driven.ask("POST", "/api/runs", Some(body));
    assert_eq!(status, 201, "{told}");
}

#[test]
fn a_prompt_whose_turn_failed_is_sent_again() {
    let driven = Driven::start();
    let run = driven.run("[[not-logged-in]]");
    let failed = |count: usize| {
        driven.wait("a turn that failed", |driven| {
            let now = driven.get(&format!("/api/runs/{}", run["run"].as_str()?));
            let is_over = now["state"] == "idle" && now["queue"] == json!([]);
            let sent = std::fs::read_to_string(driven.home.path().join(SENT)).ok()?;
            (is_over && sent.lines().count() >= count).then_some(now)
        })
    };
    let now = failed(1);
    assert_eq!(now["failure_cause"], "not_logged_in");
    let way = format!("/api/runs/{}/again", run["run"].as_str().expect("an id"));
    let body = json!({ "id": new_id() });
    let (status, told) = driven.ask("POST", &way, Some(body.clone()));
    assert_eq!((status, &told["run"]), (200, &run["run"]));
    failed(2);
    // The same request again is the same prompt.
    let (status, _) = driven.ask("POST", &way, Some(body));
    assert_eq!(status, 200);
    let now = failed(2);
    assert_eq!(now["queue"], json!([]));
}

#[test]
fn a_text_that_the_log_has_is_not_told_as_one_that_is_being_written() {
    let driven = Driven::start();
    let run = driven.run("[[say: I write a little.]] [[wait-file: go]]");
    let session = run["session"].as_str().expect("an id").to_owned();
    let has_text = |driven: &Driven| {
        let way = format!("/api/sessions/{session}/messages");
        let (status, told) = driven.ask("GET", &way, None);
        (status == 200 && told.to_string().contains("I write a little.")).then_some(())
    };
    // The turn goes on, and the log has the text.
    driven.wait("the text in the log", has_text);
    let mut events = driven.events(&session, "?since=start");
    let mut told = Vec::new();
    let mut is_asked = false;
    loop {
        let StreamEvent { name, data, .. } = events.next().expect("an event");
        told.push(format!("{name} {data}"));
        if name == "run" && !is_asked {
            is_asked = true;
            std::fs::write(driven.folder.join("go"), "").expect("a file");
        }
        if name == "run" && data["state"] == "idle" {
            break;
        }
    }
    let is_partial =
        |event: &&String| event.starts_with("partial") && event.contains("I write a little.");
    let partials: Vec<&String> = told.iter().filter(is_partial).collect();
    assert_eq!(partials, Vec::<&String>::new(), "{told:#?}");
}

#[test]
fn a_session_that_a_process_has_is_not_resumed_but_forked() {
    let driven = Driven::start();
    driven.trust();
    let cwd = driven.folder.display().to_string();
    let resume = |fork: bool| {
        let body = json!({ "id": new_id(), "cwd": cwd, "session": uuid("one"), "fork": fork });
        driven.ask("POST", "/api/runs", Some(body))
    };
    let (status, first) = resume(false);
    assert_eq!((status, &first["session"]), (201, &json!(uuid("one"))));
    let (status, told) = resume(false);
    assert_eq!((status, &told["type"]), (409, &json!("session-owned")));
    let (status, forked) = resume(true);
    assert_eq!(status, 201, "{forked}");
    assert_ne!(forked["session"], first["session"]);
}

#[test]
fn a_plan_starts_nothing_and_names_broken_settings() {
    let driven = Driven::start();
    let settings = driven.home.path().join("settings.json");
    std::fs::write(&settings, "{ broken").expect("a file");
    let cwd = driven.folder.display().to_string();
    let body = json!({ "id": new_id(), "cwd": cwd, "budget": 2 });
    let (status, plan) = driven.ask("POST", "/api/plan", Some(body));
    assert_eq!(status, 200, "{plan}");
    assert_eq!((&plan["trust"], &plan["dry_run"]), (&json!("untrusted"), &json!(true)));
    assert_eq!((&plan["cwd"], &plan["budget"]), (&json!(cwd), &json!(2.0)));
    let command = plan["command"].to_string();
    assert!(command.contains(r#""--session-id","NEW""#), "{command}");
    let file = json!(settings.display().to_string());
    assert_eq!(plan["broken"][0]["file"], file, "{plan}");
    assert_eq!(driven.get("/api/runs")["runs"], json!([]));
    // The client of a run says so itself; what else its answer has is not kept in the spool.
    let run = driven.run("hello");
    let way = format!("/api/runs/{}", run["run"].as_str().expect("an id"));
    driven.wait("broken settings", |driven| {
        let told = driven.get(&way)["broken_settings"].to_string();
        told.contains("settings.json").then_some(())
    });
    driven.wait_state(&run, "idle");
    let found = |text: &str| files_with(driven.home.user_home(), text.as_bytes());
    assert!(found("\"session_state\"") > 0, "the spool is looked at");
    assert_eq!(found(SECRET_SETTING), 0);
}

#[test]
fn going_on_is_planned_before_it_is_done() {
    let driven = Driven::start();
    let run = driven.run("first");
    driven.wait_state(&run, "idle");
    let way = format!("/api/runs/{}", run["run"].as_str().expect("an id"));
    let id = new_id();
    let plan = || driven.ask("POST", &format!("{way}/plan"), Some(json!({ "id": id })));
    let (status, told) = plan();
    assert_eq!((status, &told["type"]), (409, &json!("wrong-state")));
    let limits = json!({ "idle": null, "waiting": 60 });
    driven.ask("POST", &format!("{way}/deadlines"), Some(limits.clone()));
    driven.ask("POST", &format!("{way}/stop"), Some(json!({})));
    driven.wait_state(&run, "ended");
    let (status, plan) = plan();
    assert_eq!(status, 200, "{plan}");
    let resume = format!(r#""--resume",{}"#, run["session"]);
    assert!(plan["command"].to_string().contains(&resume), "{plan}");
    assert_eq!((&plan["environment"]["UNSPOOL_RUN"], &plan["deadlines"]), (&json!(id), &limits));
    assert_eq!((&plan["trust"], &plan["sources"]), (&json!("trusted"), &json!([])));
    let runs = driven.get("/api/runs")["runs"].as_array().map(Vec::len);
    assert_eq!(runs, Some(1), "nothing was started");
}

/// Counts the files in a folder, and in those below it, that contain some bytes.
fn files_with(folder: &Path, bytes: &[u8]) -> usize {
    let has = |file: &Path| {
        let read = std::fs::read(file).unwrap_or_default();
        read.windows(bytes.len()).any(|part| part == bytes)
    };
    let items = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let counts = items.map(|item| match item.file_type() {
        Ok(kind) if kind.is_dir() => files_with(&item.path(), bytes),
        Ok(kind) if kind.is_file() => usize::from(has(&item.path())),
        _ => 0,
    });
    counts.sum()
}
