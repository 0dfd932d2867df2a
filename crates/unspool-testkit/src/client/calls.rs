//! The calls of a scripted client: asks for permission, and runs the allowed ones.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};

use super::core::{ClientCore, HostAnswer, PendingRequest, locked};
use super::entropy;
use super::lane::{CallOutcome, CalledTool};
use super::session_log::append_text;
use super::turn::{ScriptedModel, TurnEnd};
use crate::process;
use crate::script::{ScriptDirective, bash_input, directives};

/// The file that gets a line for each tool that ran, with the id of its call.
pub const RAN: &str = "ran.log";

/// A tool whose MCP server asks for a form.
const FORM_TOOL: &str = "mcp__forms__setup";

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was \
     rejected. STOP what you are doing and wait for the user to tell you how to proceed.";

/// Makes the call of a directive and waits for its result.
pub(super) fn make(
    model: &mut ScriptedModel<'_>,
    message: &str,
    directive: &ScriptDirective,
) -> Result<(), TurnEnd> {
    let core = model.core;
    match directive {
        ScriptDirective::DieAfterCall(command) => {
            model.call(message, "Bash", bash_input(command));
            core.die();
        }
        ScriptDirective::DieUnwritten(command) => {
            let call = model.call(message, "Bash", bash_input(command));
            ask(core, &call, agent_of(model));
            core.die();
        }
        ScriptDirective::Parallel(parts) => parallel(model, message, parts),
        part => parallel(model, message, std::slice::from_ref(part)),
    }
}

/// Makes calls in one message. Agents run at the same time; the other calls ask one after the other.
fn parallel(
    model: &mut ScriptedModel<'_>,
    message: &str,
    parts: &[ScriptDirective],
) -> Result<(), TurnEnd> {
    let core = model.core;
    let made: Vec<(CalledTool, &ScriptDirective)> = parts
        .iter()
        .filter_map(|part| {
            let (name, input) = tool_of(core, part)?;
            Some((model.call(message, name, input), part))
        })
        .collect();
    model.lane.end_message(core, message, "tool_use");
    let agent = agent_of(model);
    let lane = Mutex::new(&mut *model.lane);
    let note = |call: &CalledTool, outcome: &CallOutcome| {
        let mut lane = locked(&lane);
        lane.result(core, call, outcome);
    };
    let ends = thread::scope(|scope| {
        let mut agents = Vec::new();
        for (call, part) in &made {
            if let ScriptDirective::Agent(prompt) = part {
                let (lane, note) = (&lane, &note);
                agents.push(scope.spawn(move || {
                    let sub = locked(lane).of_agent(&entropy::new_id("a"), &call.id);
                    let outcome = run_agent(core, sub, prompt);
                    note(call, &outcome);
                    outcome.ends_turn
                }));
            }
        }
        let mut ends = false;
        for (call, part) in &made {
            if !matches!(part, ScriptDirective::Agent(_)) {
                let outcome = if ends { rejected() } else { run(core, call, part, agent.clone()) };
                ends |= outcome.ends_turn;
                note(call, &outcome);
            }
        }
        for agent in agents {
            ends |= agent.join().unwrap_or(true);
        }
        ends
    });
    // The parent of the next message is the result that was written last.
    if ends { Err(TurnEnd::CutTools) } else { Ok(()) }
}

fn rejected() -> CallOutcome {
    CallOutcome {
        ends_turn: true,
        detail: json!("User rejected tool use"),
        ..CallOutcome::denied(REJECTED, "user-rejected")
    }
}

fn agent_of(model: &ScriptedModel<'_>) -> Option<String> {
    let agent = model.lane.agent.as_ref();
    agent.map(|(agent, _)| agent.clone())
}

/// Returns the tool of a directive and its input.
fn tool_of(core: &ClientCore, directive: &ScriptDirective) -> Option<(&'static str, Value)> {
    if let ScriptDirective::Form(message) = directive {
        return Some((FORM_TOOL, json!({"about": message})));
    }
    let (name, mut input) = directive.tool_call(&core.place.cwd)?;
    if name == "ExitPlanMode" {
        input["planFilePath"] = json!(core.record("plans/scripted.md"));
    }
    Some((name, input))
}

