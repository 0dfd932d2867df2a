//! Checks the bytes of a file for torn, glued and damaged lines.

use unspool_model::diagnostic::DiagnosticKind;
use unspool_model::entry::EntryKind;

use super::findings::Findings;
use super::{CheckedFile, RuleId};

pub(super) fn check(subject: &CheckedFile<'_>, findings: &mut Findings) {
    let log = subject.log;
    for diagnostic in &log.diagnostics {
        let rule = match diagnostic.oddity {
            DiagnosticKind::Damaged => RuleId::DamagedLine,
            DiagnosticKind::Unfinished if subject.is_live() => RuleId::GrowingLine,
            DiagnosticKind::Unfinished => RuleId::UnfinishedLine,
            DiagnosticKind::Glued => RuleId::GluedLine,
            DiagnosticKind::NotAnObject => RuleId::NotAnObject,
            DiagnosticKind::TooLong => RuleId::LineTooLong,
            DiagnosticKind::BadUtf8 => RuleId::BadUtf8,
        };
        let uuid = uuid_on(subject, diagnostic.line);
        findings.add(rule, Some(diagnostic.line), uuid, || diagnostic.oddity.to_string());
    }
    if let Some(last) = log.entries.last()
        && log.has_open_tail()
        && last.kind != EntryKind::Fragment
    {
        findings.at(RuleId::NoFinalNewline, log, last, || {
            "no newline after the last record".to_owned()
        });
    }
    if log.bytes() == 0 {
        findings.whole(RuleId::EmptyFile, || "the file is empty".to_owned());
    } else if subject.conversation.graph.nodes.is_empty() {
        findings.whole(RuleId::NoConversation, || {
            "no entry in it belongs to a conversation".to_owned()
        });
    }
}

/// Returns the first uuid on a line. Entries are sorted by line.
fn uuid_on<'s>(subject: &CheckedFile<'s>, line: u32) -> Option<&'s str> {
    let entries = &subject.log.entries;
    let start = entries.partition_point(|entry| entry.line < line);
    entries[start..]
        .iter()
        .take_while(|entry| entry.line == line)
        .find_map(|entry| entry.uuid)
        .map(|uuid| subject.log.text(uuid))
}
