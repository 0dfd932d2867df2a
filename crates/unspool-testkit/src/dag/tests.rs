//! Tests of the notation through the bytes that it writes.

use serde_json::Value;

use super::*;
use crate::ids::{ZERO_UUID, uuid};

fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("every line is JSON"))
        .collect()
}

fn built(notation: &str) -> Vec<Value> {
    lines(&session(notation))
}

const WHITEBOARD: &str = r#"
    u1  user "fix the bug"
    a1  assistant "Looking." call Bash:t1 {"command":"ls"} out=120 in=4 cr=1000 cw5=7 cw1=9
    r1  result t1 "src"
    a2  assistant "Done." msg=m2 model=claude-x
    u2b user < a1 "other way"
    -- last-prompt a2
"#;

#[test]
fn the_whiteboard_becomes_wire_lines() {
    let lines = built(WHITEBOARD);
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0]["parentUuid"], Value::Null);
    assert_eq!(lines[0]["message"]["content"], "fix the bug");
    assert_eq!(lines[0]["promptSource"], "typed");
    assert_eq!(lines[1]["parentUuid"], uuid("u1"));
    assert_eq!(lines[1]["message"]["id"], "msg_a1");
    assert_eq!(lines[1]["message"]["content"][1]["input"]["command"], "ls");
    assert_eq!(lines[1]["message"]["stop_reason"], "tool_use");
    assert_eq!(lines[1]["message"]["usage"]["output_tokens"], 120);
    assert_eq!(lines[1]["message"]["usage"]["cache_creation_input_tokens"], 16);
    assert_eq!(lines[2]["message"]["content"][0]["tool_use_id"], "t1");
    assert_eq!(lines[2]["toolUseResult"]["stdout"], "src");
    assert_eq!(lines[2]["sourceToolAssistantUUID"], uuid("a1"));
    assert_eq!(lines[2]["promptId"], lines[0]["promptId"]);
    assert_eq!(lines[3]["message"]["id"], "m2");
    assert_eq!(lines[3]["requestId"], "req_m2");
    assert_eq!(lines[4]["parentUuid"], uuid("a1"));
    assert_ne!(lines[4]["promptId"], lines[0]["promptId"]);
    assert_eq!(lines[5]["leafUuid"], uuid("a2"));
}

#[test]
fn time_runs_one_second_per_line_unless_told() {
    let lines = built(
        "u1 user \"a\"
         -- mode normal
         u2 user \"b\"
         u3 user @+0.25 \"c\"
         u4 user @-2 \"d\"
         u5 user @90 \"e\"",
    );
    let times: Vec<&str> = lines.iter().filter_map(|line| line["timestamp"].as_str()).collect();
    assert_eq!(
        times,
        [
            "2026-01-05T09:00:00.000Z",
            "2026-01-05T09:00:02.000Z",
            "2026-01-05T09:00:02.250Z",
            "2026-01-05T09:00:00.250Z",
            "2026-01-05T09:01:30.000Z",
        ]
    );
}

#[test]
fn parents_may_be_null_unknown_below_or_the_entry_itself() {
    let lines = built(
        "a user < b
         b user < -
         c user < ?lost
         d user < d",
    );
    assert_eq!(lines[0]["parentUuid"], uuid("b"));
    assert_eq!(lines[1]["parentUuid"], Value::Null);
    assert_eq!(lines[2]["parentUuid"], uuid("lost"));
    assert_eq!(lines[3]["parentUuid"], lines[3]["uuid"]);
}

#[test]
fn compaction_names_its_neighbours() {
    let lines = built(
        r#"
        u1 user "one"
        a1 assistant "done"
        b1 system compact_boundary keep=u1,a1 manual before=900 after=80
        s1 user summary "This session is being continued"
        b2 system compact_boundary logical=- < s1
        "#,
    );
    assert_eq!(lines[2]["parentUuid"], Value::Null);
    assert_eq!(lines[2]["logicalParentUuid"], uuid("a1"));
    let data = &lines[2]["compactMetadata"];
    assert_eq!(data["trigger"], "manual");
    assert_eq!(data["preservedSegment"]["headUuid"], uuid("u1"));
    assert_eq!(data["preservedMessages"]["anchorUuid"], uuid("s1"));
    assert_eq!(data["preservedMessages"]["uuids"][1], uuid("a1"));
    assert_eq!(lines[3]["isCompactSummary"], true);
    assert_eq!(lines[3]["promptSource"], Value::Null);
    assert_eq!(lines[4]["parentUuid"], uuid("s1"));
    assert_eq!(lines[4].get("logicalParentUuid"), None);
    assert_eq!(lines[4]["compactMetadata"].get("preservedMessages"), None);
}

#[test]
fn results_can_fail_be_denied_or_name_an_agent() {
    let lines = built(
        r#"
        a1 assistant call Agent:t1 {"prompt":"p"} call Bash:t2 call Read:t3
        r1 result t1 agent=a0f "report"
        r2 result < a1 t2 "no" denied=user-rejected
        r3 result < a1 t3 "gone" error
        r4 result ?t9 "x" t3 "y"
        r5 result t1 agent=a0f launched
        "#,
    );
    assert_eq!(lines[1]["toolUseResult"]["agentId"], "a0f");
    assert_eq!(lines[1]["message"]["content"][0]["content"][0]["text"], "report");
    assert_eq!(lines[2]["toolDenialKind"], "user-rejected");
    assert_eq!(lines[2]["message"]["content"][0]["is_error"], true);
    assert_eq!(lines[3]["toolUseResult"], "Error: gone");
    assert_eq!(lines[4]["message"]["content"][1]["tool_use_id"], "t3");
    assert_eq!(lines[5]["toolUseResult"]["status"], "async_launched");
    assert_eq!(lines[5]["message"]["content"][0].get("content"), None);
}

