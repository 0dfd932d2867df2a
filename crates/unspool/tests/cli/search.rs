//! `search`: every text is found, by words and by scanning, and hits say where they are.

use serde_json::Value;
use unspool_testkit::home::{AgentFilePlace, TestSideFile};
use unspool_testkit::{TestHome, append};

use crate::run::{Ran, SESSION, home_with, run, unspool_on};

/// One line of every kind that contains a text, with the word that is only there.
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
    ("titleword", r#"{"type":"custom-title","customTitle":"titleword of a person"}"#),
    ("summaryword", r#"{"type":"summary","summary":"summaryword in short","leafUuid":"a1"}"#),
    (
        "laterword",
        r#"{"type":"queue-operation","operation":"enqueue","timestamp":"2026-08-10T09:00:08.000Z","content":"laterword in the queue"}"#,
    ),
    (
        "futureword",
        r#"{"type":"some-new-kind","uuid":"n1","payload":{"deep":[{"note":"futureword of a release to come"}]}}"#,
    ),
    ("tornword", r#"{"type":"user","uuid":"x1","message":{"content":"tornword in a torn li"#),
];

/// A session whose files are gone.
const GONE: &str = "99999999-9999-4999-8999-999999999999";
/// When prompts of the history were written, in milliseconds.
const LONG_AGO: i64 = 1_780_000_000_000;

/// Returns the place of an output that went to a file.
fn output(name: &str) -> TestSideFile {
    TestSideFile::ToolResult { cwd: "/srv/demo".to_owned(), name: name.to_owned() }
}

/// Words in files of their own.
const NEARBY: &[&str] = &["agentword", "spilledword", "taskword", "pastword"];

fn home() -> TestHome {
    let home = TestHome::new();
    let lines: Vec<&str> = LINES.iter().map(|(_, line)| *line).collect();
    home.add_session("/srv/demo", SESSION, lines.join("\n") + "\n");
    let agent = r#"{"type":"user","uuid":"g1","isSidechain":true,"agentId":"a1","message":{"role":"user","content":"agentword for the agent"}}"#;
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "a1", format!("{agent}\n"));
    let spilled = output("toolu_01A.txt");
    home.add_side_file(SESSION, &spilled, "a long output with spilledword in it");
    home.add_side_file(SESSION, &TestSideFile::Task(1), r#"{"subject":"taskword to do"}"#);
    home.add_history("/srv/old", GONE, LONG_AGO, "pastword of a session that is gone");
    home
}

fn hits(home: &TestHome, args: &[&str]) -> Vec<Value> {
    run(home, &[&["search", "--json"], args].concat()).lines()
}

#[test]
fn every_text_is_found_whatever_contains_it() {
    let home = home();
    let words = LINES.iter().map(|(word, _)| *word).chain(["besideword"]);
    for word in words.chain(NEARBY.iter().copied()) {
        let found = hits(&home, &[word]);
        let snippet = |hit: &Value| hit["snippet"].as_str().unwrap_or_default().to_owned();
        assert!(found.iter().any(|hit| snippet(hit).contains(word)), "{word}: {found:?}");
    }
}

#[test]
fn a_scan_finds_what_the_full_text_finds_in_logs() {
    let home = home();
    let words = LINES.iter().map(|(word, _)| *word);
    for word in words.chain(NEARBY.iter().copied()) {
        assert!(!hits(&home, &["--exact", word]).is_empty(), "{word}");
    }
}

/// A session that names a plan and a spilled output, with files of every kind next to it.
fn home_with_side_files() -> TestHome {
    let home = TestHome::new();
    let lines = [
        r#"{"type":"user","uuid":"u1","parentUuid":null,"slug":"calm-fox","timestamp":"2026-08-10T09:00:00.000Z","message":{"role":"user","content":"livingword"}}"#,
        r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","slug":"calm-fox","timestamp":"2026-08-10T09:00:01.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"toolu_01A","name":"Bash","input":{"command":"make"}}]}}"#,
        r#"{"type":"user","uuid":"r1","parentUuid":"a1","slug":"calm-fox","timestamp":"2026-08-10T09:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01A","content":"<persisted-output>\nOutput too large. Full output saved to: /old/tool-results/toolu_01A.txt\n"}]}}"#,
    ];
    home.add_session("/srv/demo", SESSION, lines.join("\n") + "\n");
    home.add_side_file(SESSION, &output("toolu_01A.txt"), "namedword");
    home.add_side_file(SESSION, &output("b12345678.txt"), "backgroundword");
    let json = r#"[{"type":"text","text":"an \"escapedword\" caf\u00e9word"}]"#;
    home.add_side_file(SESSION, &output("toolu_02.json"), json);
    let task = r#"{"id":"1","subject":"taskword \u00e9","status":"pending"}"#;
    home.add_side_file(SESSION, &TestSideFile::Task(1), task);
    home.add_side_file(GONE, &TestSideFile::Task(1), r#"{"subject":"errandword"}"#);
    home.add_side_file(SESSION, &TestSideFile::Todos, r#"[{"content":"todoword"}]"#);
    let plan = |name: &str| TestSideFile::Plan(name.to_owned());
    home.add_side_file(SESSION, &plan("calm-fox"), "# planword\n");
    home.add_side_file(SESSION, &plan("lost-owl"), "# schemeword\n");
    let agent = r#"{"type":"user","uuid":"g1","isSidechain":true,"agentId":"a1","message":{"role":"user","content":"x"}}"#;
    let agent = home.add_agent(
        "/srv/demo",
        SESSION,
        &AgentFilePlace::Subagents,
        "a1",
        format!("{agent}\n"),
    );
    let sidecar = agent.with_extension("meta.json");
    std::fs::write(sidecar, r#"{"description":"sidecarword"}"#).expect("writes");
    let run = agent.with_file_name("workflows").join("run1");
    std::fs::create_dir_all(&run).expect("a folder");
    let journal = r#"{"type":"result","result":"journalword"}"#;
    std::fs::write(run.join("journal.jsonl"), format!("{journal}\n")).expect("writes");
    home.add_history("/srv/old", GONE, LONG_AGO, "pastword");
    home.add_history("/srv/demo", SESSION, LONG_AGO, "livingword");
    let more = format!(
        r#"{{"display":"[Pasted]","pastedContents":{{"1":{{"id":1,"type":"text","contentHash":"0123456789abcdef"}}}},"timestamp":{LONG_AGO},"project":"/srv/old","sessionId":"{GONE}"}}
{{"display":"namelessword","timestamp":{LONG_AGO},"project":"/srv/old"}}
"#
    );
    append(home.path().join("history.jsonl"), more);
    home.add_file("paste-cache/0123456789abcdef.txt", "pastedword");
    home
}

#[test]
fn a_scan_and_the_full_text_say_the_same_of_what_is_next_to_the_logs() {
    let home = home_with_side_files();
    for (word, role, session, gone) in [
        ("livingword", "user", SESSION, false),
        ("namedword", "result", SESSION, false),
        ("backgroundword", "result", SESSION, false),
        ("escapedword", "result", SESSION, false),
        ("caféword", "result", SESSION, false),
        ("taskword", "system", SESSION, false),
        ("errandword", "system", GONE, true),
        ("todoword", "system", SESSION, false),
        ("planword", "assistant", SESSION, false),
        ("schemeword", "assistant", "", true),
        ("sidecarword", "title", SESSION, false),
        ("journalword", "result", SESSION, false),
        ("pastword", "user", GONE, true),
        ("pastedword", "user", GONE, true),
        ("namelessword", "user", "", true),
    ] {
        let pattern = format!(r"\b{word}");
        let modes = [&[word][..], &["--exact", word], &["--regex", &pattern]];
        let found = modes.map(|mode| hits(&home, mode));
        let ranked = &found[0][0];
        for (mode, found) in modes.iter().zip(&found) {
            let wanted = |hit: &&Value| {
                hit["role"] == role && hit["session"].as_str().unwrap_or_default() == session
            };
            assert_eq!(found.iter().filter(wanted).count(), 1, "{mode:?}: {found:?}");
            let hit = found.iter().find(wanted).expect("counted");
            assert_eq!(hit["gone"], gone, "{mode:?}");
            for field in ["project", "agent", "entry", "kind", "active"] {
                assert_eq!(hit[field], ranked[field], "{field} of {mode:?}");
            }
        }
    }
    // With a filter, plans belong to their sessions all the same.
    for (filter, word, expected) in [
        (["--project", "demo"], "planword", 1),
        (["--project", "demo"], "schemeword", 0),
        (["--project", "demo"], "pastword", 0),
        (["--role", "user"], "pastword", 1),
        (["--role", "result"], "pastword", 0),
        (["--until", "2026-01-01"], "pastword", 0),
    ] {
        for mode in ["--exact", "--regex"] {
            let args = [&filter[..], &[mode, word]].concat();
            assert_eq!(hits(&home, &args).len(), expected, "{args:?}");
        }
    }
}

#[test]
fn a_spilled_output_is_as_old_as_its_result_and_on_its_path() {
    let home = home_with_side_files();
    check_spilled(&home);
    // Written again, as by who copies a home, it is read again; the log is not.
    home.add_side_file(SESSION, &output("toolu_01A.txt"), "a copy of namedword");
    check_spilled(&home);
}

fn check_spilled(home: &TestHome) {
    for mode in [&["namedword"][..], &["--exact", "namedword"]] {
        let hit = &hits(home, mode)[0];
        assert_eq!(hit["time"], "2026-08-10T09:00:02.000Z", "{mode:?}");
        assert_eq!(hit["entry"], "r1", "{mode:?}");
        assert_eq!(hit["active"], true, "{mode:?}");
        for (filter, expected) in [("2026-08-10T09:00:03Z", 0), ("2026-08-10T09:00:01Z", 1)] {
            let args = [mode, &["--since", filter]].concat();
            assert_eq!(hits(home, &args).len(), expected, "{args:?}");
        }
    }
}

#[test]
fn what_a_file_held_before_is_found() {
    let home = TestHome::new();
    let lines = [
        r#"{"type":"assistant","uuid":"a1","parentUuid":null,"timestamp":"2026-08-10T09:00:01.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/srv/a.rs","content":"newword"}}]}}"#,
        r#"{"type":"user","uuid":"r1","parentUuid":"a1","timestamp":"2026-08-10T09:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"File written"}]},"toolUseResult":{"type":"update","filePath":"/srv/a.rs","content":"newword","originalFile":"originalword and more\nsecond","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-patchword","+newword"]}]}}"#,
    ];
    home.add_session("/srv/demo", SESSION, lines.join("\n") + "\n");
    for word in ["originalword", "patchword"] {
        for mode in [&[word][..], &["--exact", word]] {
            let found = hits(&home, mode);
            assert_eq!(found.len(), 1, "{mode:?}");
            assert_eq!(found[0]["entry"], "r1", "{mode:?}");
            let snippet = found[0]["snippet"].as_str().unwrap_or_default();
            assert!(snippet.contains(word), "{mode:?}: {snippet}");
        }
    }
}

#[test]
fn a_hit_says_where_it_is() {
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
fn filters_by_place_find_prompts_of_sessions_that_are_gone() {
    let home = home();
    for mode in [&[][..], &["--exact"]] {
        let found = |filter: &[&str]| {
            let args = [mode, filter, &["pastword"]].concat();
            hits(&home, &args).len()
        };
        assert_eq!(found(&["--project", "old"]), 1, "{mode:?}");
        assert_eq!(found(&["--project", "/srv/old"]), 1, "{mode:?}");
        assert_eq!(found(&["--project", "/srv/*"]), 1, "{mode:?}");
        assert_eq!(found(&["--project", "old", "--since", "2020-01-01"]), 1);
        assert_eq!(found(&["--project", "demo"]), 0, "{mode:?}");
        // Its branch and its tools are unknown.
        assert_eq!(found(&["--project", "old", "--branch", "*"]), 0);
        assert_eq!(found(&["--tool", "*"]), 0, "{mode:?}");
    }
    let notes = |word: &str| run(&home, &["search", "--project", "old", word]).err;
    assert!(!notes("pastword").contains("no sessions"));
    assert!(notes("promptword").contains("no sessions of a project `old`"));
}

#[test]
fn code_words_are_found_as_written() {
    let home = home_with(
        r#"u1 user "parse_config foo::bar src/main.rs --no-verify fooBar v1.2.3 検索エンジン 🦀 naïve"
a1 assistant "nothing of the kind""#,
    );
    for word in
        ["parse_config", "foo::bar", "src/main.rs", "fooBar", "v1.2.3", "検索", "🦀", "naïve"]
    {
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
fn what_is_on_the_active_path_is_found_after_much_that_is_not() {
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
fn lines_around_a_hit_are_shown_however_it_was_found() {
    let home = home_with(r#"u1 user "one\ntwo\nthe needle here\nfour\nfive""#);
    for args in [&["needle", "-C1"][..], &["--exact", "needle", "-C1"]] {
        let found = hits(&home, args);
        let snippet = &found[0]["snippet"];
        assert_eq!(*snippet, "two\nthe needle here\nfour", "{args:?}");
        assert_eq!(found[0]["matches"], serde_json::json!([[8, 14]]), "{args:?}");
    }
    for args in [&["five", "-C2"][..], &["--exact", "five", "-C2"]] {
        let found = hits(&home, args);
        assert_eq!(found[0]["snippet"], "the needle here\nfour\nfive", "{args:?}");
    }
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
fn an_empty_home_has_a_full_text_that_stays() {
    let home = TestHome::new();
    for _ in 0..2 {
        let ran = run(&home, &["search", "word"]).says(1, &[]);
        assert!(!ran.err.contains("rebuil"), "{}", ran.err);
    }
}

#[test]
fn nothing_found_and_wrong_use_have_codes() {
    let home = home();
    assert_eq!(run(&home, &["search", "--exact", "nowhere at all"]).code, Some(1));
    assert_eq!(run(&home, &["search", "+nowhereatall"]).code, Some(1));
    assert_eq!(run(&home, &["search", "--regex", "a("]).code, Some(2));
    assert_eq!(run(&home, &["search", "since:whenever"]).code, Some(2));
    assert_eq!(run(&home, &["search"]).code, Some(2));
}

#[test]
fn a_hit_is_opened_by_its_entry() {
    let home = home();
    let entry = hits(&home, &["abandonedword"])[0]["entry"].clone();
    let shown = run(&home, &["show", SESSION, "--at", entry.as_str().expect("an id"), "--json"]);
    assert!(shown.json()["at"].is_u64());
}

#[test]
fn a_search_on_a_cold_cache_says_what_it_waits_for_and_fails_without_an_index() {
    let home = home_with("u1 user \"alphaword\"");
    let cache = home.path().join("cache");
    let search = || {
        let mut command = unspool_on(&home);
        command.env("UNSPOOL_INDEX", &cache).env("UNSPOOL_WAIT", "0");
        Ran::of(command.args(["search", "alphaword"]))
    };
    // Another process has the lock of the full text: this one.
    let folder = cache.join("text");
    std::fs::create_dir_all(&folder).expect("a folder");
    let lock = std::fs::File::create(folder.join(".writing.lock")).expect("a file");
    lock.try_lock().expect("a lock");
    let ran = search().only_says(3, &[]);
    let said = "note: another process is building the index; waiting until it is done\n";
    assert_eq!(ran.err.matches(said).count(), 1, "{}", ran.err);
    assert!(ran.err.contains("error: another process is still building the index"));
    drop(lock);
    let ran = search();
    assert!(ran.out.contains("alphaword"), "{}", ran.err);
    assert!(!ran.err.contains("waiting"), "{}", ran.err);
}
