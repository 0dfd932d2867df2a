//! Completions of the engine, and the script of bash.

use std::process::Command;

use unspool_testkit::{TestHome, session, uuid};

use crate::run::{run, run_bare};

/// Returns the completions of a line; the cursor is at its last word.
fn offered(home: &TestHome, shell: &str, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let ran = run(home, &[&["__complete", shell, "--"], words.as_slice()].concat());
    assert_eq!(ran.err, "");
    ran.ok().lines().map(str::to_owned).collect()
}

/// Creates an indexed home with sessions of three projects.
fn indexed() -> TestHome {
    let home = TestHome::new();
    for (at, title) in
        ["the oldest", "quoted $(touch x)\u{1b}[2J\\n", "the newest"].into_iter().enumerate()
    {
        let title = serde_json::to_string(title).expect("a text");
        let log = format!("%cwd /srv/p{at}\nu1 user @{} {title}\na1 assistant \"yes\"", at * 60);
        let log = session(&log);
        home.add_session(&format!("/srv/p{at}"), &uuid(&format!("s{at}")), log);
    }
    run(&home, &["list"]).ok();
    home
}

#[test]
fn sessions_are_offered_with_their_titles_newest_first() {
    let home = indexed();
    let id = |at: usize| uuid(&format!("s{at}"));
    for command in ["show", "tree", "export", "check", "stats --explain"] {
        let line = format!("unspool {command} ");
        assert_eq!(offered(&home, "bash", &line), [id(2), id(1), id(0)], "{line}");
    }
    let fish = offered(&home, "fish", "unspool show ");
    assert_eq!(fish[0], format!("{}\tthe newest · p2", id(2)));
    assert!(fish[1].contains("\tquoted $(touch x)") && !fish[1].contains('\u{1b}'), "{fish:?}");
    let zsh = offered(&home, "zsh", &format!("unspool show {}", &id(0)[..6]));
    assert_eq!(zsh, [format!("{}:the oldest · p0", id(0))]);
    // The same in the place of a command.
    let short = offered(&home, "bash", &format!("unspool {}", &id(1)[..6]));
    assert_eq!(short, [id(1)]);
}

#[test]
fn the_index_is_asked_without_a_refresh_and_never_made() {
    let home = indexed();
    let late = uuid("late");
    home.add_session("/srv/p0", &late, session("u1 user @900 \"later\""));
    assert_eq!(offered(&home, "bash", "unspool show ").len(), 3);
    let other = TestHome::new();
    other.add_session("/srv/p0", &late, session("u1 user \"later\""));
    let found = offered(&other, "bash", "unspool show ");
    assert!(found.iter().all(|word| word.starts_with("--")), "{found:?}");
    run(&other, &["--no-refresh", "list"]).says(1, &[]);
}

#[test]
fn commands_options_and_values_come_from_the_definition() {
    let home = indexed();
    let has = |line: &str, wanted: &[&str]| {
        let found = offered(&home, "bash", line);
        for word in wanted {
            assert!(found.iter().any(|found| found == word), "{line}: {found:?}");
        }
        assert!(!found.iter().any(|word| word.starts_with("__")), "{found:?}");
    };
    has("unspool ", &["list", "show", "completions"]);
    has("unspool se", &["search", "serve"]);
    has("unspool list --so", &["--sort"]);
    has("unspool list --status ", &["complete", "interrupted"]);
    has("unspool list --project ", &["p0", "p1", "p2"]);
    has("unspool list --project = p1", &["p1"]);
    has("unspool archive ", &["list", "restore"]);
    has("unspool completions ", &["bash", "zsh", "fish"]);
}

#[test]
fn the_demo_is_offered_where_it_is_asked_for() {
    let words = ["__complete", "fish", "--", "unspool", "--demo", "show", "4ba6"];
    let out = run_bare(&TestHome::new(), &words).ok();
    assert!(out.starts_with("4ba648c7-a2f3-46b0-9c34-713ce5b4c5b4\t"), "{out}");
}

#[test]
fn bash_completes_a_session() {
    let home = indexed();
    let script = run_bare(&home, &["completions", "bash"]).ok();
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_unspool"));
    let folder = bin.parent().expect("a folder").display();
    let id = uuid("s1");
    let ask = format!(
        "PATH={folder}:$PATH\n{script}\n\
         COMP_WORDS=(unspool --home {home} show {part}); COMP_CWORD=4\n\
         _unspool unspool {part} show\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n\
         complete -p unspool\n",
        home = home.path().display(),
        part = &id[..5],
    );
    let mut bash = home.command("bash");
    let output = match bash.args(["--norc", "-c", &ask]).output() {
        Ok(output) => output,
        // Without bash, there is nothing to test.
        Err(_) if Command::new("bash").arg("--version").output().is_err() => return,
        Err(error) => panic!("bash does not start: {error}"),
    };
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.starts_with(&format!("{id}\n")), "{out}");
    assert!(out.contains("-F _unspool unspool"), "{out}");
}
