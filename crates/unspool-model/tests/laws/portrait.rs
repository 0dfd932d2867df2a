//! Everything that can be known of a log, line by line, so that two logs can be compared.
//!
//! Symbols are numbers whose order depends on how a log was read, so they are written as
//! their texts. Structs are taken apart field by field: a new field must be added here.

use std::fmt::Debug;

use unspool_model::conversation::{
    Conversation, CountedCall, CountedMessage, CountedTurn, InlineAgent, Liveness, View,
};
use unspool_model::entry::{Block, BlockKind, Entry};
use unspool_model::facts::{Facts, LastPrompt};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::{AgentLink, Compaction, Log, UsageRow};
use unspool_model::paths::{Path, PathRow, Paths};
use unspool_model::positions::{GroupId, NodeId};
use unspool_model::symbols::Symbol;

/// The ways in which a log can be looked at.
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
    lines
}

/// Returns where two portraits first differ.
pub(crate) fn difference(one: &[String], other: &[String]) -> Option<String> {
    let at = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at))?;
    let show = |lines: &[String]| lines.get(at).cloned().unwrap_or_else(|| "(end)".to_owned());
    Some(format!("one:   {}\nother: {}", show(one), show(other)))
}

/// Describes what was read, before anything is concluded from it.
fn of_log(log: &Log) -> Vec<String> {
    let mut lines = vec![format!(
        "{} bytes, {} lines, resumes at {}",
        log.bytes(),
        log.lines(),
        log.resume_offset()
    )];
    lines.extend(log.entries.iter().map(|entry| of_entry(log, entry)));
    lines.extend(numbered("span", log.spans()));
    lines.extend(numbered("diagnostic", &log.diagnostics));
    lines.extend(log.usage.iter().map(|row| of_usage(log, row)));
    lines.extend(log.compactions.iter().map(|found| of_compaction(log, found)));
    lines.extend(log.links.iter().map(|link| of_link(log, link)));
    lines.extend(
        log.sources.iter().map(|(entry, source)| format!("source {entry} {}", log.text(*source))),
    );
    lines.extend(numbered("duration", &log.durations));
    lines.extend(numbered("change", &log.changes));
    lines.extend(
        log.branches
            .iter()
            .map(|(entry, branch)| format!("branch {entry} {:?}", text(log, *branch))),
    );
    lines.extend(
        log.origins.iter().map(|(entry, origin)| format!("origin {entry} {}", log.text(*origin))),
    );
    lines.extend(of_facts(log, &log.facts));
    lines
}

fn numbered<T: Debug>(name: &str, items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().enumerate().map(|(at, item)| format!("{name} {at}: {item:?}")).collect()
}

fn text(log: &Log, symbol: Option<Symbol>) -> Option<&str> {
    symbol.map(|symbol| log.text(symbol))
}

fn texts<'l>(log: &'l Log, symbols: &[Symbol]) -> Vec<&'l str> {
    symbols.iter().map(|&symbol| log.text(symbol)).collect()
}

fn of_entry(log: &Log, entry: &Entry) -> String {
    let Entry {
        span,
        line,
        kind,
        says,
        flags,
        name,
        uuid,
        parent,
        logical_parent,
        message,
        agent,
        time,
        blocks,
    } = entry;
    let links = [name, uuid, parent, logical_parent, message, agent].map(|&link| text(log, link));
    let found: Vec<String> =
        log.blocks_of(entry).iter().map(|block| of_block(log, block)).collect();
    format!(
        "entry {span:?} {line} {kind:?} {says:?} {flags:?} {links:?} {time:?} {:?} {found:?}",
        blocks.indices()
    )
}

fn of_block(log: &Log, block: &Block) -> String {
    let Block { kind, call, name, file } = block;
    format!("{kind:?} {:?}", [call, name, file].map(|&symbol| text(log, symbol)))
}

fn of_usage(log: &Log, row: &UsageRow) -> String {
    let UsageRow { entry, message, request, model, tokens } = row;
    let ids = [Some(*message), *request, Some(*model)].map(|id| text(log, id));
    format!("usage {entry} {ids:?} {tokens:?}")
}

fn of_compaction(log: &Log, compaction: &Compaction) -> String {
    let Compaction {
        entry,
        names_kept,
        names_messages,
        preserved,
        segment,
        anchor,
        trigger,
        tokens_before,
        tokens_after,
    } = compaction;
    let segment = segment.map(|(head, tail)| (log.text(head), log.text(tail)));
    let names = [anchor, trigger].map(|&symbol| text(log, symbol));
    format!(
        "compaction {entry} {names_kept} {names_messages} {:?} {segment:?} {names:?} \
         {tokens_before:?} {tokens_after:?}",
        texts(log, preserved)
    )
}

