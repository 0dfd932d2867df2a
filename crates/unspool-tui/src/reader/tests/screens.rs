//! The content of the screen.

use ratatui::style::Color;
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, session, uuid};

use super::stage::ReadStage;
use crate::event::MouseKind;
use crate::testing::lab::SIZES;

/// A session with calls of all kinds, an agent, thinking, a failure and an edit.
pub(super) const IMPORTER: &str = r#"
    %cwd /srv/tidepool
    u1 user @0 "Why does the importer lose the last row of every file?"
    a1 assistant thinking "A reader that stops at the last newline.\nA file without one loses its tail.\nI look." "Let me look at the reader." call Bash:t1 {"command":"cargo test import"}
    r1 result t1 "running 12 tests\ntest one ... ok\ntest two ... ok\ntest three ... ok\ntest four ... ok\ntest five ... ok\ntest six ... ok\ntest seven ... ok\ntest eight ... ok\ntest nine ... ok\n\n12 passed"
    a2 assistant call Edit:t2 {"file_path":"/srv/tidepool/src/import.rs","old_string":"lines()","new_string":"split('\\n')"}
    r2 result t2 "updated"
    a3 assistant "The reader stopped at the last newline; a file without one lost its tail. It is **fixed**."
    u2 user @600 "Shall I migrate the old files too?"
    a4 assistant call Bash:t3 {"command":"./migrate --dry-run"}
    r3 result t3 error "error: no such table: hourly\nat line 3"
    a5 assistant call Agent:t4 {"description":"Soak-test the build","prompt":"Run it for ten minutes."}
    r4 result t4 agent=a7448df7 "It ran for ten minutes without an error."
    a6 assistant "Yes:\n\n```sh\n./migrate --all\n```\n\nThat takes 94 ms."
    u3 user @1200 "Good. How large is the table?"
    a7 assistant "It has 1,204 rows of 漢字 and \u001b[31mred\u001b[0m text."
"#;

const AGENT: &str = r#"
    %cwd /srv/tidepool
    %agent a7448df7
    g1 user @700 "Run it for ten minutes."
    g2 assistant call Bash:t9 {"command":"./soak 10m"}
    g3 result t9 "ok"
    g4 assistant "It ran for ten minutes without an error."
"#;

/// A session with one rewind.
pub(super) const FORKED: &str = r#"
    u1 user @0 "first question"
    a1 assistant "first answer"
    u2 user "second question"
    a2 assistant "second answer"
    u3 user < a1 @60 "another way"
    a3 assistant "another answer"
"#;

/// Opens the session and its agent.
pub(super) fn importer(columns: u16, rows: u16) -> ReadStage {
    ReadStage::of_log(session(IMPORTER), (columns, rows), add_agent)
}

/// Adds the session's agent.
pub(super) fn add_agent(home: &TestHome) {
    home.add_agent(
        "/srv/tidepool",
        &uuid("s"),
        &AgentFilePlace::Subagents,
        "a7448df7",
        session(AGENT),
    );
}

/// A session of many turns.
pub(super) fn long(turns: usize) -> String {
    let turn = |number: usize| {
        format!(
            "u{number} user \"question {number}\"\na{number} assistant \"answer {number}, with some words\"\n"
        )
    };
    (1..=turns).map(turn).collect()
}

/// Returns the rows without the cursor's bar.
fn texts(rows: &[String]) -> Vec<&str> {
    rows.iter().map(|row| row.trim_start_matches([' ', '▌'])).collect()
}

#[test]
fn jumps_go_by_turn_error_change_and_call() {
    let mut reading = importer(80, 24);
    for (keys, expected) in [
        ("gg", "❯ 09:00  turn 1"),
        ("]", "❯ 09:10  turn 2"),
        ("e", "✘ Bash  ./migrate --dry-run"),
        ("[", "❯ 09:10  turn 2"),
        ("[", "❯ 09:00  turn 1"),
        ("c", "✔ Edit  src/import.rs"),
        ("n", "✘ Bash  ./migrate --dry-run"),
        ("N", "✔ Edit  src/import.rs"),
        ("}", "● The reader stopped"),
        ("{", "✔ Edit  src/import.rs"),
        ("E", "✔ Edit  src/import.rs"),
        ("C", "✔ Edit  src/import.rs"),
    ] {
        reading.keys(keys);
        let (_, under) = reading.under().expect("a bar");
        let under = under.trim_start_matches([' ', '▌']);
        assert!(under.starts_with(expected), "{keys}: {under}");
    }
    assert!(reading.row(23).contains("no change further up"));
}

#[test]
fn enter_unfolds_the_block_under_the_cursor_and_folds_it_again() {
    let mut reading = importer(80, 24);
    reading.keys("gg n");
    let folded = reading.body();
    assert!(folded.iter().any(|row| row.contains("… 5 more lines")), "{folded:?}");
    reading.keys("⏎");
    let full = reading.body();
    assert!(full.iter().any(|row| row.contains("test seven ... ok")), "{full:?}");
    reading.keys("⏎");
    assert_eq!(reading.body(), folded);
}

