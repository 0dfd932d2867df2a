//! The turns of a scripted client.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::calls;
use super::core::{ClientCore, ClientPrompt, TurnCut, locked};
use super::entropy;
use super::faults;
use super::history::{self, ClientHistory};
use super::lane::{CalledTool, ClientConversation};
use super::options::CLIENT_VERSION;
use super::session_log::ClientLog;
use crate::script::{ScriptDirective, directives, megabyte, next_reply};

/// The capabilities that a scripted client reports.
pub(super) const CAPABILITIES: [&str; 4] = [
    "interrupt_receipt_v1",
    "interrupt_cancel_queued_v1",
    "msg_lifecycle_v1",
    "ask_user_question_unanswered_v1",
];

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TurnEnd {
    /// With the last text of the model.
    Completed(String),
    /// Interrupted during an answer; the flag is set if the model had written text.
    CutStreaming(TurnCut, bool),
    /// Interrupted while a call waited or ran.
    CutTools,
    /// With an API error: its status and text.
    ApiError(u16, &'static str),
    /// With an error of the client.
    Failed,
}

/// Runs turns, one after the other.
#[derive(Debug)]
pub(super) struct TurnRunner<'a> {
    core: &'a ClientCore,
    lane: ClientConversation,
    /// The conversation of the log, until the first prompt of this process completes it.
    history: Option<ClientHistory>,
    /// The uuids of entries that this process did not write.
    old: HashSet<String>,
}

impl<'a> TurnRunner<'a> {
    pub(super) fn new(core: &'a ClientCore, history: Option<ClientHistory>) -> Self {
        let mut lane = ClientConversation::new(core.log());
        if let Some(history) = &history {
            lane.tip = history.tip();
            lane.messages = history.messages();
        }
        let entries = history.iter().flat_map(|history| &history.entries);
        let uuids = entries.filter_map(|entry| entry["uuid"].as_str());
        Self { core, lane, old: uuids.map(str::to_owned).collect(), history }
    }

    /// Runs turns until the input ends.
    pub(super) fn run(&mut self) {
        while let Some(prompts) = self.next_prompts() {
            self.turn(&prompts);
        }
    }

    /// Waits for prompts; all queued ones become one turn.
    fn next_prompts(&self) -> Option<Vec<ClientPrompt>> {
        self.core.wait_for(|state| {
            if !state.queue.is_empty() {
                state.cut = None;
                return Some(Some(state.queue.drain(..).collect()));
            }
            state.is_input_closed.then_some(None)
        })
    }

    fn turn(&mut self, prompts: &[ClientPrompt]) {
        let core = self.core;
        for prompt in prompts {
            core.tell_lifecycle(prompt, "started");
        }
        let last = prompts.last().expect("a turn has a prompt");
        let uuids: Vec<&String> = prompts.iter().map(|prompt| &prompt.uuid).collect();
        if last.text().trim() == "/clear" {
            self.clear(last);
            self.end_turn(prompts, &TurnEnd::Completed(String::new()), &json!({}));
            return;
        }
        self.tell_init();
        let text: Vec<String> = prompts.iter().map(ClientPrompt::text).collect();
        let mut script = VecDeque::from(directives(&text.join("\n")));
        if faults::dies_unwritten(&script) {
            locked(&self.lane.log).hold();
        }
        if !last.is_rerun {
            self.mend();
        }
        self.write_prompts(prompts);
        self.lane.unanswered = uuids.iter().map(|uuid| (*uuid).clone()).collect();
        let end = if last.is_query {
            ScriptedModel::new(core, &mut self.lane).answer(&mut script)
        } else {
            TurnEnd::Completed(String::new())
        };
        let extra =
            if last.is_rerun { json!({"resume_reason": "interrupted_turn"}) } else { json!({}) };
        locked(&self.lane.log).metadata(json!({
            "type": "last-prompt", "lastPrompt": last.text(), "leafUuid": self.lane.tip,
        }));
        self.end_turn(prompts, &end, &extra);
    }

