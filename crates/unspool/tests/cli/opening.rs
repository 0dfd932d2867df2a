//! The command that a search hit prints opens the conversation at the hit.

use unspool_testkit::home::TestSideFile;
use unspool_testkit::{TestHome, uuid};

use crate::run::{Ran, SESSION, demo_wide, home_with, run, run_bare, shell_words};

/// A session whose third result is long, with a word in its middle.
fn long_home() -> TestHome {
    let line = |n: usize| format!("row {n} of the table");
    let mut rows: Vec<String> = (0..400).map(line).collect();
    rows[200] = String::from("here is the needleword we want");
    let notation = format!(
        "u1 user \"print the table\"\na1 assistant \"yes\" call Bash:t1 {{\"command\":\"cat table\"}}\n\
         r1 result t1 \"{}\"\na2 assistant \"printed\"\n",
        rows.join("\\n")
    );
    home_with(&notation)
}

/// Runs the command of the first hit.
fn open_first(home: &TestHome, args: &[&str]) -> (String, Ran) {
    let page = run(home, &[&["search"], args].concat()).ok();
    let at = page.find("unspool --home").expect("a command");
    let command = page[at..].lines().next().expect("a line").to_owned();
    let words = shell_words(&command);
    let typed: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let ran = run_bare(home, &typed);
    let named = format!(" --home {}", home.path().display());
    (command.replace(&named, ""), ran)
}

#[test]
fn a_long_result_is_unfolded_around_the_words() {
    let home = long_home();
    let (command, ran) = open_first(&home, &["needleword"]);
    let entry = &uuid("r1")[..8];
    assert_eq!(command, format!("unspool show {} --at {entry} --find needleword", &SESSION[..8]));
    let page = ran.ok();
    let mark = page.find("▼").expect("a mark");
    let found = page[mark..].find("here is the needleword").expect("the word");
    assert!(page[mark..mark + found].lines().count() < 25, "{page}");
    assert!(page.contains("row 195 of") && !page.contains("row 150 of"), "{page}");
    let coloured = run(
        &home,
        &["--color", "always", "show", SESSION, "--at", &uuid("r1"), "--find", "needleword"],
    )
    .ok();
    let before = coloured.split("needleword").next().expect("text before");
    assert!(before.ends_with('m'), "the word has a style of its own");
}

#[test]
fn every_kind_of_hit_has_a_way_in() {
    let home = home_with(
        "u1 user \"hello\"\na1 assistant \"hi\"\n-- custom-title \"titleword here\"\n-- queue enqueue \"queuedword later\"\n",
    );
    home.add_side_file(SESSION, &TestSideFile::Task(1), r#"{"subject":"taskword to do"}"#);
    home.add_history(
        "/srv/demo",
        "99999999-1111-4111-8111-111111111111",
        1_754_000_000_000,
        "pastword asked",
    );
    let (command, ran) = open_first(&home, &["titleword"]);
    assert_eq!(command, "unspool show 11111111");
    assert!(ran.ok().contains("titleword here"));
    let (command, ran) = open_first(&home, &["queuedword"]);
    assert!(command.contains("--at byte:"), "{command}");
    assert!(ran.ok().contains("queuedword later"));
    let (command, ran) = open_first(&home, &["pastword"]);
    assert_eq!(command, "unspool show 99999999");
    assert!(ran.ok().contains("pastword asked"));
    let page = run(&home, &["search", "taskword"]).ok();
    assert!(page.contains("in ") && page.contains("1.json"), "{page}");
}

#[test]
fn a_word_that_only_the_record_has_is_shown_below_the_message() {
    let home = home_with(r#"u1 user "run" +note={"deep":"hiddenword of the record"}"#);
    let (_, ran) = open_first(&home, &["hiddenword"]);
    let page = ran.ok();
    assert!(page.contains("in its record") && page.contains("hiddenword of the record"), "{page}");
}

#[test]
fn an_entry_alone_names_its_session() {
    let home = long_home();
    let entry = uuid("a2");
    for name in [&entry[..8], &entry] {
        let page = run(&home, &["show", name]).ok();
        assert!(page.contains("▼") && page.contains("printed"), "{page}");
    }
    let page = run(&home, &["show", &uuid("r1")[..8], "--find", "needleword"]).ok();
    assert!(page.contains("here is the needleword"), "{page}");
    run(&home, &["show", SESSION, "--find", "needleword"]).says(2, &[]);
    run(&home, &["show", "deadbeef"]).only_says(1, &[]);
}

#[test]
fn a_word_that_is_nowhere_is_said_with_what_it_may_mean() {
    let home = long_home();
    run(&home, &["search", "nedleword", "table"])
        .says(0, &["`nedleword` is nowhere; did you mean `needleword`?"]);
    run(&home, &["search", "qqqqzzzz"]).says(1, &["`qqqqzzzz` is nowhere\n"]);
}

#[test]
fn the_command_reads_the_same_home() {
    let page = demo_wide(200, &["search", "hourly means"]).ok();
    assert!(page.contains("unspool --demo show 4ba648c7 --at "), "{page}");
}
