//! Totals, by example.

use unspool_model::conversation::{Conversation, Tally};
use unspool_model::entry::Verdict;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::TurnIndex;
use unspool_testkit::{session, uuid};

/// A result that states two added lines and one removed line.
const CHANGED: &str =
    r#"+toolUseResult={"filePath":"f","structuredPatch":[{"lines":["+a","+b","-c"," d"]}]}"#;

/// Counts a log whose entries have their names as uuids; `CHANGED` marks a result that changed lines.
#[track_caller]
fn check(notation: &str, check: impl Fn(&Log, &Tally)) {
    let notation = notation.replace("CHANGED", CHANGED);
    let mut lines = String::from_utf8(session(&notation)).expect("UTF-8");
    for name in notation.lines().filter_map(|line| line.split_whitespace().next()) {
        lines = lines.replace(&uuid(name), name);
    }
    let log = Log::read(lines.as_bytes());
    let tally = Conversation::new(&log, Rule::Current, Scope::Session).tally();
    check(&log, &tally);
}

fn messages(log: &Log, tally: &Tally) -> Vec<String> {
    let keys = tally.messages.iter().map(|message| message.key);
    keys.map(|key| log.text(key).to_owned()).collect()
}

fn durations(tally: &Tally) -> Vec<Option<u64>> {
    tally.turns.iter().map(|turn| turn.length.map(|length| length.millis)).collect()
}

#[test]
fn abandoned_branches_and_agents_count_and_results_do_not() {
    let notation = r#"
        a user "do it"
        b assistant call Bash:t {} msg=m-b
        c result t "ok"
        d assistant "yes" msg=m1
        e assistant "yes" msg=m1
        f user < a "do it"
        g assistant "yes" msg=m2
        s user < - sidechain "do it"
    "#;
    check(notation, |log, tally| {
        assert_eq!(messages(log, tally), ["a", "m-b", "m1", "f", "m2", "s"]);
        let turns: Vec<_> =
            tally.messages.iter().map(|message| message.turn.map(TurnIndex::index)).collect();
        assert_eq!(turns, [Some(0), Some(0), Some(0), Some(1), Some(1), None]);
        assert_eq!(tally.turns.len(), 2);
    });
}

#[test]
fn a_turn_lasts_until_the_last_thing_under_its_prompt_unless_the_client_says_else() {
    let notation = r#"
        a user @0 "do it"
        b assistant @9 "yes"
        c assistant @5 "yes"
        d user @20 "do it"
        e assistant @21 "yes"
        f system turn_duration @22 ms=300
        g system turn_duration @23 ms=200
        h user @40 "do it"
        i user < b !timestamp "do it"
        j assistant @55 "yes"
    "#;
    check(notation, |_, tally| {
        assert_eq!(durations(tally), [Some(9000), Some(300), Some(0), None]);
    });
}

#[test]
fn a_copy_under_a_new_uuid_is_known_by_what_it_is_a_copy_of() {
    let notation = r#"
        b1 user "do it" +forkedFrom={"sessionId":"s","messageUuid":"a1"}
        b2 assistant "yes" msg=m +forkedFrom={"sessionId":"s","messageUuid":"a2"}
        b3 user "do it"
    "#;
    check(notation, |log, tally| {
        assert_eq!(messages(log, tally), ["a1", "m", "b3"]);
        let turns: Vec<_> = tally.turns.iter().map(|turn| log.text(turn.key)).collect();
        assert_eq!(turns, ["a1", "b3"]);
    });
}

#[test]
fn what_an_answer_without_an_id_used_is_known_by_what_it_is_a_copy_of() {
    let notation = r#"
        b1 user "do it"
        b2 assistant +message=USED +forkedFrom={"sessionId":"s","messageUuid":"a2"}
        b3 assistant +message=USED
        b4 assistant msg=m +forkedFrom={"sessionId":"s","messageUuid":"a4"}
    "#;
    let used = r#"{"content":[],"usage":{"output_tokens":5}}"#;
    check(&notation.replace("USED", used), |log, tally| {
        let keys: Vec<_> = log.usage.iter().map(|row| log.text(row.message)).collect();
        assert_eq!(keys, ["a2", "b3", "m"]);
        assert_eq!(messages(log, tally)[1..], keys);
    });
}

#[test]
fn a_call_counts_once_with_its_result_and_the_lines_that_it_changed() {
    let notation = r#"
        a user "do it"
        b assistant call Edit:t1 {}
        c result t1 "ok" CHANGED
        d assistant call mcp__files__edit:t2 {}
        e result t2 "ok" CHANGED
        f assistant call Edit:t3 {}
        g assistant call Edit:t1 {}
        h assistant call Edit:t4 {}
        i result t4 "no" error CHANGED
    "#;
    check(notation, |log, tally| {
        let calls = tally.calls.iter();
        let calls = calls.map(|call| {
            (log.text(call.key), call.entry.index(), call.verdict, call.added, call.removed)
        });
        let (done, failed) = (Some(Verdict::Done), Some(Verdict::Failed));
        assert_eq!(
            calls.collect::<Vec<_>>(),
            [
                ("t1", 1, done, 2, 1),
                ("t2", 3, done, 0, 0),
                ("t3", 5, None, 0, 0),
                ("t4", 7, failed, 0, 0),
            ]
        );
    });
}

#[test]
fn changed_lines_of_an_entry_with_two_results_count_for_one_call() {
    let notation = r#"
        a user "do it"
        b assistant call Edit:t1 {}
        c assistant call Edit:t2 {}
        d result t1 "ok" t2 "ok" CHANGED
    "#;
    check(notation, |_, tally| {
        let lines: Vec<_> = tally.calls.iter().map(|call| (call.added, call.removed)).collect();
        assert_eq!(lines, [(2, 1), (0, 0)]);
    });
}

#[test]
fn where_no_one_speaks_remarks_of_the_client_do_not_count() {
    check("a system informational \"hi\"", |_, tally| assert_eq!(*tally, Tally::default()));
}

#[test]
fn two_different_messages_with_one_uuid_both_count() {
    check("a user \"do it\"\na assistant again < - \"yes\" msg=m", |log, tally| {
        assert_eq!(messages(log, tally), ["a", "m"]);
    });
}
