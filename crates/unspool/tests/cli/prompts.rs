//! Prompts in every command: slash commands that the model answered, replies, messages of others, deleted
//! messages, and the folders of a session.

use std::fs;

use serde_json::{Value, json};
use unspool_testkit::{TestHome, session};

use crate::run::{SESSION, fitting, home_with, run, strings_at, unspool_on};

const FLOW: &str = "<command-message>flow is running…</command-message>\n<command-name>/flow</command-name>\n<command-args>story 12\n\nfrom the board</command-args>";
const CLEAR: &str = "<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>";
const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n";

/// A conversation with a command that acts only on the client, and one that the model answers.
fn flow() -> String {
    format!(
        r#"
c0 user {}
o0 user "<local-command-stdout></local-command-stdout>"
u1 user {}
m1 user meta blocks "Work on the story."
a1 assistant "The story is told."
u2 user "thank you"
a2 assistant "Any time."
"#,
        json!(CLEAR),
        json!(FLOW)
    )
}

/// Runs `export` and returns the only file.
fn exported(home: &TestHome, format: &str) -> String {
    let out = home.user_home().join(format!("out-{format}"));
    let folder = out.display().to_string();
    run(home, &["export", SESSION, "--format", format, "--out", &folder]).ok();
    let file = fs::read_dir(&out).expect("a folder").next();
    let path = file.expect("a file").expect("a file").path();
    fs::read_to_string(path).expect("a transcript")
}

fn listed(home: &TestHome) -> Value {
    run(home, &["list", "--json"]).lines().remove(0)
}

#[test]
fn a_slash_command_that_the_model_answers_is_a_turn_everywhere() {
    let home = home_with(&flow());
    let typed = "/flow story 12\n\nfrom the board";
    let shown = run(&home, &["show", SESSION, "--json"]).json();
    let kinds = strings_at(&shown["messages"], "kind");
    assert_eq!(kinds, ["command", "command", "prompt", "meta", "answer", "prompt", "answer"]);
    assert_eq!(shown["messages"][2]["blocks"][0]["text"], typed);
    assert_eq!(shown["turns"][0]["prompt"], typed);
    assert_eq!(shown["turns"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed(&home)["turns"], 2);
    assert_eq!(run(&home, &["stats", "--json"]).json()["total"]["turns"], 2);
    let turn = run(&home, &["show", SESSION, "--turn", "1", "--json"]).json();
    assert_eq!(turn["messages"][0]["kind"], "prompt");
    let tree = run(&home, &["tree", SESSION, "--json"]).json();
    let turns = tree["rows"].as_array().expect("rows").iter();
    let turns: Vec<_> = turns.filter(|row| row["kind"] == "turn").collect();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0]["text"], typed);
    let summary = run(&home, &["show", SESSION, "--summary", "--json"]).json();
    assert_eq!(summary["turns"][0]["prompt"], typed);
    for args in [&["search", "board", "--json"][..], &["search", "board", "--exact", "--json"]] {
        let hits = run(&home, args).lines();
        let hit = hits.iter().find(|hit| hit["entry"] == shown["messages"][2]["entries"][0]);
        assert_eq!(hit.expect("a hit")["kind"], "prompt", "{args:?}");
    }
}

#[test]
fn a_command_of_several_lines_is_read_as_it_was_typed() {
    let home = home_with(&flow());
    let shown = run(&home, &["show", SESSION]).ok();
    assert!(shown.contains("┃ /flow story 12\n┃\n┃ from the board\n"), "{shown}");
    assert!(!shown.contains("<command-"), "{shown}");
    let html = exported(&home, "html");
    assert!(html.contains("<div class=\"typed\">/flow story 12\n\nfrom the board</div>"));
    assert!(html.contains("<span class=\"what\">/flow story 12</span>"), "outline");
    // A command that acts only on the client keeps its lines too.
    let goal = r"<command-name>/goal</command-name><command-args>one\ntwo</command-args>";
    let home = home_with(&format!("c0 user \"{goal}\"\nu1 user \"hello\""));
    let shown = run(&home, &["show", SESSION]).ok();
    assert!(shown.contains("❯ /goal one\n  two\n"), "{shown}");
    assert!(
        exported(&home, "html")
            .contains("<code>/goal one</code></p>\n<div class=\"typed\">two</div>")
    );
}

