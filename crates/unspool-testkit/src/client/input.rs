//! Handles the lines that a host sends to a scripted client.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::core::{ClientCore, ClientPrompt, HostAnswer, TurnCut, locked};
use super::entropy;
use super::options::{CLIENT_VERSION, MODES};
use crate::script::content_blocks;

/// Requests that succeed without any effect.
const ANSWERED: [&str; 11] = [
    "set_max_thinking_tokens",
    "background_tasks",
    "stop_task",
    "get_context_usage",
    "get_session_cost",
    "get_usage",
    "list_models",
    "list_permission_rules",
    "get_binary_version",
    "mcp_status",
    "rename_session",
];

/// A value in the settings that the client reports.
pub const SECRET_SETTING: &str = "secret-of-the-settings";

/// Whether a client continues after a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AfterLine {
    /// The client continues.
    GoesOn,
    /// The client ends as if its input had ended.
    Closes,
    /// The client ends with an exit code.
    Ends(i32),
}

/// Handles one line.
pub(super) fn line(core: &ClientCore, bytes: &[u8]) -> AfterLine {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return AfterLine::GoesOn;
    }
    let Ok(frame) = serde_json::from_slice::<Value>(bytes) else {
        complain(&format!("Error parsing streaming input line ({} bytes): not JSON", bytes.len()));
        return AfterLine::Ends(1);
    };
    match frame["type"].as_str() {
        Some("user") => prompt(core, &frame),
        Some("control_request") => return request(core, &frame),
        Some("control_response") => response(core, &frame),
        // Unknown types are ignored.
        _ => {}
    }
    AfterLine::GoesOn
}

#[expect(clippy::print_stderr, reason = "a host reads what the client complains about")]
fn complain(text: &str) {
    eprintln!("{text}");
}

fn prompt(core: &ClientCore, frame: &Value) {
    let given = frame["uuid"].as_str();
    let prompt = ClientPrompt {
        uuid: given.map_or_else(entropy::new_uuid, str::to_owned),
        is_named: given.is_some(),
        content: content_blocks(&frame["message"]["content"]),
        waits_for_end: frame["priority"] == "later" || frame["shouldQuery"] == false,
        is_query: frame["shouldQuery"] != false,
        is_rerun: false,
    };
    let (is_known, is_answered) = {
        let state = core.state();
        let uuid = &prompt.uuid;
        (state.known.contains(uuid), state.answered.contains(uuid))
    };
    if is_known || is_answered {
        again(core, &prompt, is_known);
        return;
    }
    let is_urgent = frame["priority"] == "now";
    core.transition(|| take_up(core, prompt, is_urgent));
}

/// Handles a prompt that was sent before; it does not run again. The real client reports it as completed in a
/// new process, and reports nothing in the process that received it first.
fn again(core: &ClientCore, prompt: &ClientPrompt, is_known: bool) {
    let is_waiting = core.state().queue.iter().any(|waiting| waiting.uuid == prompt.uuid);
    if is_waiting {
        return;
    }
    if core.flags.replay {
        core.tell(json!({
            "type": "user", "message": {"role": "user", "content": prompt.content},
            "parent_tool_use_id": null, "uuid": prompt.uuid, "isReplay": true,
        }));
    }
    if !is_known {
        core.tell_lifecycle(prompt, "completed");
    }
    core.transition(|| {
        if core.session_state() == "idle" {
            core.tell_state("idle");
        }
    });
}

/// Adds a prompt to the queue.
pub(super) fn take_up(core: &ClientCore, prompt: ClientPrompt, is_urgent: bool) {
    locked(&core.log()).metadata(json!({
        "type": "queue-operation", "operation": "enqueue", "timestamp": entropy::now_iso(),
    }));
    let was_running = core.state().is_running;
    if !was_running {
        core.tell_state("running");
    }
    if !prompt.is_rerun {
        core.tell_lifecycle(&prompt, "queued");
    }
    core.change(|state| {
        state.known.insert(prompt.uuid.clone());
        if is_urgent {
            state.queue.push_front(prompt);
        } else {
            state.queue.push_back(prompt);
        }
        state.is_running = true;
    });
    if is_urgent && was_running {
        cut(core, TurnCut::Urgent);
    }
}

