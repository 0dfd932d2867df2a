//! The steps of the assistant in a generated turn: messages of several lines, parallel calls, their results,
//! and agents. [`super::transcript`] begins and ends turns.

use super::lines::{LineWriter, Uuid};
use super::pools::Pools;
use super::tools::{GeneratedCall, GeneratedTool, call_id, code};
use super::transcript::{ConversationPlayer, Spawned};

/// The JSON before and after the block in each line of an assistant message.
struct AnswerParts {
    before: String,
    after: String,
}

impl ConversationPlayer<'_> {
    /// Writes a message with calls, and their results.
    pub(crate) fn step(&mut self) {
        let message = self.message("tool_use");
        self.thinking(&message, 0.35);
        if self.lines.rng.chance(0.45) {
            let size = self.lines.rng.skewed(30, 900) as usize;
            self.text(&message, size);
        }
        if self.agents.len() < self.plan.agents && self.agent_is_due() {
            self.spawn(&message);
            return;
        }
        let count = if self.lines.rng.chance(0.75) { 1 } else { self.lines.rng.between(2, 4) };
        let mut calls: Vec<GeneratedCall> = (0..count).map(|_| self.call(&message)).collect();
        if self.lines.rng.chance(0.01) {
            self.interrupt();
            return;
        }
        self.lines.rng.shuffle(&mut calls);
        for call in &calls {
            self.result(call);
        }
    }

    /// Begins an assistant message, and returns the JSON that all of its lines share.
    fn message(&mut self, stop: &str) -> AnswerParts {
        if self.plan.identity.version == "2.1.325" {
            self.request();
        }
        let rng = &mut self.lines.rng;
        let (id, request) = (code(rng, 22), code(rng, 22));
        let (written, output) = (rng.skewed(100, 6000), rng.skewed(20, 3000));
        self.context = (self.context + written).min(180_000);
        AnswerParts {
            before: format!(
                r#","message":{{"id":"msg_01{id}","type":"message","role":"assistant","model":"{}","content":["#,
                self.model
            ),
            after: format!(
                r#"],"stop_reason":"{stop}","stop_sequence":null,"usage":{{"input_tokens":3,"cache_creation_input_tokens":{written},"cache_read_input_tokens":{},"output_tokens":{output},"output_tokens_details":{{"thinking_tokens":0}},"server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},"service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":{written},"ephemeral_5m_input_tokens":0}},"inference_geo":"","iterations":[],"speed":"standard"}}}},"requestId":"req_01{request}","type":"assistant""#,
                self.context
            ),
        }
    }

    /// Writes the metadata line that the newest versions add for each request.
    fn request(&mut self) {
        let id = self.lines.fresh_uuid();
        self.lines.lit(r#"{"type":"api-request","id":""#).raw(&id);
        self.lines.lit(r#"","timestamp":""#).timestamp();
        self.lines
            .lit(r#"","version":"2.1.325","querySource":"repl_main_thread","params":{"model":""#);
        let model = self.model;
        self.lines
            .lit(model)
            .lit(r#"","max_tokens":128000,"thinking":{"type":"adaptive"}},"tail":["#);
        for index in 0..self.lines.rng.between(1, 6) {
            let hash = code(&mut self.lines.rng, 64);
            self.lines.lit(if index == 0 { "\"" } else { ",\"" }).lit(&hash).lit("\"");
        }
        self.lines.lit("]").close_metadata();
    }

    /// Writes one line of a message.
    fn line(
        &mut self,
        message: &AnswerParts,
        block: impl FnOnce(&mut LineWriter<'_>, &Pools),
    ) -> Uuid {
        let lines = self.lines.open();
        lines.lit(&message.before);
        block(lines, self.pools);
        lines.lit(&message.after).stamp().lit(r#","effort":"medium""#);
        lines.close()
    }

    fn thinking(&mut self, message: &AnswerParts, probability: f64) {
        if !self.lines.rng.chance(probability) {
            return;
        }
        self.line(message, |lines, pools| {
            lines.lit(r#"{"type":"thinking","thinking":""#);
            if lines.rng.chance(0.6) {
                let size = lines.rng.skewed(80, 3000) as usize;
                pools.push_prose(&mut lines.out, &mut lines.rng, size);
            }
            lines.lit(r#"","signature":""#);
            let size = lines.rng.skewed(200, 2000) as usize;
            pools.push_base64(&mut lines.out, &mut lines.rng, size);
            lines.lit("\"}");
        });
    }

    fn text(&mut self, message: &AnswerParts, size: usize) {
        let uuid = self.line(message, |lines, pools| {
            lines.lit(r#"{"type":"text","text":""#);
            pools.push_prose(&mut lines.out, &mut lines.rng, size);
            lines.lit("\"}");
        });
        self.remember(uuid);
    }

    fn call(&mut self, message: &AnswerParts) -> GeneratedCall {
        let tool = GeneratedTool::pick(&mut self.lines.rng);
        let (cwd, limit) = (&self.plan.identity.cwd, self.limit());
        let mut call = GeneratedCall::new(tool, &mut self.lines.rng, self.pools, cwd, limit);
        call.entry = self.line(message, |lines, pools| {
            lines.lit(r#"{"type":"tool_use","id":""#).lit(&call.id);
            lines.lit(r#"","name":""#).lit(tool.name()).lit(r#"","input":"#);
            call.push_input(&mut lines.out, &mut lines.rng, pools);
            lines.lit("}");
        });
        call
    }

    fn result(&mut self, call: &GeneratedCall) {
        let limit = self.limit();
        call.run(&mut self.output, &mut self.lines.rng, self.pools, limit);
        self.spills.extend(call.spill(&self.output));
        self.lines.parent = Some(call.entry);
        if self.lines.rng.chance(0.08) {
            self.hook(call);
            self.lines.parent = Some(call.entry);
        }
        let (prompt_id, in_agent) = (self.prompt_id, self.plan.identity.agent.is_some());
        let lines = self.lines.open();
        lines.lit(r#","promptId":""#).raw(&prompt_id);
        lines.lit(r#"","type":"user","message":{"role":"user","content":[{"tool_use_id":""#);
        lines.lit(&call.id).lit(r#"","type":"tool_result","content":"#);
        call.push_content(&mut lines.out, &self.output);
        lines.lit(if self.output.failed {
            r#","is_error":true}]}"#
        } else {
            r#","is_error":false}]}"#
        });
        lines.stamp();
        if !in_agent || lines.rng.chance(0.25) {
            lines.lit(r#","toolUseResult":"#);
            call.push_detail(&mut lines.out, &self.output);
        }
        lines.lit(r#","sourceToolAssistantUUID":""#).raw(&call.entry).lit("\"");
        let uuid = lines.close();
        self.remember(uuid);
    }

    /// Writes a hook's attachment as another child of the call.
    fn hook(&mut self, call: &GeneratedCall) {
        let lines = self.lines.open();
        lines.lit(r#","attachment":{"type":"hook_success","hookName":"PostToolUse:"#);
        lines
            .lit(call.tool.name())
            .lit(r#"","hookEvent":"PostToolUse","toolUseID":""#)
            .lit(&call.id);
        lines.lit(r#"","content":"","stdout":"ok","stderr":"","exitCode":0,"command":"lint.sh","durationMs":31}"#);
        lines.lit(r#","type":"attachment""#).stamp().close();
    }

    fn interrupt(&mut self) {
        let lines = self.lines.open();
        lines.lit(r#","type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}"#);
        lines.stamp().close();
    }

    /// Tells whether the next agent must start, so that agents are spread over the session.
    fn agent_is_due(&self) -> bool {
        let done = self.agents.len() as u64 + 1;
        self.lines.bytes() * (self.plan.agents as u64 + 1) >= self.plan.size * done
    }

    fn spawn(&mut self, message: &AnswerParts) {
        let rng = &mut self.lines.rng;
        let (id, call) = (format!("a{:016x}", rng.next_u64()), call_id(rng));
        let mut prompt = Vec::new();
        let size = rng.skewed(60, 1500) as usize;
        self.pools.push_prose(&mut prompt, rng, size);
        let start = self.lines.now;
        let entry = self.line(message, |lines, _| {
            lines
                .lit(r#"{"type":"tool_use","id":""#)
                .lit(&call)
                .lit(r#"","name":"Agent","input":"#);
            lines.lit(r#"{"description":"explore the code","prompt":""#).raw(&prompt);
            lines.lit(r#"","subagent_type":"general-purpose"}}"#);
        });
        let prompt_id = self.prompt_id;
        let mut report = Vec::new();
        self.pools.push_prose(&mut report, &mut self.lines.rng, 1200);
        let lines = self.lines.open();
        lines.lit(r#","promptId":""#).raw(&prompt_id);
        lines
            .lit(r#"","type":"user","message":{"role":"user","content":[{"tool_use_id":""#)
            .lit(&call);
        lines.lit(r#"","type":"tool_result","content":[{"type":"text","text":""#).raw(&report);
        lines.lit(r#""}]}]}"#).stamp();
        lines.lit(r#","toolUseResult":{"status":"completed","prompt":""#).raw(&prompt);
        lines
            .lit(r#"","agentId":""#)
            .lit(&id)
            .lit(r#"","content":[{"type":"text","text":""#)
            .raw(&report);
        lines.lit(r#""}],"totalDurationMs":61000,"totalTokens":48211,"totalToolUseCount":12},"sourceToolAssistantUUID":""#);
        lines.raw(&entry).lit("\"").close();
        self.agents.push(Spawned { id, call, start, prompt });
    }

    /// Writes the message that ends a turn.
    pub(crate) fn answer(&mut self) {
        let message = self.message("end_turn");
        self.thinking(&message, 0.15);
        let size = self.lines.rng.skewed(40, 3000) as usize;
        self.text(&message, size);
    }
}