/// Asks for permission if necessary, and runs a call.
fn run(
    core: &ClientCore,
    call: &CalledTool,
    directive: &ScriptDirective,
    agent: Option<String>,
) -> CallOutcome {
    let input = match permission(core, call, directive, agent) {
        Ok(input) => input,
        Err(outcome) => {
            let denial = json!({
                "tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input,
            });
            core.change(|state| state.denials.push(denial));
            return *outcome;
        }
    };
    append_text(&core.record(RAN), &call.id);
    match directive {
        ScriptDirective::Bash(_) => run_bash(core, input["command"].as_str().unwrap_or_default()),
        ScriptDirective::Edit { .. } => run_edit(&input),
        ScriptDirective::Ask { .. } => answered(&input),
        ScriptDirective::Form(message) => fill(core, message),
        _ => CallOutcome::done("User has approved your plan.", json!({"plan": input["plan"]})),
    }
}

/// Returns the input that a call runs with, or the outcome of a call that does not run.
fn permission(
    core: &ClientCore,
    call: &CalledTool,
    directive: &ScriptDirective,
    agent: Option<String>,
) -> Result<Value, Box<CallOutcome>> {
    let mode = core.state().mode.clone();
    let is_question = matches!(call.name, "AskUserQuestion" | "ExitPlanMode");
    let is_allowed = match mode.as_str() {
        "bypassPermissions" => !is_question,
        _ if call.name == FORM_TOOL => true,
        "acceptEdits" => matches!(directive, ScriptDirective::Edit { .. }),
        _ => false,
    };
    if is_allowed || has_rule(core, call) {
        return Ok(call.input.clone());
    }
    if mode == "dontAsk" && !is_question {
        let text = "Permission to use this tool has been denied.";
        return Err(Box::new(CallOutcome::denied(text, "permission-rule")));
    }
    let id = ask(core, call, agent);
    let answer = wait_for_answer(core, &id);
    decided(core, call, answer).map_err(Box::new)
}

/// Waits for the answer to a request, and removes the request.
fn wait_for_answer(core: &ClientCore, id: &str) -> HostAnswer {
    let answer = core.wait_for(|state| {
        let request = state.pending.iter().find(|request| request.id == id)?;
        request.answer.clone()
    });
    core.transition(|| {
        core.change(|state| state.pending.retain(|request| request.id != id));
        if core.state().pending.is_empty() {
            core.tell_state("running");
        }
    });
    answer
}

/// Returns a form with a field of each kind.
fn form_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name of the site", "minLength": 1},
            "mail": {"type": "string", "title": "E-mail", "format": "email",
                "description": "Where reports go"},
            "port": {"type": "integer", "title": "Port", "minimum": 1, "maximum": 65535,
                "default": 8080},
            "share": {"type": "number", "title": "Share of the traffic"},
            "public": {"type": "boolean", "title": "Everyone may see it", "default": false},
            "plan": {"type": "string", "title": "Plan", "enum": ["free", "paid"],
                "enumNames": ["Free", "Paid"]},
            "regions": {"type": "array", "title": "Regions",
                "items": {"type": "string", "enum": ["eu", "us", "asia"]}},
        },
        "required": ["name", "plan"],
    })
}

/// Asks for a form, and returns its values as the result.
fn fill(core: &ClientCore, message: &str) -> CallOutcome {
    let id = entropy::new_uuid();
    let frame = json!({"type": "control_request", "request_id": id, "request": {
        "subtype": "elicitation", "mcp_server_name": "forms", "message": message, "mode": "form",
        "requested_schema": form_schema(),
        "property_order": ["name", "mail", "port", "share", "public", "plan", "regions"],
    }});
    core.transition(|| open(core, &id, &frame));
    match wait_for_answer(core, &id) {
        HostAnswer::Given(given) => CallOutcome::done(&given.to_string(), given),
        HostAnswer::Failed(error) => CallOutcome::failed(&error),
        HostAnswer::Cut => rejected(),
    }
}

fn has_rule(core: &ClientCore, call: &CalledTool) -> bool {
    let what = rule_of(call);
    let state = core.state();
    state
        .rules
        .iter()
        .any(|(tool, content)| tool == call.name && (content.is_empty() || *content == what))
}

