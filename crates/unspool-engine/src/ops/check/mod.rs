//! Checks of sessions: anomalies, and the rates that logs show.
//!
//! Every file of a session is parsed as a conversation and checked against the [`RuleId`]s. The
//! results are data: [`Finding`]s in the order of files and lines, and a [`CheckSummary`] that can
//! be added up over many sessions.
//!
//! Clients are killed, resumed, forked and run concurrently, and their logs show it. So nothing
//! that a client can leave in a log is an error; only messages of the flat dialect, whose
//! description has rules, can break one. Work is linear in the size of the files, and
//! [`MOST_PER_RULE`] limits the findings.

mod agents;
mod bytes;
mod calls;
mod findings;
mod flat;
mod links;
mod measure;
mod orphans;
mod overview;
mod records;
mod rules;
mod spilled;
mod summary;
#[cfg(test)]
mod tests;
mod time;

use std::cell::OnceCell;
use std::collections::HashSet;

use unspool_model::conversation::{Conversation, Liveness};
use unspool_model::entry::{BlockKind, Entry};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::NodeId;

use self::findings::Findings;
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

pub use self::findings::{Finding, MOST_PER_RULE};
pub use self::overview::{CheckVerdict, Overview, RuleCount};
pub use self::rules::{RuleId, Severity};
pub use self::summary::{
    AgentCounts, BySeverity, CallCounts, CheckSummary, Compactions, Dialects, LogicalParents,
    Orphans, Sidechains,
};

/// The result of a check of one session.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckReport {
    /// The findings: those of the session's own file first, then those of its agents' files by
    /// path; each sorted by line.
    pub findings: Vec<Finding>,
    /// The counts.
    pub summary: CheckSummary,
}

/// Checks a session with all its agents.
pub fn check(session: &Session, rule: Rule) -> CheckReport {
    let whole = Whole::new(session);
    let mut summary = CheckSummary::default();
    let mut findings = Vec::new();
    if !is_absent(&session.main) {
        findings = check_file(&CheckedFile::main(session, rule), &whole, &mut summary);
    }
    let mut of_agents = Vec::new();
    for index in 0..session.agents.len() {
        let subject = CheckedFile::agent(session, index, rule);
        of_agents.extend(check_file(&subject, &whole, &mut summary));
    }
    for file_error in &session.file_errors {
        let mut found = Findings::new(&file_error.path);
        found.whole(RuleId::UnreadableFile, || format!("cannot be read: {}", file_error.error));
        of_agents.extend(found.finish(&mut summary));
    }
    of_agents.sort_by(|a, b| a.file.cmp(&b.file));
    findings.extend(of_agents);
    summary.close_session();
    CheckReport { findings, summary }
}

/// Reports whether a session has agents and no log of its own.
fn is_absent(file: &LogFile) -> bool {
    file.log().bytes() == 0 && !unspool_store::files::exists(file.path())
}

fn check_file(
    subject: &CheckedFile<'_>,
    whole: &Whole<'_>,
    summary: &mut CheckSummary,
) -> Vec<Finding> {
    let mut findings = Findings::new(subject.file.path());
    let flat = flat::check(subject, &mut findings);
    bytes::check(subject, &mut findings);
    records::check(subject, &flat, &mut findings);
    links::check(subject, &mut findings);
    orphans::check(subject, whole, &flat, &mut findings, summary);
    time::check(subject, &flat, &mut findings);
    calls::check(subject, whole, &mut findings, summary);
    spilled::check(subject, &mut findings);
    agents::check(subject, whole, &mut findings, summary);
    measure::count(subject, &flat, summary);
    findings.finish(summary)
}

/// One file of a session, parsed as a conversation.
struct CheckedFile<'s> {
    session: &'s Session,
    file: &'s LogFile,
    log: &'s Log,
    conversation: Conversation<'s>,
    /// The agent that the file belongs to; `None` for the session's own file.
    agent: Option<usize>,
}

impl<'s> CheckedFile<'s> {
    fn main(session: &'s Session, rule: Rule) -> Self {
        Self {
            session,
            file: &session.main,
            log: session.log(),
            conversation: session.conversation(rule),
            agent: None,
        }
    }

    fn agent(session: &'s Session, index: usize, rule: Rule) -> Self {
        let file = &session.agents[index].file;
        Self {
            session,
            file,
            log: file.log(),
            conversation: Conversation::new(file.log(), rule, Scope::Agent),
            agent: Some(index),
        }
    }

    fn is_live(&self) -> bool {
        self.session.live == Liveness::Live
    }

    /// Returns the nodes of the graph, each with the entry that counts for its uuid.
    fn nodes(&self) -> impl Iterator<Item = (NodeId, &'s Entry)> {
        let (log, nodes) = (self.log, &self.conversation.graph.nodes);
        NodeId::enumerate(nodes).map(|(index, node)| (index, &log.entries[node.content]))
    }

    fn entry(&self, node: NodeId) -> &'s Entry {
        self.conversation.graph.entry(self.log, node)
    }
}

/// Facts about all files of a session together.
struct Whole<'s> {
    session: &'s Session,
    /// The ids of all calls.
    calls: HashSet<&'s str>,
    uuids: OnceCell<HashSet<&'s str>>,
}

impl<'s> Whole<'s> {
    fn new(session: &'s Session) -> Self {
        let calls = session
            .logs()
            .flat_map(|log| log.blocks.iter().map(move |block| (log, block)))
            .filter(|(_, block)| block.kind == BlockKind::Call)
            .filter_map(|(log, block)| block.call.map(|call| log.text(call)))
            .collect();
        Self { session, calls, uuids: OnceCell::new() }
    }

    /// Reports whether any file of the session has an entry with this uuid.
    fn has_uuid(&self, uuid: &str) -> bool {
        let all = || {
            self.session
                .logs()
                .flat_map(|log| log.entries.iter().map(move |entry| (log, entry)))
                .filter_map(|(log, entry)| entry.uuid.map(|uuid| log.text(uuid)))
                .collect()
        };
        self.uuids.get_or_init(all).contains(uuid)
    }
}
