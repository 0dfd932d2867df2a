//! Calls without a result, and results without a call.

use unspool_model::entry::{BlockKind, Flags};

use super::findings::{Findings, quoted};
use super::{CheckSummary, CheckedFile, RuleId, Whole};

pub(super) fn check(
    subject: &CheckedFile<'_>,
    whole: &Whole<'_>,
    findings: &mut Findings,
    summary: &mut CheckSummary,
) {
    unanswered(subject, findings, summary);
    unasked(subject, whole, findings);
}

/// Counts calls and reports those without a result. A call in several records counts once.
fn unanswered(subject: &CheckedFile<'_>, findings: &mut Findings, summary: &mut CheckSummary) {
    let log = subject.log;
    let mut seen = vec![false; log.symbols.len()];
    let rule = if subject.is_live() { RuleId::PendingCall } else { RuleId::CallWithoutResult };
    for (node, entry) in subject.nodes() {
        for block in log.calls_of(entry) {
            let Some(call) = block.call else { continue };
            if std::mem::replace(&mut seen[call.index()], true) {
                continue;
            }
            summary.calls.count += 1;
            if subject.conversation.result_of(node, call).is_some() {
                continue;
            }
            summary.calls.without_result += 1;
            if entry.flags.has(Flags::FLAT) && entry.flags.has(Flags::ABORTED) {
                continue;
            }
            findings.at(rule, log, entry, || {
                let tool = block.name.map(|name| format!(" of {}", quoted(log.text(name))));
                let call = quoted(log.text(call));
                format!("the call {call}{} has no result", tool.unwrap_or_default())
            });
        }
    }
}

/// Reports results whose call is in no file of the session.
fn unasked(subject: &CheckedFile<'_>, whole: &Whole<'_>, findings: &mut Findings) {
    let log = subject.log;
    for entry in &log.entries {
        for block in log.blocks_of(entry) {
            if !matches!(block.kind, BlockKind::Result(_)) {
                continue;
            }
            let Some(call) = block.call.map(|call| log.text(call)) else {
                continue;
            };
            if !whole.calls.contains(call) {
                findings.at(RuleId::ResultWithoutCall, log, entry, || {
                    format!("answers the call {}, which is nowhere", quoted(call))
                });
            }
        }
    }
}
