//! `list`: its filters, orders and formats.

use serde_json::{Value, json};
use unspool_testkit::TestHome;
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::process::start_of;

use crate::run::{SESSION, demo, demo_wide, home_with, run};

/// Lists the demo as JSON and returns the short ids.
fn ids(args: &[&str]) -> String {
    let rows = demo(&[&["list", "--json"], args].concat()).lines();
    let ids = rows.iter().map(|row| &row["id"].as_str().expect("an id")[..4]);
    ids.collect::<Vec<_>>().join(" ")
}

#[test]
fn filters_keep_what_fits() {
    let cases: [(&[&str], &str); 22] = [
        (&["--project", "notes"], "e86a a9eb 1cd7 378b 43e6"),
        (&["--project", "NOTE"], "e86a a9eb 1cd7 378b 43e6"),
        (&["--project", "/home/dev/lanterna-site"], "7b59 95ed a828 ae66"),
        (&["--project", "-home-dev-lanterna-site"], "7b59 95ed a828 ae66"),
        (&["--project", "lant*", "--limit", "2"], "7b59 95ed"),
        (&["--project", "notes", "--project", "lanterna", "--since", "2026-11-04"], "7b59 e86a"),
        (&["--since", "2026-11-05"], "418c 7b59 5f42"),
        (&["--since", "2026-11-05", "--until", "2026-11-05"], "5f42"),
        (&["--until", "2026-10-08"], "378b 43e6 ae66"),
        (&["--branch", "main", "--model", "opus"], "b961 95ed"),
        (&["--branch", "mqtt*"], "46e1"),
        (&["--tool", "write"], "418c 95ed 46e1 a828 4ba6 378b"),
        (&["--tool", "Task*"], "418c 1cd7 378b"),
        (&["--file", "store.rs"], "4ba6"),
        (&["--file", "/home/dev/tidepool/src/mqtt.rs"], "46e1"),
        (&["--min-size", "40k"], "418c 46e1 4ba6"),
        (&["--min-messages", "17"], "418c 46e1 4ba6"),
        (&["--headless"], "e86a a9eb"),
        (&["--kind", "empty"], "43e6 ae66"),
        // Agents have the ids of their file names.
        (&["--kind", "agent", "--project", "notes"], "agen"),
        (&["--status", "error", "--status", "interrupted"], "7b59 e86a b961"),
        (&["--live"], ""),
    ];
    for (args, expected) in cases {
        assert_eq!(ids(args), expected, "{args:?}");
    }
}

#[test]
fn rows_are_sorted_and_cut() {
    assert_eq!(ids(&["--sort", "tokens", "-n", "3"]), "418c 46e1 4ba6");
    assert_eq!(ids(&["--sort", "size", "--reverse", "-n", "2"]), "ae66 43e6");
    assert_eq!(ids(&["--sort", "started", "--reverse", "-n", "1"]), "378b");
    assert_eq!(ids(&["--sort", "title", "-n", "2"]), "95ed b961");
    assert_eq!(ids(&["-n", "0"]), "");
}

#[test]
fn a_name_that_fits_nothing_is_told_with_near_ones() {
    demo_wide(100, &["list", "--project", "tidepol"])
        .only_says(1, &["no sessions of a project `tidepol`; did you mean `tidepool`?"]);
    demo_wide(100, &["list", "--json", "--project", "tidepol", "--project", "notes"])
        .says(0, &["`tidepol`"]);
    demo_wide(100, &["list", "--branch", "main", "--tool", "TaskCreate"])
        .says(1, &["fit all of this"]);
}

#[test]
fn wrong_use_points_at_the_place() {
    for (args, said) in [
        (&["--since", "lats week"][..], "  --since lats week\n          ^^^^^^^^^\n"),
        (&["--until", "2026-02-30"], "2026-02-30 does not exist"),
        (&["--since", "today", "--until", "yesterday"], "no time is both"),
        (&["--format", "{id} {titel}"], "  {id} {titel}\n        ^^^^^\n"),
        (&["--format", "{id"], "not closed"),
        (&["--columns", "id,titel"], "'title'"),
        (&["--sort", "tokns"], "'tokens'"),
        (&["--status", "done"], "complete"),
        (&["--min-size", "1x"], "500k"),
        (&["--json", "--cards"], "--cards"),
        (&["--json", "--format", "{id}"], "--format"),
        (&["--json", "--columns", "id"], "--columns"),
        (&["--cards", "--columns", "id"], "--columns"),
        (&["--cards", "--format", "{id}"], "--format"),
        (&["--headless", "--agents"], "--agents"),
        (&["--headless", "--kind", "main"], "--kind"),
        (&["--empty", "--kind", "main"], "--kind"),
    ] {
        demo_wide(100, &[&["list"], args].concat()).only_says(2, &[said]);
    }
}

