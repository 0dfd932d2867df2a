//! Work grows linearly with the file, whatever the file contains.
//!
//! Steps are counted (`unspool_work`), not timed.

use std::fmt::Write as _;

use unspool_model::conversation::Conversation;
use unspool_model::entry::BlockKind;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;

/// Returns a log in which all calls and results have one id, with each result on its call.
fn one_id_for_all(calls: usize) -> Log {
    let mut text = String::from(
        "{\"type\":\"user\",\"uuid\":\"r0\",\"parentUuid\":null,\"message\":{\"content\":\"go\"}}\n",
    );
    for call in 1..=calls {
        let before = call - 1;
        let _ = writeln!(
            text,
            "{{\"type\":\"assistant\",\"uuid\":\"c{call}\",\"parentUuid\":\"r{before}\",\"message\":{{\"id\":\"m{call}\",\
             \"content\":[{{\"type\":\"tool_use\",\"id\":\"one\",\"name\":\"Read\",\"input\":{{}}}}]}}}}\n\
             {{\"type\":\"user\",\"uuid\":\"r{call}\",\"parentUuid\":\"c{call}\",\"message\":{{\
             \"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"one\",\"content\":\"x\"}}]}}}}"
        );
    }
    Log::read(text.as_bytes())
}

#[test]
fn an_id_that_all_calls_share_is_not_looked_through_for_each() {
    const CALLS: usize = 2000;
    let log = one_id_for_all(CALLS);
    let steps = unspool_work::count(|| {
        let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
        let mut answered = 0;
        for (index, entry) in log.entries.iter().enumerate() {
            for block in log.blocks_of(entry) {
                let (BlockKind::Call, Some(call)) = (block.kind, block.call) else {
                    continue;
                };
                let node = entry.uuid.and_then(|uuid| conversation.graph.node(uuid));
                let result = conversation.result_of(node.expect("a node"), call);
                assert_eq!(
                    result.map(|result| result.entry.index()),
                    Some(index + 1),
                    "the one that hangs on it"
                );
                answered += 1;
            }
        }
        assert_eq!(answered, CALLS);
    });
    // Quadratic work would be four million.
    assert!(steps <= 20 * CALLS as u64, "{steps}");
}
