//! Random sessions with every shape that determines what a resume continues.
//!
//! Records the shapes of each session, so that a test can check that all of them occur.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::ids::{ZERO_UUID, uuid};
use crate::rng::Rng;
use crate::time;

/// Declares the shapes and the list of all of them.
macro_rules! shapes {
    ($($shape:ident)*) => {
        /// A shape that a session may have.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[expect(missing_docs, reason = "each name says which shape it is")]
        pub enum SessionShape {
            $($shape,)*
        }

        impl SessionShape {
            /// All shapes.
            pub const ALL: &[Self] = &[$(Self::$shape,)*];
        }
    };
}

shapes! {
    Rewind SecondRoot ParentAnywhere ParentIsProgress ProgressBelowItsChild
    ParallelCalls InlineResults OpenCall StrayResult SecondResult RepeatedCall
    ThinkingOnly ApiError Queued SideLine Sidechain
    RepeatedUuid UnknownParent OwnParent
    Pin ExplicitPin ZeroPin OddPin
    Compaction KeptMessages KeptSegment KeptAfterBoundary KeptMissing ParentIsForgotten
    EqualTimes WildTimes NoTime
    Shuffled Glued Garbage Torn
}

/// A random session and the shapes that it has.
#[derive(Clone, Debug)]
pub struct Resumable {
    /// The bytes of the log.
    pub log: Vec<u8>,
    /// The shapes in it.
    pub shapes: BTreeSet<SessionShape>,
}

/// Returns a session of `turns` turns; each shape is enabled at random.
pub fn session(seed: u64, turns: usize) -> Resumable {
    let mut rng = Rng::new(seed);
    let rate = rng.pick(&[0.1, 0.3, 0.6]);
    let on: BTreeSet<SessionShape> =
        SessionShape::ALL.iter().copied().filter(|_| rng.chance(rate)).collect();
    let mut maker = SessionMaker {
        rng,
        on,
        used: BTreeSet::new(),
        lines: Vec::new(),
        uuids: Vec::new(),
        entries: Vec::new(),
        prompts: Vec::new(),
        calls: Vec::new(),
        last: None,
        next: 0,
        clock: 1_790_000_000_000,
    };
    for _ in 0..turns {
        maker.turn();
    }
    maker.finish()
}

/// Writes a session line by line.
struct SessionMaker {
    rng: Rng,
    on: BTreeSet<SessionShape>,
    used: BTreeSet<SessionShape>,
    lines: Vec<Value>,
    /// The uuids of entries and progress records so far.
    uuids: Vec<String>,
    /// The uuids of entries so far.
    entries: Vec<String>,
    /// The parents of the prompts so far.
    prompts: Vec<Option<String>>,
    calls: Vec<String>,
    last: Option<String>,
    next: u64,
    clock: i64,
}

impl SessionMaker {
    /// Returns true with a probability if a shape is enabled, and records its use.
    fn wants(&mut self, shape: SessionShape, probability: f64) -> bool {
        let wants = self.on.contains(&shape) && self.rng.chance(probability);
        if wants {
            self.used.insert(shape);
        }
        wants
    }

    fn turn(&mut self) {
        if self.wants(SessionShape::Compaction, 0.25) {
            self.compaction();
        }
        self.prompt();
        for _ in 0..self.rng.between(1, 3) {
            self.answer();
        }
        if self.rng.chance(0.5) {
            self.entry("system", &json!({"subtype": "turn_duration", "durationMs": 5}));
        }
        self.sidechain();
        self.pin();
    }

    fn prompt(&mut self) {
        if self.wants(SessionShape::Rewind, 0.4) && !self.prompts.is_empty() {
            let at = self.rng.below(self.prompts.len());
            self.last.clone_from(&self.prompts[at]);
        }
        if self.wants(SessionShape::SecondRoot, 0.15) {
            self.last = None;
        }
        self.prompts.push(self.last.clone());
        let text = format!("prompt {}", self.next);
        self.entry("user", &json!({"message": {"role": "user", "content": text}}));
        if self.rng.chance(0.3) {
            self.entry("attachment", &json!({"attachment": {"type": "hook_success"}}));
        }
    }

    fn answer(&mut self) {
        let id = format!("msg_{}", self.next);
        if self.wants(SessionShape::ApiError, 0.2) {
            let content = json!([{"type": "text", "text": "API Error"}]);
            let message = answer_of(&id, &content);
            self.entry("assistant", &json!({"message": message, "isApiErrorMessage": true}));
            return;
        }
        let silent = self.wants(SessionShape::ThinkingOnly, 0.3);
        if silent || self.rng.chance(0.3) {
            self.block(&id, &json!({"type": "thinking", "thinking": "hm"}));
        }
        if silent {
            return;
        }
        if self.rng.chance(0.6) {
            self.block(&id, &json!({"type": "text", "text": format!("answer {}", self.next)}));
        }
        if self.rng.chance(0.7) {
            self.work(&id);
        }
        if self.wants(SessionShape::Queued, 0.3) {
            let prompt = format!("queued {}", self.next);
            let attachment = json!({"type": "queued_command", "prompt": prompt});
            self.entry("attachment", &json!({"attachment": attachment}));
        }
    }

