//! Everything observable of a log, line by line, so that two logs can be compared.
//!
//! Symbols are numbers that depend on how a log was read, so their texts are written instead.

use std::fmt::Debug;

use unspool_model::conversation::{Conversation, InlineAgent, Liveness, Message, View};
use unspool_model::entry::BlockKind;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::paths::{PathOrder, Paths};
use unspool_model::positions::{GroupId, NodeId};

/// All rules and scopes under which a log can be read.
pub(crate) const VIEWS: [(Rule, Scope); 6] = [
    (Rule::Current, Scope::Session),
    (Rule::NewestTime, Scope::Session),
    (Rule::Sdk, Scope::Session),
    (Rule::Current, Scope::Agent),
    (Rule::NewestTime, Scope::Agent),
    (Rule::Sdk, Scope::Agent),
];

/// Describes a log and its conversation in every view.
pub(crate) fn portrait(log: &Log) -> Vec<String> {
    let mut lines = of_log(log);
    for (rule, scope) in VIEWS {
        let conversation = Conversation::new(log, rule, scope);
        let name = format!("{} {scope:?}", rule.name());
        let found = of_conversation(&conversation);
        lines.extend(found.into_iter().map(|line| format!("{name}: {line}")));
    }
    let texts: Vec<&str> = log.symbols.texts().collect();
    lines.iter().map(|line| spelled(line, &texts)).collect()
}

/// Returns the first difference between two portraits.
pub(crate) fn difference(one: &[String], other: &[String]) -> Option<String> {
    let at = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at))?;
    let show = |lines: &[String]| lines.get(at).cloned().unwrap_or_else(|| "(end)".to_owned());
    Some(format!("one:   {}\nother: {}", show(one), show(other)))
}

/// Describes the tables of a log.
fn of_log(log: &Log) -> Vec<String> {
    let mut lines = vec![format!(
        "{} bytes, {} lines, resumes at {}",
        log.bytes(),
        log.lines(),
        log.resume_offset()
    )];
    lines.extend(numbered("entry", &log.entries));
    lines.extend(numbered("block", &log.blocks));
    lines.extend(numbered("span", log.spans()));
    lines.extend(numbered("diagnostic", &log.diagnostics));
    lines.extend(numbered("usage", &log.usage));
    lines.extend(numbered("compaction", &log.compactions));
    lines.extend(numbered("link", &log.links));
    lines.extend(numbered("source", &log.sources));
    lines.extend(numbered("duration", &log.durations));
    lines.extend(numbered("change", &log.changes));
    lines.extend(numbered("branch", &log.branches));
    lines.extend(numbered("origin", &log.origins));
    lines.push(format!("{:?} {:?}", log.facts, log.openings()));
    lines
}

fn numbered<T: Debug>(name: &str, items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().enumerate().map(|(at, item)| format!("{name} {at}: {item:?}")).collect()
}

/// Replaces the numbers of symbols with their texts.
fn spelled(line: &str, texts: &[&str]) -> String {
    let mut parts = line.split("Symbol(");
    let mut spelled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(')').expect("a number in brackets");
        let number: usize = number.parse().expect("a number counted from one");
        spelled.push_str(texts[number - 1]);
        spelled.push_str(rest);
    }
    spelled
}

pub(crate) fn of_conversation(conversation: &Conversation<'_>) -> Vec<String> {
    let (graph, paths) = (&conversation.graph, &conversation.paths);
    let mut lines = vec![format!("{:?}", conversation.counts())];
    lines.extend(numbered("bucket", conversation.buckets()));
    lines.extend(numbered("node", &graph.nodes));
    lines.push(format!("order {:?}", graph.order().collect::<Vec<_>>()));
    lines.extend(numbered("preserved", &graph.preserved));
    lines.extend(of_paths(conversation, paths));
    for path in &paths.paths {
        lines.extend(of_view(conversation, "history", &conversation.history(path)));
        lines.extend(of_view(conversation, "context", &conversation.context(path)));
    }
    lines.extend(of_calls(conversation));
    lines.extend(of_agents(conversation));
    let tally = conversation.tally();
    lines.extend(numbered("counts message", tally.messages));
    lines.extend(numbered("counts turn", tally.turns));
    lines.extend(numbered("counts call", tally.calls));
    lines
}

fn of_paths(conversation: &Conversation<'_>, paths: &Paths) -> Vec<String> {
    let mut lines = Vec::new();
    let row = PathOrder::new(paths);
    for path in &paths.paths {
        let nodes = paths.with_left_out(paths.nodes(&conversation.graph, path));
        let exits = row.exits(paths, path);
        let left_at = GroupId::all(paths.groups.len())
            .filter_map(|group| Some((group, row.leaving(&exits, group)?.numbers())));
        let branches: Vec<_> = left_at.collect();
        lines.push(format!("{path:?} {nodes:?} is left at {branches:?}"));
    }
    for (index, group) in GroupId::enumerate(&paths.groups) {
        lines.push(format!("{index} {group:?} {:?}", paths.members(index)));
    }
    lines.push(format!("continuations {:?}", paths.continuations()));
    lines
}

pub(crate) fn of_view(conversation: &Conversation<'_>, name: &str, view: &View) -> Vec<String> {
    let messages = view.messages.iter();
    let mut lines: Vec<String> = messages
        .map(|message| {
            let Message { speaker, kind, group, left_out, .. } = message;
            format!("{name} {speaker:?} {kind:?} {group:?} {left_out} {:?}", view.nodes(message))
        })
        .collect();
    for live in [Liveness::Live, Liveness::Idle] {
        lines.extend(numbered(name, conversation.turns(view, live)));
    }
    lines
}

fn of_calls(conversation: &Conversation<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for node in NodeId::all(conversation.graph.nodes.len()) {
        let entry = conversation.graph.entry(conversation.log, node);
        for block in conversation.log.blocks_of(entry) {
            if block.kind != BlockKind::Call {
                continue;
            }
            let result = block.call.and_then(|call| conversation.result_of(node, call));
            let took = result.and_then(|result| conversation.call_duration(node, result));
            let status = [Liveness::Live, Liveness::Idle]
                .map(|live| conversation.call_status(node, result, live));
            lines.push(format!("call of {node}: {result:?} {took:?} {status:?}"));
        }
    }
    lines
}

fn of_agents(conversation: &Conversation<'_>) -> Vec<String> {
    let found = conversation.inline_agents();
    let mut lines = of_paths(conversation, &found.paths);
    for InlineAgent { root, agent, path } in &found.agents {
        lines.push(format!("agent {root} {agent:?} {}", path.index));
        let history = conversation.inline_history(&found, path);
        lines.extend(of_view(conversation, "agent", &history));
    }
    lines
}