#[test]
fn templates_print_a_line_for_each_session() {
    let home = home_with("u1 user \"tabs\\tand\\nlines\"\na1 assistant \"hi\" call Bash:t1 {}\n");
    let format = |template: &str| run(&home, &["list", "--format", template]).ok();
    assert_eq!(format(r"{id:8}\t{title}\t{tools}"), "11111111\ttabs and lines\tBash:1\n");
    assert_eq!(format(r"{tokens.output}\0"), "10\0");
    assert_eq!(format(r"{git_branch}|{status}|{{}}\n"), "main|interrupted|{}\n");
}

/// Creates a home with a conversation, an empty log, and a session with only two agents left.
fn home_with_leftovers() -> TestHome {
    let home = home_with("u1 user \"a talk\" @1000\na1 assistant \"hi\" @1001\n");
    let id = |digit: &str| SESSION.replace('1', digit);
    home.add_session("/srv/demo", &id("2"), b"");
    for (agent, task, start) in [("aa11", "Second task", 50), ("bb22", "First task", 20)] {
        let log =
            format!("x1 user < - sidechain \"{task}\" @{start}\nx2 assistant sidechain \"ok\"\n");
        let log = unspool_testkit::session(&log);
        home.add_agent("/srv/demo", &id("3"), &AgentFilePlace::Subagents, agent, log);
    }
    home
}

#[test]
fn what_has_no_conversation_is_hidden_and_counted_once() {
    let home = home_with_leftovers();
    let titles = |args: &[&str]| {
        let args = [&["list", "--format", "{title}"], args].concat();
        run(&home, &args).ok().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(titles(&[]), ["a talk"]);
    assert_eq!(titles(&["--kind", "main"]), ["a talk"]);
    // The empty log has the time of its file; the agents have times of their own.
    assert_eq!(titles(&["--empty"]), ["", "a talk", "First task"]);
    assert_eq!(titles(&["--status", "empty"]), ["", "First task"]);
    let note =
        "note: 1 without a conversation and 1 of which only agents are left; --empty lists them\n";
    assert_eq!(run(&home, &["list"]).err, note);
    let early = run(&home, &["list", "--kind", "main", "--until", "2000"]);
    assert!(!early.err.contains("only agents"), "{}", early.err);
    let lines = run(&home, &["list", "--json"]).lines();
    let left = lines.iter().find(|row| row["title"] == "First task").expect("a row");
    assert_eq!((&left["status"], &left["kind"]), (&Value::from("empty"), &Value::from("main")));
    assert!(left["started"].is_string() && left["first_prompt"].is_null());
    let shown = run(&home, &["show", "33333333", "--json"]).json();
    for key in ["started", "ended", "cwd", "title"] {
        assert_eq!(shown["session"][key], left[key], "{key}");
    }
}

#[test]
fn what_is_left_of_a_session_is_shown_with_the_way_to_each_agent() {
    let home = home_with_leftovers();
    let shown = run(&home, &["show", "33333333"]);
    assert!(!shown.err.contains("no conversation"), "{}", shown.err);
    let shown = shown.ok();
    assert!(shown.starts_with("First task\n"), "{shown}");
    assert!(shown.contains("2 agents are left"), "{shown}");
    let (first, second) = (shown.find("bb22"), shown.find("aa11"));
    assert!(first < second, "by time: {shown}");
    let command = shown.lines().find(|line| line.contains("--agent bb22")).expect("a command");
    let args: Vec<&str> = command.split_whitespace().skip(1).collect();
    assert!(run(&home, &args).ok().contains("First task"), "{args:?}");
    let tree = run(&home, &["tree", "33333333"]);
    assert!(tree.err.contains("only agents are left"), "{}", tree.err);
}

#[test]
fn list_at_every_width() {
    for columns in [40, 80, 120, 200] {
        let out = demo_wide(columns, &["list"]).ok();
        insta::assert_snapshot!(format!("list_{columns}"), out);
    }
}

#[test]
fn list_in_colour() {
    insta::assert_snapshot!(demo_wide(100, &["list", "-n", "3", "--color", "always"]).ok());
}

#[test]
fn chosen_columns() {
    let columns = "id,started,duration,active,calls,failed,files,tools,status,kind,path";
    let args = ["list", "-n", "3", "--columns", columns];
    insta::assert_snapshot!(demo_wide(160, &args).ok());
}

#[test]
fn cards() {
    for columns in [40, 80] {
        let args = ["list", "--cards", "--agents", "--empty"];
        let out = demo_wide(columns, &args).ok();
        insta::assert_snapshot!(format!("cards_{columns}"), out);
    }
}

#[test]
fn a_card_tells_of_a_running_process_and_of_more_than_a_day() {
    if start_of(std::process::id()).is_none() {
        return;
    }
    let home = home_with("u1 user \"long\" @0\na1 assistant call Bash:t1 {} @90000\n");
    let resting = run(&home, &["list", "--cards"]).ok();
    assert!(resting.contains("Status: ■ Interrupted"), "{resting}");
    home.add_running(SESSION, std::process::id(), &json!({}));
    let live = run(&home, &["list", "--cards", "--live"]).ok();
    assert!(live.contains("| ● live"), "{live}");
    assert!(live.contains("Status: ● Open (a process is working on it)"), "{live}");
    assert!(live.contains("(1 d 1 h)"), "{live}");
}