#[test]
fn everything_is_opened_and_closed() {
    let mut reading = importer(80, 24);
    let closed = reading.keys("gg").screen();
    reading.keys("o");
    let open = reading.screen();
    assert!(open.contains("test seven ... ok") && open.contains("A file without one loses"));
    assert_eq!(reading.keys("o").screen(), closed);
    let lines = reading.keys("xx").screen();
    assert!(!lines.contains("running 12 tests"), "{lines}");
    let thinks = reading.keys("T").screen();
    assert!(thinks.contains("A file without one loses"), "{thinks}");
}

#[test]
fn a_search_unfolds_what_it_finds() {
    let mut reading = importer(80, 24);
    reading.keys("gg /test␣seven⏎");
    let screen = reading.screen();
    assert!(screen.contains("test seven ... ok"), "{screen}");
    reading.keys("/nowhere␣at␣all⏎");
    assert!(reading.row(23).contains("is not in this conversation"));
    reading.keys("⎋⎋");
    assert!(reading.lab.outcome().is_some(), "Escape clears the search, then leaves");
}

#[test]
fn letters_are_text_while_a_search_is_typed() {
    let mut reading = importer(80, 24);
    let before = reading.body();
    reading.keys("/eqG");
    assert!(reading.row(22).starts_with(" / eqG"));
    assert_eq!(reading.body(), before);
    assert!(reading.lab.outcome().is_none());
    reading.keys("⎋");
    assert_eq!(reading.body(), before);
}

#[test]
fn a_pane_that_is_closed_leaves_the_screen_as_it_was() {
    for keys in ["gt", "ga", "gf", "gi", "gw", "go"] {
        for (columns, rows) in SIZES {
            let before = importer(columns, rows).screen();
            let mut reading = importer(columns, rows);
            assert_ne!(reading.keys(keys).screen(), before, "{keys} opens");
            assert_eq!(reading.keys("⎋").screen(), before, "{keys} closes");
        }
    }
}

#[test]
fn a_pane_leads_to_what_its_line_is_about() {
    let mut reading = importer(80, 24);
    reading.keys("gf ↓ ⏎");
    let body = reading.body();
    assert!(body.iter().any(|row| row.starts_with(" ▌ ✔ Edit")), "{body:?}");
    reading.keys("go gg ⏎");
    assert!(reading.body().iter().any(|row| row.starts_with(" ▌ ❯ 09:00  turn 1")));
}

#[test]
fn changes_are_shown_side_by_side_where_there_is_room() {
    let mut reading = importer(120, 35);
    reading.keys("gg s");
    let screen = reading.screen();
    assert!(screen.contains("1 -lines()"), "{screen}");
    assert!(screen.contains("│ 1 +split('\\n')"), "{screen}");
    reading.keys("s");
    assert!(!reading.screen().contains("│ 1 +split"));
    reading.resize(80, 24).keys("s");
    assert!(reading.row(23).contains("need 120 columns"));
}

#[test]
fn an_agent_is_opened_on_top_and_left_again() {
    let mut reading = importer(80, 24);
    reading.keys("gg ] n n");
    let before = reading.screen();
    reading.keys("⏎");
    assert_eq!(reading.keys("q").screen(), before);
    reading.keys("⏎⎋");
    assert_eq!(reading.screen(), before);
}

#[test]
fn an_agent_is_read_after_its_log_is_gone() {
    let mut reading = importer(80, 24);
    reading.keys("gg ] n n");
    reading.delete_agents().keys("⏎");
    let screen = reading.screen();
    assert!(screen.contains("agent Soak-test the build"), "{screen}");
    assert!(screen.contains("./soak 10m"), "{screen}");
}

#[test]
fn an_agent_without_a_log_says_so() {
    let mut reading = ReadStage::of(IMPORTER, 80, 24);
    reading.keys("gg ] n n ⏎");
    let row = reading.row(23);
    assert!(row.contains("the log of agent a7448df7 is not here"), "{row}");
    assert!(reading.row(0).contains("Why does the importer"));
}

#[test]
fn texts_are_copied() {
    let mut reading = importer(80, 24);
    reading.keys("gg n yb yi yp");
    let copied = reading.lab.copied();
    assert!(copied[0].starts_with("running 12 tests\n"), "{copied:?}");
    assert_eq!(copied[1], uuid("s"));
    assert!(copied[2].contains(&uuid("s")), "{copied:?}");
    reading.keys("gg yy G yb");
    let copied = reading.lab.copied();
    assert!(copied[3].contains("Why does the importer"), "{copied:?}");
    assert!(copied[4].contains("1,204 rows"), "{copied:?}");
    reading.keys("[[ e } } yb");
    let code = reading.lab.copied().pop().expect("a text");
    assert_eq!(code, "./migrate --all\n");
}

#[test]
fn the_editor_opens_at_the_place() {
    let mut reading = importer(80, 24);
    reading.keys("gg]v");
    let command = reading.lab.handed().pop().expect("a command");
    assert!(command.starts_with("vi +") && !command.starts_with("vi +1 "), "{command}");
    reading.keys("w");
    assert!(reading.row(23).contains(&format!("opened {}", uuid("u2"))));
}

