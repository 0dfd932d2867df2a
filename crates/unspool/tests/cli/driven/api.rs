//! Driving through the API.

use serde_json::{Value, json};
use unspool_testkit::client::{SECRET_SETTING, scripted_client};
use unspool_testkit::driven::{TOKEN, new_id};
use unspool_testkit::files_below;
use unspool_testkit::http::StreamEvent;

use super::{Driven, refused};

#[test]
fn a_run_asks_is_answered_and_goes_on() {
    let driven = Driven::start();
    let run = driven.run("go [[bash: touch made]]");
    let approval = driven.approval();
    assert_eq!(approval["tool"], "Bash");
    assert_eq!(approval["kind"], "tool");
    assert_eq!(approval["input"]["command"], "touch made");
    let (status, given) = driven.allow(&approval);
    assert_eq!((status, &given["decision"]), (200, &json!("allow")));
    assert_eq!(given["by"], "program");
    // The same answer again changes nothing; a different answer gets the first one.
    let (status, again) = driven.allow(&approval);
    assert_eq!((status, &again["at"]), (200, &given["at"]));
    let (status, other) = driven.answer(&approval, &json!({ "decision": "deny" }));
    assert_eq!((status, &other["first"]["decision"]), (409, &json!("allow")));
    driven.until_done(&run);
    assert!(driven.place.has("made"));
    assert_eq!(driven.place.calls_run().len(), 1);
}

#[test]
fn a_prompt_without_text_and_images_is_refused() {
    let driven = Driven::start();
    let run = driven.run("one");
    for text in ["", " \n"] {
        let body = json!({ "id": new_id(), "text": text });
        refused(driven.act(&run, "prompts", &body), 400, "bad-request");
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
        let (status, told) = driven.act(&run, "prompts", &body);
        assert_eq!(status, expected, "{media_type}: {told}");
    }
}

#[test]
fn what_does_not_fit_a_run_is_refused() {
    let driven = Driven::start();
    for extra in [
        json!({ "at": "zzz" }),
        json!({ "fork": true }),
        json!({ "idle": 0 }),
        json!({ "waiting": u64::MAX }),
        json!({ "budget": 0 }),
    ] {
        refused(driven.try_run(extra), 400, "bad-request");
    }
}

#[test]
fn driving_needs_more_than_reading() {
    let driven = Driven::start();
    let body = || json!({ "id": new_id(), "cwd": driven.place.cwd() });
    let token = format!("authorization: Bearer {TOKEN}\r\n");
    // Without the header, without a token, from another site.
    refused(driven.ask_with("POST", "/api/runs", &token, &body()), 403, "foreign-request");
    let foreign = format!("{token}x-unspool: 1\r\norigin: http://evil.example\r\n");
    for (headers, expected) in [("x-unspool: 1\r\n", 401), (&foreign, 403)] {
        let (status, _) = driven.ask_with("POST", "/api/runs", headers, &body());
        assert_eq!(status, expected);
    }
    // A folder that no person has trusted.
    let told = refused(driven.post("/api/runs", &body()), 403, "untrusted-folder");
    assert!(told["trust"]["print"].is_string(), "{told}");
    // A folder without sessions.
    assert_eq!(driven.post("/api/trust", &json!({ "cwd": "/etc" })).0, 404);
    driven.trust();
    // A home that the server does not serve: its hooks would run.
    let other = driven.place.home.user_home().join("other");
    std::fs::create_dir_all(other.join("projects")).expect("a folder");
    for home in [other.display().to_string(), "nowhere".to_owned()] {
        refused(driven.try_run(json!({ "home": home })), 403, "unknown-home");
    }
    // The server was started without permission to bypass.
    let (status, told) = driven.try_run(json!({ "permission_mode": "bypassPermissions" }));
    assert_eq!(status, 400, "{told}");
    assert!(driven.runs().is_empty());
}

#[test]
fn a_prompt_against_an_old_state_is_held() {
    let driven = Driven::start();
    let run = driven.run("first");
    let session = run["session"].as_str().expect("an id");
    driven.until_done(&run);
    // The position of a reader who has seen everything so far.
    let position = driven.events(session, "").wait_for("hello").data["position"].clone();
    let put = |text: &str, force: bool| {
        let body = json!({ "id": new_id(), "text": text, "seen": position, "force": force });
        driven.act(&run, "prompts", &body)
    };
    let (status, told) = put("second", false);
    assert_eq!(status, 202, "{told}");
    driven.until_done(&run);
    let told = refused(put("third", false), 409, "newer-messages");
    assert_eq!(told["messages"][0]["message"]["blocks"][0]["text"], "second");
    // A fork from there ends with the last seen message.
    assert_eq!(told["session"], session);
    let at = told["at"].as_str().expect("an entry");
    let seen = driven.messages(session);
    let seen = seen["messages"].as_array().expect("messages");
    let place = seen.iter().position(|message| {
        let entries = message["entries"].as_array().expect("entries");
        entries.iter().any(|entry| entry == at)
    });
    assert_eq!(place, Some(1), "{seen:?}");
    let body = json!({ "session": session, "at": at, "fork": true, "prompt": "third" });
    let (status, branch) = driven.try_run(body);
    assert_eq!(status, 201, "{branch}");
    assert_ne!(branch["session"], session);
    driven.until_done(&branch);
    let copy = driven.messages(branch["session"].as_str().expect("an id")).to_string();
    assert!(copy.contains("first") && copy.contains("third") && !copy.contains("second"));
    assert_eq!(put("third", true).0, 202);
    driven.until_done(&run);
    // A run that would continue from unseen messages is held too.
    driven.act(&run, "stop", &json!({ "id": new_id() }));
    driven.wait_state(&run, "ended");
    let start = |force: bool| {
        let body =
            json!({ "session": session, "prompt": "fourth", "seen": position, "force": force });
        driven.try_run(body)
    };
    refused(start(false), 409, "newer-messages");
    let (status, told) = start(true);
    assert_eq!(status, 201, "{told}");
}

