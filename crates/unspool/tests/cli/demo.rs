//! The built-in demo, as a new user sees it.

use crate::run::demo;

#[test]
fn pages_of_the_demo() {
    for (name, args) in [
        ("list", &["list"][..]),
        ("tree_with_forks", &["tree", "4ba648c7"]),
        ("tree_with_nested_agents", &["tree", "5f425fae"]),
        ("show_marks_forks_in_place", &["show", "4ba648c7"]),
        ("show_nests_agents", &["show", "5f425fae"]),
        ("show_joins_a_compaction", &["show", "46e1edf5"]),
        ("show_context_begins_with_the_summary", &["show", "46e1edf5", "--context"]),
        ("show_images_commands_and_queued_prompts", &["show", "95ed253b"]),
    ] {
        insta::assert_snapshot!(name, demo(args).ok());
    }
}

#[test]
fn no_command_lists() {
    assert_eq!(demo(&[]).ok(), demo(&["list"]).ok());
}

#[test]
fn show_an_interrupted_call_in_three_ways() {
    let mark = demo(&["show", "7b59812e"]).ok();
    let hide = demo(&["show", "7b59812e", "--interrupted", "hide"]).ok();
    let synthesize = demo(&["show", "7b59812e", "--interrupted", "synthesize"]).ok();
    assert!(mark.contains("interrupted") && !mark.contains("no result was recorded"));
    assert!(!hide.contains("■ Bash"));
    assert!(synthesize.contains("no result was recorded"));
}

#[test]
fn the_newest_session_has_a_conversation() {
    assert!(demo(&["show", "@"]).ok().starts_with("spike-filter"));
    assert!(demo(&["show", "@2"]).ok().contains("7b59812e"));
}

#[test]
fn check_finds_no_errors() {
    let ran = demo(&["check"]).says(0, &["0 errors"]);
    assert!(ran.out.contains("unfinished-line"), "{}", ran.out);
    assert!(ran.out.contains("Readable, with losses"), "{}", ran.out);
}

#[test]
fn nothing_names_the_folder_that_the_demo_is_unpacked_in() {
    let pages: &[&[&str]] = &[
        &["list"],
        &["show", "@"],
        &["show", "@", "--summary"],
        &["tree", "@"],
        &["search", "parser"],
        &["search", "--exact", "parser"],
        &["stats"],
        &["check"],
        &["check", "--all"],
        &["check", "--secrets"],
        &["show", "4ba648c8"],
        &["show", "agent-a0ab4f5b"],
        &["list", "--project", "tidepool", "--branch", "none*"],
    ];
    for args in pages {
        let ran = demo(args);
        for said in [&ran.out, &ran.err] {
            assert!(!said.contains("unspool-demo-"), "{args:?}: {said}");
        }
    }
    let checked = demo(&["check", "--all"]).ok();
    assert!(checked.contains("~/.claude/projects/-home-dev-notes/"), "{checked}");
    demo(&["show", "4ba648c8"]).says(1, &["projects/-home-dev-tidepool/4ba648c7"]);
}
