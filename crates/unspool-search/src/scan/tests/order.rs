//! The order of hits, and their number.

use std::time::{Duration, SystemTime};

use unspool_testkit::TestHome;
use unspool_testkit::home::{AgentFilePlace, TestSideFile};

use super::*;
use crate::scan::{BeyondLimit, HitsBeyondLimit, sources};
use unspool_store::home::{Home, discover_all};

fn record(text: &str) -> String {
    format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{text}\"}}}}\n")
}

#[test]
fn the_first_hits_are_the_same_whatever_the_limit() {
    let mut files = Files::new();
    for number in 0..40 {
        let log: String = (0..number % 7).map(|line| record(&format!("needle {line}"))).collect();
        files.add(&format!("{number}"), Content::Log, log);
    }
    let mut request = ScanRequest::new("needle", PatternKind::Exact);
    let all = files.scan(&request);
    let order = |hit: &SearchHit| (hit.session.as_str().parse::<u32>().ok(), hit.offset);
    assert!(all.hits.is_sorted_by_key(order));
    assert_eq!((all.hits.len(), all.further), (115, HitsBeyondLimit::Exactly(0)));
    for limit in [0, 1, 5, 17, 114, 115, 116] {
        request.limit = limit;
        let following = 115u64.saturating_sub(limit as u64);
        for most in [None, Some(3), Some(60), Some(115)] {
            request.rest = most.map_or(BeyondLimit::Count, BeyondLimit::CountTo);
            let some = files.scan(&request);
            assert_eq!(some.hits, all.hits[..limit.min(115)], "{limit}");
            match some.further {
                HitsBeyondLimit::Exactly(further) => {
                    assert_eq!(further, following, "{limit} {most:?}");
                }
                HitsBeyondLimit::AtLeast(further) => {
                    let most = most.expect("all are counted");
                    assert!(further > most && further <= following, "{limit} {most}");
                }
            }
        }
    }
}

#[test]
fn what_is_only_counted_is_what_would_be_shown() {
    let x = "x".repeat(100);
    let files = Files::log(
        "a",
        [
            record(&format!("a {x}Error")),
            record(&format!("a\\n{x}Error {x}")),
            record(&format!("{x}\\u00e9Error{x}")),
            record(&format!("{x}\\\\nError\\n{x}")),
            record(&format!("{x} Errorn")),
        ]
        .concat(),
    );
    for (pattern, expected) in [
        (r"^\w+Error", 2),
        (r"\bx+Error", 2),
        (r"Error$", 2),
        (r"Error\b", 3),
        (r"\bError", 1),
        (r"éError", 1),
        (r"nError", 1),
        (r"\wError", 4),
        (r"\AxError|\Ax+é", 1),
        (r"x{100}.?Error", 4),
    ] {
        let mut request = ScanRequest::new(pattern, PatternKind::Regex);
        assert_eq!(files.scan(&request).hits.len(), expected, "{pattern}");
        request.limit = 0;
        let counted = files.scan(&request).further;
        assert_eq!(counted, HitsBeyondLimit::Exactly(expected as u64), "{pattern} counted");
    }
}

#[test]
fn the_newest_session_comes_first_with_its_agents_and_spilled_outputs() {
    let home = TestHome::new();
    let touch = |path: &Path, age: u64| {
        let file = fs::File::options().append(true).open(path).expect("opens");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 - age);
        file.set_modified(time).expect("sets the time");
    };
    let line = record("needle");
    let (old, new) =
        ("00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b");
    touch(&home.add_session("/a", old, &line), 50);
    touch(&home.add_session("/b", new, &line), 40);
    let agent = home.add_agent("/a", old, &AgentFilePlace::Subagents, "x1", &line);
    touch(&agent, 30);
    let spilled = TestSideFile::ToolResult { cwd: "/a".to_owned(), name: "toolu_1.txt".to_owned() };
    touch(&home.add_side_file(old, &spilled, "a needle"), 45);
    let loose = home.add_agent("/b", "elsewhere", &AgentFilePlace::Sibling, "x2", &line);
    touch(&loose, 60);

    let found = discover_all(&[Home::new(home.path())]);
    let files = sources(&found);
    let scan = scan(&files, &ScanRequest::new("needle", PatternKind::Exact), &AtomicU64::new(0));
    let hits = scan.expect("a pattern").hits;
    let seen: Vec<_> = hits
        .iter()
        .map(|hit| {
            let name = hit.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (hit.session.as_str().to_owned(), hit.agent.as_ref().map(ToString::to_string), name)
        })
        .collect();
    let row = |session: &str, agent: Option<&str>, name: String| {
        (session.to_owned(), agent.map(str::to_owned), name)
    };
    assert_eq!(
        seen,
        [
            row(old, None, format!("{old}.jsonl")),
            row(old, Some("x1"), "agent-x1.jsonl".to_owned()),
            row(old, None, "toolu_1.txt".to_owned()),
            row(new, None, format!("{new}.jsonl")),
            row("agent-x2", Some("x2"), "agent-x2.jsonl".to_owned()),
        ]
    );
}
