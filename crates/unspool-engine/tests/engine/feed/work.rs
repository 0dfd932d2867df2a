//! The cost of a stream in counted steps.

use std::fmt::Write as _;

use unspool_engine::library::FeedTarget;

use super::lab::{Client, Lab};

/// Returns a session of one prompt and many calls, each entry the child of the entry before it.
fn calls(entries: usize) -> Vec<Vec<u8>> {
    let mut parent = "null".to_owned();
    let mut lines = Vec::new();
    for index in 0..entries {
        let message = match index {
            0 => r#""user","message":{"role":"user","content":"go on"}"#.to_owned(),
            _ if index % 2 == 1 => format!(
                r#""assistant","message":{{"id":"m{index}","role":"assistant","content":[{{"type":"tool_use","id":"t{index}","name":"Bash","input":{{}}}}]}}"#
            ),
            _ => format!(
                r#""user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{}","content":"ok"}}]}}"#,
                index - 1
            ),
        };
        let mut line = format!(r#"{{"uuid":"u{index}","parentUuid":{parent},"sessionId":"s""#);
        writeln!(line, r#","type":{message}}}"#).expect("a text");
        lines.push(line.into_bytes());
        parent = format!("\"u{index}\"");
    }
    lines
}

/// Counts the steps for ten lines after this many entries, each sent to a reader at once.
fn steps_of_ten_lines(entries: usize) -> u64 {
    let lines = calls(entries + 10);
    let lab = Lab::new(&lines[..entries].concat());
    let mut reader = Client::new("reader", FeedTarget::active());
    reader.load(&lab.open.view());
    let steps = unspool_work::count(|| {
        for line in &lines[entries..] {
            lab.append(line);
            lab.refresh();
            reader.step(&lab.open.view(), 9);
        }
    });
    assert_eq!(reader.sent.messages + reader.sent.changes, 10);
    steps
}

#[test]
fn a_line_costs_the_same_whatever_the_session_has() {
    let (short, long) = (steps_of_ten_lines(200), steps_of_ten_lines(20_000));
    assert!(short > 20, "{short}");
    assert!(long <= short + 100, "{short} steps, then {long}");
}

#[test]
fn a_reader_that_comes_late_costs_what_it_missed() {
    let lines = calls(8_000);
    let lab = Lab::new(&lines[..4_000].concat());
    let mut reader = Client::new("reader", FeedTarget::active());
    reader.load(&lab.open.view());
    lab.append(&lines[4_000..7_990].concat());
    lab.refresh();
    let mut last = Client::new("last", FeedTarget::active());
    last.load(&lab.open.view());
    lab.append(&lines[7_990..].concat());
    lab.refresh();
    let drain = |client: &mut Client| unspool_work::count(|| client.drain(&lab.open.view()));
    let (all, few) = (drain(&mut reader), drain(&mut last));
    assert_eq!(reader.messages, last.messages);
    assert!(all < 4_000 * 20, "{all}");
    assert!(few < 10 * 30, "{few}");
}
