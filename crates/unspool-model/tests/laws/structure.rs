//! Every record is in one bucket, and the paths agree with the buckets.

use proptest::prelude::*;
use unspool_model::conversation::Liveness;
use unspool_model::graph::{Graph, Rule, Scope};
use unspool_model::log::Log;

use crate::checks;
use crate::sessions::{any_bytes, any_session, cases};

/// Asserts all laws of a sound log for the lines of a small file.
#[track_caller]
fn check(lines: &[&str]) {
    checks::assert_sound(lines.join("\n").as_bytes());
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn every_record_counts_once(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_counts_add_up(&found));
    }

    #[test]
    fn every_record_counts_once_in_any_bytes(bytes in any_bytes(40)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_counts_add_up(&found));
    }

    #[test]
    fn the_graph_has_no_cycles_and_subagents_are_apart(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_graph_is_sound(&found.graph));
    }

    #[test]
    fn in_an_agents_file_nothing_is_apart(bytes in any_session(60)) {
        let log = Log::read(&bytes);
        let graph = Graph::new(&log, Rule::Current, Scope::Agent);
        assert!(graph.nodes.iter().all(|node| !node.sidechain));
    }

    #[test]
    fn views_tell_every_node_of_a_path_once(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_views_tell_once(&found));
    }

    #[test]
    fn the_last_turn_is_the_last_of_all(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| {
            for path in &found.paths.paths {
                let view = found.history(path);
                for live in [Liveness::Live, Liveness::Idle] {
                    let last = found.turn_outlines(&view, live).last();
                    let alone = found.last_turn(&view, live);
                    assert_eq!(format!("{alone:?}"), format!("{last:?}"));
                }
            }
        });
    }

    #[test]
    fn no_entry_of_a_subagent_is_lost(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_agents_hold_everything(&found));
    }

    #[test]
    fn paths_share_the_node_where_they_part(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_fork_points_are_shared(&found));
    }

    #[test]
    fn paths_are_chains_without_repetition(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_paths_are_chains(&found));
    }

    #[test]
    fn paths_hold_what_the_buckets_say(bytes in any_session(60)) {
        checks::views(&Log::read(&bytes)).for_each(|found| checks::assert_paths_hold_everything(&found));
    }
}

#[test]
fn a_remark_that_hangs_on_nothing_does_not_hide_what_leads_to_the_last_word() {
    check(&[
        r#"{"type":"system","uuid":"a"}"#,
        r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"hi"}}"#,
        r#"{"type":"system","uuid":"c"}"#,
    ]);
}

#[test]
fn what_leads_to_one_line_of_an_answer_is_on_the_path_of_the_other() {
    check(&[
        r#"{"type":"user","uuid":"a","message":{"content":"hi"}}"#,
        r#"{"type":"attachment","uuid":"b","parentUuid":"a"}"#,
        r#"{"type":"assistant","uuid":"c","parentUuid":"b","message":{"id":"m"}}"#,
        r#"{"type":"assistant","uuid":"d","parentUuid":"a","message":{"id":"m"}}"#,
    ]);
}

#[test]
fn a_result_that_two_answers_lay_claim_to_is_told_once() {
    check(&[
        r#"{"type":"assistant","uuid":"a","message":{"id":"m1"}}"#,
        r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"go on"}}"#,
        r#"{"type":"assistant","uuid":"c","parentUuid":"b","message":{"id":"m2","content":[{"type":"tool_use","id":"t"}]}}"#,
        r#"{"type":"user","uuid":"d","parentUuid":"a","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#,
        r#"{"type":"user","uuid":"e","parentUuid":"c","message":{"content":"and on"}}"#,
    ]);
}

#[test]
fn a_record_of_an_unknown_type_does_not_replace_an_answer_with_its_uuid() {
    let bytes = [
        r#"{"type":"assistant","uuid":"a","message":{"id":"m","content":"the answer"}}"#,
        r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"thanks"}}"#,
        r#"{"type":"note-about","uuid":"a"}"#,
    ]
    .join("\n");
    for conversation in checks::views(&Log::read(bytes.as_bytes())) {
        let path = conversation.paths.active().expect("a path");
        let told = conversation.history(path).messages.len();
        assert_eq!(told, 2, "{:?}", conversation.rule);
    }
}

#[test]
fn a_message_that_a_compaction_names_twice_is_sent_once() {
    check(&[
        r#"{"type":"user","uuid":"a","message":{"content":"hi"}}"#,
        r#"{"type":"system","subtype":"compact_boundary","uuid":"b","compactMetadata":{"preservedMessages":{"uuids":["a","a"]}}}"#,
    ]);
}

#[test]
fn of_two_remarks_below_a_flat_call_none_is_lost() {
    check(&[
        r#"{"type":"assistant","uuid":"a","subtype":"tool_use","toolName":"Read","message":"look"}"#,
        r#"{"type":"system","uuid":"b","parentUuid":"a","message":"its result"}"#,
        r#"{"type":"system","uuid":"c","parentUuid":"a","message":"something else"}"#,
        r#"{"type":"user","uuid":"d","parentUuid":"c","message":"go on"}"#,
    ]);
}

#[test]
fn a_path_forks_at_a_node_that_it_contains_when_another_one_ends_further_down() {
    for leaf in ["b", "e"] {
        check(&[
            r#"{"type":"user","uuid":"a","message":{"content":"hi"}}"#,
            r#"{"type":"attachment","uuid":"b","parentUuid":"a"}"#,
            r#"{"type":"user","uuid":"c","parentUuid":"b","message":{"content":"one way"}}"#,
            r#"{"type":"user","uuid":"d","parentUuid":"a","message":{"content":"another"}}"#,
            r#"{"type":"system","uuid":"e","parentUuid":"b"}"#,
            &format!(r#"{{"type":"last-prompt","leafUuid":"{leaf}"}}"#),
        ]);
    }
}