fn of_link(log: &Log, link: &AgentLink) -> String {
    match *link {
        AgentLink::Launch { call, prompt } => format!("launch {} {prompt}", log.text(call)),
        AgentLink::Opening { entry, prompt } => format!("opening {entry} {prompt}"),
        AgentLink::Run { call, run } => format!("run {} {}", log.text(call), log.text(run)),
        AgentLink::Result { call, agent } => {
            format!("result {} {}", log.text(call), log.text(agent))
        }
        AgentLink::Progress { call, agent } => {
            format!("progress {} {}", log.text(call), log.text(agent))
        }
        AgentLink::Text { call, agent } => format!("text {} {}", log.text(call), log.text(agent)),
    }
}

fn of_facts(log: &Log, facts: &Facts) -> Vec<String> {
    let Facts {
        sessions,
        cwds,
        branch,
        version,
        slugs,
        entrypoint,
        prompt_source,
        custom_title,
        agent_name,
        ai_title,
        summaries,
        last_prompt,
        opening,
        first_prompt_sdk,
        first_command_sdk,
        started,
        ended,
        forked_from,
        forked_at,
    } = facts;
    let names = [branch, version, entrypoint, prompt_source].map(|&name| text(log, name));
    let titles = [custom_title, agent_name, ai_title, first_prompt_sdk, first_command_sdk];
    let summaries: Vec<_> =
        summaries.iter().map(|(leaf, summary)| (log.text(*leaf), summary)).collect();
    let leaf = last_prompt.map(|pin| {
        let LastPrompt { entry, leaf, explicit } = pin;
        (entry, text(log, leaf), explicit)
    });
    let forks: Vec<_> = forked_from.iter().map(|(id, count)| (log.text(*id), count)).collect();
    vec![
        format!(
            "facts: sessions {:?} slugs {:?} folders {:?}",
            texts(log, sessions),
            texts(log, slugs),
            texts(log, cwds)
        ),
        format!("facts: opening {opening:?} {:?}", log.openings()),
        format!("facts: names {names:?}"),
        format!("facts: titles {titles:?}"),
        format!("facts: summaries {summaries:?} last prompt {leaf:?} forks {forks:?}"),
        format!("facts: from {started:?} to {ended:?} forked at {:?}", text(log, *forked_at)),
    ]
}

fn of_conversation(conversation: &Conversation<'_>) -> Vec<String> {
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
    lines.extend(of_tally(conversation));
    lines
}

fn of_tally(conversation: &Conversation<'_>) -> Vec<String> {
    let (tally, log) = (conversation.tally(), conversation.log);
    let messages = tally.messages.iter().map(|message| {
        let CountedMessage { key, entry, turn } = *message;
        format!("counts message {} {entry} {turn:?}", log.text(key))
    });
    let turns = tally.turns.iter().map(|turn| {
        let CountedTurn { key, entry, length } = *turn;
        format!("counts turn {} {entry} {length:?}", log.text(key))
    });
    let calls = tally.calls.iter().map(|call| {
        let CountedCall { key, entry, tool, verdict, added, removed } = *call;
        let names = [Some(key), tool].map(|name| text(log, name));
        format!("counts call {names:?} {entry} {verdict:?} {added} {removed}")
    });
    messages.chain(turns).chain(calls).collect()
}

fn of_paths(conversation: &Conversation<'_>, paths: &Paths) -> Vec<String> {
    let mut lines = Vec::new();
    let row = PathRow::new(paths);
    for path in &paths.paths {
        let Path { index, active, head, fork_point, last, .. } = path;
        let nodes = paths.nodes(&conversation.graph, path);
        let exits = row.exits(paths, path);
        let left_at = GroupId::all(paths.groups.len())
            .filter_map(|group| Some((group, row.leaving(&exits, group)?.numbers())));
        let branches: Vec<_> = left_at.collect();
        lines.push(format!("path {index} {active} {head} {fork_point:?} {last} {nodes:?}"));
        lines.push(format!("path {index} is left at {branches:?}"));
    }
    for (index, group) in GroupId::enumerate(&paths.groups) {
        let members = paths.members(index);
        lines.push(format!(
            "group {index} {:?} {} {} {members:?}",
            group.parent(),
            group.first,
            group.continuations
        ));
    }
    lines.push(format!("continuations {:?}", paths.continuations()));
    lines
}

fn of_view(conversation: &Conversation<'_>, name: &str, view: &View) -> Vec<String> {
    let mut lines: Vec<String> = view
        .messages
        .iter()
        .map(|message| {
            let nodes = view.nodes(message);
            format!("{name} {:?} {:?} {:?} {nodes:?}", message.speaker, message.kind, message.group)
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
        let id = text(conversation.log, *agent);
        lines.push(format!("agent {root} {id:?} {}", path.index));
        let history = conversation.inline_history(&found, path);
        lines.extend(of_view(conversation, "agent", &history));
    }
    lines
}
