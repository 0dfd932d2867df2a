//! One small log for each rule, and some healthy ones.

use unspool_model::graph::Rule;

use super::{checked, expect, lines, record};

/// The conversation in the description of the flat dialect: a call, a sidechain with two exchanges
/// and a compaction.
pub(super) const FLAT_SESSION: &str = r#"
    flat user a 0 "message":"hi","userType":"human"
    flat assistant b 1 "parentUuid":"a","message":"on it","subtype":"response"
    flat assistant c 2 "parentUuid":"b","subtype":"tool_use","toolName":"Read","toolArguments":{"file_path":"/a"}
    flat system d 3 "parentUuid":"c","message":"[File contents]"
    flat user e 4 "parentUuid":"d","message":"task","isSidechain":true,"userType":"external"
    flat assistant f 5 "parentUuid":"e","message":"done","isSidechain":true
    flat user g 6 "parentUuid":"f","message":"more","isSidechain":true,"userType":"external"
    flat assistant h 7 "parentUuid":"g","message":"done","isSidechain":true
    flat assistant i 8 "parentUuid":"h","message":"all done"
    flat compact_system j 9 "parentUuid":"i","message":"conversation_compacted"
    flat user k 10 "parentUuid":"j","message":"[Content removed]","isDeleted":true
"#;

#[test]
fn healthy_logs_have_no_findings() {
    expect(
        r#"
        # wire
        {"type":"mode","mode":"normal"}
        user a - 0
        call b a 1 Bash t1
        result c b 2 t1
        boundary d c 4
        user e d 5
        {"type":"last-prompt","leafUuid":"00000000-0000-0000-0000-000000000000"}
        "#,
    );
    expect(&format!("# flat\n{FLAT_SESSION}"));
}

#[test]
fn the_flat_dialect_is_held_against_its_rules() {
    expect(
        r#"
        # no uuid, time or session
        flat user a 0 "message":"hi"
        {"type":"user","message":"hi"}
        = required-fields error 2

        # no uuid, and nothing that only flat messages have
        flat user a 0 "message":"hi"
        {"type":"assistant","timestamp":"2026-01-01T00:00:00Z","sessionId":"11111111-1111-4111-8111-111111111111"}
        = required-fields error 2

        # no type
        {"uuid":"a","timestamp":"2026-01-01T00:00:00Z","sessionId":"11111111-1111-4111-8111-111111111111","message":"hi"}
        = no-conversation info -
        = required-fields error 1

        # a null, an empty text and a number
        {"type":"user","uuid":"a","timestamp":null,"sessionId":"","message":"hi"}
        {"type":"user","uuid":7,"timestamp":"2026-01-01T00:00:00Z","sessionId":"11111111-1111-4111-8111-111111111111","message":"hi"}
        = required-fields error 1
        = required-fields error 2

        # a time that is none
        flat user a 0 "message":"hi","timestamp":"yesterday"
        = required-fields error 1

        # a flag on a main message
        flat user a 0 "message":"hi","isSidechain":false
        = sidechain-flag error 1

        # a flag on a human
        flat user a 0 "message":"hi"
        flat user b 1 "parentUuid":"a","message":"hi","isSidechain":true,"userType":"human"
        = sidechain-flag error 2

        # a flag on the answer to a main message
        flat user a 0 "message":"hi"
        flat assistant b 1 "parentUuid":"a","message":"hi","isSidechain":true
        = sidechain-flag error 2

        # external, but not in a sidechain
        flat user a 0 "message":"hi","userType":"external"
        = external-sidechain error 1

        # a call without a tool
        flat assistant a 0 "subtype":"tool_use"
        = tool-name error 1
        = call-without-result warning 1

        # a call of a tool whose name is not a text
        flat assistant a 0 "subtype":"tool_use","toolName":7,"isAborted":true
        = tool-name error 1

        # arguments that are not an object
        flat assistant a 0 "subtype":"tool_use","toolName":"Read","toolArguments":"{}","isAborted":true
        = tool-arguments error 1

        # one millisecond older than the parent
        flat user a 0 "message":"hi"
        flat assistant b 1 "parentUuid":"a","message":"x"
        flat user c 2 "parentUuid":"b","message":"x","timestamp":"2026-01-01T00:00:00.999Z"
        = time-order warning 3

        # orphans are allowed
        flat user a 0 "parentUuid":"x","message":"hi"
        flat user b 1 "parentUuid":"y","message":"hi"
        flat compact_system c 2 "parentUuid":"b","message":"conversation_compacted"
        flat user d 3 "parentUuid":"z","logicalParentUuid":"b","message":"hi"
        flat user e 4 "parentUuid":"z","message":"hi"
        = unknown-parent-first info 1
        = unknown-parent-flat info 2
        = unknown-parent-compacted info 4
        = unknown-parent-compacted info 5
        "#,
    );
}

