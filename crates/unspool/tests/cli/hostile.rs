//! The content of logs reaches the terminal only as text.

use std::io::Read as _;
use std::process::Stdio;

use unspool_testkit::append;
use unspool_testkit::saying::saying;

use crate::run::{OTHER, SESSION, home_with, run, unspool_on};

/// Escape sequences that a hostile log may contain.
const EVIL: &str = "\u{1b}[31mred\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://x\u{1b}\\link\u{9b}2J\u{7}\u{202e}abc\r\u{8}";

/// Finds a control character in a text, except newlines and SGR codes.
fn smuggled(text: &str) -> Option<char> {
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character == '\u{1b}' && rest.peek() == Some(&'[') {
            rest.next();
            let end = rest.by_ref().find(|c| !(c.is_ascii_digit() || *c == ';'));
            if end != Some('m') {
                return end;
            }
        } else if (character.is_control() && character != '\n')
            || ('\u{202a}'..='\u{202e}').contains(&character)
        {
            return Some(character);
        }
    }
    None
}

#[test]
fn escape_sequences_never_reach_the_terminal() {
    let home = saying(&format!("{EVIL} `{EVIL}` **{EVIL}** [l]({EVIL})"));
    let log = home.project_dir("/srv/demo").join(format!("{SESSION}.jsonl"));
    append(log, format!("torn {EVIL}"));
    for args in [
        &["show", SESSION][..],
        &["show", SESSION, "--full"],
        &["show", SESSION, "--context", "--color", "always"],
        &["tree", SESSION, "--color", "always"],
        &["list", "--color", "always"],
        &["list", "--cards", "--color", "always"],
        &["list", "--columns", "title,path,branch,models,tools,version"],
        &["list", "--format", "{id} {cwd} {title} {git_branch} {tools} {models} {version}"],
        &["list", "--project", "\u{1b}]0;x\u{7}zzzz", "--tool", "nope"],
        &["show", SESSION, "--summary", "--color", "always"],
        &["show", SESSION, "--at", "u1"],
        &["show", SESSION, "--at", "\u{1b}]0;x\u{7}zzzz"],
        &["check"],
        &["show", "\u{1b}]0;x\u{7}zzzz"],
    ] {
        let ran = run(&home, args);
        assert_eq!(smuggled(&ran.out), None, "{args:?}: {:?}", ran.out);
        assert_eq!(smuggled(&ran.err), None, "{args:?}: {:?}", ran.err);
    }
}

/// A template whose line is longer than a pipe's buffer.
const LONG: &str = concat!(
    "{id} {first_prompt} {title} {file} {home} {cwd} ",
    "and so on, and so on, and so on, and so on, and so on, and so on"
);

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let prompts: Vec<String> =
        (0..3000).map(|n| format!("u{n} user \"prompt number {n} of many\"")).collect();
    let home = home_with(&prompts.join("\n"));
    for args in [
        &["show", SESSION][..],
        &["show", SESSION, "--json"],
        &["show", SESSION, "--raw", "line:1"],
        &["show", SESSION, "--summary"],
        &["list", "--format", LONG],
    ] {
        let mut child = unspool_on(&home)
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut first = [0; 16];
        child.stdout.take().expect("piped").read_exact(&mut first).expect("some output");
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("reads");
        assert_eq!(child.wait().expect("ends").code(), Some(0), "{args:?}: {said}");
        assert_eq!(said, "", "{args:?}");
    }
}

#[test]
fn one_bad_file_does_not_stop_the_rest() {
    let home = home_with("u1 user \"fine\"\na1 assistant \"yes\"\n");
    home.add_session("/srv/demo", OTHER, b"\xff\xfe garbage\n{\"type\":\"user\",\"uuid\":\"x\",\"message\":{\"content\":\"still here\"}}\n{\"torn");
    std::fs::create_dir(
        home.project_dir("/srv/demo").join("33333333-3333-4333-8333-333333333333.jsonl"),
    )
    .expect("a folder");
    let listed = run(&home, &["list"]);
    assert!(listed.out.contains("fine") && listed.out.contains("still here"), "{}", listed.out);
    let shown = run(&home, &["show", OTHER]).says(0, &[]);
    assert!(shown.out.contains("still here"));
    assert!(shown.err.contains(":1: ") && shown.err.contains(":3: "), "{}", shown.err);
}
