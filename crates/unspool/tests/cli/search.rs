//! `search`: every text is found, by ranked search and by scanning, and hits have their places.

use std::path::PathBuf;

use serde_json::Value;
use unspool_testkit::home::{AgentFilePlace, TestSideFile};
use unspool_testkit::{TestHome, append, session, uuid};

use crate::run::{Ran, SESSION, home_with, run, unspool_on};

/// A session whose log is gone.
const GONE: &str = "99999999-9999-4999-8999-999999999999";
/// The time of prompts in the history, in milliseconds.
const LONG_AGO: i64 = 1_780_000_000_000;

/// Returns the place of an output that went to a side file.
fn output(name: &str) -> TestSideFile {
    TestSideFile::ToolResult { cwd: "/srv/demo".to_owned(), name: name.to_owned() }
}

/// Creates a home with a session, an agent of it, and a prompt of a session that is gone.
fn home() -> TestHome {
    let home = home_with(
        r#"
u1 user "say promptword please"
b1 user "abandonedword was here"
a1 assistant < u1 "here is answerword"
a2 assistant call Bash:t1 {"command":"grep inputword src/lib.rs"}
"#,
    );
    add_agent(&home, "agentword for the agent");
    home.add_history("/srv/old", GONE, LONG_AGO, "pastword of a session that is gone");
    home
}

/// Adds an agent with a text in its prompt, and returns its log.
fn add_agent(home: &TestHome, text: &str) -> PathBuf {
    let log = session(&format!("%agent a1\ng1 user < - sidechain=a1 \"{text}\""));
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "a1", log)
}

fn hits(home: &TestHome, args: &[&str]) -> Vec<Value> {
    run(home, &[&["search", "--json"], args].concat()).lines()
}

/// A session that refers to a plan and a spilled output, with side files of every kind.
fn home_with_side_files() -> TestHome {
    let home = home_with(
        r#"
u1 user "livingword" +slug="calm-fox"
a1 assistant call Bash:toolu_01A {"command":"make"} +slug="calm-fox"
r1 result toolu_01A "<persisted-output>\nOutput too large. Full output saved to: /old/tool-results/toolu_01A.txt\n" +slug="calm-fox" !toolUseResult
"#,
    );
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
    let agent = add_agent(&home, "x");
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
    // With a filter, plans still belong to their sessions.
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
    // A new copy of the side file is read again, without a change of the log.
    home.add_side_file(SESSION, &output("toolu_01A.txt"), "a copy of namedword");
    check_spilled(&home);
}

fn check_spilled(home: &TestHome) {
    for mode in [&["namedword"][..], &["--exact", "namedword"]] {
        let hit = &hits(home, mode)[0];
        assert_eq!(hit["time"], "2026-01-05T09:00:02.000Z", "{mode:?}");
        assert_eq!(hit["entry"], uuid("r1"), "{mode:?}");
        assert_eq!(hit["active"], true, "{mode:?}");
        for (filter, expected) in [("2026-01-05T09:00:03Z", 0), ("2026-01-05T09:00:01Z", 1)] {
            let args = [mode, &["--since", filter]].concat();
            assert_eq!(hits(home, &args).len(), expected, "{args:?}");
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
fn what_must_not_be_there_is_written_with_one_dash() {
    let home = home_with("u1 user \"plain needle\"\nu2 user \"--needle with thorns\"");
    assert_eq!(hits(&home, &["needle"]).len(), 2);
    assert_eq!(hits(&home, &["needle", "-thorns", "-n", "7"]).len(), 1);
    assert_eq!(hits(&home, &["-notthere", "needle", "-n1"]).len(), 1);
    assert!(!hits(&home, &["--", "--needle"]).is_empty());
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
    // This process takes the lock of the full text.
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
