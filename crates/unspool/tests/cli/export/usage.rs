//! The command line of `export`, and its messages.

use std::fs;

use super::export;
use crate::run::{OTHER, Ran, SESSION, home_with, run, unspool_on};

const TALK: &str = "u1 user \"hi\"\na1 assistant \"ho\"\n";

#[test]
fn something_must_be_chosen() {
    run(&home_with(TALK), &["export"]).says(2, &["which sessions?", "--all"]);
    run(&home_with(TALK), &["export", SESSION, "--project", "demo"]).says(2, &[]);
}

#[test]
fn sessions_are_chosen_as_they_are_listed() {
    let home = home_with(TALK);
    let bytes = unspool_testkit::session("%cwd /srv/other\nx1 user \"x\"\ny1 assistant \"y\"\n");
    home.add_session("/srv/other", OTHER, bytes);
    let exported = export(&home, &["--project", "other"]);
    assert_eq!(exported.names(), [format!("transcript_{OTHER}.md")]);
    let none = export(&home, &["--project", "nowhere"]);
    assert_eq!((none.ran.code, none.files.len()), (Some(1), 0), "{}", none.ran.err);
    let unknown = export(&home, &["ffffffff"]);
    assert_eq!((unknown.ran.code, unknown.files.len()), (Some(1), 0), "{}", unknown.ran.err);
    let both = export(&home, &[SESSION, OTHER, &SESSION[..8]]);
    assert_eq!(both.files.len(), 2);
}

#[test]
fn what_was_written_is_said_and_listed() {
    let exported = export(&home_with(TALK), &[SESSION]);
    assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
    let name = format!("transcript_{SESSION}.md");
    assert!(exported.ran.out.ends_with(&format!("exported/{name}\n")), "{}", exported.ran.out);
    assert!(exported.ran.err.contains("wrote 1 transcript of 1 session, "), "{}", exported.ran.err);
    let told = export(&home_with(TALK), &[SESSION, "--json"]);
    let bytes = told.files[&name].len();
    let line = told.ran.json();
    assert_eq!((&line["schema"], &line["kind"]), (&1.into(), &"transcript".into()));
    assert_eq!((&line["path"], &line["paths"]), (&1.into(), &1.into()));
    assert_eq!((&line["messages"], &line["bytes"]), (&2.into(), &bytes.into()));
    assert_eq!(line["status"], "active");
}

#[test]
fn a_dry_run_writes_nothing() {
    let exported = export(&home_with(TALK), &["--all", "--dry-run"]);
    assert_eq!(exported.files.len(), 0);
    assert!(exported.ran.out.contains(&format!("transcript_{SESSION}.md")), "{}", exported.ran.out);
    assert!(exported.ran.err.contains("1 transcript of 1 session would be written"));
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
    run(&forked, &["export", SESSION, "--out", "-"]).only_says(2, &[]);
    let ran = run(&forked, &["export", SESSION, "--out", "-", "--paths", "active"]);
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
    assert!(fs::read_to_string(&file).expect("a file").starts_with("# CLAUDE CODE"));
    assert_eq!(fs::read_to_string(folder.join("mine.md")).expect("a file"), "mine");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let home = home_with(TALK);
    let file = home.add_file("a-file", "x");
    let out = file.join("below").display().to_string();
    run(&home, &["export", SESSION, "--out", &out]).says(3, &["cannot write"]);
}

#[test]
fn a_session_without_a_conversation_is_no_error() {
    let home = home_with("-- custom-title \"only a title\"\n");
    let exported = export(&home, &[SESSION]);
    assert_eq!((exported.ran.code, exported.files.len()), (Some(0), 0), "{}", exported.ran.err);
    assert!(exported.ran.err.contains("1 session without a conversation"), "{}", exported.ran.err);
}

#[test]
fn the_working_folder_is_where_files_go_by_default() {
    let home = home_with(TALK);
    run(&home, &["export", "--all"]).ok();
    let file = home.user_home().join(format!("transcript_{SESSION}.md"));
    assert!(file.exists());
}

/// Exports with a fake opener, which records the file it should open.
#[cfg(target_os = "linux")]
fn opened(
    home: &unspool_testkit::TestHome,
    args: &[&str],
    screen: &[(&str, &str)],
) -> (Ran, String) {
    let bin = home.user_home().join("bin");
    let note = bin.join("opened");
    // The opener is not waited for, so the record is renamed when it is complete.
    let script = format!("echo \"$1\" > {0}.new && mv {0}.new {0}", note.display());
    home.add_script("bin/xdg-open", &script);
    let mut command = unspool_on(home);
    command
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("TMPDIR", home.user_home())
        .envs(screen.iter().copied())
        .arg("export")
        .args(args);
    let ran = Ran::of(&mut command);
    let is_expected = ran.code == Some(0)
        && screen.iter().any(|(name, _)| *name == "DISPLAY")
        && screen.len() == 1;
    while is_expected && !note.exists() {
        std::thread::yield_now();
    }
    let path = fs::read_to_string(&note).unwrap_or_default();
    let _ = fs::remove_file(&note);
    (ran, path.trim().to_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_exported_is_opened() {
    let home = home_with(TALK);
    home.add_session("/srv/demo", OTHER, unspool_testkit::session(TALK));
    let display = [("DISPLAY", ":9")];
    let (ran, path) = opened(&home, &[SESSION, "--open"], &display);
    assert_eq!(ran.out.trim(), path, "{}", ran.err);
    assert!(path.ends_with(&format!("transcript_{SESSION}.html")), "{path}");
    assert!(path.contains("/unspool-export-"), "{path}");
    let (_, path) = opened(&home, &[SESSION, OTHER, "--open"], &display);
    assert!(path.ends_with("/index.html") && fs::metadata(&path).is_ok(), "{path}");
    let out = home.user_home().join("out").display().to_string();
    let (_, path) = opened(&home, &[SESSION, "--open", "--format", "md", "--out", &out], &display);
    assert_eq!(path, format!("{out}/transcript_{SESSION}.md"));
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_screen_the_path_is_said() {
    let home = home_with(TALK);
    for screen in [&[][..], &[("DISPLAY", ":9"), ("SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22")]] {
        let (ran, path) = opened(&home, &[SESSION, "--open"], screen);
        assert_eq!((ran.code, path.as_str()), (Some(0), ""));
        let said = format!("open {} yourself", ran.out.trim());
        assert!(ran.err.contains(&said), "{}", ran.err);
    }
    let (ran, _) = opened(&home, &[SESSION, "--open", "--out", "-"], &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}