#[test]
fn links_that_are_no_messages_keep_their_payload() {
    let lines = built(
        r#"
        q1 attachment queued_command "also test"
        h1 attachment hook_success tool=t1 "ok"
        e1 attachment edited_text_file {"filename":"a","snippet":"{}"}
        p1 progress agent_progress tool=t1 agent=a1 {"message":{"uuid":"%uuid(x)"}}
        t1 system turn_duration ms=41250
        c1 system local_command "<command-name>/x</command-name>"
        e2 system api_error
        x1 ?future-type "hm" {"n":1}
        "#,
    );
    assert_eq!(lines[0]["attachment"]["prompt"], "also test");
    assert_eq!(lines[1]["attachment"]["toolUseID"], "t1");
    assert_eq!(lines[2]["attachment"]["snippet"], "{}");
    assert_eq!(lines[3]["data"]["message"]["uuid"], uuid("x"));
    assert_eq!(lines[3]["parentToolUseID"], "t1");
    assert_eq!(lines[4]["durationMs"], 41250);
    assert_eq!(lines[6]["retryAttempt"], 1);
    assert_eq!(lines[7]["type"], "future-type");
    assert_eq!(lines[7]["parentUuid"], uuid("e2"));
}

#[test]
fn metadata_lines_follow_the_wire() {
    let bytes = session(
        r#"
        -- custom-title "x"
        -- tag experiment
        -- last-prompt 0
        -- last-prompt - "text"
        -- summary "old" ?elsewhere
        -- queue enqueue "also"
        -- snapshot u1 {"a.rs":{"version":1}}
        -- raw {"type":"mode","leafUuid":"%uuid(a)"}
        "#,
    );
    assert!(bytes.starts_with(br#"{"type":"custom-title","customTitle":"x","sessionId":""#));
    let lines = lines(&bytes);
    assert_eq!(lines[1]["tag"], "experiment");
    assert_eq!(lines[2]["leafUuid"], ZERO_UUID);
    assert_eq!(lines[2]["explicit"], true);
    assert_eq!(lines[3].get("leafUuid"), None);
    assert_eq!(lines[4]["leafUuid"], uuid("elsewhere"));
    assert_eq!(lines[5]["content"], "also");
    assert_eq!(lines[6]["snapshot"]["trackedFileBackups"]["a.rs"]["version"], 1);
    assert_eq!(lines[7]["leafUuid"], uuid("a"));
}

#[test]
fn damage_is_written_as_asked() {
    let bytes =
        session("-- glue {\"a\":\n-- raw {}\n-- blank\n-- bytes 22 ff22\n-- torn {\"type\":\"us");
    assert_eq!(bytes, b"{\"a\":{}\n\n\"\xff\"\n{\"type\":\"us");
    assert_eq!(session("-- torn {\n-- raw {}"), b"{\n{}\n");
}

#[test]
fn fields_can_be_replaced_added_and_left_out() {
    let bytes =
        session(r#"u1 user "a" +uuid=5 +isMeta=null +extra={"b":[1]} +note="q" !cwd !version"#);
    let lines = lines(&bytes);
    assert_eq!(lines[0]["uuid"], 5);
    assert_eq!(lines[0]["extra"]["b"][0], 1);
    assert_eq!(lines[0]["note"], "q");
    assert_eq!(lines[0].get("cwd"), None);
    assert_eq!(lines[0].get("isMeta"), Some(&Value::Null));
}

#[test]
fn settings_apply_from_their_line_on() {
    let lines = built(
        "u1 user \"a\"
         %version 1.0.113
         %session other
         %agent a12
         u2 user \"b\"
         u3 user \"c\" sidechain",
    );
    assert_eq!(lines[0]["sessionId"], uuid("session"));
    assert_eq!(lines[1]["sessionId"], uuid("other"));
    assert_eq!(lines[1]["agentId"], "a12");
    assert_eq!(lines[1]["isSidechain"], true);
    assert_eq!(lines[1].get("promptId"), None);
    assert_eq!(lines[1].get("entrypoint"), None);
    assert_eq!(lines[2].get("agentId"), None);
}

#[test]
fn local_messages_carry_no_tokens() {
    let lines = built(
        "a1 assistant synthetic \"No response requested.\"\na2 assistant api-error=rate_limit \"Limit\"\na3 assistant thinking image no-usage stop=null req=-",
    );
    assert_eq!(lines[0]["message"]["model"], "<synthetic>");
    assert_eq!(lines[0]["message"]["usage"]["output_tokens"], 0);
    assert_eq!(lines[1]["isApiErrorMessage"], true);
    assert_eq!(lines[2]["message"].get("usage"), None);
    assert_eq!(lines[2].get("requestId"), None);
    assert_eq!(lines[2]["message"]["content"][0]["thinking"], "");
}

#[test]
#[should_panic(expected = "which no line defines")]
fn an_undefined_parent_is_a_mistake() {
    session("u1 user < nobody");
}

#[test]
#[should_panic(expected = "two entries are named `u1`")]
fn a_repeated_name_is_a_mistake() {
    session("u1 user\nu1 user");
}

#[test]
#[should_panic(expected = "notation line 2: `typo` means nothing here\n    u2 user typo")]
fn an_unknown_word_names_its_line() {
    session("u1 user again\n  u2 user typo");
}

#[test]
#[should_panic(expected = "answers the call `t7`")]
fn an_unmade_call_is_a_mistake() {
    session("r1 result t7 \"x\"");
}
