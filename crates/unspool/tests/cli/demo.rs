//! The built-in home: what a newcomer sees first.

use unspool_testkit::TestHome;

use crate::run::run_bare;

fn demo(args: &[&str]) -> String {
    run_bare(&TestHome::new(), &[&["--demo"], args].concat()).ok()
}

#[test]
fn list() {
    insta::assert_snapshot!(demo(&["list"]));
}

#[test]
fn no_command_lists() {
    assert_eq!(demo(&[]), demo(&["list"]));
}

#[test]
fn tree_with_forks() {
    insta::assert_snapshot!(demo(&["tree", "4ba648c7"]));
}

#[test]
fn tree_with_nested_agents() {
    insta::assert_snapshot!(demo(&["tree", "5f425fae"]));
}

#[test]
fn show_marks_forks_in_place() {
    insta::assert_snapshot!(demo(&["show", "4ba648c7"]));
}

#[test]
fn show_nests_agents() {
    insta::assert_snapshot!(demo(&["show", "5f425fae"]));
}

#[test]
fn show_joins_a_compaction() {
    insta::assert_snapshot!(demo(&["show", "46e1edf5"]));
}

#[test]
fn show_context_begins_with_the_summary() {
    insta::assert_snapshot!(demo(&["show", "46e1edf5", "--context"]));
}

#[test]
fn show_images_commands_and_queued_prompts() {
    insta::assert_snapshot!(demo(&["show", "95ed253b"]));
}

#[test]
fn show_an_interrupted_call_in_three_ways() {
    let mark = demo(&["show", "7b59812e"]);
    let hide = demo(&["show", "7b59812e", "--interrupted", "hide"]);
    let synthesize = demo(&["show", "7b59812e", "--interrupted", "synthesize"]);
    assert!(mark.contains("interrupted") && !mark.contains("no result was recorded"));
    assert!(!hide.contains("■ Bash"));
    assert!(synthesize.contains("no result was recorded"));
}

#[test]
fn the_newest_session_has_a_conversation() {
    assert!(demo(&["show", "@"]).starts_with("spike-filter"));
    assert!(demo(&["show", "@2"]).contains("7b59812e"));
}

#[test]
fn check_finds_no_errors() {
    let ran = run_bare(&TestHome::new(), &["--demo", "check"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("unfinished-line") && ran.err.contains("0 errors"), "{}", ran.err);
    assert!(ran.out.contains("Readable, with losses"), "{}", ran.out);
}

#[test]
fn no_page_names_the_folder_that_the_demo_is_unpacked_in() {
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
    ];
    for args in pages {
        let ran = run_bare(&TestHome::new(), &[&["--demo"], *args].concat());
        for said in [&ran.out, &ran.err] {
            assert!(!said.contains("unspool-demo-"), "{args:?}: {said}");
        }
    }
    let checked = demo(&["check", "--all"]);
    assert!(checked.contains("~/.claude/projects/-home-dev-notes/"), "{checked}");
}
