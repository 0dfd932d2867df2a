//! Checks the links between the entries of a file: copies, cycles, roots, unknown names.

use unspool_model::entry::{EntryKind, Flags};
use unspool_model::node::Edge;

use super::findings::{Findings, quoted};
use super::{CheckedFile, RuleId};

/// The uuid that a rewind writes in place of a leaf.
const NO_LEAF: &str = "00000000-0000-0000-0000-000000000000";

pub(super) fn check(subject: &CheckedFile<'_>, findings: &mut Findings) {
    copies(subject, findings);
    edges(subject, findings);
    roots(subject, findings);
    leaf(subject, findings);
}

/// Reports every record whose uuid an earlier record has.
fn copies(subject: &CheckedFile<'_>, findings: &mut Findings) {
    let log = subject.log;
    let mut first_line = vec![0; log.symbols.len()];
    for entry in &log.entries {
        let Some(uuid) = entry.uuid else { continue };
        let first = &mut first_line[uuid.index()];
        if *first == 0 {
            *first = entry.line;
        } else {
            findings.at(RuleId::DuplicateUuid, log, entry, || {
                format!("the record on line {first} has the same uuid")
            });
        }
    }
}

/// Reports parents that form a cycle or come later in the file.
fn edges(subject: &CheckedFile<'_>, findings: &mut Findings) {
    let (log, graph) = (subject.log, &subject.conversation.graph);
    for (node, entry) in subject.nodes() {
        let Some(parent) = graph.named_parent(log, node) else {
            continue;
        };
        let line = subject.entry(parent).line;
        if parent == node {
            findings.at(RuleId::Cycle, log, entry, || "names itself as its parent".to_owned());
        } else if graph.nodes[node].edge == Edge::Cut {
            findings.at(RuleId::Cycle, log, entry, || {
                format!("its parent on line {line} descends from it")
            });
        } else if parent > node {
            findings
                .at(RuleId::ParentLater, log, entry, || format!("its parent is on line {line}"));
        }
    }
}

/// Reports messages that begin a second conversation in the file.
fn roots(subject: &CheckedFile<'_>, findings: &mut Findings) {
    let (log, graph) = (subject.log, &subject.conversation.graph);
    let begins = subject.nodes().filter(|&(node, entry)| {
        matches!(entry.kind, EntryKind::User | EntryKind::Assistant)
            && entry.parent.is_none()
            && entry.logical_parent.is_none()
            && !entry.flags.has(Flags::BOUNDARY)
            && !graph.nodes[node].sidechain
    });
    let mut first = None;
    for (_, entry) in begins {
        match first {
            None => first = Some(entry.line),
            Some(first) => findings.at(RuleId::SeveralRoots, log, entry, || {
                format!("has no parent, like the message on line {first}")
            }),
        }
    }
}

/// Reports a `last-prompt` record whose leaf does not exist.
fn leaf(subject: &CheckedFile<'_>, findings: &mut Findings) {
    let log = subject.log;
    let Some(note) = log.facts.last_prompt else {
        return;
    };
    let Some(leaf) = note.leaf.filter(|&leaf| log.text(leaf) != NO_LEAF) else {
        return;
    };
    if subject.conversation.graph.node(leaf).is_none() {
        let entry = &log.entries[note.entry];
        findings.at(RuleId::UnknownLeaf, log, entry, || {
            format!("no entry has the uuid {}", quoted(log.text(leaf)))
        });
    }
}
