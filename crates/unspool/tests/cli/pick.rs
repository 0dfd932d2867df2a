//! `unspool pick` on a terminal.

use std::fs;

use unspool_testkit::pty::{PtyProgram, PtyStart};
use unspool_testkit::{TestHome, session, uuid};

const PROGRAM: &str = env!("CARGO_BIN_EXE_unspool");
const ENTER: &str = "\r";
const ESCAPE: &str = "\u{1b}";
const DOWN: &str = "\u{1b}[B";

fn home() -> TestHome {
    let home = TestHome::new();
    for (name, minute, words) in [("old", 1, "the older one"), ("new", 2, "the newer one")] {
        let at = minute * 60;
        let log =
            format!("%cwd /srv/demo\nu1 user @{at} \"{words}\"\na1 assistant \"It is done.\"");
        home.add_session("/srv/demo", &uuid(name), session(&log));
    }
    home
}

/// Starts a script on a terminal.
fn started(home: &TestHome, script: &str) -> PtyProgram {
    let start = PtyStart::script(home, ("unspool", PROGRAM), script);
    start.sized(100, 30).run()
}

/// Runs a script, waits for rows, presses keys, and returns the exit code and the content of the file
/// `out`.
fn picked(home: &TestHome, script: &str, keys: &[&str]) -> (u32, String) {
    let mut run = started(home, script);
    // The preview is painted last.
    run.wait_for("It is done.");
    for keys in keys {
        run.press(keys);
    }
    let code = run.end().exit_code();
    run.expect_restored();
    let out = fs::read_to_string(home.user_home().join("out")).unwrap_or_default();
    (code, out)
}

#[test]
fn only_the_choice_is_printed() {
    let home = home();
    let path = home.project_dir("/srv/demo").join(format!("{}.jsonl", uuid("new")));
    for (options, keys, out) in [
        ("", vec![ENTER], format!("{}\n", uuid("new"))),
        ("", vec![DOWN, ENTER], format!("{}\n", uuid("old"))),
        ("", vec!["older", ENTER], format!("{}\n", uuid("old"))),
        ("--query older", vec![ENTER], format!("{}\n", uuid("old"))),
        ("--path", vec![ENTER], format!("{}\n", path.display())),
        ("--format '{title}' -0", vec![ENTER], "the newer one\0".to_owned()),
        ("--multi", vec!["\t", "\t", ENTER], format!("{}\n{}\n", uuid("new"), uuid("old"))),
        (
            "--multi --exec printf '<%s>' a {}",
            vec!["\t", "\t", ENTER],
            format!("<a><{}><{}>", uuid("new"), uuid("old")),
        ),
    ] {
        let script = format!("unspool pick {options} > out");
        assert_eq!(picked(&home, &script, &keys), (0, out), "{options}");
    }
    let (code, out) = picked(&home, "unspool pick --json > out", &[ENTER]);
    let row: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, row["id"].as_str()), (0, Some(uuid("new").as_str())));
}

#[test]
fn a_picker_that_is_left_says_so() {
    let home = home();
    let nothing = String::new();
    for (keys, code) in [(ESCAPE, 1), ("\u{3}", 130)] {
        let picked = picked(&home, "unspool pick > out", &[keys]);
        assert_eq!(picked, (code, nothing.clone()));
    }
}

#[test]
fn input_that_is_piped_is_not_taken_for_keys() {
    let home = home();
    let script = "echo older | unspool pick > out";
    assert_eq!(picked(&home, script, &[ENTER]), (0, format!("{}\n", uuid("new"))));
}

#[test]
fn as_an_editor_it_writes_what_was_chosen_and_nothing_else() {
    let home = home();
    let prompt = home.user_home().join("prompt.md");
    let before = "My prompt\r\nhas two lines";
    let edit = |variables: &str, keys: &[&str]| {
        fs::write(&prompt, before).expect("a prompt");
        let script = format!("{variables} unspool pick --editor prompt.md > out");
        let (code, out) = picked(&home, &script, keys);
        let after = fs::read_to_string(&prompt).expect("a prompt");
        (code, out, after)
    };
    let (code, _, after) = edit("", &[ENTER, "1"]);
    let head = format!("{before}\n\nFrom the session “the newer one” ({}):\n\n", &uuid("new")[..8]);
    assert_eq!((code, after), (0, format!("{head}> It is done.\n")));
    let (code, _, after) = edit("", &[ENTER, "6", "pp"]);
    assert_eq!((code, after), (0, format!("{head}> It is done.\n")));
    assert_eq!(edit("", &[ENTER, "6", "q", ESCAPE]).2, before);
    assert_eq!(edit("", &[ESCAPE]).2, before);
    let own = "VISUAL='unspool pick --editor' EDITOR=cat";
    assert_eq!(edit(own, &["\u{5}"]), (0, before.to_owned(), before.to_owned()));
}

#[test]
fn a_message_is_chosen_while_the_session_is_read() {
    let home = home();
    let prompt = home.user_home().join("prompt.md");
    fs::write(&prompt, "").expect("a prompt");
    let mut run = started(&home, "unspool pick --editor prompt.md");
    run.wait_for("It is done.");
    run.press(ENTER);
    run.press("6");
    run.wait_for("turn 1/1");
    run.press("gg");
    run.press("pp");
    assert_eq!(run.end().exit_code(), 0);
    let after = fs::read_to_string(&prompt).expect("a prompt");
    let short = &uuid("new")[..8];
    let expected = format!("From the session “the newer one” ({short}):\n\n> the newer one\n");
    assert_eq!(after, expected);
}

#[test]
fn without_refresh_the_index_is_shown_as_it_is() {
    let home = home();
    picked(&home, "unspool pick > out", &[ESCAPE]);
    let late = "%cwd /srv/demo\nu1 user @600 \"the late one\"\na1 assistant \"It is late.\"";
    home.add_session("/srv/demo", &uuid("late"), session(late));
    let mut run = started(&home, "unspool --no-refresh pick > out");
    run.wait_for("index not refreshed");
    run.wait_for("It is done.");
    run.press(ENTER);
    assert_eq!(run.end().exit_code(), 0);
    let out = fs::read_to_string(home.user_home().join("out")).expect("a choice");
    assert_eq!(out, format!("{}\n", uuid("new")));
}