#[test]
fn paths_are_turned_to() {
    let mut reading = ReadStage::of(FORKED, 80, 24);
    reading.keys("<");
    let screen = reading.screen();
    assert!(screen.contains("second answer") && screen.contains("path 1 of 2"), "{screen}");
    reading.keys("P");
    reading.keys("↓⏎");
    assert!(reading.screen().contains("another answer"));
    reading.keys(">");
    assert!(reading.row(23).contains("this is the last path"));
}

#[test]
fn what_is_added_is_counted_and_does_not_move_anything() {
    let mut reading = ReadStage::of(&long(20), 80, 24);
    reading.keys("gg]]");
    let before = reading.body();
    reading.write(session(&long(22)));
    assert_eq!(reading.body(), before);
    assert!(reading.row(22).contains("↓ 4 new · G"), "{}", reading.row(22));
    reading.keys("G");
    assert!(reading.screen().contains("answer 22"));
    assert!(!reading.row(22).contains("new"));
    reading.write(session(&long(23)));
    assert!(reading.screen().contains("answer 23"), "the end is followed");
    reading.keys("k").write(session(&long(24)));
    assert!(!reading.screen().contains("answer 24"));
}

#[test]
fn a_log_that_is_replaced_is_read_again_when_the_person_says_so() {
    let mut reading = importer(80, 24);
    let before = reading.body();
    reading.write(session("%session t\nx1 user \"something else\"\nx2 assistant \"yes\""));
    assert_eq!(reading.body(), before);
    reading.keys("^l");
    let screen = reading.screen();
    assert!(screen.contains("something else") && !screen.contains("replaced"), "{screen}");
}

#[test]
fn a_path_that_is_left_by_the_session_is_stayed_on() {
    let straight: String = FORKED.lines().take(5).collect::<Vec<_>>().join("\n");
    let mut reading = ReadStage::of(&straight, 80, 24);
    let before = reading.body();
    assert!(reading.screen().contains("second answer"));
    reading.write(session(FORKED));
    let kept = |rows: &[String]| {
        let rows = rows.iter().filter(|row| !row.contains("other branch"));
        rows.filter(|row| !row.is_empty()).cloned().collect::<Vec<_>>()
    };
    assert_eq!(kept(&reading.body()), kept(&before));
    reading.keys(">");
    assert!(reading.screen().contains("another answer"));
}

#[test]
fn the_scroll_bar_is_clicked_and_dragged() {
    let mut reading = ReadStage::of(&long(200), 80, 24);
    reading.mouse(MouseKind::Press, 79, 1);
    assert!(reading.row(0).contains("turn 1/200"), "{}", reading.row(0));
    reading.mouse(MouseKind::Drag, 60, 11);
    let header = reading.row(0);
    let turn: u32 = header
        .split("turn ")
        .nth(1)
        .and_then(|rest| rest.split('/').next()?.parse().ok())
        .expect("a turn");
    assert!((80..120).contains(&turn), "{header}");
    reading.mouse(MouseKind::Drag, 60, 21).mouse(MouseKind::Release, 60, 21);
    assert!(reading.row(0).contains("100 %"), "{}", reading.row(0));
    reading.mouse(MouseKind::Press, 10, 5);
    assert!(reading.row(5).starts_with(" ▌"), "{}", reading.row(5));
}

#[test]
fn pages_touch() {
    let mut reading = ReadStage::of(&long(60), 80, 24);
    reading.keys("gg");
    let first = reading.body();
    reading.keys("␣");
    assert_eq!(texts(&reading.body())[0], texts(&first)[first.len() - 1]);
    reading.keys("b");
    assert_eq!(texts(&reading.body()), texts(&first));
}

#[test]
fn the_wheel_moves_what_is_under_it() {
    let mut reading = ReadStage::of(&long(60), 80, 24);
    reading.keys("gg");
    let before = reading.body();
    reading.mouse(MouseKind::WheelDown, 60, 10);
    let last = before.len() - 3;
    assert_eq!(texts(&reading.body())[..last], texts(&before)[3..]);
    reading.mouse(MouseKind::WheelUp, 60, 10);
    assert_eq!(texts(&reading.body()), texts(&before));
}

#[test]
fn diffs_have_backgrounds_once_it_is_known_whether_the_terminal_is_dark() {
    let mut reading = importer(80, 24);
    reading.keys("gg c");
    let (added, removed, context) = ("+split", "-lines()", "@@ -1,1");
    assert_eq!(reading.ground_of(added), Color::Reset, "nothing is known yet");
    reading.keys("t");
    assert!(reading.row(23).contains("colours for a dark background"));
    let dark = (reading.ground_of(added), reading.ground_of(removed));
    assert_ne!(dark.0, Color::Reset);
    assert_ne!(dark.0, dark.1);
    assert_eq!(reading.ground_of(context), Color::Reset);
    reading.keys("t");
    let light = (reading.ground_of(added), reading.ground_of(removed));
    assert!(light.0 != dark.0 && light.1 != dark.1);
    reading.keys("t");
    assert_eq!((reading.ground_of(added), reading.ground_of(removed)), dark);
    reading.lab.check_plain();
}
