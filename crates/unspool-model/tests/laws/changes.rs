//! Changed lines are the same for a log, which does not know the tool, and for the parser of its results.

use std::collections::HashMap;

use proptest::prelude::*;
use unspool_model::entry::{BlockKind, Verdict};
use unspool_model::log::Log;
use unspool_model::positions::EntryIndex;
use unspool_model::record::Record;
use unspool_model::tool;

use crate::sessions::{any_session, cases};

/// Asserts that a log has for every result the changed lines that the parser of its tool returns.
#[track_caller]
pub(crate) fn assert_changes_are_told(bytes: &[u8]) {
    let log = Log::read(bytes);
    let mut names = HashMap::new();
    for block in &log.blocks {
        if let (BlockKind::Call, Some(call), Some(name)) = (block.kind, block.call, block.name) {
            names.insert(call, log.text(name));
        }
    }
    for (index, entry) in EntryIndex::enumerate(&log.entries) {
        let mut blocks = log.blocks_of(entry).iter();
        let worked = blocks.find(|block| block.kind == BlockKind::Result(Verdict::Done));
        let raw = &bytes[entry.span.start as usize..entry.span.end() as usize];
        let expected = worked.and_then(|block| {
            let name = block.call.and_then(|call| names.get(&call));
            let outcome = Record::read(raw).outcome?;
            tool::outcome(name.copied().unwrap_or_default(), outcome).line_changes()
        });
        let (added, removed) = log.changes_of(index);
        assert_eq!(
            (u64::from(added), u64::from(removed)),
            expected.unwrap_or_default(),
            "{}",
            raw.escape_ascii()
        );
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn results_of_any_session_say_the_same(bytes in any_session(40)) {
        assert_changes_are_told(&bytes);
    }
}

#[test]
fn a_branch_lasts_until_an_entry_of_the_conversation_names_another_one() {
    let lines = [
        r#"{"type":"user","uuid":"a"}"#,
        r#"{"type":"user","uuid":"b","gitBranch":"main"}"#,
        r#"{"type":"summary","gitBranch":"other"}"#,
        r#"{"type":"user","uuid":"c","gitBranch":"main"}"#,
        r#"{"type":"user","uuid":"d","gitBranch":"topic"}"#,
        r#"{"type":"user","uuid":"e","gitBranch":""}"#,
        r#"{"type":"user","uuid":"f","gitBranch":"main"}"#,
    ];
    let log = Log::read(lines.join("\n").as_bytes());
    let found: Vec<_> = EntryIndex::all(7)
        .map(|entry| log.branch_of(entry).map(|branch| log.text(branch)))
        .collect();
    let (main, topic) = (Some("main"), Some("topic"));
    assert_eq!(found, [None, main, main, main, topic, None, main]);
    assert_eq!(log.branches.len(), 4);
}

#[test]
fn a_copy_names_the_entry_that_it_was_copied_from() {
    let lines = [
        r#"{"type":"user","uuid":"a","forkedFrom":{"sessionId":"s","messageUuid":"old"}}"#,
        r#"{"type":"user","uuid":"b","forkedFrom":"s"}"#,
        r#"{"type":"user","uuid":"c","forkedFrom":{"messageUuid":7}}"#,
    ];
    let log = Log::read(lines.join("\n").as_bytes());
    let origin = |entry| log.origin_of(entry).map(|uuid| log.text(uuid));
    assert_eq!(EntryIndex::all(3).map(origin).collect::<Vec<_>>(), [Some("old"), None, None]);
    assert_eq!(log.facts.forked_from.values().copied().collect::<Vec<_>>(), [2]);
}
