//! Nothing of a file is lost, and nothing panics.

use proptest::prelude::*;
use unspool_model::log::Log;
use unspool_model::record::Record;

use crate::checks;
use crate::portrait::portrait;
use crate::sessions::{any_bytes, any_session, cases};

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn spans_put_together_are_the_file(bytes in any_session(80)) {
        checks::assert_spans_cover(&Log::read(&bytes), &bytes);
    }

    #[test]
    fn spans_put_together_are_the_file_for_any_bytes(bytes in any_bytes(40)) {
        checks::assert_spans_cover(&Log::read(&bytes), &bytes);
    }

    #[test]
    fn pieces_put_together_are_the_line(bytes in any_bytes(40)) {
        checks::assert_pieces_are_the_line(&bytes);
    }

    #[test]
    fn no_view_of_any_bytes_panics(bytes in any_bytes(40)) {
        portrait(&Log::read(&bytes));
        Record::read(&bytes);
    }

    #[test]
    fn parts_of_a_record_are_the_blocks_of_its_entry(bytes in any_session(60)) {
        let log = Log::read(&bytes);
        for entry in &log.entries {
            checks::assert_parts_are_blocks(&log, entry, &bytes);
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn no_view_of_any_session_panics(bytes in any_session(60)) {
        let log = Log::read(&bytes);
        portrait(&log);
        for entry in &log.entries {
            Record::read(&bytes[entry.span.start as usize..entry.span.end() as usize]);
        }
    }
}

#[test]
fn parts_are_blocks_in_records_that_say_things_twice_or_halfway() {
    let lines = [
        // A repeated key: the last one counts.
        r#"{"type":"user","message":{"content":[{"type":"text","text":"a"}]},"message":"b"}"#,
        r#"{"type":"user","message":"a","message":{"content":[{"type":"text","text":"b"}]}}"#,
        r#"{"type":"user","message":"a","message":"b"}"#,
        r#"{"type":"user","message":"a","message":null}"#,
        r#"{"type":"user","message":{"content":"a","content":["b","c"]}}"#,
        // A text that was spread over keys.
        r#"{"type":"user","message":{"0":"h","1":"i"}}"#,
        r#"{"type":"user","message":{"0":"h","1":"i","content":[]}}"#,
        r#"{"type":"user","message":{"0":"","1":7}}"#,
        r#"{"type":"user","message":{"0":"h","content":"text"}}"#,
        // Calls of the flat dialect, with their other fields in any order.
        r#"{"type":"assistant","uuid":"a","subtype":"tool_use"}"#,
        r#"{"type":"assistant","uuid":"a","subtype":"tool_use","message":"text"}"#,
        r#"{"type":"assistant","uuid":"a","subtype":"tool_use","toolName":"Read"}"#,
        r#"{"type":"assistant","uuid":"a","toolName":"Read","message":"text"}"#,
        r#"{"type":"assistant","uuid":"a","message":"text","toolName":"Read"}"#,
        r#"{"type":"assistant","uuid":"a","toolName":"Read","message":{"content":"text"}}"#,
        r#"{"type":"assistant","uuid":"a","message":{"content":"text"},"toolName":"Read"}"#,
        r#"{"type":"assistant","uuid":"a","toolArguments":{},"message":[]}"#,
        // Values that are not blocks.
        r#"{"type":"user","message":{"content":[null,7,[],{},"text",{"type":null}]}}"#,
    ];
    let wrong = lines.into_iter().filter_map(|line| {
        let log = Log::read(line.as_bytes());
        let (parts, blocks) = checks::parts_and_blocks(&log, &log.entries[0], line.as_bytes());
        (parts != blocks).then_some((line, parts, blocks))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn white_space_between_recovered_records_is_no_fragment() {
    let record = r#"{"type":"user","uuid":"a","sessionId":"s"}"#;
    checks::assert_pieces_are_the_line(format!("torn{record} {record}\t{record} \n").as_bytes());
}

#[test]
fn a_record_after_a_form_feed_is_read() {
    // White space for many programs, but not for JSON.
    let line = b"\x0c{\"type\":\"user\",\"uuid\":\"a\",\"sessionId\":\"s\"}\n";
    checks::assert_sound(line);
    let log = Log::read(line);
    assert!(log.entries.iter().any(|entry| entry.uuid.is_some()));
}
