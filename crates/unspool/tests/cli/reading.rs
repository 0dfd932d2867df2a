//! The output of `show` for people: days, agents, failures, pastes, paths.

use crate::run::{SESSION, demo_wide, home_with, run};

fn shown(notation: &str, args: &[&str]) -> String {
    run(&home_with(notation), &[&["show", SESSION], args].concat()).ok()
}

#[test]
fn every_transcript_says_where_a_day_begins_and_speaks_in_words() {
    let home = home_with(
        r#"
u1 user "<ide_opened_file>The user opened the file /srv/demo/a.rs in the IDE. It may matter.</ide_opened_file>" "begin"
a1 assistant "one" call Read:t1 {"file_path":"/srv/demo/src/a.rs"}
r1 result t1 "1 x"
u2 user @+100000 "another day"
a2 assistant "two"
"#,
    );
    for format in ["md", "text", "html", "terminal"] {
        let args = match format {
            "terminal" => &["show", SESSION][..],
            _ => &["export", SESSION, "--format", format, "--out", "-"],
        };
        let text = run(&home, args).ok();
        let day = text.lines().find(|line| line.contains(", 1 d 3 h later"));
        assert!(day.is_some_and(|day| day.contains("day, ")), "{format}");
        assert!(text.to_lowercase().contains("open in the editor: a.rs"), "{format}");
        assert!(!text.contains("ide_opened_file"), "{format}");
        assert!(!text.contains("/srv/demo/src/a.rs"), "{format}");
    }
}

#[test]
fn agents_are_folded_unless_asked_for() {
    let fold = demo_wide(100, &["show", "5f425fae"]).ok();
    assert!(fold.contains("--agent ae6fbb74d797d3dec shows it"), "{fold}");
    assert!(fold.contains("folded agents; --agents inline shows all"), "{fold}");
    assert!(!fold.contains("I have the routes listed by a helper"), "{fold}");
    for args in [&["--agents", "inline"][..], &["--full"]] {
        let all = demo_wide(100, &[&["show", "5f425fae"], args].concat()).ok();
        assert!(all.contains("I have the routes listed by a helper"), "{all}");
    }
    let none = demo_wide(100, &["show", "5f425fae", "--agents", "none"]).ok();
    assert!(!none.contains("ae6fbb74d797d3dec"), "{none}");
}

#[test]
fn a_failed_command_keeps_the_end_of_what_it_wrote() {
    let lines: Vec<String> = (1..=60).map(|n| format!("line {n}")).collect();
    let notation = format!(
        "u1 user \"go\"\na1 assistant call Bash:t1 {{\"command\":\"make\"}}\nr1 result t1 \"{}\" error\n",
        lines.join("\\n")
    );
    let text = shown(&notation, &[]);
    for kept in ["line 1", "line 49", "line 60"] {
        assert!(text.contains(&format!("  {kept}\n")), "{kept}: {text}");
    }
    assert!(text.contains("… 45 more lines"), "{text}");
}

#[test]
fn long_prompts_fold_in_the_middle() {
    let lines: Vec<String> = (1..=90).map(|n| format!("pasted {n}")).collect();
    let notation = format!("u1 user \"{}\"\na1 assistant \"ok\"\n", lines.join("\\n"));
    let text = shown(&notation, &[]);
    assert!(
        text.contains("┃ pasted 8\n┃ … 78 more lines, --full shows all\n┃ pasted 87\n"),
        "{text}"
    );
    assert!(shown(&notation, &["--full"]).contains("┃ pasted 50\n"));
}

#[test]
fn rules_are_as_wide_as_the_text() {
    for columns in [60, 100, 120, 200] {
        let text = demo_wide(columns, &["show", "5f425fae"]).ok();
        let rule = text.lines().find(|line| line.starts_with("───"));
        let width = rule.expect("a rule").chars().count();
        assert_eq!(width, columns.min(120) as usize);
    }
}

#[test]
fn errors_of_stop_hooks_are_shown_by_every_surface() {
    let shows = |errors: &str| {
        let home = home_with(&format!(
            r#"
u1 user "go"
a1 assistant "done"
h1 system stop_hook_summary +hookCount=1 +hookInfos=[{{"command":"lint.sh"}}] +hookErrors={errors}
"#
        ));
        let show = run(&home, &["show", SESSION]).ok();
        let export =
            |format: &str| run(&home, &["export", SESSION, "--format", format, "--out", "-"]).ok();
        [show, export("md"), export("text"), export("html")]
    };
    for page in shows(r#"["[lint.sh]: cannot find eslint"]"#) {
        assert!(page.contains("cannot find eslint"), "{page}");
        assert!(page.contains("rrors of stop hooks"), "{page}");
    }
    for page in shows("[]") {
        assert!(!page.contains("rrors of stop hooks"), "{page}");
    }
}

#[test]
fn a_command_that_its_line_cuts_is_whole_in_full() {
    let long = format!("echo {} last-word", "word ".repeat(60).trim_end());
    let notation = format!(
        "u1 user \"go\"\na1 assistant call Bash:t1 {{\"command\":\"{long}\"}}\nr1 result t1 \"fine\"\n"
    );
    assert!(!shown(&notation, &[]).contains("last-word"));
    let full = shown(&notation, &["--tools", "full"]);
    assert!(full.contains("last-word"), "{full}");
    // A short command is shown once.
    let short = "u1 user \"go\"\na1 assistant call Bash:t1 {\"command\":\"make it\"}\nr1 result t1 \"fine\"\n";
    let full = shown(short, &["--tools", "full"]);
    assert_eq!(full.matches("make it").count(), 1, "{full}");
}
