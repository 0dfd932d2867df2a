//! The SDK's chain, compared with a second and simpler implementation.
//!
//! The steps are those of the SDK's reader, one after the other, each over all lines. They take
//! time in the square of the number of lines, and no damage is tolerated.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use serde_json::Value;
use unspool_model::conversation::Conversation;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_testkit::random::RandomShape;

use crate::sessions::{cases, session_of};

/// The lines of a file as the SDK reads them: later copies replace earlier ones.
struct Lines {
    /// The uuids, in the order of their first lines.
    order: Vec<String>,
    by_uuid: HashMap<String, Line>,
}

struct Line {
    value: Value,
    /// The index of the line in the file.
    index: usize,
}

impl Lines {
    /// Step 1: reads the lines that can be linked.
    fn read(bytes: &[u8]) -> Self {
        const KINDS: [&str; 5] = ["user", "assistant", "progress", "system", "attachment"];
        let (mut order, mut by_uuid) = (Vec::new(), HashMap::new());
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let Ok(value @ Value::Object(_)) = serde_json::from_slice(line) else {
                continue;
            };
            let known = value["type"].as_str().is_some_and(|it| KINDS.contains(&it));
            let Some(uuid) = value["uuid"].as_str().filter(|_| known) else {
                continue;
            };
            let uuid = uuid.to_owned();
            if by_uuid.insert(uuid.clone(), Line { value, index }).is_none() {
                order.push(uuid);
            }
        }
        Self { order, by_uuid }
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    fn line(&self, uuid: &str) -> &Value {
        &self.by_uuid[uuid].value
    }

    fn index(&self, uuid: &str) -> usize {
        self.by_uuid[uuid].index
    }

    /// Returns the uuid if there is such a line.
    fn known<'l>(&'l self, uuid: &str) -> Option<&'l str> {
        self.by_uuid.get_key_value(uuid).map(|(uuid, _)| uuid.as_str())
    }

    fn parent(&self, uuid: &str) -> Option<&str> {
        self.known(self.line(uuid)["parentUuid"].as_str()?)
    }

    /// Returns a line and the lines above it, up to the first one or a repeated one.
    fn walk<'l>(&'l self, from: &'l str) -> Vec<&'l str> {
        let mut walk: Vec<&str> = Vec::new();
        let mut at = Some(from);
        while let Some(uuid) = at.filter(|uuid| !walk.contains(uuid)) {
            walk.push(uuid);
            at = self.parent(uuid);
        }
        walk
    }

    /// Steps 2 to 4: returns the last user or assistant line at or above a line without children.
    fn leaf(&self) -> Option<&str> {
        let named = self.all().filter_map(|uuid| self.parent(uuid));
        let named: HashSet<&str> = named.collect();
        let is_said = |uuid: &&str| {
            let kind = self.line(uuid)["type"].as_str();
            matches!(kind, Some("user" | "assistant"))
        };
        let terminals = self.all().filter(|uuid| !named.contains(uuid));
        let leaves: Vec<&str> = terminals
            .filter_map(|terminal| self.walk(terminal).into_iter().find(is_said))
            .collect();
        let is_preferred = |uuid: &&str| {
            let line = self.line(uuid);
            line["isSidechain"] != true && line["isMeta"] != true && line["teamName"].is_null()
        };
        let last = |uuid: &&str| self.index(uuid);
        let preferred = leaves.iter().copied().filter(is_preferred).max_by_key(last);
        preferred.or(leaves.iter().copied().max_by_key(last))
    }

    /// Step 5: returns the lines from the top down to the leaf.
    fn chain(&self) -> Vec<&str> {
        let mut chain = self.leaf().map_or_else(Vec::new, |leaf| self.walk(leaf));
        chain.reverse();
        chain
    }

    /// Step 6: inserts the lines and results that are not on the walk after the last line of
    /// their answer that is.
    fn with_parallels<'l>(&'l self, walk: &[&'l str]) -> Vec<&'l str> {
        let mut chain: Vec<&str> = Vec::new();
        for (at, &uuid) in walk.iter().enumerate() {
            chain.push(uuid);
            let Some(message) = self.message(uuid) else {
                continue;
            };
            let mut later = walk[at + 1..].iter();
            if later.all(|later| self.message(later) != Some(message)) {
                let added = self.parallels(message, walk, &chain);
                chain.extend(added);
            }
        }
        chain
    }

    /// Returns the lines and results of an answer that are not on the chain.
    fn parallels(&self, message: &str, walk: &[&str], chain: &[&str]) -> Vec<&str> {
        let is_off = |uuid: &&str| !walk.contains(uuid) && !chain.contains(uuid);
        let own = self.all().filter(|uuid| self.message(uuid) == Some(message));
        let own: Vec<&str> = own.collect();
        let is_own = |uuid: &&str| own.contains(uuid);
        let mut siblings: Vec<&str> = own.iter().copied().filter(is_off).collect();
        let mut off: Vec<&str> = self.all().filter(is_off).collect();
        off.sort_by_key(|uuid| self.index(uuid));
        off.retain(|uuid| {
            self.line(uuid)["parentUuid"].is_string() && !self.results(uuid).is_empty()
        });
        let (mut results, others): (Vec<&str>, Vec<&str>) = off
            .into_iter()
            .partition(|uuid| self.parent(uuid).is_some_and(|parent| is_own(&parent)));
        let mut answered: HashSet<&str> = walk.iter().flat_map(|it| self.results(it)).collect();
        answered.extend(results.iter().flat_map(|uuid| self.results(uuid)));
        for stray in others {
            let claims_to_be = self.claims(stray).iter().any(is_own);
            let is_fresh = self.results(stray).into_iter().any(|call| {
                !answered.contains(call) && self.maker(call).is_some_and(|maker| is_own(&maker))
            });
            if claims_to_be && is_fresh {
                answered.extend(self.results(stray));
                results.push(stray);
            }
        }
        let time = |uuid: &&str| self.line(uuid)["timestamp"].as_str().map(str::to_owned);
        siblings.sort_by_key(time);
        results.sort_by_key(time);
        siblings.extend(results);
        siblings
    }

    /// Returns the answer that a line is a part of.
    fn message(&self, uuid: &str) -> Option<&str> {
        let line = self.line(uuid);
        line["message"]["id"].as_str().filter(|_| line["type"] == "assistant")
    }

    fn blocks(&self, uuid: &str, kind: &str, key: &str) -> Vec<&str> {
        let blocks = self.line(uuid)["message"]["content"].as_array();
        let blocks = blocks.into_iter().flatten();
        let blocks = blocks.filter(|block| block["type"] == kind);
        blocks.filter_map(|block| block[key].as_str()).collect()
    }

    /// Returns the calls that a user's line answers.
    fn results(&self, uuid: &str) -> Vec<&str> {
        if self.line(uuid)["type"] == "user" {
            self.blocks(uuid, "tool_result", "tool_use_id")
        } else {
            Vec::new()
        }
    }

    /// Returns the line that makes a call, unless two answers make it.
    fn maker(&self, call: &str) -> Option<&str> {
        let has_call = |uuid: &&str| self.blocks(uuid, "tool_use", "id").contains(&call);
        let lines = self.all().filter(|uuid| self.message(uuid).is_some());
        let makers: Vec<&str> = lines.filter(has_call).collect();
        let first = makers.first()?;
        let mut messages = makers.iter().map(|maker| self.message(maker));
        messages.all(|message| message == self.message(first)).then_some(first)
    }

    /// Returns the lines, other than its parent, that a result may belong to.
    fn claims(&self, uuid: &str) -> Vec<&str> {
        let side = |uuid: &str| {
            let line = self.line(uuid);
            (line["isSidechain"] == true, line["agentId"].as_str())
        };
        let source = self.line(uuid)["sourceToolAssistantUUID"].as_str();
        let source = source.and_then(|source| self.known(source));
        let results = self.results(uuid).into_iter();
        let makers = results.filter_map(|call| self.maker(call));
        let claims = source.into_iter().chain(makers);
        claims.filter(|it| side(it) == side(uuid)).collect()
    }
}