    /// Starts a new session in this process.
    fn clear(&mut self, prompt: &ClientPrompt) {
        let core = self.core;
        core.tell(json!({
            "type": "conversation_reset", "new_conversation_id": entropy::new_uuid(),
            "trigger": "clear", "user_message_uuid": prompt.uuid,
        }));
        let place = &core.place;
        let log = ClientLog::of_session(&place.config, &place.cwd, &entropy::new_uuid());
        core.change(|state| state.log = std::sync::Arc::new(std::sync::Mutex::new(log)));
        self.lane = ClientConversation::new(core.log());
        self.history = None;
        let text = "<command-name>/clear</command-name>";
        let message = json!({"role": "user", "content": text});
        self.lane.write(&entropy::new_uuid(), json!({"type": "user", "message": message}));
        // A command is not sent to a model.
        self.lane.messages.clear();
    }

    fn tell_init(&self) {
        let (permissions, model) = {
            let state = self.core.state();
            (state.mode.clone(), state.model.clone())
        };
        self.core.tell(json!({
            "type": "system", "subtype": "init", "cwd": self.core.place.cwd,
            "tools": ["Agent", "AskUserQuestion", "Bash", "Edit", "ExitPlanMode"],
            "mcp_servers": [], "model": model, "permissionMode": permissions,
            "slash_commands": ["clear", "compact", "context"], "agents": ["general-purpose"],
            "apiKeySource": "ANTHROPIC_API_KEY", "claude_code_version": CLIENT_VERSION,
            "output_style": "default", "capabilities": CAPABILITIES,
        }));
    }

    /// Adds results and an answer for calls and prompts that an earlier process left open.
    fn mend(&mut self) {
        let Some(history) = self.history.take() else {
            return;
        };
        if history.is_forked {
            locked(&self.lane.log).copy(&history.entries);
        }
        let open = history.open_calls();
        for (call, entry) in &open {
            self.lane.tip = Some(entry.clone());
            let uuid = entropy::new_uuid();
            self.lane.write(&uuid, history::interrupted_result(call));
        }
        if !open.is_empty() || history.ends_with_prompt() {
            let uuid = entropy::new_uuid();
            self.lane.write(&uuid, history::synthetic_answer());
        }
    }

    /// Writes the prompts as one entry, under the uuid of the last.
    fn write_prompts(&mut self, prompts: &[ClientPrompt]) {
        let last = prompts.last().expect("a turn has a prompt");
        self.lane.prompt_id = entropy::new_uuid();
        let content: Vec<Value> =
            prompts.iter().flat_map(|prompt| prompt.content.clone()).collect();
        let message = json!({"role": "user", "content": content});
        if self.core.flags.replay {
            self.lane.echo = Some(json!({
                "type": "user", "message": message, "parent_tool_use_id": null,
                "uuid": last.uuid, "timestamp": entropy::now_iso(), "isReplay": true,
            }));
        }
        for _ in prompts {
            locked(&self.lane.log).metadata(json!({
                "type": "queue-operation", "operation": "dequeue",
                "timestamp": entropy::now_iso(),
            }));
        }
        if last.is_rerun {
            return;
        }
        let fields = json!({
            "type": "user", "promptId": self.lane.prompt_id, "message": message,
            "permissionMode": self.core.state().mode.clone(), "promptSource": "sdk",
        });
        if self.old.contains(&last.uuid) {
            // An earlier process wrote this prompt and did not answer it; the answer has it as its parent.
            history::push_message(&mut self.lane.messages, &fields);
            self.lane.tip = Some(last.uuid.clone());
        } else {
            self.lane.write(&last.uuid, fields);
        }
    }

    fn end_turn(&self, prompts: &[ClientPrompt], end: &TurnEnd, extra: &Value) {
        self.core.transition(|| self.tell_end(prompts, end, extra));
    }

