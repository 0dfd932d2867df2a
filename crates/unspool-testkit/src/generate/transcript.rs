//! Generates the conversation of one log: prompts, answers of several lines, parallel calls, rewinds,
//! compactions and agents, until a given size is reached.

use std::io::{self, Write};

use super::lines::{Identity, LineWriter, Uuid};
use super::pools::Pools;
use super::tools::{Spill, ToolOutput};
use super::{NEEDLE, WrittenLog};
use crate::rng::Rng;

/// The models of generated sessions.
const MODELS: [&str; 4] =
    ["claude-opus-5-5", "claude-sonnet-5", "claude-sonnet-5", "claude-haiku-5"];

/// The settings of a generated log.
#[derive(Debug)]
pub(crate) struct TranscriptPlan {
    pub(crate) identity: Identity,
    /// The approximate size in bytes.
    pub(crate) size: u64,
    /// The time of the first line.
    pub(crate) start: i64,
    /// The number of agents to start.
    pub(crate) agents: usize,
    /// The escaped first prompt; random if it is not set.
    pub(crate) prompt: Option<Vec<u8>>,
    /// Whether the first prompt contains [`NEEDLE`].
    pub(crate) needle: bool,
}

/// The content of a generated log.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) written: WrittenLog,
    /// The time after the last line.
    pub(crate) end: i64,
    pub(crate) agents: Vec<Spawned>,
    /// The escaped typed prompts with their times.
    pub(crate) prompts: Vec<(i64, Vec<u8>)>,
    /// The outputs that were saved to separate files.
    pub(crate) spills: Vec<Spill>,
}

/// An agent that a session started.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) id: String,
    pub(crate) call: String,
    pub(crate) start: i64,
    pub(crate) prompt: Vec<u8>,
}

/// Generates a conversation and writes it to the sink.
pub(crate) fn play(
    sink: &mut dyn Write,
    pools: &Pools,
    rng: Rng,
    plan: &TranscriptPlan,
) -> io::Result<Played> {
    let mut player = ConversationPlayer {
        lines: LineWriter::new(sink, rng, &plan.identity, plan.start),
        pools,
        plan,
        output: ToolOutput::default(),
        model: "",
        prompt_id: [b'0'; 36],
        turns: Vec::new(),
        recent: Vec::new(),
        context: 12_000,
        agents: Vec::new(),
        prompts: Vec::new(),
        spills: Vec::new(),
        compacted_at: 0,
    };
    player.model = player.lines.rng.pick(&MODELS);
    if plan.identity.agent.is_some() {
        player.agent();
    } else {
        player.session();
    }
    Ok(Played {
        end: player.lines.now,
        agents: player.agents,
        prompts: player.prompts,
        spills: player.spills,
        written: player.lines.finish()?,
    })
}

/// A conversation that is being generated.
pub(crate) struct ConversationPlayer<'a> {
    pub(crate) lines: LineWriter<'a>,
    pub(crate) pools: &'a Pools,
    pub(crate) plan: &'a TranscriptPlan,
    pub(crate) output: ToolOutput,
    pub(crate) model: &'static str,
    pub(crate) prompt_id: Uuid,
    /// The entry before the prompt of each turn, to which a rewind returns.
    turns: Vec<Option<Uuid>>,
    /// The latest messages, some of which a compaction keeps.
    recent: Vec<Uuid>,
    /// The number of tokens in the model's context.
    pub(crate) context: u64,
    pub(crate) agents: Vec<Spawned>,
    prompts: Vec<(i64, Vec<u8>)>,
    pub(crate) spills: Vec<Spill>,
    /// The size of the log at the last compaction.
    compacted_at: u64,
}

