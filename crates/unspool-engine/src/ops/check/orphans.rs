//! Entries whose parent is not in their file, classified by cause.

use unspool_model::entry::{Entry, EntryKind, Flags};
use unspool_model::positions::EntryIndex;

use super::findings::{Findings, quoted};
use super::flat::FlatEntries;
use super::{CheckSummary, CheckedFile, RuleId, Whole};

pub(super) fn check(
    subject: &CheckedFile<'_>,
    whole: &Whole<'_>,
    flat: &FlatEntries,
    findings: &mut Findings,
    summary: &mut CheckSummary,
) {
    let (log, graph) = (subject.log, &subject.conversation.graph);
    let scars = ParentLoss::new(&log.entries);
    for (node, entry) in subject.nodes() {
        logical(subject, entry, findings, summary);
        let Some(parent) = entry.parent.filter(|&parent| graph.node(parent).is_none()) else {
            continue;
        };
        let parent = log.text(parent);
        let content = graph.nodes[node].content;
        let rule = if whole.has_uuid(parent) {
            RuleId::UnknownParentElsewhere
        } else if node.index() == 0 {
            RuleId::UnknownParentFirst
        } else if entry.logical_parent.is_some()
            || (flat.has(content) && scars.compacted_before(content))
        {
            RuleId::UnknownParentCompacted
        } else if flat.has(content) {
            RuleId::UnknownParentFlat
        } else {
            RuleId::UnknownParent
        };
        count(rule, summary);
        let hint = match scars.damaged_before(entry.line) {
            Some(line) if rule == RuleId::UnknownParent => {
                format!("; line {line} is damaged and may have held it")
            }
            _ => String::new(),
        };
        findings.at(rule, log, entry, || {
            format!("its parent {} is not in the file{hint}", quoted(parent))
        });
    }
}

fn logical(
    subject: &CheckedFile<'_>,
    entry: &Entry,
    findings: &mut Findings,
    summary: &mut CheckSummary,
) {
    let Some(parent) = entry.logical_parent else {
        return;
    };
    summary.logical_parents.count += 1;
    if subject.conversation.graph.node(parent).is_none() {
        summary.logical_parents.unknown += 1;
        let parent = quoted(subject.log.text(parent));
        findings.at(RuleId::UnknownLogicalParent, subject.log, entry, || {
            format!("its logical parent {parent} is not in the file")
        });
    }
}

fn count(rule: RuleId, summary: &mut CheckSummary) {
    let orphans = &mut summary.orphans;
    orphans.count += 1;
    *match rule {
        RuleId::UnknownParentElsewhere => &mut orphans.elsewhere,
        RuleId::UnknownParentFirst => &mut orphans.first,
        RuleId::UnknownParentCompacted => &mut orphans.compacted,
        RuleId::UnknownParentFlat => &mut orphans.flat,
        _ => &mut orphans.unknown,
    } += 1;
}

/// Possible causes of a missing parent.
struct ParentLoss {
    /// The first compaction.
    compaction: Option<EntryIndex>,
    /// The lines of fragments.
    fragments: Vec<u32>,
}

impl ParentLoss {
    fn new(entries: &[Entry]) -> Self {
        let fragments = entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Fragment)
            .map(|entry| entry.line)
            .collect();
        let compaction =
            entries.iter().position(|entry| entry.flags.has(Flags::BOUNDARY)).map(EntryIndex::at);
        Self { compaction, fragments }
    }

    fn compacted_before(&self, entry: EntryIndex) -> bool {
        self.compaction.is_some_and(|compaction| compaction < entry)
    }

    /// Returns the nearest line with a fragment at or before a line.
    fn damaged_before(&self, line: u32) -> Option<u32> {
        let count = self.fragments.partition_point(|&fragment| fragment <= line);
        count.checked_sub(1).map(|last| self.fragments[last])
    }
}
