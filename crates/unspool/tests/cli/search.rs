//! `search`: every text is found, by words and by scanning, and hits say where they stand.

use serde_json::Value;
use unspool_testkit::TestHome;
use unspool_testkit::home::{AgentPlace, SideFile};

use crate::run::{SESSION, home_with, run};

/// One line of every kind that holds a text, with the word that stands only there.
const LINES: &[(&str, &str)] = &[
    (
        "promptword",
        r#"{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-08-10T09:00:00.000Z","message":{"role":"user","content":"say promptword please"}}"#,
    ),
    (
        "abandonedword",
        r#"{"type":"user","uuid":"b1","parentUuid":"u1","timestamp":"2026-08-10T08:59:00.000Z","message":{"role":"user","content":"abandonedword was here"}}"#,
    ),
    (
        "answerword",
        r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","timestamp":"2026-08-10T09:00:01.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"here is answerword"}]}}"#,
    ),
    (
        "thinkingword",
        r#"{"type":"assistant","uuid":"a2","parentUuid":"a1","timestamp":"2026-08-10T09:00:02.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"thinking","thinking":"hm, thinkingword"}]}}"#,
    ),
    (
        "inputword",
        r#"{"type":"assistant","uuid":"a3","parentUuid":"a2","timestamp":"2026-08-10T09:00:03.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"grep inputword src/lib.rs"}}]}}"#,
    ),
    (
        "resultword",
        r#"{"type":"user","uuid":"u2","parentUuid":"a3","timestamp":"2026-08-10T09:00:04.000Z","toolUseResult":{"stdout":"besideword","stderr":""},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"src/lib.rs: resultword"}]}}"#,
    ),
    (
        "queuedword",
        r#"{"type":"attachment","uuid":"q1","parentUuid":"u2","timestamp":"2026-08-10T09:00:05.000Z","attachment":{"type":"queued_command","prompt":"also queuedword"}}"#,
    ),
    (
        "hookword",
        r#"{"type":"attachment","uuid":"q2","parentUuid":"q1","timestamp":"2026-08-10T09:00:06.000Z","attachment":{"type":"hook_success","content":"hookword ran"}}"#,
    ),
    (
        "remarkword",
        r#"{"type":"system","uuid":"s1","parentUuid":"q2","subtype":"informational","timestamp":"2026-08-10T09:00:07.000Z","content":"remarkword of the client"}"#,
    ),
    (
        "titleword",
        r#"{"type":"custom-title","customTitle":"titleword of a person"}"#,
    ),
    (
        "summaryword",
        r#"{"type":"summary","summary":"summaryword in short","leafUuid":"a1"}"#,
    ),
    (
        "laterword",
        r#"{"type":"queue-operation","operation":"enqueue","timestamp":"2026-08-10T09:00:08.000Z","content":"laterword in the queue"}"#,
    ),
    (
        "futureword",
        r#"{"type":"some-new-kind","uuid":"n1","payload":{"deep":[{"note":"futureword of a release to come"}]}}"#,
    ),
    (
        "tornword",
        r#"{"type":"user","uuid":"x1","message":{"content":"tornword in a torn li"#,
    ),
];

/// Words in files of their own.
const BESIDE: &[&str] = &["agentword", "spilledword", "taskword", "pastword"];

fn home() -> TestHome {
    let home = TestHome::new();
    let lines: Vec<&str> = LINES.iter().map(|(_, line)| *line).collect();
    home.add_session("/srv/demo", SESSION, lines.join("\n") + "\n");
    let agent = r#"{"type":"user","uuid":"g1","isSidechain":true,"agentId":"a1","message":{"role":"user","content":"agentword for the agent"}}"#;
    home.add_agent(
        "/srv/demo",
        SESSION,
        &AgentPlace::Subagents,
        "a1",
        format!("{agent}\n"),
    );
    let spilled = SideFile::ToolResult {
        cwd: "/srv/demo".to_owned(),
        name: "toolu_01A.txt".to_owned(),
    };
    home.add_side_file(SESSION, &spilled, "a long output with spilledword in it");
    home.add_side_file(
        SESSION,
        &SideFile::Task(1),
        r#"{"subject":"taskword to do"}"#,
    );
    let past = r#"{"display":"pastword of a session that is gone","timestamp":1780000000000,"project":"/srv/old","sessionId":"99999999-9999-4999-8999-999999999999"}"#;
    std::fs::write(home.path().join("history.jsonl"), format!("{past}\n")).expect("writes");
    home
}

fn hits(home: &TestHome, args: &[&str]) -> Vec<Value> {
    run(home, &[&["search", "--json"], args].concat()).lines()
}

#[test]
fn every_text_is_found_whatever_holds_it() {
    let home = home();
    let words = LINES.iter().map(|(word, _)| *word).chain(["besideword"]);
    for word in words.chain(BESIDE.iter().copied()) {
        let found = hits(&home, &[word]);
        let snippet = |hit: &Value| hit["snippet"].as_str().unwrap_or_default().to_owned();
        assert!(
            found.iter().any(|hit| snippet(hit).contains(word)),
            "{word}: {found:?}"
        );
    }
}

#[test]
fn a_scan_finds_what_the_full_text_finds_in_logs() {
    let home = home();
    for (word, _) in LINES {
        assert!(!hits(&home, &["--exact", word]).is_empty(), "{word}");
    }
    for word in ["agentword", "spilledword"] {
        assert!(!hits(&home, &["--exact", word]).is_empty(), "{word}");
    }
}

