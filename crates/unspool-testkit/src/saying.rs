//! A session that contains one text in every place that a session has for text.

use serde_json::{Value, json};

use crate::home::AgentFilePlace;
use crate::{TestHome, session};

/// The id of the session.
pub const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Creates a home with such a session and its agent `evil`, in the folder `/srv/demo`.
pub fn saying(text: &str) -> TestHome {
    let home = TestHome::new();
    add_text_everywhere(&home, SESSION, text);
    home
}

/// Adds such a session with a given id to a home.
pub fn add_text_everywhere(home: &TestHome, session_id: &str, text: &str) {
    let mut lines = vec![
        line(text, "u1", None, &user(&json!(text))),
        line(text, "a1", Some("u1"), &answer(text)),
    ];
    let mut parent = "a1".to_owned();
    for (uuid, rest) in results(text).into_iter().chain(remarks(text)) {
        lines.push(line(text, &uuid, Some(&parent), &rest));
        parent = uuid;
    }
    lines.push(json!({"type": "custom-title", "customTitle": text}).to_string());
    home.add_session("/srv/demo", session_id, lines.join("\n") + "\n");
    let agent = format!("%agent evil\nx1 user {0}\ny1 assistant {0}\n", json!(text));
    let place = AgentFilePlace::Subagents;
    home.add_agent("/srv/demo", session_id, &place, "evil", session(&agent));
}

fn line(text: &str, uuid: &str, parent: Option<&str>, rest: &Value) -> String {
    let mut record = json!({
        "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "cwd": text,
        "gitBranch": text, "version": text, "timestamp": "2026-01-01T00:00:00Z",
    });
    let fields = rest.as_object().expect("an object").clone();
    record.as_object_mut().expect("an object").extend(fields);
    record.to_string()
}

fn user(content: &Value) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": content}})
}

/// Returns the calls of the answer: id, tool, input.
fn calls(text: &str) -> Vec<(&'static str, &str, Value)> {
    let choice = json!({"label": text, "description": text});
    let question = json!({"question": text, "options": [choice]});
    vec![
        ("t0", "Bash", json!({"command": text})),
        ("t1", text, json!({text: text})),
        ("t2", "Edit", json!({"file_path": text, "old_string": "a", "new_string": text})),
        ("t3", "TodoWrite", json!({"todos": [{"content": text, "status": "completed"}]})),
        ("t4", "ExitPlanMode", json!({"plan": text})),
        ("t5", "AskUserQuestion", json!({"questions": [question]})),
        ("t6", "WebSearch", json!({"query": text})),
        ("t7", "Agent", json!({"description": text, "prompt": text, "subagent_type": text})),
    ]
}

fn answer(text: &str) -> Value {
    let mut blocks = vec![
        json!({"type": "text", "text": text}),
        json!({"type": "thinking", "thinking": text}),
        json!({"type": text}),
    ];
    let calls = calls(text).into_iter();
    blocks.extend(calls.map(
        |(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input}),
    ));
    json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "model": text, "content": blocks}})
}

/// Returns the results of the calls, by uuid.
fn results(text: &str) -> Vec<(String, Value)> {
    let outcome = |id: &str| match id {
        "t5" => json!({"answers": {text: text}}),
        "t6" => json!({"query": text, "results": [{"content": [{"title": text, "url": text}]}]}),
        "t7" => json!({"agentId": "evil", "status": "completed"}),
        _ => json!({"stdout": text, "stderr": text}),
    };
    let calls = calls(text).into_iter();
    calls
        .map(|(id, ..)| {
            let block = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": id == "t1"});
            let mut record = user(&json!([block]));
            record["toolUseResult"] = outcome(id);
            (format!("r-{id}"), record)
        })
        .collect()
}

/// Returns further lines of the client and the user's side, by uuid.
fn remarks(text: &str) -> Vec<(String, Value)> {
    let command = format!(
        "<command-name>{text}</command-name><local-command-stdout>{text}</local-command-stdout>"
    );
    let report = format!(
        "<task-notification><summary>{text}</summary><result>{text}</result></task-notification>"
    );
    let mut injected = user(&json!(text));
    injected["isMeta"] = json!(true);
    let svg = "PHN2Zz48c2NyaXB0Lz48L3N2Zz4=";
    let media = json!([
        {"type": "image", "source": {"type": "base64", "media_type": "image/svg+xml", "data": svg}},
        {"type": "document", "source": {"type": "base64", "media_type": text, "data": "AAAA"}},
    ]);
    let remarks = [
        json!({"type": "system", "subtype": text, "content": text}),
        injected,
        user(&json!(command)),
        user(&json!(report)),
        user(&media),
    ];
    let numbered = remarks.into_iter().enumerate();
    numbered.map(|(at, remark)| (format!("s{at}"), remark)).collect()
}
