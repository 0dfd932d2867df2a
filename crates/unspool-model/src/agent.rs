//! Which call started which agent.
//!
//! An agent's conversation is in a file of its own or inside the session's log, and says little
//! about its origin. There are six kinds of evidence, from the best to the weakest: the sidecar
//! names the call; the call's result names the agent; a progress record names both; the text of
//! the result names the agent; the call's result names the agent's workflow run; the call's prompt
//! is the agent's first prompt. An agent without evidence stays unlinked and is still listed.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::log::{AgentLink, Log};

/// The properties of an agent that evidence is compared with.
#[derive(Clone, Default, Debug)]
pub struct AgentCandidate<'a> {
    /// The id of the agent.
    pub id: &'a str,
    /// The call that the agent's sidecar names.
    pub sidecar_call: Option<&'a str>,
    /// The workflow run that the agent belongs to.
    pub run: Option<&'a str>,
    /// The hash of the agent's first prompt.
    pub prompt: Option<u64>,
}

/// Links agents to the calls of a session's logs.
#[derive(Default)]
pub struct Linker {
    by_result: HashMap<Box<str>, Box<str>>,
    by_progress: HashMap<Box<str>, Box<str>>,
    by_text: HashMap<Box<str>, Box<str>>,
    by_run: HashMap<Box<str>, Box<str>>,
    by_prompt: HashMap<u64, VecDeque<Box<str>>>,
    launched: HashSet<Box<str>>,
    taken: HashSet<Box<str>>,
}

impl Linker {
    /// Adds the evidence of a log: the session's own, or an agent's.
    pub fn add(&mut self, log: &Log) {
        let text = |symbol| -> Box<str> { log.text(symbol).into() };
        for link in &log.links {
            match *link {
                AgentLink::Launch { call, prompt } => {
                    let call = text(call);
                    if self.launched.insert(call.clone()) {
                        self.by_prompt.entry(prompt).or_default().push_back(call);
                    }
                }
                AgentLink::Result { call, agent } => {
                    self.by_result.entry(text(agent)).or_insert_with(|| text(call));
                }
                AgentLink::Progress { call, agent } => {
                    self.by_progress.entry(text(agent)).or_insert_with(|| text(call));
                }
                AgentLink::Text { call, agent } => {
                    self.by_text.entry(text(agent)).or_insert_with(|| text(call));
                }
                AgentLink::Run { call, run } => {
                    self.by_run.entry(text(run)).or_insert_with(|| text(call));
                }
                AgentLink::FirstTexts { .. } => {}
            }
        }
    }

    /// Returns the call that started each agent, in the order of `agents`.
    ///
    /// Prompts are compared last, and only with calls that no other evidence has claimed, so
    /// that two agents with the same prompt get a call each.
    pub fn link(mut self, agents: &[AgentCandidate<'_>]) -> Vec<Option<Box<str>>> {
        let mut calls: Vec<Option<Box<str>>> =
            agents.iter().map(|agent| self.by_evidence(agent)).collect();
        self.taken.extend(calls.iter().flatten().cloned());
        for (call, agent) in calls.iter_mut().zip(agents) {
            if call.is_none() {
                *call = self.by_prompt(agent);
            }
        }
        calls
    }

    fn by_evidence(&self, agent: &AgentCandidate<'_>) -> Option<Box<str>> {
        let named = |map: &HashMap<Box<str>, Box<str>>| map.get(agent.id).cloned();
        agent
            .sidecar_call
            .map(Into::into)
            .or_else(|| named(&self.by_result))
            .or_else(|| named(&self.by_progress))
            .or_else(|| named(&self.by_text))
            .or_else(|| self.by_run.get(agent.run?).cloned())
    }

    fn by_prompt(&mut self, agent: &AgentCandidate<'_>) -> Option<Box<str>> {
        let calls = self.by_prompt.get_mut(&agent.prompt?)?;
        while let Some(call) = calls.pop_front() {
            if self.taken.insert(call.clone()) {
                return Some(call);
            }
        }
        None
    }
}

/// Returns the hash of the first prompt of an agent's log.
pub fn opening(log: &Log) -> Option<u64> {
    log.links.iter().find_map(|link| match link {
        AgentLink::FirstTexts { prompt, .. } => Some(*prompt),
        _ => None,
    })
}
