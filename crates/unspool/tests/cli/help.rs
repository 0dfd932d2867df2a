//! Help and manual pages: examples work, and pages have the same content as the help.

use std::fs;

use unspool_testkit::TestHome;

use crate::run::{Ran, run_bare, shell_words, unspool};

/// Commands whose examples need a server, a client, an archive or a terminal: a test of the definition
/// parses them, and they are not run.
const NOT_RUN: [&str; 7] = ["serve", "drive", "archive", "resume", "watch", "pick", "completions"];

/// Returns the examples of a help text: the indented lines after `Examples:`, without remarks.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    lines
        .map(|line| line.trim().split("  ").next().unwrap_or_default().trim().to_owned())
        .filter(|line| line.starts_with("unspool"))
        .collect()
}

fn help(home: &TestHome, command: &[&str]) -> String {
    run_bare(home, &[command, &["--help"]].concat()).ok()
}

/// Lists the commands in the help of the program.
fn commands(home: &TestHome) -> Vec<String> {
    let help = help(home, &[]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn examples_run() {
    let home = TestHome::new();
    let folder = tempfile_folder(&home);
    let mut run = 0;
    let all = commands(&home);
    assert!(all.len() > 10, "{all:?}");
    for command in all.iter().map(String::as_str).chain([""]) {
        if NOT_RUN.contains(&command) {
            continue;
        }
        let asked: Vec<&str> = Some(command).filter(|name| !name.is_empty()).into_iter().collect();
        for example in examples(&help(&home, &asked)) {
            // Only the first command of a pipe is run.
            let line = example.split(" | ").next().unwrap_or_default();
            let line = line.replace("~/", &format!("{}/", folder.display()));
            let words = shell_words(&line);
            let words = words[1..].iter().filter(|word| *word != "--demo");
            let mut started = unspool(&home);
            started.current_dir(&folder).args(["--demo", "--no-pager"]).args(words);
            let ran = Ran::of(&mut started);
            // The demo has no sessions of today, and some files of the examples do not exist.
            assert!(matches!(ran.code, Some(0 | 1)), "{example}: {}", ran.err);
            run += 1;
        }
    }
    assert!(run > 25, "{run}");
}

fn tempfile_folder(home: &TestHome) -> std::path::PathBuf {
    let folder = home.user_home().join("here");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn every_command_has_a_page_that_says_what_its_help_says() {
    let home = TestHome::new();
    let folder = tempfile_folder(&home).join("man1");
    let folder_name = folder.display().to_string();
    let listed = run_bare(&home, &["man", "--out", &folder_name]).ok();
    for command in commands(&home) {
        let page = folder.join(format!("unspool-{command}.1"));
        assert!(listed.contains(&page.display().to_string()), "{listed}");
        let page = fs::read_to_string(page).expect("a page");
        assert!(page.contains(".SH NAME") && page.contains(".SH EXAMPLES"), "{command}");
        let about = help(&home, &[&command]).lines().next().unwrap_or_default().to_owned();
        let plain = page.replace('\\', "");
        assert!(plain.contains(&about), "{command}: {about}");
    }
    assert!(folder.join("unspool-archive-restore.1").exists());
    assert!(!listed.contains("__"), "{listed}");
    let main = run_bare(&home, &["man"]).ok();
    assert_eq!(main, fs::read_to_string(folder.join("unspool.1")).expect("a page"));
}