#[test]
fn the_wire_dialect_is_not_held_against_the_rules_of_the_flat_one() {
    expect(
        r#"
        # a lookalike with a plain text for a message
        user a - 0
        head user b a 1 "message":"a plain text"

        # both in one file
        flat user a 0 "message":"hi"
        head assistant b a 1 "message":{"role":"assistant","content":[]}
        head system c b 2 "subtype":"turn_duration","durationMs":1
        {"type":"system","subtype":"informational","content":"x"}
        {"type":"custom-title","customTitle":"x"}

        # a message without uuid and time
        user a - 0
        {"type":"user","message":{"role":"user","content":"x"}}
        = missing-uuid info 2
        = missing-time info 2
        "#,
    );
}

#[test]
fn links_that_lead_nowhere_are_reported() {
    expect(
        r#"
        # a block that is there twice
        user a - 0
        answer b a 1
        user a - 0
        answer b a 1
        = duplicate-uuid warning 3
        = duplicate-uuid warning 4

        # a parent of its own
        user a - 0
        answer b b 1
        = cycle warning 2

        # a first entry that is its own parent
        user a a 0
        = cycle warning 1

        # a circle
        user a c 0
        answer b a 1
        user c b 2
        = cycle warning 1

        # a child before its parent
        user a - 0
        answer c b 1
        user b a 1
        = parent-later info 2

        # a parent in another file, and one nowhere
        user a x 0
        answer b y 1
        = unknown-parent-first info 1
        = unknown-parent warning 2

        # a logical parent nowhere
        user a - 0
        boundary b x 1
        = unknown-logical-parent info 2

        # a second beginning
        user a - 0
        user b - 1
        = several-roots info 2

        # a leaf nowhere
        user a - 0
        {"type":"last-prompt","leafUuid":"x"}
        {"type":"last-prompt","leafUuid":"y"}
        = unknown-leaf info 3
        "#,
    );
}

#[test]
fn odd_records_are_reported() {
    expect(
        r#"
        # types and sessions that are new
        user a - 0
        {"type":"brand-new"}
        {"type":"brand-new"}
        {"type":"newer","sessionId":"other"}
        {"a":1}
        = foreign-session-id info -
        = unknown-type info 2
        = unknown-type info 4
        = unknown-type info 5

        # times that go back
        user a - 60
        answer b a 59
        user c a 65
        user d a 61
        = time-order warning 2
        = time-goes-back info 4

        # calls without a result, and results without a call
        user a - 0
        call b a 1 Bash t1
        result c b 2 t2
        = call-without-result warning 2
        = result-without-call warning 3
        "#,
    );
}

#[test]
fn damaged_bytes_are_reported() {
    let (first, second) = (record("user a - 0"), record("answer b a 1"));
    let torn = &second[..second.len() - 20];
    let cases: &[(String, &[&str])] = &[
        (format!("{first}\n{torn}\n{second}\n"), &["damaged-line warning 2"]),
        (format!("{first}\n{torn}"), &["unfinished-line warning 2"]),
        (format!("{first}{second}\n"), &["glued-line warning 1"]),
        (format!("{first}\n{torn}{second}\n"), &["glued-line warning 2"]),
        (format!("{first}\n7\n"), &["not-an-object warning 2"]),
        (first.clone(), &["no-final-newline info 1"]),
        (format!("\n{first}\n\n{second}\n"), &[]),
        (String::new(), &["empty-file info -"]),
        ("{\"type\":\"mode\"}\n".to_owned(), &["no-conversation info -"]),
    ];
    for (content, expected) in cases {
        assert_eq!(lines(&checked(content, Rule::Current)), *expected, "{content}");
    }
}
