//! How the command is used, and what it says.

use std::fs;

use super::export;
use crate::run::{SESSION, home_with, run};

const TALK: &str = "u1 user \"hi\"\na1 assistant \"ho\"\n";

#[test]
fn something_must_be_chosen() {
    let ran = run(&home_with(TALK), &["export"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("which sessions?") && ran.err.contains("--all"),
        "{}",
        ran.err
    );
    let both = run(&home_with(TALK), &["export", SESSION, "--project", "demo"]);
    assert_eq!(both.code, Some(2), "{}", both.err);
}

#[test]
fn sessions_are_chosen_as_they_are_listed() {
    let home = home_with(TALK);
    let other = "22222222-2222-4222-8222-222222222222";
    let bytes = unspool_testkit::session("%cwd /srv/other\nx1 user \"x\"\ny1 assistant \"y\"\n");
    home.add_session("/srv/other", other, bytes);
    let exported = export(&home, &["--project", "other"]);
    assert_eq!(exported.names(), [format!("transcript_{other}.md")]);
    let none = export(&home, &["--project", "nowhere"]);
    assert_eq!(
        (none.ran.code, none.files.len()),
        (Some(1), 0),
        "{}",
        none.ran.err
    );
    let unknown = export(&home, &["ffffffff"]);
    assert_eq!(
        (unknown.ran.code, unknown.files.len()),
        (Some(1), 0),
        "{}",
        unknown.ran.err
    );
    let both = export(&home, &[SESSION, other, &SESSION[..8]]);
    assert_eq!(both.files.len(), 2);
}

#[test]
fn what_was_written_is_said_and_listed() {
    let exported = export(&home_with(TALK), &[SESSION]);
    assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
    let name = format!("transcript_{SESSION}.md");
    assert!(
        exported.ran.out.ends_with(&format!("exported/{name}\n")),
        "{}",
        exported.ran.out
    );
    assert!(
        exported
            .ran
            .err
            .contains("wrote 1 transcript of 1 session, "),
        "{}",
        exported.ran.err
    );
    let told = export(&home_with(TALK), &[SESSION, "--json"]);
    let bytes = told.files[&name].len();
    let line = told.ran.json();
    assert_eq!(
        (&line["schema"], &line["kind"]),
        (&1.into(), &"transcript".into())
    );
    assert_eq!((&line["path"], &line["paths"]), (&1.into(), &1.into()));
    assert_eq!(
        (&line["messages"], &line["bytes"]),
        (&2.into(), &bytes.into())
    );
    assert_eq!(line["status"], "active");
}

#[test]
fn a_dry_run_writes_nothing() {
    let exported = export(&home_with(TALK), &["--all", "--dry-run"]);
    assert_eq!(exported.files.len(), 0);
    assert!(
        exported
            .ran
            .out
            .contains(&format!("transcript_{SESSION}.md")),
        "{}",
        exported.ran.out
    );
    assert!(
        exported
            .ran
            .err
            .contains("1 transcript of 1 session would be written")
    );
}

#[test]
fn one_transcript_may_go_to_standard_output() {
    let home = home_with(TALK);
    let file = export(&home, &[SESSION]);
    let ran = run(&home, &["export", SESSION, "--out", "-"]);
    assert_eq!(ran.out, file.only());
    let forked = home_with(
        "u1 user \"hi\"\na1 assistant \"ho\"\nu2 user < u1 \"b\"\nu3 user < a1 \"c\"\nu4 user < a1 \"d\"\n",
    );
    let ran = run(&forked, &["export", SESSION, "--out", "-"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    let ran = run(
        &forked,
        &["export", SESSION, "--out", "-", "--paths", "active"],
    );
    assert!(ran.ok().contains("Status: ACTIVE"));
}

#[test]
fn an_older_transcript_is_replaced_and_other_files_stay() {
    let home = home_with(TALK);
    let folder = home.user_home().join("out");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("transcript_{SESSION}.md"));
    fs::write(&file, "older").expect("a file");
    fs::write(folder.join("mine.md"), "mine").expect("a file");
    let out = folder.display().to_string();
    run(&home, &["export", SESSION, "--out", &out]).ok();
    assert!(
        fs::read_to_string(&file)
            .expect("a file")
            .starts_with("# CLAUDE CODE")
    );
    assert_eq!(
        fs::read_to_string(folder.join("mine.md")).expect("a file"),
        "mine"
    );
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let home = home_with(TALK);
    let file = home.add_file("a-file", "x");
    let out = file.join("below").display().to_string();
    let ran = run(&home, &["export", SESSION, "--out", &out]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("cannot write"), "{}", ran.err);
}

#[test]
fn a_session_without_a_conversation_is_no_error() {
    let home = home_with("-- custom-title \"only a title\"\n");
    let exported = export(&home, &[SESSION]);
    assert_eq!(
        (exported.ran.code, exported.files.len()),
        (Some(0), 0),
        "{}",
        exported.ran.err
    );
    assert!(
        exported
            .ran
            .err
            .contains("1 session without a conversation"),
        "{}",
        exported.ran.err
    );
}

#[test]
fn the_working_folder_is_where_files_go_by_default() {
    let home = home_with(TALK);
    run(&home, &["export", "--all"]).ok();
    let file = home.user_home().join(format!("transcript_{SESSION}.md"));
    assert!(file.exists());
}
