//! Entries that are written in parallel are one step of the conversation.

use proptest::prelude::*;
use unspool_model::conversation::Conversation;
use unspool_model::entry::{BlockKind, EntryKind};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::{EntryIndex, NodeId};
use unspool_testkit::random::RandomShape;

use crate::checks;
use crate::sessions::{any_session, cases, session_of};

/// Returns the shape of a conversation without forks, with parallel calls and other lines in between.
fn one_thread(entries: usize) -> RandomShape {
    RandomShape { parallel: 0.6, metadata: 0.1, ..RandomShape::linear(entries) }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn parallel_calls_are_no_fork_and_each_gets_its_result(bytes in session_of(one_thread, 100)) {
        let log = Log::read(&bytes);
        let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
        let said = log.entries.iter().any(|entry| {
            matches!(entry.kind, EntryKind::User | EntryKind::Assistant)
        });
        prop_assert_eq!(conversation.paths.paths.len(), usize::from(said));
        for node in NodeId::all(conversation.graph.nodes.len()) {
            let entry = conversation.graph.entry(&log, node);
            for block in log.blocks_of(entry).iter().filter(|block| block.kind == BlockKind::Call) {
                let call = block.call.expect("a call has an id");
                let answers = |entry: EntryIndex| {
                    let blocks = log.blocks_of(&log.entries[entry]);
                    blocks.iter().any(|b| {
                        matches!(b.kind, BlockKind::Result(_)) && b.call == Some(call)
                    })
                };
                let wanted = EntryIndex::all(log.entries.len()).find(|&entry| answers(entry));
                let found = conversation.result_of(node, call).map(|result| result.entry);
                prop_assert_eq!(found, wanted);
            }
        }
        checks::assert_results_are_attached(&conversation);
    }

    #[test]
    fn results_go_to_their_calls_in_any_session(bytes in any_session(60)) {
        let log = Log::read(&bytes);
        for rule in [Rule::Current, Rule::NewestTime, Rule::Sdk] {
            checks::assert_results_are_attached(&Conversation::new(&log, rule, Scope::Session));
        }
    }

    #[test]
    fn lines_of_one_answer_that_hang_on_one_another_are_never_a_fork(bytes in any_session(80)) {
        let log = Log::read(&bytes);
        let conversation = Conversation::new(&log, Rule::Current, Scope::Session);
        let (graph, paths) = (&conversation.graph, &conversation.paths);
        for (index, node) in NodeId::enumerate(&graph.nodes) {
            let Some(parent) = node.parent().filter(|_| !node.sidechain) else { continue };
            let entry = graph.entry(&log, index);
            let one_answer =
                entry.message.is_some() && entry.message == graph.entry(&log, parent).message;
            let a_result = entry.kind == EntryKind::User && entry.says.is_none();
            if one_answer || a_result {
                prop_assert_eq!(paths.group_of(index), paths.group_of(parent));
            }
        }
    }
}
