//! What totals are made of, by example.

use unspool_model::conversation::{Conversation, Tally};
use unspool_model::entry::Verdict;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::TurnIndex;

/// Makes an entry of a type, with its uuid, its parent, its second and further fields.
fn entry(kind: &str, uuid: &str, parent: &str, second: u32, rest: &str) -> String {
    let parent = match parent {
        "" => "null".to_owned(),
        parent => format!("\"{parent}\""),
    };
    format!(
        r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"timestamp":"2026-08-10T09:00:{second:02}.000Z"{rest}}}"#
    )
}

fn prompt(uuid: &str, parent: &str, second: u32) -> String {
    entry("user", uuid, parent, second, r#","message":{"content":"do it"}"#)
}

fn answer(uuid: &str, parent: &str, second: u32, message: &str) -> String {
    let rest =
        format!(r#","message":{{"id":"{message}","content":[{{"type":"text","text":"yes"}}]}}"#);
    entry("assistant", uuid, parent, second, &rest)
}

/// Says that an entry is a copy of another one.
fn copied(of: &str, entry: &str) -> String {
    let origin = format!(r#"{{"forkedFrom":{{"sessionId":"s","messageUuid":"{of}"}},"#);
    entry.replacen('{', &origin, 1)
}

fn call(uuid: &str, parent: &str, id: &str, tool: &str) -> String {
    let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"{tool}","input":{{}}}}"#);
    let rest = format!(r#","message":{{"id":"m-{uuid}","content":[{block}]}}"#);
    entry("assistant", uuid, parent, 1, &rest)
}

fn result(uuid: &str, parent: &str, id: &str, rest: &str) -> String {
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}"#);
    let rest = format!(r#","message":{{"content":[{block}]}}{rest}"#);
    entry("user", uuid, parent, 2, &rest)
}

/// A result that two lines were added and one removed.
const CHANGED: &str =
    r#","toolUseResult":{"filePath":"f","structuredPatch":[{"lines":["+a","+b","-c"," d"]}]}"#;

#[track_caller]
fn check(lines: &[String], check: impl Fn(&Log, &Tally)) {
    let log = Log::read(lines.join("\n").as_bytes());
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
    let side = prompt("s", "", 3).replace("{\"type\"", "{\"isSidechain\":true,\"type\"");
    let lines = [
        prompt("a", "", 0),
        call("b", "a", "t", "Bash"),
        result("c", "b", "t", ""),
        answer("d", "c", 4, "m1"),
        answer("e", "d", 5, "m1"),
        prompt("f", "a", 6),
        answer("g", "f", 7, "m2"),
        side,
    ];
    check(&lines, |log, tally| {
        assert_eq!(messages(log, tally), ["a", "m-b", "m1", "f", "m2", "s"]);
        let turns: Vec<_> =
            tally.messages.iter().map(|message| message.turn.map(TurnIndex::index)).collect();
        assert_eq!(turns, [Some(0), Some(0), Some(0), Some(1), Some(1), None]);
        assert_eq!(tally.turns.len(), 2);
    });
}

#[test]
fn a_turn_lasts_until_the_last_thing_under_its_prompt_unless_the_client_says_else() {
    let lines = [
        prompt("a", "", 0),
        answer("b", "a", 9, "m1"),
        answer("c", "b", 5, "m2"),
        prompt("d", "c", 20),
        answer("e", "d", 21, "m3"),
        entry("system", "f", "e", 22, r#","subtype":"turn_duration","durationMs":300"#),
        entry("system", "g", "f", 23, r#","subtype":"turn_duration","durationMs":200"#),
        prompt("h", "g", 40),
        prompt("i", "b", 50).replace("timestamp", "other"),
        answer("j", "i", 55, "m4"),
    ];
    check(&lines, |_, tally| {
        assert_eq!(durations(tally), [Some(9000), Some(300), Some(0), None]);
    });
}

#[test]
fn a_copy_under_a_new_uuid_is_known_by_what_it_is_a_copy_of() {
    let lines = [
        copied("a1", &prompt("b1", "", 0)),
        copied("a2", &answer("b2", "b1", 1, "m")),
        prompt("b3", "b2", 2),
    ];
    check(&lines, |log, tally| {
        assert_eq!(messages(log, tally), ["a1", "m", "b3"]);
        let turns: Vec<_> = tally.turns.iter().map(|turn| log.text(turn.key)).collect();
        assert_eq!(turns, ["a1", "b3"]);
    });
}

#[test]
fn what_an_answer_without_an_id_used_is_known_by_what_it_is_a_copy_of() {
    let used = r#","message":{"content":[],"usage":{"output_tokens":5}}"#;
    let named = used.replacen('{', r#"{"id":"m","#, 1);
    let lines = [
        prompt("b1", "", 0),
        copied("a2", &entry("assistant", "b2", "b1", 1, used)),
        entry("assistant", "b3", "b2", 2, used),
        copied("a4", &entry("assistant", "b4", "b3", 3, &named)),
    ];
    check(&lines, |log, tally| {
        let keys: Vec<_> = log.usage.iter().map(|row| log.text(row.message)).collect();
        assert_eq!(keys, ["a2", "b3", "m"]);
        assert_eq!(messages(log, tally)[1..], keys);
    });
}

#[test]
fn a_call_counts_once_with_its_result_and_the_lines_that_it_changed() {
    let failed = result("i", "h", "t4", CHANGED).replace("\"content\":\"ok\"", "\"is_error\":true");
    let lines = [
        prompt("a", "", 0),
        call("b", "a", "t1", "Edit"),
        result("c", "b", "t1", CHANGED),
        call("d", "c", "t2", "mcp__files__edit"),
        result("e", "d", "t2", CHANGED),
        call("f", "e", "t3", "Edit"),
        call("g", "f", "t1", "Edit"),
        call("h", "g", "t4", "Edit"),
        failed,
    ];
    check(&lines, |log, tally| {
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
    let second = r#"{"type":"tool_result","tool_use_id":"t2","content":"ok"}]"#;
    let both = result("d", "c", "t1", CHANGED).replacen(']', &format!(",{second}"), 1);
    let lines =
        [prompt("a", "", 0), call("b", "a", "t1", "Edit"), call("c", "b", "t2", "Edit"), both];
    check(&lines, |_, tally| {
        let lines: Vec<_> = tally.calls.iter().map(|call| (call.added, call.removed)).collect();
        assert_eq!(lines, [(2, 1), (0, 0)]);
    });
}

#[test]
fn where_no_one_speaks_remarks_of_the_client_do_not_count() {
    let remark = entry("system", "a", "", 0, r#","subtype":"informational","content":"hi""#);
    check(&[remark], |_, tally| assert_eq!(*tally, Tally::default()));
}

#[test]
fn two_different_messages_with_one_uuid_both_count() {
    let lines = [prompt("a", "", 0), answer("a", "", 1, "m")];
    check(&lines, |log, tally| {
        assert_eq!(messages(log, tally), ["a", "m"]);
    });
}
