//! Remembers what was reported of messages, so that everything is reported once.

use std::collections::HashMap;

use unspool_model::conversation::{CallStatus, Liveness};
use unspool_model::ids::EntryId;
use unspool_model::time::Time;
use unspool_model::tool;

use super::{FollowedCall, FollowedEventKind, FollowedMessage, TimedThing};
use crate::ops::message::{BlockText, CallText, MessageText};

/// The reported messages of a conversation, by their first entries.
#[derive(Default)]
pub(super) struct ReportedMessages(HashMap<EntryId, ToldMessage>);

/// What was reported of a message.
#[derive(Default)]
struct ToldMessage {
    /// The number of reported texts.
    texts: usize,
    /// The calls, and whether their ends were reported.
    calls: HashMap<String, bool>,
    /// Whether the message existed before the follower began, and was not read.
    is_old: bool,
}

/// Facts about the session that are not in the message.
#[derive(Clone, Copy)]
pub(super) struct ReportFacts<'a> {
    /// Whether a process has owned the session while it was followed. If none has, a call without a
    /// result may still be running: not every client registers its process.
    pub(super) live: Liveness,
    /// Returns when an entry was written.
    pub(super) time_of: &'a dyn Fn(&EntryId) -> Option<Time>,
}

impl ReportedMessages {
    /// Registers a message from before the follower began.
    pub(super) fn add_old(&mut self, first: EntryId) {
        let told = self.0.entry(first).or_default();
        told.is_old = true;
    }

    /// Reports whether a message is known: reported, or from before the follower began.
    pub(super) fn has(&self, message: &MessageText) -> bool {
        self.key(message).is_some()
    }

    fn key(&self, message: &MessageText) -> Option<EntryId> {
        let mut entries = message.entries.iter();
        entries.find(|entry| self.0.contains_key(*entry)).cloned()
    }

    /// Returns what is new in a message, each event with its time.
    pub(super) fn tell(
        &mut self,
        message: &MessageText,
        facts: ReportFacts<'_>,
    ) -> Vec<TimedThing> {
        let first = self.key(message).or_else(|| message.entries.first().cloned());
        let Some(first) = first else {
            return Vec::new();
        };
        let told = self.0.entry(first.clone()).or_default();
        let mut things = Vec::new();
        let mut texts = Vec::new();
        let mut seen = 0;
        for block in &message.blocks {
            match block {
                BlockText::Text(text) => {
                    seen += 1;
                    if seen > told.texts {
                        texts.push(text.as_str());
                    }
                }
                BlockText::Call(call) => {
                    said(&mut texts, message, &first, &mut things);
                    tell_call(told, call, message.time, facts, &mut things);
                }
                _ => {}
            }
        }
        said(&mut texts, message, &first, &mut things);
        told.texts = seen;
        if std::mem::take(&mut told.is_old) {
            things.clear();
        }
        things
    }
}

/// Joins consecutive texts to one event.
fn said(
    texts: &mut Vec<&str>,
    message: &MessageText,
    first: &EntryId,
    things: &mut Vec<TimedThing>,
) {
    let text = std::mem::take(texts).join("\n");
    if text.trim().is_empty() {
        return;
    }
    let said = FollowedMessage {
        entry: Some(first.clone()),
        speaker: message.speaker,
        kind: message.kind,
        text,
    };
    things.push((message.time, FollowedEventKind::Said(said)));
}

fn tell_call(
    told: &mut ToldMessage,
    call: &CallText,
    made: Option<Time>,
    facts: ReportFacts<'_>,
    things: &mut Vec<TimedThing>,
) {
    let known = told.calls.get(call.id.as_deref().unwrap_or_default());
    let is_over = match call.status {
        CallStatus::Pending => false,
        CallStatus::Interrupted => call.result.is_some() || facts.live == Liveness::Live,
        _ => true,
    };
    if known == Some(&true) || (known == Some(&false) && !is_over) {
        return;
    }
    let shown = FollowedCall {
        id: call.id.clone(),
        tool: call.name.clone(),
        summary: tool::parse(&call.name, call.input.as_bytes()).summary(),
    };
    if known.is_none() {
        things.push((made, FollowedEventKind::CallStarted(shown.clone())));
    }
    let id = call.id.clone().unwrap_or_default();
    told.calls.insert(id, is_over);
    if !is_over {
        return;
    }
    let entry = call.result.as_ref().and_then(|result| result.entry.as_ref());
    let ended = FollowedEventKind::CallEnded {
        call: shown,
        status: call.status,
        duration_ms: call.duration_ms,
    };
    things.push((entry.and_then(facts.time_of), ended));
}