    fn tell_end(&self, prompts: &[ClientPrompt], end: &TurnEnd, extra: &Value) {
        let core = self.core;
        let is_last = core.change(|state| {
            state.has_failed = !matches!(
                end,
                TurnEnd::Completed(_) | TurnEnd::CutStreaming(TurnCut::Urgent, true)
            );
            state.is_running = !state.queue.is_empty();
            !state.is_running
        });
        self.tell_result(prompts, end, extra);
        let state = match end {
            TurnEnd::Completed(_) => "completed",
            _ => "cancelled",
        };
        for prompt in prompts {
            core.tell_lifecycle(prompt, state);
        }
        if is_last {
            core.tell_state("idle");
        }
    }

    fn tell_result(&self, prompts: &[ClientPrompt], end: &TurnEnd, extra: &Value) {
        let (subtype, reason, stop) = match end {
            TurnEnd::Completed(_) => ("success", "completed", "end_turn"),
            TurnEnd::CutStreaming(TurnCut::Urgent, true) => ("success", "aborted_streaming", ""),
            TurnEnd::CutStreaming(..) => ("error_during_execution", "aborted_streaming", ""),
            TurnEnd::CutTools => ("error_during_execution", "aborted_tools", "tool_use"),
            TurnEnd::ApiError(..) => ("success", "api_error", "stop_sequence"),
            TurnEnd::Failed => ("error_during_execution", "error", ""),
        };
        let (index, denials, cents) = self.core.change(|state| {
            state.results += 1;
            let denials = std::mem::take(&mut state.denials);
            (state.results - 1, denials, state.cents)
        });
        let uuids: Vec<&String> = prompts.iter().map(|prompt| &prompt.uuid).collect();
        let mut frame = json!({
            "type": "result", "subtype": subtype,
            "is_error": subtype != "success" || matches!(end, TurnEnd::ApiError(..)),
            "terminal_reason": reason, "stop_reason": (!stop.is_empty()).then_some(stop),
            "num_turns": 1, "duration_ms": 1, "total_cost_usd": f64::from(cents) / 100.0,
            "permission_denials": denials,
            "usage": {"input_tokens": 3, "output_tokens": 10}, "modelUsage": {},
            "queued_turn_count": self.core.state().queue.len(), "result_index": index,
            "user_message_uuid": uuids.last(), "user_message_uuids": uuids,
        });
        match end {
            TurnEnd::Completed(text) => frame["result"] = json!(text),
            TurnEnd::ApiError(status, text) => {
                frame["result"] = json!(text);
                frame["api_error_status"] = json!(status);
            }
            _ => frame["errors"] = json!([reason]),
        }
        super::session_log::merge(&mut frame, extra.clone());
        self.core.tell(frame);
    }
}

/// A model that follows a script in one conversation.
#[derive(Debug)]
pub(super) struct ScriptedModel<'a> {
    pub(super) core: &'a ClientCore,
    pub(super) lane: &'a mut ClientConversation,
    /// Prompts that were added to the running turn.
    folded: Vec<ClientPrompt>,
}

impl<'a> ScriptedModel<'a> {
    pub(super) fn new(core: &'a ClientCore, lane: &'a mut ClientConversation) -> Self {
        Self { core, lane, folded: Vec::new() }
    }

    /// Answers a prompt: one message after the other, until one has no call.
    pub(super) fn answer(&mut self, script: &mut VecDeque<ScriptDirective>) -> TurnEnd {
        let end = self.messages(script);
        for prompt in &self.folded {
            self.core.tell_lifecycle(prompt, "completed");
        }
        end
    }

    fn messages(&mut self, script: &mut VecDeque<ScriptDirective>) -> TurnEnd {
        loop {
            self.lane.note_sent(self.core);
            let reply = next_reply(script);
            match self.message(&reply) {
                Ok(Some(text)) => return TurnEnd::Completed(text),
                Ok(None) => self.fold(script),
                Err(end) => {
                    self.tell_cut(&end);
                    return end;
                }
            }
        }
    }

