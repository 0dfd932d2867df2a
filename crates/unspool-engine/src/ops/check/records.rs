//! Checks single records for missing fields and unknown types.

use unspool_model::entry::EntryKind;
use unspool_model::ids::is_uuid;
use unspool_model::positions::EntryIndex;
use unspool_model::schema;

use super::findings::{Findings, quoted};
use super::flat::FlatEntries;
use super::{CheckedFile, RuleId};

pub(super) fn check(subject: &CheckedFile<'_>, flat: &FlatEntries, findings: &mut Findings) {
    types(subject, flat, findings);
    fields(subject, flat, findings);
    sessions(subject, findings);
}

/// Reports each unknown type once.
fn types(subject: &CheckedFile<'_>, flat: &FlatEntries, findings: &mut Findings) {
    let log = subject.log;
    let mut told = vec![false; log.symbols.len()];
    let mut told_nameless = false;
    for (index, entry) in EntryIndex::enumerate(&log.entries) {
        if entry.kind != EntryKind::Metadata || flat.has(index) {
            continue;
        }
        let Some(name) = entry.name else {
            if !std::mem::replace(&mut told_nameless, true) {
                findings
                    .at(RuleId::UnknownType, log, entry, || "a record without a `type`".to_owned());
            }
            continue;
        };
        if std::mem::replace(&mut told[name.index()], true) {
            continue;
        }
        let name = log.text(name);
        if !schema::is_known_type(name) {
            findings.at(RuleId::UnknownType, log, entry, || {
                format!("records of the type {} are not known", quoted(name))
            });
        }
    }
}

/// Reports messages of the wire dialect that lack fields that every client writes.
fn fields(subject: &CheckedFile<'_>, flat: &FlatEntries, findings: &mut Findings) {
    let log = subject.log;
    for (index, entry) in EntryIndex::enumerate(&log.entries) {
        if !matches!(entry.kind, EntryKind::User | EntryKind::Assistant) || flat.has(index) {
            continue;
        }
        if entry.uuid.is_none() {
            findings
                .at(RuleId::MissingUuid, log, entry, || "a message without a `uuid`".to_owned());
        }
        if entry.time.is_none() {
            findings.at(RuleId::MissingTime, log, entry, || {
                "a message without a readable `timestamp`".to_owned()
            });
        }
    }
}

/// Reports session ids other than the file's own. The first id in a renamed file counts as its own.
fn sessions(subject: &CheckedFile<'_>, findings: &mut Findings) {
    let (log, id) = (subject.log, subject.session.id.as_str());
    let ids = || log.facts.sessions.iter().map(|&id| log.text(id));
    let own = if is_uuid(id) { Some(id) } else { ids().next() };
    for other in ids().filter(|&other| Some(other) != own) {
        findings.whole(RuleId::ForeignSessionId, || {
            format!("contains records of session {}", quoted(other))
        });
    }
}