#[test]
fn a_hit_says_where_it_stands() {
    let home = home();
    for (word, role, kind, active) in [
        ("promptword", "user", "prompt", true),
        ("answerword", "assistant", "answer", true),
        ("inputword", "tool", "answer", true),
        ("abandonedword", "user", "prompt", false),
    ] {
        for mode in [&[word][..], &["--exact", word]] {
            let found = hits(&home, mode);
            let hit = &found[0];
            assert_eq!(hit["schema"], 1);
            assert_eq!(hit["session"], SESSION);
            assert_eq!(hit["role"], role, "{mode:?}");
            assert_eq!(hit["kind"], kind, "{mode:?}");
            assert_eq!(hit["active"], active, "{mode:?}");
            assert_eq!(hit["project"], "-srv-demo");
            assert!(hit["entry"].is_string() && hit["time"].is_string(), "{hit}");
            let snippet: Vec<char> = hit["snippet"].as_str().expect("text").chars().collect();
            let at = |end: usize| hit["matches"][0][end].as_u64().expect("a place") as usize;
            let marked: String = snippet[at(0)..at(1)].iter().collect();
            assert_eq!(marked, word, "{mode:?}");
        }
    }
    assert_eq!(hits(&home, &["agentword"])[0]["agent"], "a1");
    assert_eq!(hits(&home, &["pastword"])[0]["gone"], true);
    assert!(hits(&home, &["--active", "abandonedword"]).is_empty());
    assert!(hits(&home, &["--role", "result", "promptword"]).is_empty());
}

#[test]
fn code_words_are_found_as_written() {
    let home = home_with(
        r#"u1 user "parse_config foo::bar src/main.rs --no-verify fooBar v1.2.3 検索エンジン 🦀 naïve"
a1 assistant "nothing of the kind""#,
    );
    for word in [
        "parse_config",
        "foo::bar",
        "src/main.rs",
        "fooBar",
        "v1.2.3",
        "検索",
        "🦀",
        "naïve",
    ] {
        assert!(!hits(&home, &[word]).is_empty(), "{word}");
        assert!(!hits(&home, &["--exact", word]).is_empty(), "{word}");
    }
    assert!(!hits(&home, &["--", "--no-verify"]).is_empty());
}

#[test]
fn words_of_coloured_output_and_lists_of_hashes_are_found() {
    let hashes: Vec<String> = (10..16).map(|n| format!("{n}").repeat(20)).collect();
    let output = format!(r"\u001b[32mgreenword\u001b[0m\n{}", hashes.join("\\n"));
    let home = home_with(&format!(r#"u1 user "{output}""#));
    assert_eq!(hits(&home, &["greenword"]).len(), 1);
    for hash in &hashes {
        assert_eq!(hits(&home, &[hash]).len(), 1, "{hash}");
    }
}

#[test]
fn what_must_not_be_there_is_written_with_one_dash() {
    let home = home_with("u1 user \"plain needle\"\nu2 user \"needle with thorns\"");
    assert_eq!(hits(&home, &["needle"]).len(), 2);
    assert_eq!(hits(&home, &["needle", "-thorns", "-n", "7"]).len(), 1);
    assert_eq!(hits(&home, &["-notthere", "needle", "-n1"]).len(), 1);
}

#[test]
fn what_is_on_the_active_path_is_found_behind_much_that_is_not() {
    let mut lines = vec![r#"u0 user "begin""#.to_owned()];
    for number in 0..12 {
        lines.push(format!(r#"b{number} user < u0 "needle needle {number}""#));
    }
    lines.push(r#"u1 user < u0 "a long text that says needle only once, at its end""#.to_owned());
    lines.push(r#"a1 assistant "yes""#.to_owned());
    let home = home_with(&lines.join("\n"));
    let found = hits(&home, &["needle", "--active"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(hits(&home, &["is:abandoned", "-n", "50"]).len(), 12);
    let all = run(&home, &["search", "needle", "-n", "5"]);
    assert!(all.err.contains("there may be more hits"), "{}", all.err);
}

#[test]
fn a_scan_sees_through_escapes() {
    let home = home_with(r#"u1 user "one \"two\"\n\tthree é""#);
    for pattern in ["\"two\"\n\tthree", "three é", "one \"t"] {
        assert_eq!(hits(&home, &["--exact", pattern]).len(), 1, "{pattern:?}");
    }
    assert_eq!(hits(&home, &["--regex", r"two.\s+three"]).len(), 1);
}

#[test]
fn nothing_found_and_wrong_use_have_codes() {
    let home = home();
    assert_eq!(
        run(&home, &["search", "--exact", "nowhere at all"]).code,
        Some(1)
    );
    assert_eq!(run(&home, &["search", "+nowhereatall"]).code, Some(1));
    assert_eq!(run(&home, &["search", "--regex", "a("]).code, Some(2));
    assert_eq!(run(&home, &["search", "since:whenever"]).code, Some(2));
    assert_eq!(run(&home, &["search"]).code, Some(2));
}

#[test]
fn a_hit_is_opened_by_its_entry() {
    let home = home();
    let entry = hits(&home, &["abandonedword"])[0]["entry"].clone();
    let shown = run(
        &home,
        &[
            "show",
            SESSION,
            "--at",
            entry.as_str().expect("an id"),
            "--json",
        ],
    );
    assert!(shown.json()["at"].is_u64());
}
