//! Transcripts of what real versions of Claude Code wrote.

use std::fmt::Write as _;

use unspool_testkit::TestHome;
use unspool_testkit::reallogs::RealLogs;

use super::export;
use super::inert::acting;

/// A home with what stood in one at the end of a scenario.
fn home_of(version: &str, scenario: &str) -> TestHome {
    let home = TestHome::new();
    home.copy_from(&RealLogs::fixtures().case(version, scenario).home());
    home
}

/// Exports everything of a scenario.
fn markdown(version: &str, scenario: &str, args: &[&str]) -> String {
    let exported = export(&home_of(version, scenario), &[&["--all"], args].concat());
    assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
    exported.all()
}

#[test]
fn fork() {
    insta::assert_snapshot!(markdown("2.1.325", "tui-rewind-kill2", &[]));
}

#[test]
fn compaction() {
    insta::assert_snapshot!(markdown("2.1.50", "compact-auto", &[]));
}

#[test]
fn preserved_messages() {
    insta::assert_snapshot!(markdown("2.1.325", "compact-sdk", &[]));
}

#[test]
fn preserved_messages_in_the_context() {
    insta::assert_snapshot!(markdown("2.1.325", "compact-sdk", &["--context"]));
}

#[test]
fn parallel_calls() {
    insta::assert_snapshot!(markdown("2.1.325", "parallel", &[]));
}

#[test]
fn agents_in_a_folder() {
    insta::assert_snapshot!(markdown("2.1.325", "subagent", &[]));
}

#[test]
fn agents_in_files_of_their_own() {
    insta::assert_snapshot!(markdown("2.1.325", "subagent", &["--agents", "separate"]));
}

#[test]
fn agents_named_only() {
    insta::assert_snapshot!(markdown("2.1.325", "subagent", &["--agents", "none"]));
}

#[test]
fn agents_next_to_the_session() {
    insta::assert_snapshot!(markdown("2.0.37", "subagent", &[]));
}

#[test]
fn agents_inside_the_session() {
    insta::assert_snapshot!(markdown("1.0.113", "subagent", &[]));
}

#[test]
fn an_agent_in_the_background() {
    insta::assert_snapshot!(markdown("2.1.325", "subagent-bg", &[]));
}

#[test]
fn kill() {
    insta::assert_snapshot!(markdown("2.1.325", "kill9-tool-running", &[]));
}

#[test]
fn interrupt() {
    insta::assert_snapshot!(markdown("2.1.325", "sdk-interrupt", &[]));
}

#[test]
fn image() {
    insta::assert_snapshot!(markdown("2.1.325", "tui-image", &[]));
}

#[test]
fn hook() {
    insta::assert_snapshot!(markdown("2.1.325", "hooks", &[]));
}

#[test]
fn todos_and_thinking() {
    insta::assert_snapshot!(markdown("2.1.325", "todo-sonnet", &[]));
    insta::assert_snapshot!(markdown("2.1.325", "thinking", &[]));
}

#[test]
fn permission_and_commands() {
    insta::assert_snapshot!(markdown("2.1.325", "tui-perm", &[]));
    insta::assert_snapshot!(markdown("2.1.325", "tui-slash", &[]));
}

#[test]
fn errors_of_the_api() {
    insta::assert_snapshot!(markdown("2.1.325", "api-errors", &[]));
}

#[test]
fn plain_text() {
    insta::assert_snapshot!(markdown("2.1.325", "subagent", &["--format", "text"]));
}

/// Exports a scenario and lists its files, the number of their messages, and what was left out.
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