fn rule_of(call: &CalledTool) -> String {
    let input = &call.input;
    let what = input["command"].as_str().or(input["file_path"].as_str());
    what.unwrap_or_default().to_owned()
}

/// Asks the host for permission, and returns the id of the request.
fn ask(core: &ClientCore, call: &CalledTool, agent: Option<String>) -> String {
    let id = entropy::new_uuid();
    let mut request = json!({
        "subtype": "can_use_tool", "tool_name": call.name, "display_name": call.name,
        "input": call.input, "tool_use_id": call.id,
    });
    if matches!(call.name, "AskUserQuestion" | "ExitPlanMode") {
        request["requires_user_interaction"] = json!(true);
    } else {
        request["description"] = call.input["description"].clone();
        request["permission_suggestions"] = json!([
            {
                "type": "addRules", "behavior": "allow", "destination": "localSettings",
                "rules": [{"toolName": call.name, "ruleContent": rule_of(call)}],
            },
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        ]);
    }
    if let Some(agent) = agent {
        request["agent_id"] = json!(agent);
    }
    let frame = json!({"type": "control_request", "request_id": id, "request": request});
    core.transition(|| open(core, &id, &frame));
    id
}

/// Records an open request, and sends it.
fn open(core: &ClientCore, id: &str, frame: &Value) {
    core.change(|state| {
        // If the input has ended meanwhile, the request gets an error as its answer.
        let lost = "AbortError: Tool permission stream closed before response received";
        let answer = state
            .is_input_closed
            .then(|| HostAnswer::Failed(lost.to_owned()))
            .or(state.cut.map(|_| HostAnswer::Cut));
        state.pending.push(PendingRequest { id: id.to_owned(), frame: frame.clone(), answer });
    });
    core.tell_state("requires_action");
    core.wire.send(frame);
}

/// Interprets the host's answer like the real client.
fn decided(core: &ClientCore, call: &CalledTool, answer: HostAnswer) -> Result<Value, CallOutcome> {
    let given = match answer {
        HostAnswer::Given(given) => given,
        HostAnswer::Failed(error) => {
            let text = format!("Tool permission request failed: {error}");
            return Err(CallOutcome::denied(&text, "permission-rule"));
        }
        HostAnswer::Cut => return Err(rejected()),
    };
    match (given["behavior"].as_str(), given["message"].as_str()) {
        (Some("allow"), _) => {
            let changes = given["updatedPermissions"].as_array();
            for update in changes.into_iter().flatten() {
                update_permissions(core, update);
            }
            let updated = given["updatedInput"].as_object();
            Ok(updated.map_or_else(|| call.input.clone(), |input| json!(input)))
        }
        (Some("deny"), Some(_)) if given["interrupt"] == true => Err(rejected()),
        (Some("deny"), Some(message)) => Err(CallOutcome::denied(message, "permission-rule")),
        _ => {
            let text = "Tool permission request failed: invalid permission result";
            Err(CallOutcome::denied(text, "permission-rule"))
        }
    }
}

fn update_permissions(core: &ClientCore, update: &Value) {
    match update["type"].as_str() {
        Some("setMode") => {
            let mode = update["mode"].as_str().unwrap_or("default").to_owned();
            core.change(|state| state.mode.clone_from(&mode));
            core.tell(json!({
                "type": "system", "subtype": "status", "status": null, "permissionMode": mode,
            }));
        }
        Some("addRules") => {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let rules = update["rules"].as_array().into_iter().flatten();
            let rules = rules.map(|rule| (text(&rule["toolName"]), text(&rule["ruleContent"])));
            core.change(|state| state.rules.extend(rules));
        }
        _ => {}
    }
}

