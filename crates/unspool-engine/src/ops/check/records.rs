//! What single records lack or say that nobody knows.

use unspool_model::entry::EntryKind;
use unspool_model::ids::is_uuid;

use super::findings::{Findings, quoted};
use super::flat::FlatEntries;
use super::{RuleId, Subject};

/// Types of metadata that clients and the SDK write.
const KNOWN: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "agent_metadata",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "cost-state",
    "custom-title",
    "ended-by-model",
    "file-history-delta",
    "file-history-snapshot",
    "fork-context-ref",
    "frame-link",
    "isolation-latch",
    "last-prompt",
    "mode",
    "observer-ref",
    "permission-mode",
    "pr-link",
    "queue-operation",
    "relocated",
    "result",
    "started",
    "summary",
    "tag",
    "tools-used",
    "worktree-state",
];

/// A family of types of which there are several.
const KNOWN_START: &str = "marble-origami-";

pub(super) fn check(subject: &Subject<'_>, flat: &FlatEntries, findings: &mut Findings) {
    types(subject, flat, findings);
    fields(subject, flat, findings);
    sessions(subject, findings);
}

/// Reports each unknown type once.
fn types(subject: &Subject<'_>, flat: &FlatEntries, findings: &mut Findings) {
    let log = subject.log;
    let mut told = vec![false; log.symbols.len()];
    let mut told_nameless = false;
    for (index, entry) in log.entries.iter().enumerate() {
        if entry.kind != EntryKind::Metadata || flat.has(index) {
            continue;
        }
        let Some(name) = entry.name else {
            if !std::mem::replace(&mut told_nameless, true) {
                findings.at(RuleId::UnknownType, log, entry, || {
                    "a record without a `type`".to_owned()
                });
            }
            continue;
        };
        if std::mem::replace(&mut told[name.index()], true) {
            continue;
        }
        let name = log.text(name);
        if !KNOWN.contains(&name) && !name.starts_with(KNOWN_START) {
            findings.at(RuleId::UnknownType, log, entry, || {
                format!("records of the type {} are not known", quoted(name))
            });
        }
    }
}

/// Reports messages of the wire dialect that lack what every client writes.
fn fields(subject: &Subject<'_>, flat: &FlatEntries, findings: &mut Findings) {
    let log = subject.log;
    for (index, entry) in log.entries.iter().enumerate() {
        if !matches!(entry.kind, EntryKind::User | EntryKind::Assistant) || flat.has(index) {
            continue;
        }
        if entry.uuid.is_none() {
            findings.at(RuleId::MissingUuid, log, entry, || {
                "a message without a `uuid`".to_owned()
            });
        }
        if entry.time.is_none() {
            findings.at(RuleId::MissingTime, log, entry, || {
                "a message without a readable `timestamp`".to_owned()
            });
        }
    }
}

/// Reports session ids that are not the file's own. A file that was given another name
/// owns the first id in it.
fn sessions(subject: &Subject<'_>, findings: &mut Findings) {
    let (log, id) = (subject.log, subject.session.id.as_str());
    let ids = || log.facts.sessions.iter().map(|&id| log.text(id));
    let own = if is_uuid(id) { Some(id) } else { ids().next() };
    for other in ids().filter(|&other| Some(other) != own) {
        findings.whole(RuleId::ForeignSessionId, || {
            format!("holds records of session {}", quoted(other))
        });
    }
}