/// Interrupts the turn, and withdraws open requests.
fn cut(core: &ClientCore, cut: TurnCut) {
    let withdrawn: Vec<String> = {
        let state = core.state();
        let open = state.pending.iter().filter(|request| request.answer.is_none());
        open.map(|request| request.id.clone()).collect()
    };
    for id in &withdrawn {
        core.wire.send(&json!({"type": "control_cancel_request", "request_id": id}));
    }
    core.change(|state| {
        state.cut = Some(cut);
        for request in &mut state.pending {
            request.answer.get_or_insert(HostAnswer::Cut);
        }
    });
}

fn response(core: &ClientCore, frame: &Value) {
    let response = &frame["response"];
    let Some(id) = response["request_id"].as_str() else {
        return;
    };
    if core.flags.replay {
        core.wire.send(frame);
    }
    let answer = match response["subtype"].as_str() {
        Some("error") => {
            HostAnswer::Failed(response["error"].as_str().unwrap_or_default().to_owned())
        }
        _ => HostAnswer::Given(response["response"].clone()),
    };
    core.change(|state| {
        // The first answer counts; an answer to an unknown request is ignored.
        let request = state.pending.iter_mut().find(|request| request.id == id);
        if let Some(request) = request {
            request.answer.get_or_insert(answer);
        }
    });
}

fn request(core: &ClientCore, frame: &Value) -> AfterLine {
    let id = &frame["request_id"];
    let request = &frame["request"];
    let subtype = request["subtype"].as_str().unwrap_or_default();
    let success = |response: Value| succeed(core, id, &response);
    match subtype {
        "initialize" => initialize(core, id),
        "interrupt" => success(interrupt(core, request)),
        "cancel_async_message" => success(json!({"cancelled": cancel(core, request)})),
        "set_permission_mode" => return set_mode(core, id, request),
        "set_model" => {
            let model = request["model"].as_str().unwrap_or(&core.flags.model).to_owned();
            core.change(|state| state.model.clone_from(&model));
            success(json!({"model": model}));
        }
        "file_suggestions" => success(json!({
            "suggestions": suggestions(core, request), "cwd": core.place.cwd,
        })),
        "get_settings" => success(json!({
            "settings": {"env": {"TOKEN": SECRET_SETTING}}, "errors": setting_errors(core),
        })),
        "end_session" => {
            interrupt(core, &json!({"cancel_queued": true}));
            success(json!({}));
            return AfterLine::Closes;
        }
        _ if ANSWERED.contains(&subtype) => success(json!({})),
        _ => fail(
            core,
            id,
            &format!("Unsupported control request subtype: {subtype}"),
            "unsupported_request",
        ),
    }
    AfterLine::GoesOn
}

/// Returns the errors of the home's settings.
fn setting_errors(core: &ClientCore) -> Vec<Value> {
    let file = core.record("settings.json");
    let text = fs::read_to_string(&file).unwrap_or_else(|_| "{}".to_owned());
    let parsed = serde_json::from_str::<Value>(&text);
    let error = parsed.err();
    let error = error.map(|error| json!({"file": file, "message": error.to_string()}));
    error.into_iter().collect()
}

fn succeed(core: &ClientCore, id: &Value, response: &Value) {
    core.wire.send(&json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": id, "response": response},
    }));
}

fn fail(core: &ClientCore, id: &Value, error: &str, kind: &str) {
    core.wire.send(&json!({
        "type": "control_response",
        "response": {"subtype": "error", "request_id": id, "error": error, "error_code": kind},
    }));
}