/// Runs a command in its own process group until it ends or the turn is interrupted.
fn run_bash(core: &ClientCore, command: &str) -> CallOutcome {
    let child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(&core.place.cwd)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = match child {
        Ok(child) => child,
        Err(error) => return CallOutcome::failed(&error.to_string()),
    };
    let group = child.id();
    core.change(|state| state.tools.push(group));
    let ended: Mutex<Option<Output>> = Mutex::new(None);
    let was_cut = thread::scope(|scope| {
        let slot = &ended;
        let waiter = scope.spawn(move || {
            let output = child.wait_with_output().ok();
            core.change(|state| {
                *locked(slot) = output;
                state.tools.retain(|running| *running != group);
            });
        });
        let was_cut = core.wait_for(|state| {
            let has_ended = !state.tools.contains(&group);
            has_ended.then_some(false).or(state.cut.map(|_| true))
        });
        if was_cut {
            process::signal("KILL", &format!("-{group}"));
        }
        let _ = waiter.join();
        was_cut
    });
    let output = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match output {
        Some(output) if !was_cut => bash_outcome(&output),
        _ => rejected(),
    }
}

fn bash_outcome(output: &Output) -> CallOutcome {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if !output.status.success() {
        let code = output.status.code().unwrap_or(-1);
        return CallOutcome::failed(&format!("Exit code {code}\n{stdout}{stderr}"));
    }
    let content =
        if stdout.is_empty() { "(Bash completed with no output)" } else { stdout.as_str() };
    let detail = json!({
        "stdout": stdout, "stderr": stderr, "interrupted": false, "isImage": false,
    });
    CallOutcome::done(content, detail)
}

fn run_edit(input: &Value) -> CallOutcome {
    let text = |name: &str| input[name].as_str().unwrap_or_default();
    let (path, old, new) = (text("file_path"), text("old_string"), text("new_string"));
    let before = fs::read_to_string(path).unwrap_or_default();
    if !before.contains(old) {
        return CallOutcome::failed("String to replace not found in file.");
    }
    let after = if old.is_empty() { new.to_owned() } else { before.replacen(old, new, 1) };
    match fs::write(path, after) {
        Ok(()) => CallOutcome::done(
            &format!("The file {path} has been updated successfully."),
            json!({"filePath": path, "oldString": old, "newString": new, "originalFile": before}),
        ),
        Err(error) => CallOutcome::failed(&error.to_string()),
    }
}

fn answered(input: &Value) -> CallOutcome {
    let answers = input["answers"].as_object().filter(|answers| !answers.is_empty());
    let content = match answers {
        None => "The user did not answer the questions.".to_owned(),
        Some(answers) => {
            let said: Vec<String> = answers
                .iter()
                .map(|(question, answer)| format!("{}={answer}", json!(question)))
                .collect();
            format!(
                "Your questions have been answered: {}. You can now continue with these answers in \
                 mind.",
                said.join(", ")
            )
        }
    };
    CallOutcome::done(&content, input.clone())
}

/// Runs an agent to its end.
fn run_agent(
    core: &ClientCore,
    mut lane: super::lane::ClientConversation,
    prompt: &str,
) -> CallOutcome {
    let (agent, call) = lane.agent.clone().expect("the lane of an agent");
    core.tell(json!({
        "type": "system", "subtype": "task_started", "task_id": agent, "tool_use_id": call,
        "subagent_type": "general-purpose", "is_backgrounded": false, "description": "scripted",
    }));
    let message = json!({"role": "user", "content": [{"type": "text", "text": prompt}]});
    let uuid = entropy::new_uuid();
    lane.write(&uuid, json!({"type": "user", "message": message}));
    lane.tell(core, json!({"type": "user", "message": message, "uuid": uuid}));
    let mut script = VecDeque::from(directives(prompt));
    let end = ScriptedModel::new(core, &mut lane).answer(&mut script);
    let (status, outcome) = match end {
        TurnEnd::Completed(text) => (
            "completed",
            CallOutcome::done(&text, json!({"agentId": agent, "status": "completed"})),
        ),
        TurnEnd::ApiError(_, text) => ("failed", CallOutcome::failed(text)),
        TurnEnd::Failed => ("failed", CallOutcome::failed("the agent failed")),
        TurnEnd::CutStreaming(..) | TurnEnd::CutTools => ("stopped", rejected()),
    };
    core.tell(json!({
        "type": "system", "subtype": "task_notification", "task_id": agent, "tool_use_id": call,
        "status": status,
    }));
    outcome
}