#[test]
fn titles_are_commands_with_their_arguments_and_never_a_digit() {
    let clear = json!(CLEAR);
    let title = |notation: &str| {
        let home = home_with(notation);
        let row = listed(&home);
        let shown = run(&home, &["show", SESSION, "--json"]).json();
        assert_eq!(row["title"], shown["session"]["title"]);
        (row["title"].clone(), row["first_prompt"].clone())
    };
    let line = json!("/flow story 12  from the board");
    assert_eq!(title(&flow()), (line.clone(), line));
    let short = title("u1 user \"9\"\na1 assistant \"?\"\nu2 user \"fix the build\"");
    assert_eq!(short, (json!("fix the build"), json!("9")));
    assert_eq!(title("u1 user \"q\"").0, "q");
    assert_eq!(title(&format!("c0 user {clear}")).0, "/clear");
    assert_eq!(title(&format!("c0 user {clear}\nu1 user \"fix it\"")).0, "fix it");
}

#[test]
fn words_given_with_a_refusal_are_shown_whole_and_once() {
    let words = "take the other road:\nthe one by the sea";
    let home = home_with(&format!(
        "u1 user \"go\"\na1 assistant call Bash:t1 {{\"command\":\"walk\"}}\n\
         r1 result t1 error !toolUseResult {}\na2 assistant \"By the sea, then.\"",
        json!(format!("{REJECTED}{words}"))
    ));
    let shown = run(&home, &["show", SESSION, "--json"]).json();
    let messages = &shown["messages"];
    assert_eq!(messages[1]["blocks"][0]["status"], "denied");
    assert_eq!(messages[2]["kind"], "reply");
    assert_eq!(messages[2]["blocks"], json!([{"type": "text", "text": words}]));
    assert_eq!(shown["turns"].as_array().map(Vec::len), Some(1));
    for format in ["md", "text", "html"] {
        let text = exported(&home, format);
        assert_eq!(text.matches("the one by the sea").count(), 1, "{format}: {text}");
        assert!(!text.contains("NOT written"), "{format}");
    }
    let terminal = run(&home, &["show", SESSION]).ok();
    assert_eq!(terminal.matches("the one by the sea").count(), 1, "{terminal}");
    assert!(exported(&home, "html").contains("<li class=\"said\">"), "in the outline");
    let tree = run(&home, &["tree", SESSION, "--json"]).json();
    assert_eq!(tree["rows"][0]["said"], json!([words]));
    let tree = run(&home, &["tree", SESSION]).ok();
    assert!(tree.contains("❯ take the other road:"), "{tree}");
    let summary = run(&home, &["show", SESSION, "--summary", "--json"]).json();
    assert_eq!(summary["turns"][0]["said"], json!([words]));
}

#[test]
fn a_free_answer_is_a_reply_and_not_in_the_head_of_the_call() {
    let words = "neither: paint it in the colour of the evening";
    let questions = json!([{"question": "Which?", "header": "H", "options": [{"label": "Red"}, {"label": "Blue"}]}]);
    let asked = |answer: &str| {
        let told = json!(format!("The user answered: \"Which?\"=\"{answer}\"."));
        let result = json!({"questions": questions, "answers": {"Which?": answer}});
        home_with(&format!(
            "u1 user \"paint it\"\na1 assistant call AskUserQuestion:t1 {{\"questions\":{questions}}}\n\
             r1 result t1 {told} +toolUseResult={result}\na2 assistant \"Done.\""
        ))
    };
    let home = asked(words);
    let shown = run(&home, &["show", SESSION, "--json"]).json();
    assert_eq!(shown["messages"][2]["kind"], "reply");
    assert_eq!(shown["messages"][2]["blocks"][0]["text"], words);
    assert_eq!(shown["messages"][1]["blocks"][0]["status"], "done");
    let terminal = run(&home, &["show", SESSION]).ok();
    assert_eq!(terminal.matches("the colour of the evening").count(), 1, "{terminal}");
    let offered = run(&asked("Blue"), &["show", SESSION, "--json"]).json();
    assert_eq!(offered["messages"][2]["kind"], "answer");
}

