//! Transcripts of logs that real versions of Claude Code wrote.

use std::fmt::Write as _;

use unspool_testkit::TestHome;
use unspool_testkit::reallogs::RealLogs;

use super::export;
use super::inert::acting;

/// The exports of the snapshots: name, version, scenario, options.
const TRANSCRIPTS: [(&str, &str, &str, &[&str]); 21] = [
    ("fork", "2.1.325", "tui-rewind-kill2", &[]),
    ("compaction", "2.1.50", "compact-auto", &[]),
    ("preserved_messages", "2.1.325", "compact-sdk", &[]),
    ("preserved_messages_in_the_context", "2.1.325", "compact-sdk", &["--context"]),
    ("parallel_calls", "2.1.325", "parallel", &[]),
    ("agents_in_a_folder", "2.1.325", "subagent", &[]),
    ("agents_in_files_of_their_own", "2.1.325", "subagent", &["--agents", "separate"]),
    ("agents_named_only", "2.1.325", "subagent", &["--agents", "none"]),
    ("agents_next_to_the_session", "2.0.37", "subagent", &[]),
    ("agents_inside_the_session", "1.0.113", "subagent", &[]),
    ("an_agent_in_the_background", "2.1.325", "subagent-bg", &[]),
    ("kill", "2.1.325", "kill9-tool-running", &[]),
    ("interrupt", "2.1.325", "sdk-interrupt", &[]),
    ("image", "2.1.325", "tui-image", &[]),
    ("hook", "2.1.325", "hooks", &[]),
    ("todos_and_thinking", "2.1.325", "todo-sonnet", &[]),
    ("todos_and_thinking-2", "2.1.325", "thinking", &[]),
    ("permission_and_commands", "2.1.325", "tui-perm", &[]),
    ("permission_and_commands-2", "2.1.325", "tui-slash", &[]),
    ("errors_of_the_api", "2.1.325", "api-errors", &[]),
    ("plain_text", "2.1.325", "subagent", &["--format", "text"]),
];

#[test]
fn transcripts_of_scenarios() {
    for (name, version, scenario, args) in TRANSCRIPTS {
        let home = TestHome::new();
        home.copy_from(&RealLogs::fixtures().case(version, scenario).home());
        let exported = export(&home, &[&["--all"], args].concat());
        assert_eq!(exported.ran.code, Some(0), "{name}: {}", exported.ran.err);
        insta::assert_snapshot!(name, exported.all());
    }
}

/// Exports a scenario; lists its files, their numbers of messages, and the paths left out.
fn listed(home: &TestHome) -> String {
    let mut list = String::new();
    for line in export(home, &["--all", "--json"]).ran.lines() {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let file = text(&line["file"]);
        let file = file.rsplit('/').next().unwrap_or_default();
        let said = match text(&line["kind"]).as_str() {
            "left_out" => format!(
                "left out: {} path {}, in {}",
                text(&line["session"]),
                line["path"],
                text(&line["held_by"]["file"]),
            ),
            _ => format!("{file}: {} messages", line["messages"]),
        };
        writeln!(list, "  {said}").expect("room");
    }
    list
}

#[test]
fn the_paths_of_every_scenario() {
    let mut all = String::new();
    for case in RealLogs::fixtures().cases() {
        let home = TestHome::new();
        home.copy_from(&case.home());
        writeln!(all, "{}/{}", case.version, case.scenario).expect("room");
        all.push_str(&listed(&home));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn every_real_session_is_exported_in_every_format() {
    let logs = RealLogs::shared().unwrap_or_else(RealLogs::fixtures);
    let homes = logs.cases().into_iter().map(|case| case.home());
    let homes: Vec<String> = homes.map(|home| home.display().to_string()).collect();
    let homes = homes.iter().flat_map(|home| ["--home", home]);
    let args: Vec<&str> = ["--all"].into_iter().chain(homes).collect();
    let home = TestHome::new();
    let mut counts = Vec::new();
    for format in ["md", "text", "json", "jsonl"] {
        let exported = export(&home, &[&args[..], &["--format", format]].concat());
        assert_eq!(exported.ran.code, Some(0), "{format}: {}", exported.ran.err);
        let transcripts = exported.names().into_iter();
        let transcripts: Vec<_> = transcripts.filter(|name| !name.contains("_files/")).collect();
        for name in exported.ending("md") {
            assert_eq!(acting(exported.text(name)), None, "{name}");
        }
        counts.push(transcripts.len());
    }
    assert!(counts[0] > 100 && counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}