    /// Writes calls and their results.
    fn work(&mut self, id: &str) {
        let parallel = self.wants(SessionShape::ParallelCalls, 0.6);
        let inline = self.wants(SessionShape::InlineResults, 0.5);
        let count = if parallel { self.rng.between(2, 4) } else { 1 };
        let mut open = Vec::new();
        for _ in 0..count {
            let repeats = self.wants(SessionShape::RepeatedCall, 0.3) && !self.calls.is_empty();
            let call = if repeats {
                self.calls[self.rng.below(self.calls.len())].clone()
            } else {
                format!("toolu_{}", self.next)
            };
            self.calls.push(call.clone());
            let input = json!({"command": "true"});
            self.block(
                id,
                &json!({"type": "tool_use", "id": call, "name": "Bash", "input": input}),
            );
            let line = self.last.clone();
            self.side_line();
            if inline {
                self.result(&call);
            } else {
                open.push((call, line));
            }
        }
        self.rng.shuffle(&mut open);
        for (call, line) in open {
            if self.wants(SessionShape::OpenCall, 0.4) {
                continue;
            }
            if !self.wants(SessionShape::StrayResult, 0.2) {
                self.last = line;
            }
            self.result(&call);
            if self.wants(SessionShape::SecondResult, 0.2) {
                self.result(&call);
            }
        }
        if self.wants(SessionShape::StrayResult, 0.1) {
            self.result("toolu_nobody");
        }
    }

    /// Adds a line of the client that is not on the path; later entries may have it as their parent.
    fn side_line(&mut self) {
        let before = self.last.clone();
        if self.wants(SessionShape::ParentIsProgress, 0.4) {
            self.entry("progress", &json!({"data": {"type": "hook_progress"}}));
            if self.rng.chance(0.5) {
                return;
            }
        } else if self.wants(SessionShape::SideLine, 0.4) {
            let (kind, more) = if self.rng.chance(0.5) {
                ("system", json!({"subtype": "informational"}))
            } else {
                ("attachment", json!({"attachment": {"type": "hook_success"}}))
            };
            self.entry(kind, &more);
        }
        self.last = before;
    }

    fn sidechain(&mut self) {
        if !self.wants(SessionShape::Sidechain, 0.4) {
            return;
        }
        let before = self.last.clone();
        if self.rng.chance(0.5) {
            self.last = None;
        }
        let message = json!({"role": "user", "content": "task"});
        self.entry("user", &json!({"message": message, "isSidechain": true}));
        let message = answer_of("msg_side", &json!([{"type": "text", "text": "done"}]));
        self.entry("assistant", &json!({"message": message, "isSidechain": true}));
        self.last = before;
    }

    fn pin(&mut self) {
        let leaf = if self.wants(SessionShape::ZeroPin, 0.3) {
            ZERO_UUID.to_owned()
        } else if self.wants(SessionShape::OddPin, 0.3) {
            if self.rng.chance(0.3) { "nothing".to_owned() } else { self.any_uuid() }
        } else if self.wants(SessionShape::Pin, 0.6) {
            self.last.clone().unwrap_or_default()
        } else {
            return;
        };
        let explicit = self.wants(SessionShape::ExplicitPin, 0.5);
        let mut line = json!({"type": "last-prompt", "lastPrompt": "words", "leafUuid": leaf});
        if explicit {
            line["explicit"] = json!(true);
        }
        self.lines.push(line);
    }

    fn compaction(&mut self) {
        let chain = self.chain();
        let logical = self.last.take();
        let (boundary, summary) = (self.peek(0), self.peek(1));
        let mut metadata = json!({"trigger": "auto", "preTokens": 1000});
        let kept = &chain[chain.len() - self.rng.below(chain.len() + 1)..];
        let following = self.wants(SessionShape::KeptAfterBoundary, 0.3);
        let anchor = if following { &boundary } else { &summary };
        let missing = self.wants(SessionShape::KeptMissing, 0.3);
        let anchor = if missing { "nothing" } else { anchor };
        if self.wants(SessionShape::KeptMessages, 0.6) {
            metadata["preservedMessages"] = json!({"anchorUuid": anchor, "uuids": kept});
        } else if self.wants(SessionShape::KeptSegment, 0.6) && !kept.is_empty() {
            metadata["preservedSegment"] = json!({
                "headUuid": kept[0], "anchorUuid": anchor, "tailUuid": kept[kept.len() - 1],
            });
        }
        self.entry(
            "system",
            &json!({
                "subtype": "compact_boundary",
                "logicalParentUuid": logical,
                "compactMetadata": metadata,
            }),
        );
        let message = json!({"role": "user", "content": "This session is being continued"});
        self.entry("user", &json!({"message": message, "isCompactSummary": true}));
        if self.wants(SessionShape::ParentIsForgotten, 0.4) && !chain.is_empty() {
            self.last = Some(chain[self.rng.below(chain.len())].clone());
        }
    }