    /// Writes one message and returns its text; `None` if it had a call and the model continues.
    fn message(&mut self, reply: &[ScriptDirective]) -> Result<Option<String>, TurnEnd> {
        let id = entropy::new_id("msg_01");
        let start = json!({"id": id, "type": "message", "role": "assistant", "content": []});
        let event = json!({"type": "message_start", "message": start});
        self.lane.event(self.core, &id, &event);
        self.lane.blocks = 0;
        let mut said = String::new();
        for part in reply {
            let has_spoken = !said.is_empty();
            self.look_for_cut(has_spoken)?;
            match part {
                ScriptDirective::Say(text) => self.say(&id, text, &mut said),
                ScriptDirective::Unknown(text) => {
                    self.say(&id, &format!("unknown directive: {text}"), &mut said);
                }
                ScriptDirective::Flood(megabytes) => {
                    for _ in 0..*megabytes {
                        self.look_for_cut(has_spoken)?;
                        self.say(&id, &megabyte(), &mut said);
                    }
                }
                ScriptDirective::WaitFile(path) => self.wait_file(path, has_spoken)?,
                ScriptDirective::Silence => return Err(self.silence(has_spoken)),
                call if call.is_call() => {
                    calls::make(self, &id, call)?;
                    return Ok(None);
                }
                other => faults::commit(self, other)?,
            }
        }
        self.lane.end_message(self.core, &id, "end_turn");
        Ok(Some(said))
    }

    fn say(&mut self, id: &str, text: &str, said: &mut String) {
        self.lane.say(self.core, id, &json!({"type": "text", "text": text}));
        text.clone_into(said);
    }

    fn look_for_cut(&self, has_spoken: bool) -> Result<(), TurnEnd> {
        match self.core.state().cut {
            Some(cut) => Err(TurnEnd::CutStreaming(cut, has_spoken)),
            None => Ok(()),
        }
    }

    /// Waits for a file by polling, which takes less code than file system events; no test depends on the
    /// interval.
    fn wait_file(&self, path: &Path, has_spoken: bool) -> Result<(), TurnEnd> {
        let path = self.core.in_cwd(path);
        while !path.exists() {
            self.look_for_cut(has_spoken)?;
            thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    fn silence(&self, has_spoken: bool) -> TurnEnd {
        self.core.wait_for(|state| state.cut.map(|cut| TurnEnd::CutStreaming(cut, has_spoken)))
    }

    /// Adds prompts that arrived during the turn to it, before the next message.
    fn fold(&mut self, script: &mut VecDeque<ScriptDirective>) {
        if self.lane.agent.is_some() {
            return;
        }
        let folded: VecDeque<ClientPrompt> = self.core.change(|state| {
            let queue = std::mem::take(&mut state.queue);
            let (later, now) = queue.into_iter().partition(|prompt| prompt.waits_for_end);
            state.queue = later;
            now
        });
        for prompt in folded {
            locked(&self.lane.log).metadata(json!({
                "type": "queue-operation", "operation": "remove",
                "timestamp": entropy::now_iso(), "content": prompt.text(),
                "reason": "absorbed_mid_turn", "commandUuid": prompt.uuid,
            }));
            let attachment = json!({
                "type": "queued_command", "prompt": prompt.content, "source_uuid": prompt.uuid,
            });
            self.lane.write(
                &entropy::new_uuid(),
                json!({"type": "attachment", "attachment": attachment}),
            );
            self.lane.messages.push(json!({"role": "user", "content": prompt.content}));
            self.core.tell_lifecycle(&prompt, "started");
            script.extend(directives(&prompt.text()));
            self.folded.push(prompt);
        }
    }

    fn tell_cut(&mut self, end: &TurnEnd) {
        match end {
            TurnEnd::CutStreaming(TurnCut::Interrupt, _) => {
                self.lane.note(self.core, "[Request interrupted by user]");
            }
            TurnEnd::CutTools => {
                self.lane.note(self.core, "[Request interrupted by user for tool use]");
            }
            _ => {}
        }
    }

    /// Writes a call.
    pub(super) fn call(&mut self, message: &str, name: &'static str, input: Value) -> CalledTool {
        let id = entropy::new_id("toolu_01");
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        let entry = self.lane.say(self.core, message, &block);
        CalledTool { id, name, input, entry }
    }
}
