//! Blocks of a transcript fold one by one, and keep their keys while a session grows.

use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::positions::TurnNumber;
use unspool_render::terminal::{
    BlockKey, FoldHints, FoldLevel, ReaderBlock, ReaderBlockKind, Tools, TranscriptBlocks,
};
use unspool_store::session::Session;
use unspool_testkit::reallogs::RealLogs;
use unspool_text::style::Line;

use crate::logs::{opened, options, real_sessions, write};

fn blocks_of(
    session: &Session,
    tools: Tools,
    folds: &dyn Fn(BlockKey) -> Option<FoldLevel>,
) -> Vec<ReaderBlock> {
    let shown = Transcript::new(session, &TranscriptRequest::default()).expect("a transcript");
    let options = options(tools);
    let blocks = TranscriptBlocks::new(&shown, &options, FoldHints::Keys);
    blocks.blocks(blocks.messages(), folds).expect("reads")
}

fn plain(block: &ReaderBlock) -> Vec<String> {
    block.lines.iter().map(Line::plain).collect()
}

const LOG: &str = r#"{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-09T08:00:00.000Z","message":{"role":"user","content":"count to ten"}}
{"type":"assistant","uuid":"t1","parentUuid":"u1","message":{"id":"m1","role":"assistant","model":"opus","content":[{"type":"thinking","thinking":"first\nsecond"}]}}
{"type":"assistant","uuid":"c1","parentUuid":"t1","message":{"id":"m1","role":"assistant","model":"opus","content":[{"type":"tool_use","id":"b1","name":"Bash","input":{"command":"seq 20"}}]}}
{"type":"user","uuid":"r1","parentUuid":"c1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b1","content":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20"}]}}
{"type":"assistant","uuid":"a1","parentUuid":"r1","message":{"id":"m2","role":"assistant","model":"opus","content":[{"type":"text","text":"Done."}]}}
"#;

#[test]
fn blocks_say_what_they_are() {
    let (_folder, file) = write(LOG);
    let blocks = blocks_of(&opened(&file), Tools::Summary, &|_| None);
    let kinds: Vec<&str> = blocks
        .iter()
        .map(|block| match &block.kind {
            ReaderBlockKind::Prompt { turn, .. } if *turn == TurnNumber::new(1) => "turn 1",
            ReaderBlockKind::Thinking => "thinking",
            ReaderBlockKind::Call(call) if call.name == "Bash" && !call.is_change => "call",
            ReaderBlockKind::Text => "text",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["turn 1", "thinking", "call", "text"]);
    let folds: Vec<(bool, FoldLevel)> =
        blocks.iter().map(|block| (block.can_fold, block.level)).collect();
    assert_eq!(
        folds,
        [
            (false, FoldLevel::Summary),
            (true, FoldLevel::Line),
            (true, FoldLevel::Summary),
            (false, FoldLevel::Summary),
        ]
    );
    assert_eq!(blocks[0].entry.as_ref().map(unspool_model::ids::EntryId::as_str), Some("u1"));
}

#[test]
fn a_fold_changes_its_block_and_the_gap_below() {
    let (_folder, file) = write(LOG);
    let session = opened(&file);
    let before = blocks_of(&session, Tools::Summary, &|_| None);
    let call = before[2].key;
    assert_eq!(before[2].lines.len(), 1 + 5 + 1 + 2 + 1);
    let line = blocks_of(&session, Tools::Summary, &|key| (key == call).then_some(FoldLevel::Line));
    assert_eq!(line[2].lines.len(), 1);
    assert_eq!(line[2].level, FoldLevel::Line);
    let full = blocks_of(&session, Tools::Summary, &|key| (key == call).then_some(FoldLevel::Full));
    assert_eq!(full[2].lines.len(), 1 + 20 + 1);
    for other in [0, 1, 3] {
        assert_eq!(line[other].lines, before[other].lines);
        assert_eq!(full[other].lines, before[other].lines);
    }
    let thinking = before[1].key;
    let thinks =
        blocks_of(&session, Tools::Line, &|key| (key == thinking).then_some(FoldLevel::Full));
    assert_eq!(plain(&thinks[1]), ["✻ first", "  second", ""]);
    assert_eq!(plain(&thinks[2]).len(), 1);
}

#[test]
fn keys_stay_while_a_session_grows() {
    for file in real_sessions() {
        let log = std::fs::read_to_string(&file).expect("text");
        let (_folder, copy) = write(&log);
        let whole = blocks_of(&opened(&copy), Tools::Summary, &|_| None);
        // The active path of the half may be another branch: then only the shared beginning is compared.
        let lines: Vec<&str> = log.lines().collect();
        let half = lines[..lines.len() / 2].join("\n") + "\n";
        std::fs::write(&copy, half).expect("writes");
        let part = blocks_of(&opened(&copy), Tools::Summary, &|_| None);
        let grown = part.iter().zip(&whole);
        let same = grown.take_while(|(one, other)| one.entry == other.entry);
        for (one, other) in same {
            let is_rule = |block: &ReaderBlock| block.kind == ReaderBlockKind::Rule;
            if is_rule(one) == is_rule(other) {
                assert_eq!(one.key.message, other.key.message, "{}", file.display());
            }
        }
    }
}

#[test]
fn hints_name_keys_and_not_options() {
    for file in RealLogs::fixtures().files() {
        let session = opened(&file);
        for tools in [Tools::Line, Tools::Summary] {
            for block in blocks_of(&session, tools, &|_| None) {
                let kept = [ReaderBlockKind::Text, ReaderBlockKind::Aside];
                if kept.contains(&block.kind) {
                    continue;
                }
                for line in plain(&block) {
                    for option in [", --full", ", --tools", "--agent a", ": --path"] {
                        assert!(!line.contains(option), "{}: {line}", file.display());
                    }
                }
            }
        }
    }
}