#[test]
fn a_client_that_is_not_there_is_named_until_it_is() {
    let driven = Driven::start_with(|home| home.user_home().join("claude"));
    driven.trust();
    let client = driven.get("/api/status")["client"].clone();
    let program = driven.place.client.display().to_string();
    assert_eq!(client, json!({ "program": program, "path": null }));
    let told = refused(driven.try_run(json!({})), 502, "not-installed");
    assert_eq!(told["program"], program);
    assert!(driven.runs().is_empty());
    std::os::unix::fs::symlink(scripted_client(), &driven.place.client).expect("a link");
    assert_eq!(driven.get("/api/status")["client"]["path"], program);
    let (status, told) = driven.try_run(json!({}));
    assert_eq!(status, 201, "{told}");
}

#[test]
fn a_text_that_the_log_has_is_not_told_as_one_that_is_being_written() {
    let driven = Driven::start();
    let run = driven.run("[[say: I write a little.]] [[wait-file: go]]");
    let session = run["session"].as_str().expect("an id").to_owned();
    let way = format!("/api/sessions/{session}/messages");
    // The turn is not over, and the log contains the text.
    driven.wait("the text in the log", || {
        let (status, told) = driven.try_ask("GET", &way, &Value::Null).expect("an answer");
        (status == 200 && told.to_string().contains("I write a little.")).then_some(())
    });
    let mut events = driven.events(&session, "?since=start");
    let mut told = Vec::new();
    let mut is_asked = false;
    loop {
        let StreamEvent { name, data, .. } = events.next().expect("an event");
        told.push(format!("{name} {data}"));
        if name == "run" && !is_asked {
            is_asked = true;
            driven.place.write("go", "");
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
fn a_plan_starts_nothing_and_names_broken_settings() {
    let driven = Driven::start();
    let settings = driven.place.home.add_file("settings.json", "{ broken");
    let cwd = driven.place.cwd();
    let body = json!({ "id": new_id(), "cwd": cwd, "budget": 2 });
    let (status, plan) = driven.post("/api/plan", &body);
    assert_eq!(status, 200, "{plan}");
    assert_eq!((&plan["trust"], &plan["dry_run"]), (&json!("untrusted"), &json!(true)));
    assert_eq!((&plan["cwd"], &plan["budget"]), (&json!(cwd), &json!(2.0)));
    let command = plan["command"].to_string();
    assert!(command.contains(r#""--session-id","NEW""#), "{command}");
    let file = json!(settings.display().to_string());
    assert_eq!(plan["broken"][0]["file"], file, "{plan}");
    assert!(driven.runs().is_empty());
    // The client reports it itself; the rest of its answer is not kept in the spool.
    let run = driven.run("hello");
    driven.until(&run, "broken settings", |run| {
        run["broken_settings"].to_string().contains("settings.json")
    });
    driven.until_done(&run);
    let files = files_below(driven.place.home.user_home());
    let found = |text: &str| {
        let has = |bytes: &Vec<u8>| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        files.iter().filter_map(|file| std::fs::read(file).ok()).filter(has).count()
    };
    assert!(found("\"session_state\"") > 0, "the spool is looked at");
    assert_eq!(found(SECRET_SETTING), 0);
}

#[test]
fn going_on_is_planned_before_it_is_done() {
    let driven = Driven::start();
    let run = driven.run("first");
    driven.until_done(&run);
    let id = new_id();
    let plan = || driven.act(&run, "plan", &json!({ "id": id }));
    refused(plan(), 409, "wrong-state");
    let limits = json!({ "idle": null, "waiting": 60 });
    driven.act(&run, "deadlines", &limits);
    driven.act(&run, "stop", &json!({}));
    driven.wait_state(&run, "ended");
    let (status, plan) = plan();
    assert_eq!(status, 200, "{plan}");
    let resume = format!(r#""--resume",{}"#, run["session"]);
    assert!(plan["command"].to_string().contains(&resume), "{plan}");
    assert_eq!((&plan["environment"]["UNSPOOL_RUN"], &plan["deadlines"]), (&json!(id), &limits));
    assert_eq!((&plan["trust"], &plan["sources"]), (&json!("trusted"), &json!([])));
    assert_eq!(driven.runs().len(), 1, "nothing was started");
}
