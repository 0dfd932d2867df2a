//! Agents without a call, and calls without the agent's file.

use std::collections::{HashMap, HashSet};

use unspool_model::conversation::InlineAgents;
use unspool_model::entry::MessageKind;
use unspool_model::graph::Scope;
use unspool_model::log::AgentLink;
use unspool_model::node::Edge;
use unspool_model::symbols::Symbol;

use super::findings::{Findings, quoted};
use super::{CheckSummary, CheckedFile, RuleId, Whole};
use crate::ops::agents::{inline_calls, launches};

pub(super) fn check(
    subject: &CheckedFile<'_>,
    whole: &Whole<'_>,
    findings: &mut Findings,
    summary: &mut CheckSummary,
) {
    if let Some(index) = subject.agent {
        own_file(subject, index, whole, findings, summary);
    }
    let inline = subject.conversation.inline_agents();
    inline_agents(subject, &inline, findings, summary);
    let opened_alone = subject.agent.is_none() && subject.session.scope == Scope::Agent;
    if !opened_alone {
        missing_files(subject, &inline, findings);
    }
}

/// Checks an agent with a separate file.
fn own_file(
    subject: &CheckedFile<'_>,
    index: usize,
    whole: &Whole<'_>,
    findings: &mut Findings,
    summary: &mut CheckSummary,
) {
    let prompts =
        subject.nodes().filter(|(_, entry)| entry.says == Some(MessageKind::Prompt)).count();
    if !subject.conversation.graph.nodes.is_empty() {
        summary.sidechains.delegation(prompts as u64);
    }
    let agent = &subject.session.agents[index];
    match agent.call.as_deref() {
        Some(call) if whole.calls.contains(call) => summary.agents.linked += 1,
        call => {
            summary.agents.unlinked += 1;
            findings.whole(RuleId::UnlinkedAgent, || match call {
                Some(call) => format!("its call {} is nowhere in the session", quoted(call)),
                None => "nothing says which call started it".to_owned(),
            });
        }
    }
}

/// Checks the inline agents of a session's file.
///
/// In the flat dialect the parent of a sidechain is the message that started it; clients write no
/// parent, and the prompt identifies the call.
fn inline_agents(
    subject: &CheckedFile<'_>,
    inline: &InlineAgents,
    findings: &mut Findings,
    summary: &mut CheckSummary,
) {
    if inline.agents.is_empty() {
        return;
    }
    let (log, graph) = (subject.log, &subject.conversation.graph);
    let calls = inline_calls(&subject.conversation, inline);
    for (agent, call) in inline.agents.iter().zip(calls) {
        let node = graph.nodes[agent.root];
        let hangs = node.edge == Edge::Parent
            && node.parent().is_some_and(|parent| !graph.nodes[parent].sidechain);
        if call.is_some() || hangs {
            summary.agents.linked += 1;
            continue;
        }
        summary.agents.unlinked += 1;
        findings.at(RuleId::UnlinkedAgent, log, subject.entry(agent.root), || {
            "nothing says which call started the sidechain that begins here".to_owned()
        });
    }
    for prompts in inline_prompts(subject, inline) {
        summary.sidechains.delegation(prompts);
    }
}

/// Counts the prompts of each sidechain in the file, including those on its other paths.
fn inline_prompts(subject: &CheckedFile<'_>, inline: &InlineAgents) -> Vec<u64> {
    let paths = &inline.paths;
    let root = paths.roots();
    let mut prompts = vec![0; paths.groups.len()];
    for (node, entry) in subject.nodes() {
        if let Some(group) = paths.group_of(node)
            && entry.says == Some(MessageKind::Prompt)
        {
            prompts[root[group]] += 1;
        }
    }
    let agents = inline.agents.iter().filter_map(|agent| paths.group_of(agent.root));
    agents.map(|group| prompts[root[group]]).collect()
}

/// Reports calls whose result names an agent that has no file and is not inline.
fn missing_files(subject: &CheckedFile<'_>, inline: &InlineAgents, findings: &mut Findings) {
    let log = subject.log;
    let launches = launches(log);
    if launches.is_empty() {
        return;
    }
    let mut known: HashSet<&str> =
        subject.session.agents.iter().map(|agent| agent.id.as_str()).collect();
    known.extend(inline.agents.iter().filter_map(|agent| agent.agent).map(|id| log.text(id)));
    let mut missing: HashMap<Symbol, &str> = HashMap::new();
    for link in &log.links {
        if let AgentLink::Result { call, agent } = *link
            && launches.contains(&call)
            && known.insert(log.text(agent))
        {
            missing.insert(call, log.text(agent));
        }
    }
    for (_, entry) in subject.nodes() {
        for block in log.calls_of(entry) {
            let Some(agent) = block.call.and_then(|call| missing.remove(&call)) else {
                continue;
            };
            findings.at(RuleId::MissingAgentFile, log, entry, || {
                format!("the agent {} that it started has no file", quoted(agent))
            });
        }
    }
}