fn initialize(core: &ClientCore, id: &Value) {
    let open: Vec<Value> = {
        let state = core.state();
        let open = state.pending.iter().filter(|request| request.answer.is_none());
        open.map(|request| request.frame.clone()).collect()
    };
    let (forms, open): (Vec<Value>, Vec<Value>) =
        open.into_iter().partition(|frame| frame["request"]["subtype"] == "elicitation");
    let (permissions, model) = {
        let state = core.state();
        (state.mode.clone(), state.model.clone())
    };
    core.wire.send(&json!({
        "type": "control_response",
        "response": {
            "subtype": "success", "request_id": id,
            "response": {
                "commands": commands(core), "agents": [{"name": "general-purpose", "description": ""}],
                "models": [{"value": model, "resolvedModel": model, "displayName": model}],
                "account": {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY"},
                "output_style": "default", "available_output_styles": ["default"],
                "pid": std::process::id(), "claude_code_version": CLIENT_VERSION,
                "current_permission_mode": permissions, "session_state": core.session_state(),
                "capabilities": super::turn::CAPABILITIES,
            },
            "pending_permission_requests": open, "pending_user_dialog_requests": [],
            "pending_elicitation_requests": forms,
        },
    }));
    core.tell_background();
}

/// Returns the built-in commands, and those of the folder.
fn commands(core: &ClientCore) -> Vec<Value> {
    let own = ["clear", "compact", "context"].map(
        |name| json!({"name": name, "description": name, "argumentHint": "", "builtin": true}),
    );
    let files = files_in(&core.in_cwd(".claude/commands".as_ref()));
    let names = files.iter().filter_map(|name| name.strip_suffix(".md"));
    let more = names
        .map(|name| json!({"name": name, "description": format!("{name} (project)"), "argumentHint": "[arguments]"}));
    own.into_iter().chain(more).collect()
}

/// Returns the files of the folder whose names contain the query.
fn suggestions(core: &ClientCore, request: &Value) -> Vec<Value> {
    let query = request["query"].as_str().unwrap_or_default();
    let found = files_in(&core.place.cwd).into_iter();
    found
        .filter(|name| name.contains(query))
        .map(|name| json!({"path": name, "score": 0.5}))
        .collect()
}

/// Returns the names in a folder, sorted.
fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn interrupt(core: &ClientCore, request: &Value) -> Value {
    let uuids = |prompts: &std::collections::VecDeque<ClientPrompt>| -> Vec<String> {
        prompts.iter().map(|prompt| prompt.uuid.clone()).collect()
    };
    let cancelled = if request["cancel_queued"] == true {
        let dropped = core.change(|state| std::mem::take(&mut state.queue));
        for prompt in &dropped {
            core.tell_lifecycle(prompt, "cancelled");
        }
        Some(uuids(&dropped))
    } else {
        None
    };
    // The queue is read before the turn ends, because the next turn takes its prompts.
    let mut answer = json!({"still_queued": uuids(&core.state().queue)});
    if core.state().is_running {
        cut(core, TurnCut::Interrupt);
    }
    if let Some(cancelled) = cancelled {
        answer["cancelled"] = json!(cancelled);
    }
    answer
}

fn cancel(core: &ClientCore, request: &Value) -> bool {
    let dropped = core.change(|state| {
        let uuid = &request["message_uuid"];
        let place = state.queue.iter().position(|prompt| *uuid == *prompt.uuid)?;
        state.queue.remove(place)
    });
    if let Some(prompt) = &dropped {
        core.tell_lifecycle(prompt, "cancelled");
    }
    dropped.is_some()
}

fn set_mode(core: &ClientCore, id: &Value, request: &Value) -> AfterLine {
    let mode = request["mode"].as_str().unwrap_or_default();
    if !MODES.contains(&mode) {
        let error = format!("Cannot set permission mode: must be one of {}", MODES.join(", "));
        fail(core, id, &error, "invalid_mode");
        return AfterLine::GoesOn;
    }
    if mode == "bypassPermissions" && !core.flags.may_bypass {
        let error = "Cannot set permission mode to bypassPermissions because the session was not \
                     launched with --dangerously-skip-permissions";
        fail(core, id, error, "bypass_not_launched");
        return AfterLine::GoesOn;
    }
    core.change(|state| mode.clone_into(&mut state.mode));
    succeed(core, id, &json!({"mode": mode}));
    core.tell(json!({
        "type": "system", "subtype": "status", "status": null, "permissionMode": mode,
    }));
    AfterLine::GoesOn
}

/// Interrupts the turn after a signal, and waits until it has ended.
pub(super) fn interrupted(core: &ClientCore) {
    interrupt(core, &json!({"cancel_queued": true}));
    core.wait_for(|state| (!state.is_running).then_some(()));
    // Waits for the last lines of the turn.
    core.transition(|| core.wire.flush());
}

/// Records that the input has ended: open requests get an error as their answer.
pub(super) fn closed(core: &ClientCore) {
    core.change(|state| {
        state.is_input_closed = true;
        for request in &mut state.pending {
            let lost = "AbortError: Tool permission stream closed before response received";
            request.answer.get_or_insert(HostAnswer::Failed(lost.to_owned()));
        }
    });
}