/// Returns the chain as the model builds it.
fn chain(bytes: &[u8]) -> Vec<String> {
    let log = Log::read(bytes);
    let conversation = Conversation::new(&log, Rule::Sdk, Scope::Session);
    let Some(active) = conversation.paths.active() else {
        return Vec::new();
    };
    let nodes = conversation.paths.nodes(&conversation.graph, active);
    let entries = nodes.into_iter();
    let entries = entries.map(|node| conversation.graph.entry(&log, node));
    entries.map(|entry| log.text(entry.uuid.expect("a node has a uuid")).to_owned()).collect()
}

/// Asserts that both implementations give the same chain.
#[track_caller]
pub(crate) fn assert_chain(bytes: &[u8]) {
    let lines = Lines::read(bytes);
    let mut expected = lines.with_parallels(&lines.chain());
    let is_side = |uuid: &&str| lines.line(uuid)["isSidechain"] == true;
    if expected.iter().all(is_side) {
        // No path of the main conversation contains a chain that is all in a sidechain.
        expected.clear();
    }
    assert_eq!(chain(bytes), expected);
}

/// Returns the shape of a session with damaged links, but complete lines.
pub(crate) fn tangled(entries: usize) -> RandomShape {
    RandomShape {
        orphans: 0.04,
        cycles: 0.04,
        self_parents: 0.02,
        duplicates: 0.04,
        repeated_messages: 0.05,
        stray_results: 0.03,
        shuffled: 0.05,
        blank: 0.02,
        ..RandomShape::well_formed(entries)
    }
}

/// Makes every line an answer of its own and every result another block, so that nothing is added back.
fn without_parallels(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let Ok(mut line) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        if line["message"]["id"].is_string() {
            line["message"]["id"] = Value::String(format!("msg_{at}"));
        }
        let blocks = line["message"]["content"].as_array_mut();
        for block in blocks.into_iter().flatten() {
            if block["type"] == "tool_result" {
                block["type"] = Value::String("other".to_owned());
            }
        }
        out.extend_from_slice(line.to_string().as_bytes());
        out.push(b'\n');
    }
    out
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn without_parallel_answers_the_sdks_chain_is_a_plain_walk(bytes in session_of(tangled, 60)) {
        let bytes = without_parallels(&bytes);
        let lines = Lines::read(&bytes);
        let walk = lines.chain();
        prop_assert_eq!(lines.with_parallels(&walk), walk);
        assert_chain(&bytes);
    }

    #[test]
    fn the_sdks_chain_is_the_walk_with_parallel_lines_added(bytes in session_of(tangled, 60)) {
        assert_chain(&bytes);
    }
}

#[test]
fn the_sdk_passes_over_records_of_unknown_types_that_repeat_a_uuid() {
    assert_chain(
        br#"{"type":"assistant","uuid":"a"}
{"type":"user","uuid":"b","parentUuid":"a"}
{"uuid":"a"}"#,
    );
}
