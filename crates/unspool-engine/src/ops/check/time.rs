//! Times that go backwards, along the parents and down the file.

use unspool_model::entry::Entry;
use unspool_model::node::Edge;
use unspool_model::positions::EntryIndex;
use unspool_model::time::Time;

use super::findings::Findings;
use super::flat::FlatEntries;
use super::{CheckedFile, RuleId};

/// How many milliseconds a time may go backwards in the wire dialect without a finding.
///
/// Clients write entries that belong to a prompt some milliseconds before its own time, and results
/// of parallel calls in the order in which they end.
const SLACK: u64 = 1000;

pub(super) fn check(subject: &CheckedFile<'_>, flat: &FlatEntries, findings: &mut Findings) {
    let told = along_parents(subject, flat, findings);
    down_the_file(subject, flat, &told, findings);
}

/// Reports entries that are older than their parents; returns a flag for each node.
fn along_parents(
    subject: &CheckedFile<'_>,
    flat: &FlatEntries,
    findings: &mut Findings,
) -> Vec<bool> {
    let (log, graph) = (subject.log, &subject.conversation.graph);
    let mut told = vec![false; graph.nodes.len()];
    for (node, entry) in subject.nodes() {
        let in_circle = graph.nodes[node].edge == Edge::Cut;
        let Some(parent) = graph.named_parent(log, node).filter(|_| !in_circle) else {
            continue;
        };
        let is_flat = flat.has(graph.nodes[node].content);
        if let Some(back) = step_back(subject.entry(parent).time, entry, is_flat) {
            told[node] = true;
            let line = subject.entry(parent).line;
            findings.at(RuleId::TimeOrder, log, entry, || {
                format!("{} older than its parent on line {line}", span(back))
            });
        }
    }
    told
}

/// Reports entries that are older than the entry before them. Copies of earlier records keep their
/// old times and are reported as copies.
fn down_the_file(
    subject: &CheckedFile<'_>,
    flat: &FlatEntries,
    told: &[bool],
    findings: &mut Findings,
) {
    let (log, graph) = (subject.log, &subject.conversation.graph);
    let mut before: Option<(Time, u32)> = None;
    for (index, entry) in EntryIndex::enumerate(&log.entries) {
        let node = entry.uuid.and_then(|uuid| graph.node(uuid));
        let Some(node) = node.filter(|&node| graph.nodes[node].place == index) else {
            continue;
        };
        let Some(time) = entry.time else { continue };
        let back = step_back(before.map(|(time, _)| time), entry, flat.has(index));
        if let (Some(back), Some((_, line)), false) = (back, before, told[node]) {
            findings.at(RuleId::TimeGoesBack, log, entry, || {
                format!("{} older than the entry on line {line}", span(back))
            });
        }
        before = Some((time, entry.line));
    }
}

/// Returns by how much an entry is older than `before`, if that is worth a finding.
fn step_back(before: Option<Time>, entry: &Entry, is_flat: bool) -> Option<u64> {
    let slack = if is_flat { 1 } else { SLACK };
    let back = before?.since(entry.time?);
    (back >= slack).then_some(back)
}

/// Formats a duration in its largest fitting unit.
fn span(millis: u64) -> String {
    const SECOND: u64 = 1000;
    const MINUTE: u64 = 60 * SECOND;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let (unit, name) = match millis {
        0..SECOND => return format!("{millis} ms"),
        SECOND..MINUTE => (SECOND, "s"),
        MINUTE..HOUR => (MINUTE, "min"),
        HOUR..DAY => (HOUR, "h"),
        _ => (DAY, "d"),
    };
    format!("{} {name}", millis / unit)
}