impl ConversationPlayer<'_> {
    /// Writes turns, rewinds and compactions until the size is reached.
    fn session(&mut self) {
        self.lines.lit(r#"{"type":"mode","mode":"normal""#).close_metadata();
        self.lines
            .lit(r#"{"type":"permission-mode","permissionMode":"acceptEdits""#)
            .close_metadata();
        while self.turns.is_empty() || !self.full() {
            if self.turns.len() > 2 && self.lines.rng.chance(0.04) {
                self.rewind();
            } else {
                self.turn();
            }
            if self.lines.bytes() - self.compacted_at > 1_500_000 {
                self.compact();
            }
        }
        if self.lines.rng.chance(0.7) {
            self.title();
        }
    }

    /// Writes the single long turn of an agent.
    fn agent(&mut self) {
        self.prompt();
        while !self.full() {
            self.step();
        }
        self.answer();
    }

    fn full(&self) -> bool {
        self.lines.bytes() >= self.plan.size
    }

    /// Returns the maximum size of a single result, so that the log does not exceed its size.
    pub(crate) fn limit(&self) -> u64 {
        (self.plan.size / 4).min(self.plan.size.saturating_sub(self.lines.bytes())) / 3
    }

    fn rewind(&mut self) {
        let back = self.lines.rng.between(1, 2) as usize;
        self.lines.parent = self.turns[self.turns.len() - back];
        self.turn_with(|lines| {
            lines.lit(r#"{"type":"last-prompt","leafUuid":""#).lit(crate::ids::ZERO_UUID);
            lines.lit(r#"","explicit":true"#).close_metadata();
        });
    }

    fn turn(&mut self) {
        self.turn_with(|_| {});
    }

    fn turn_with(&mut self, after_prompt: impl FnOnce(&mut LineWriter<'_>)) {
        let started = self.lines.now;
        let before = self.lines.bytes();
        self.prompt();
        after_prompt(&mut self.lines);
        let steps = self.lines.rng.skewed(1, 24);
        for _ in 0..steps {
            if self.full() {
                break;
            }
            self.step();
        }
        self.answer();
        self.turn_end(started);
        self.context += (self.lines.bytes() - before) / 6;
    }

    fn prompt(&mut self) {
        self.turns.push(self.lines.parent);
        self.lines.now += self.lines.rng.skewed(2000, 1_200_000) as i64;
        self.prompt_id = self.lines.fresh_uuid();
        let uuid = self.lines.fresh_uuid();
        let text = self.prompt_text();
        if self.plan.identity.agent.is_none() {
            if self.lines.rng.chance(0.15) {
                self.queue(&text);
            }
            self.snapshot(&uuid);
            self.prompts.push((self.lines.now, head(&text, 400).to_vec()));
        }
        let prompt_id = self.prompt_id;
        let picture = self.lines.rng.chance(0.004);
        let lines = self.lines.open_as(uuid);
        lines.lit(r#","promptId":""#).raw(&prompt_id);
        lines.lit(r#"","type":"user","message":{"role":"user","content":"#);
        if picture {
            lines.lit(r#"[{"type":"text","text":""#).raw(&text);
            lines.lit(
                r#""},{"type":"image","source":{"type":"base64","media_type":"image/png","data":""#,
            );
            let size = lines.rng.skewed(20_000, 300_000) as usize;
            self.pools.push_base64(&mut lines.out, &mut lines.rng, size);
            lines.lit(r#""}}]}"#);
        } else {
            lines.lit("\"").raw(&text).lit("\"}");
        }
        lines.stamp();
        if self.plan.identity.agent.is_none() {
            lines.lit(r#","permissionMode":"acceptEdits","origin":{"kind":"human"},"promptSource":"typed""#);
        }
        lines.close();
        self.remember(uuid);
        if self.turns.len() == 1 {
            self.attachments();
        }
    }

    fn prompt_text(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        match &self.plan.prompt {
            Some(prompt) if self.turns.len() == 1 => text.extend_from_slice(prompt),
            _ => {
                let size = self.lines.rng.skewed(12, 1500) as usize;
                self.pools.push_prose(&mut text, &mut self.lines.rng, size);
            }
        }
        if self.plan.needle && self.turns.len() == 1 {
            text.extend_from_slice(b" ");
            text.extend_from_slice(NEEDLE.as_bytes());
        }
        text
    }

    fn queue(&mut self, text: &[u8]) {
        for operation in ["enqueue", "dequeue"] {
            self.lines.lit(r#"{"type":"queue-operation","operation":""#).lit(operation);
            self.lines.lit(r#"","timestamp":""#).timestamp().lit("\"");
            if operation == "enqueue" {
                self.lines.lit(r#","content":""#).raw(text).lit("\"");
            }
            self.lines.close_metadata();
        }
    }

    fn snapshot(&mut self, prompt: &Uuid) {
        self.lines.lit(r#"{"type":"file-history-snapshot","messageId":""#).raw(prompt);
        self.lines.lit(r#"","snapshot":{"messageId":""#).raw(prompt);
        self.lines.lit(r#"","trackedFileBackups":{"#);
        for index in 0..self.lines.rng.below(6) as u64 {
            let path = self.pools.path(&mut self.lines.rng).to_owned();
            self.lines.lit(if index == 0 { "\"" } else { ",\"" }).num(index).lit("/").lit(&path);
            self.lines.lit(r#"":{"backupFileName":"0123456789abcdef@v"#).num(index + 1);
            self.lines.lit(r#"","version":"#).num(index + 1);
            self.lines.lit(r#","backupTime":""#).timestamp().lit(r#""}"#);
        }
        self.lines.lit(r#"},"timestamp":""#).timestamp();
        self.lines.lit(r#""},"isSnapshotUpdate":false}"#).end_line();
    }

    /// Writes the attachments at the beginning of a session.
    fn attachments(&mut self) {
        for kind in ["environment", "deferred_tools_delta", "skill_listing", "prompt_snapshot"] {
            let size = self.lines.rng.skewed(100, 4000).min(self.limit().max(100)) as usize;
            let lines = self.lines.open();
            lines.lit(r#","attachment":{"type":""#).lit(kind).lit(r#"","content":""#);
            self.pools.push_prose(&mut lines.out, &mut lines.rng, size);
            lines.lit(r#""},"type":"attachment""#).stamp().close();
        }
    }

    fn turn_end(&mut self, started: i64) {
        let took = self.lines.now.saturating_sub(started).max(0) as u64;
        self.lines
            .open()
            .lit(r#","type":"system","subtype":"turn_duration","durationMs":"#)
            .num(took);
        let turns = self.turns.len() as u64;
        self.lines.lit(r#","messageCount":"#).num(turns * 4).lit(r#","isMeta":false"#);
        let leaf = self.lines.stamp().close();
        let prompt = self.prompts.last().map(|(_, text)| text.clone()).unwrap_or_default();
        self.lines.lit(r#"{"type":"last-prompt","lastPrompt":""#).raw(&prompt);
        self.lines.lit(r#"","leafUuid":""#).raw(&leaf).lit("\"").close_metadata();
    }

    fn compact(&mut self) {
        self.compacted_at = self.lines.bytes();
        let Some(logical) = self.lines.parent.take() else {
            return;
        };
        let kept: Vec<Uuid> = self.recent.iter().rev().take(4).rev().copied().collect();
        let anchor = self.lines.fresh_uuid();
        let list = kept.iter().map(|uuid| format!("\"{}\"", String::from_utf8_lossy(uuid)));
        let list = list.collect::<Vec<String>>().join(",");
        let context = self.context;
        let lines = self.lines.open();
        lines.lit(r#","logicalParentUuid":""#).raw(&logical);
        lines.lit(r#"","type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"level":"info","compactMetadata":{"trigger":"auto","preTokens":"#);
        lines.num(context).lit(r#","postTokens":9000,"durationMs":60000"#);
        if let (Some(head), Some(tail)) = (kept.first(), kept.last()) {
            lines.lit(r#","preservedSegment":{"headUuid":""#).raw(head);
            lines.lit(r#"","anchorUuid":""#).raw(&anchor).lit(r#"","tailUuid":""#).raw(tail);
            lines.lit(r#""},"preservedMessages":{"anchorUuid":""#).raw(&anchor);
            lines.lit(r#"","uuids":["#).lit(&list).lit(r#"],"allUuids":["#).lit(&list).lit("]}");
        }
        lines.lit("}").stamp().close();
        self.lines.open_as(anchor);
        self.lines.lit(r#","type":"user","message":{"role":"user","content":"This session is being continued from a previous conversation. "#);
        self.pools.push_prose(&mut self.lines.out, &mut self.lines.rng, 6000);
        self.lines
            .lit(r#""},"isVisibleInTranscriptOnly":true,"isCompactSummary":true"#)
            .stamp()
            .close();
        self.context = 9000;
        self.turns.clear();
        self.turns.push(self.lines.parent);
    }

    fn title(&mut self) {
        let mut title = Vec::new();
        self.pools.push_prose(&mut title, &mut self.lines.rng, 40);
        self.lines.lit(r#"{"type":"ai-title","aiTitle":""#).raw(&title).lit("\"").close_metadata();
    }

    pub(crate) fn remember(&mut self, uuid: Uuid) {
        if self.recent.len() == 8 {
            self.recent.remove(0);
        }
        self.recent.push(uuid);
    }
}

/// Returns the beginning of an escaped text up to a blank, so that no character or escape is cut.
fn head(text: &[u8], limit: usize) -> &[u8] {
    if text.len() <= limit {
        return text;
    }
    let cut = text[..limit].iter().rposition(|byte| *byte == b' ');
    &text[..cut.unwrap_or(0)]
}