#[test]
fn what_others_say_to_the_model_is_shown_whole() {
    let sent = "<teammate-message teammate_id=\"ann\" summary=\"s\">first line\nsecond line</teammate-message>";
    let home = home_with(&format!(
        r#"
u1 user "begin"
a1 assistant "Begun."
m1 user meta blocks "Stop hook feedback:\n[lint]: fix\nthe last warning"
a2 assistant "Fixed."
u2 user {}
a3 assistant "Heard."
"#,
        json!(sent)
    ));
    let terminal = run(&home, &["show", SESSION]).ok();
    for line in ["the last warning", "second line"] {
        assert!(terminal.contains(line), "{terminal}");
    }
    assert!(!terminal.contains("teammate"), "{terminal}");
    let html = exported(&home, "html");
    assert_eq!(html.matches("<li class=\"said\">").count(), 2, "in the outline");
}

#[test]
fn what_is_marked_as_deleted_is_shown_so() {
    let log = [
        json!({"type": "user", "uuid": "f1", "timestamp": "2025-01-27T10:00:00Z", "sessionId": "s", "message": "hello"}),
        json!({"type": "assistant", "uuid": "f2", "parentUuid": "f1", "timestamp": "2025-01-27T10:00:01Z", "sessionId": "s", "isDeleted": true, "message": "[Content removed]"}),
    ];
    let home = TestHome::new();
    let lines = log.map(|line| line.to_string()).join("\n") + "\n";
    home.add_session("/srv/demo", SESSION, lines);
    let shown = run(&home, &["show", SESSION, "--json"]).json();
    assert_eq!(shown["messages"][0]["deleted"], false);
    assert_eq!(shown["messages"][1]["deleted"], true);
    assert!(run(&home, &["show", SESSION]).ok().contains("(deleted)"));
    assert!(exported(&home, "md").contains("*(deleted)*"));
    assert!(exported(&home, "text").contains("(deleted)"));
    assert!(exported(&home, "html").contains(">Deleted</p>"));
}

#[test]
fn a_session_is_found_in_every_folder_that_it_was_in() {
    let home = TestHome::new();
    let (first, second) = (home.user_home().join("first"), home.user_home().join("second/deep"));
    fs::create_dir_all(&first).expect("a folder");
    fs::create_dir_all(&second).expect("a folder");
    let (first, second) = (first.display().to_string(), second.display().to_string());
    let log = format!(
        "%cwd {first}\nu1 user \"begin\"\n%cwd {second}\nu2 user \"go on\"\n\
         %cwd {first}\nu3 user \"back\""
    );
    home.add_session(&first, SESSION, session(&log));
    assert_eq!(listed(&home)["cwds"], json!([first, second]));
    assert_eq!(listed(&home)["cwd"], json!(first));
    let run_in = |folder: &str, args: &[&str]| fitting(unspool_on(&home).current_dir(folder), args);
    for folder in [&first, &second] {
        let found = run_in(folder, &["list", "--here", "--json"]).lines();
        assert_eq!(found.len(), 1, "{folder}");
        let newest = run_in(folder, &["show", "@", "--json"]);
        assert_eq!(newest.err, "", "{folder}");
        assert_eq!(newest.json()["session"]["id"], SESSION, "{folder}");
        let project = run(&home, &["list", "--project", folder, "--json"]).lines();
        assert_eq!(project.len(), 1, "{folder}");
    }
    let hits = run(&home, &["search", "project:deep begin", "--json"]).lines();
    assert_eq!(hits.len(), 1);
    let third = home.user_home().join("third");
    fs::create_dir(&third).expect("a folder");
    let third = third.display().to_string();
    run_in(&third, &["list", "--here"]).only_says(1, &["third"]);
    run_in(&third, &["list", "--project", "third"]).only_says(1, &["third"]);
}