    /// Returns the entries of the path to the last one, the first one first.
    fn chain(&self) -> Vec<String> {
        let mut chain = Vec::new();
        let mut at = self.last.clone();
        for line in self.lines.iter().rev() {
            let entry = line["type"] != "progress" && line["uuid"].is_string();
            if line["uuid"].as_str() == at.as_deref() && entry && at.is_some() {
                chain.extend(at);
                at = line["parentUuid"].as_str().map(str::to_owned);
            }
        }
        chain.reverse();
        chain
    }

    fn result(&mut self, call: &str) {
        let text = format!("result {}", self.next);
        let block = json!({"type": "tool_result", "tool_use_id": call, "content": text});
        self.entry("user", &json!({"message": {"role": "user", "content": [block]}}));
    }

    fn block(&mut self, id: &str, block: &Value) {
        let message = answer_of(id, &json!([block]));
        self.entry("assistant", &json!({"message": message}));
    }

    /// Returns the uuid of the entry that follows after `ahead` others.
    fn peek(&self, ahead: u64) -> String {
        uuid(&format!("entry {}", self.next + ahead))
    }

    fn any_uuid(&mut self) -> String {
        match self.uuids.len() {
            0 => ZERO_UUID.to_owned(),
            len => self.uuids[self.rng.below(len)].clone(),
        }
    }

    /// Writes an entry whose parent is the last one, unless an enabled shape changes it.
    fn entry(&mut self, kind: &str, more: &Value) {
        let mut id = self.peek(0);
        self.next += 1;
        // Progress records always have new uuids.
        let repeatable = kind != "progress" && !self.entries.is_empty();
        if repeatable && self.wants(SessionShape::RepeatedUuid, 0.05) {
            let at = self.rng.below(self.entries.len());
            id.clone_from(&self.entries[at]);
        }
        let mut parent = self.last.clone();
        if self.wants(SessionShape::ParentAnywhere, 0.05) {
            parent = Some(self.any_uuid());
        }
        if self.wants(SessionShape::UnknownParent, 0.05) {
            parent = Some("unknown".to_owned());
        }
        if self.wants(SessionShape::OwnParent, 0.03) {
            parent = Some(id.clone());
        }
        let mut line =
            json!({"parentUuid": parent, "isSidechain": false, "type": kind, "uuid": id});
        if let Some(time) = self.time() {
            line["timestamp"] = json!(time);
        }
        for (key, value) in more.as_object().into_iter().flatten() {
            line[key] = value.clone();
        }
        line["sessionId"] = json!("11111111-1111-4111-8111-111111111111");
        self.lines.push(line);
        self.uuids.push(id.clone());
        if kind != "progress" {
            self.entries.push(id.clone());
        }
        self.last = Some(id);
    }

    fn time(&mut self) -> Option<String> {
        if self.wants(SessionShape::NoTime, 0.1) {
            return None;
        }
        if !self.wants(SessionShape::EqualTimes, 0.5) {
            self.clock += self.rng.between(1, 9_000) as i64;
        }
        let mut at = self.clock;
        if self.wants(SessionShape::WildTimes, 0.2) {
            at -= self.rng.between(0, 60_000) as i64;
        }
        Some(time::iso(at))
    }

    fn finish(mut self) -> Resumable {
        for at in 1..self.lines.len() {
            if self.wants(SessionShape::Shuffled, 0.1) {
                self.lines.swap(at - 1, at);
            }
            if self.lines[at - 1]["type"] == "progress"
                && self.wants(SessionShape::ProgressBelowItsChild, 0.3)
            {
                self.lines.swap(at - 1, at);
            }
        }
        let mut log = Vec::new();
        for line in std::mem::take(&mut self.lines) {
            let text = line.to_string();
            if self.wants(SessionShape::Garbage, 0.05) {
                log.extend_from_slice(b"garbage ");
            }
            if self.wants(SessionShape::Torn, 0.05) {
                log.extend_from_slice(&text.as_bytes()[..text.len() / 2]);
            } else {
                log.extend_from_slice(text.as_bytes());
            }
            if !self.wants(SessionShape::Glued, 0.05) {
                log.push(b'\n');
            }
        }
        Resumable { log, shapes: self.used }
    }
}

/// Returns the message of an answer.
fn answer_of(id: &str, content: &Value) -> Value {
    json!({
        "id": id, "type": "message", "role": "assistant", "model": "claude-opus-5",
        "content": content, "stop_reason": null,
    })
}
