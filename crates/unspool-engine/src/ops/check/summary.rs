//! The counts and rates of one or many sessions.

use std::collections::BTreeMap;

use super::rules::{RuleId, Severity};

/// The counts of the checked sessions.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct CheckSummary {
    /// Sessions.
    pub sessions: u64,
    /// Log files, including those of agents.
    pub files: u64,
    /// Bytes in the log files.
    pub bytes: u64,
    /// Records and fragments in the log files.
    pub entries: u64,
    /// Entries with a place in a conversation; copies count once.
    pub messages: u64,
    /// Fragments: bytes that are not a record.
    pub damaged: u64,
    /// Findings by severity, including those beyond the limit.
    pub findings: BySeverity,
    /// Findings by rule, including those beyond the limit.
    pub rules: BTreeMap<&'static str, u64>,
    /// Entries by dialect.
    pub dialects: Dialects,
    /// Entries whose parent is not in their file.
    pub orphans: Orphans,
    /// Entries that name a logical parent.
    pub logical_parents: LogicalParents,
    /// Compactions.
    pub compactions: Compactions,
    /// Conversations of subagents.
    pub sidechains: Sidechains,
    /// The longest chain of parents, in entries.
    pub chain_depth: u64,
    /// Paths of the sessions' own files without the active ones.
    pub branches: u64,
    /// Tool calls.
    pub calls: CallCounts,
    /// Agents, including inline agents.
    pub agents: AgentCounts,
}

/// Findings by severity.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BySeverity {
    /// Errors.
    pub error: u64,
    /// Warnings.
    pub warning: u64,
    /// Infos.
    pub info: u64,
}

/// Entries of the conversation by dialect.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dialects {
    /// Entries in the dialect of the client.
    pub wire: u64,
    /// Entries in the flat dialect, including messages without a uuid.
    pub flat: u64,
}

/// Entries whose parent is not in their file, by kind.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Orphans {
    /// All entries of this kind.
    pub count: u64,
    /// The fraction of messages that are such entries.
    pub rate: f64,
    /// Entries of this kind in sessions with a compaction.
    pub in_compacted: u64,
    /// The fraction of the messages of those sessions that are such entries.
    pub rate_in_compacted: f64,
    /// Entries at the beginning of a file.
    pub first: u64,
    /// Entries whose parent is in another file of the session.
    pub elsewhere: u64,
    /// Entries whose parent a compaction removed.
    pub compacted: u64,
    /// Other entries of the flat dialect.
    pub flat: u64,
    /// Other entries of the wire dialect.
    pub unknown: u64,
}

/// Entries that name a logical parent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LogicalParents {
    /// All entries of this kind.
    pub count: u64,
    /// Entries whose logical parent is not in their file.
    pub unknown: u64,
}

/// Compactions.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Compactions {
    /// All compactions.
    pub count: u64,
    /// Compactions per session.
    pub per_session: f64,
    /// Sessions with at least one compaction.
    pub sessions: u64,
    /// Messages of those sessions.
    pub messages: u64,
    /// The most compactions in one session.
    pub most: u64,
}

/// Conversations of subagents.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Sidechains {
    /// Entries that are marked as sidechain.
    pub entries: u64,
    /// Conversations.
    pub delegations: u64,
    /// Prompts in these conversations.
    pub exchanges: u64,
    /// The most prompts in one conversation.
    pub max_depth: u64,
    /// The average number of prompts in a conversation.
    pub mean_depth: f64,
}

/// Tool calls.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallCounts {
    /// All calls.
    pub count: u64,
    /// Calls without a result.
    pub without_result: u64,
}

/// Agents.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AgentCounts {
    /// Agents with a known call.
    pub linked: u64,
    /// Agents without a known call.
    pub unlinked: u64,
}

impl CheckSummary {
    /// Adds the counts of other sessions.
    pub fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.files += other.files;
        self.bytes += other.bytes;
        self.entries += other.entries;
        self.messages += other.messages;
        self.damaged += other.damaged;
        self.findings.error += other.findings.error;
        self.findings.warning += other.findings.warning;
        self.findings.info += other.findings.info;
        for (rule, count) in &other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
        self.dialects.wire += other.dialects.wire;
        self.dialects.flat += other.dialects.flat;
        self.orphans.add(&other.orphans);
        self.logical_parents.count += other.logical_parents.count;
        self.logical_parents.unknown += other.logical_parents.unknown;
        self.compactions.add(&other.compactions);
        self.sidechains.add(&other.sidechains);
        self.chain_depth = self.chain_depth.max(other.chain_depth);
        self.branches += other.branches;
        self.calls.count += other.calls.count;
        self.calls.without_result += other.calls.without_result;
        self.agents.linked += other.agents.linked;
        self.agents.unlinked += other.agents.unlinked;
        self.work_out_rates();
    }

    /// Counts findings of a rule.
    pub(super) fn count(&mut self, rule: RuleId, findings: u64) {
        if findings == 0 {
            return;
        }
        *self.rules.entry(rule.id()).or_default() += findings;
        *match rule.severity() {
            Severity::Error => &mut self.findings.error,
            Severity::Warning => &mut self.findings.warning,
            Severity::Info => &mut self.findings.info,
        } += findings;
    }

    /// Finishes the counts of one session.
    pub(super) fn close_session(&mut self) {
        self.sessions = 1;
        self.compactions.most = self.compactions.count;
        if self.compactions.count > 0 {
            self.compactions.sessions = 1;
            self.compactions.messages = self.messages;
            self.orphans.in_compacted = self.orphans.count;
        }
        self.work_out_rates();
    }

    fn work_out_rates(&mut self) {
        self.orphans.rate = rate(self.orphans.count, self.messages);
        self.orphans.rate_in_compacted = rate(self.orphans.in_compacted, self.compactions.messages);
        self.compactions.per_session = rate(self.compactions.count, self.sessions);
        self.sidechains.mean_depth = rate(self.sidechains.exchanges, self.sidechains.delegations);
    }
}

impl Orphans {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.in_compacted += other.in_compacted;
        self.first += other.first;
        self.elsewhere += other.elsewhere;
        self.compacted += other.compacted;
        self.flat += other.flat;
        self.unknown += other.unknown;
    }
}

impl Compactions {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sessions += other.sessions;
        self.messages += other.messages;
        self.most = self.most.max(other.most);
    }
}

impl Sidechains {
    fn add(&mut self, other: &Self) {
        self.entries += other.entries;
        self.delegations += other.delegations;
        self.exchanges += other.exchanges;
        self.max_depth = self.max_depth.max(other.max_depth);
    }

    /// Counts one conversation with a number of prompts. There is at least one prompt, although
    /// some versions do not write the first one.
    pub(super) fn delegation(&mut self, prompts: u64) {
        let prompts = prompts.max(1);
        self.delegations += 1;
        self.exchanges += prompts;
        self.max_depth = self.max_depth.max(prompts);
    }
}

fn rate(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
