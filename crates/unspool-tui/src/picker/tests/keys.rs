//! Keys of the picker.

use unspool_engine::library::{LibraryEvent, WatchedSession};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_testkit::{TestHome, session, uuid};

use super::{DAYS, board, harbour, harbour_lab};
use crate::event::MouseKind;
use crate::settings::{PickerUse, StartScreen, TuiOutcome};
use crate::testing::lab::{TuiLab, given};

/// Returns the title of the selected row.
fn chosen(lab: &TuiLab) -> String {
    let subject = lab.program().subject();
    subject.map_or_else(String::new, |subject| subject.title)
}

/// Returns the news that a log changed.
pub(super) fn changed() -> Vec<LibraryEvent> {
    vec![LibraryEvent::SessionReplaced(WatchedSession {
        home: "/srv/home".into(),
        project: ProjectId::new("-srv-tidepool"),
        session: SessionId::new("x"),
        file: "/srv/x.jsonl".into(),
    })]
}

/// Returns the ids of the sessions that were chosen.
fn ids(lab: &TuiLab) -> Vec<String> {
    match lab.outcome() {
        Some(TuiOutcome::Chosen(rows)) => rows.iter().map(|row| row.id.to_string()).collect(),
        other => vec![format!("{other:?}")],
    }
}

/// Returns the text that was inserted.
fn inserted(lab: &TuiLab) -> String {
    match lab.outcome() {
        Some(TuiOutcome::Inserted(text)) => text.clone(),
        other => format!("{other:?}"),
    }
}

fn choose(several: bool) -> StartScreen {
    StartScreen::Picker(PickerUse::Choose { several, query: String::new() })
}

#[test]
fn arrows_choose_and_the_preview_follows() {
    let home = harbour();
    let lab = harbour_lab(&home).size(120, 35).keys("↓↓");
    assert_eq!(chosen(&lab), "spike-filter");
    assert!(lab.screen().contains("Done: the window has five readings."));
    let lab = lab.keys("↑↑↑");
    assert_eq!(chosen(&lab), "Scale the photos in img/ to 1600 px");
    assert!(lab.screen().contains("Bash  cargo test  interrupted"));
}

#[test]
fn the_newest_session_of_the_folder_is_chosen_first() {
    let home = harbour();
    assert_eq!(chosen(&harbour_lab(&home).open()), "Importer drops the last row");
    let lab = harbour_lab(&home).here("/srv/notes").open();
    assert_eq!(chosen(&lab), "Reading list sorted by topic");
}

#[test]
fn new_rows_come_in_above_and_the_choice_stays() {
    let home = harbour();
    let mut lab = harbour_lab(&home).keys("↓↓↓");
    let before = chosen(&lab);
    let log = format!("%cwd /srv/new\nu1 user @{} \"Brand new\"", DAYS - 1);
    home.add_session("/srv/new", &uuid("new"), session(&log));
    lab.pass(2_000);
    lab = lab.news(changed());
    assert!(lab.screen().contains("Brand new"), "{}", lab.screen());
    assert_eq!(chosen(&lab), before);
}

#[test]
fn rows_wait_while_keys_are_pressed() {
    let home = harbour();
    let mut lab = harbour_lab(&home).keys("↓↓↓").wait(5_000).keys("↓");
    let log = format!("%cwd /srv/new\nu1 user @{} \"Brand new\"", DAYS - 1);
    home.add_session("/srv/new", &uuid("new"), session(&log));
    let screen = lab.screen();
    lab = lab.news(changed());
    assert_eq!(lab.screen(), screen, "the list moved under the finger");
    let before = chosen(&lab);
    lab.pass(1_000);
    assert!(lab.screen().contains("Brand new"), "{}", lab.screen());
    assert_eq!(chosen(&lab), before);
}

#[test]
fn a_session_that_is_deleted_leaves_its_place_to_the_next() {
    let home = harbour();
    let mut lab = harbour_lab(&home).keys("↓↓");
    assert_eq!(chosen(&lab), "spike-filter");
    let log = home.project_dir("/srv/tidepool").join(format!("{}.jsonl", uuid("spike")));
    std::fs::remove_file(log).expect("a log");
    lab.pass(2_000);
    let lab = lab.news(changed());
    assert!(!lab.screen().contains("spike-filter"));
    assert_eq!(chosen(&lab), "Summarise the notes of the last week");
}

#[test]
fn a_query_finds_by_title_prompt_project_and_branch() {
    let home = harbour();
    for (keys, title) in [
        ("redsince", "CI on main is red since last night"),
        ("window", ""),
        ("median", ""),
        ("shouldfilter", "spike-filter"),
        ("lanterna", "Scale the photos in img/ to 1600 px"),
        ("spike/fil", "spike-filter"),
        ("'pier", "Since the broker on the pier restarts every night, reconnect"),
        ("tidepool␣!year␣!spike␣'row", "Importer drops the last row"),
        (
            "标志",
            "我们的标志在深色背景上看起来褪色了 (our logo looks washed out on the dark background)",
        ),
    ] {
        assert_eq!(chosen(&harbour_lab(&home).keys(keys)), title, "{keys}");
    }
}

#[test]
fn filter_words_mean_what_they_mean_everywhere() {
    let home = harbour();
    let counts = |keys: &str| {
        let lab = harbour_lab(&home).keys(keys);
        lab.row(0).rsplit(" · ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(counts("project:notes"), "2 of 10");
    assert_eq!(counts("project:tide␣branch:main"), "4 of 10");
    assert_eq!(counts("tool:Bash"), "2 of 10");
    assert_eq!(counts("since:yesterday"), "7 of 10");
    assert_eq!(counts("project:tide␣readings"), "2 of 10");
    let lab = harbour_lab(&home).keys("since:moonday");
    assert!(lab.row(22).contains("moonday"), "{}", lab.screen());
}

#[test]
fn tab_completes_filter_words_and_marks_rows() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("project:t⇥");
    assert_eq!(lab.row(1), " › project:tidepool");
    let lab = harbour_lab(&home).keys("project:⇥⇥⇥");
    assert_eq!(lab.row(1), " › project:notes");
    let lab = lab.keys("⇤");
    assert_eq!(lab.row(1), harbour_lab(&home).keys("project:⇥⇥").row(1));
    let lab = harbour_lab(&home).keys("⇥⇥⇤");
    assert!(lab.row(22).contains("3 marked"), "{}", lab.screen());
    let lab = lab.keys("⇥");
    assert!(lab.row(22).contains("2 marked"), "{}", lab.screen());
}

#[test]
fn marks_stay_while_the_query_changes_and_go_to_actions() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("spike⇥ ⎋ logo⇥ ⎋ ^x as␣Markdown⏎");
    let asked = format!("export Markdown {} {}", uuid("spike"), uuid("logo"));
    assert_eq!(lab.asked(), [asked]);
}

#[test]
fn escape_clears_the_query_and_keeps_the_choice() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("shouldfilter⎋");
    assert_eq!(chosen(&lab), "spike-filter");
    assert!(lab.outcome().is_none());
    let lab = lab.keys("⎋");
    assert!(matches!(lab.outcome(), Some(TuiOutcome::Left)));
}

#[test]
fn punctuation_is_text_in_a_query() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("img/?");
    assert_eq!(lab.row(1), " › img/?");
}

#[test]
fn the_full_text_opens_the_reader_at_the_words() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("/median");
    assert_eq!(chosen(&lab), "spike-filter");
    assert!(lab.screen().contains("A median filter then."));
    let subject = lab.program().subject().expect("a session");
    let entry = subject.entry.map(|entry| entry.to_string());
    assert_eq!(entry, Some(uuid("a1")));
    let lab = lab.keys("⏎");
    assert_eq!(lab.program().depth(), 2);
}

#[test]
fn old_results_stay_until_the_new_ones_are_there() {
    let home = harbour();
    let mut lab = harbour_lab(&home).keys("/median").hold();
    let screen = lab.screen();
    lab.press("x");
    let rows = |screen: &str| screen.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&lab.screen()), rows(&screen));
}

#[test]
fn keys_wait_for_what_was_typed_before_them() {
    let home = harbour();
    // Down and Enter apply to the matching rows, and `gt` to the session that Enter opens.
    let typed = "reading↓⏎gt";
    let slow = harbour_lab(&home).open().hold().keys(typed).release();
    let prompt = harbour_lab(&home).open().keys(typed);
    assert_eq!(slow.screen(), prompt.screen());
    assert_eq!(slow.program().depth(), 2, "{}", slow.screen());
    // Escape drops the waiting keys.
    let lab = harbour_lab(&home).open().hold().keys("reading⏎gt⎋").release();
    assert_eq!(lab.program().depth(), 1, "{}", lab.screen());
}

#[test]
fn enter_waits_for_what_was_typed_before_also_before_the_first_frame() {
    let home = harbour();
    let setup = || harbour_lab(&home).start(choose(false));
    for mut lab in [setup().open().hold(), setup().begin()] {
        lab.press("shouldfilter⏎");
        assert!(lab.outcome().is_none());
        assert_eq!(ids(&lab.release()), [uuid("spike")]);
    }
}

#[test]
fn scripts_get_what_was_marked_else_what_is_chosen() {
    let home = harbour();
    let lab = harbour_lab(&home).start(choose(true)).keys("⇥⇥⏎");
    assert_eq!(ids(&lab), [uuid("importer"), uuid("reading")]);
    let lab = harbour_lab(&home).start(choose(false)).keys("⇥↓⏎");
    assert_eq!(ids(&lab), [uuid("reading")]);
}

#[test]
fn a_part_of_a_session_goes_into_a_prompt() {
    let home = harbour();
    let setup = || harbour_lab(&home).start(StartScreen::Picker(PickerUse::Insert));
    let inserted = |keys: &str| inserted(&setup().keys(keys));
    let head = format!("From the session “spike-filter” ({}):\n\n", &uuid("spike")[..8]);
    assert_eq!(inserted("↓⏎1"), format!("{head}> Done: the window has five readings.\n"));
    assert_eq!(inserted("↓⏎2"), format!("{head}> Good, with a window of five\n"));
    assert_eq!(
        inserted("↓⏎3"),
        format!(
            "{head}> **User:** Good, with a window of five\n>\n> **Assistant:** Done: the window has five readings.\n"
        )
    );
    assert!(inserted("↓⏎4 1..2⏎").contains("> **User:** tidepool should filter its readings"));
    assert_eq!(inserted("↓⏎5"), format!("{}\n", uuid("spike")));
    assert!(inserted("↓⏎4 7⏎").starts_with("None"));
    assert!(matches!(setup().keys("^e").outcome(), Some(TuiOutcome::EditElsewhere)));
    assert!(matches!(setup().keys("⎋").outcome(), Some(TuiOutcome::Left)));
    let text = inserted("⏎3");
    assert!(text.contains("> - `Bash cargo test import`"), "{text}");
}

#[test]
fn scope_sort_filters_and_preview_are_remembered() {
    let home = harbour();
    let lab = harbour_lab(&home).size(120, 35).keys("^t^s^v^o⏎⎋");
    let kept = lab.kept().expect("something kept");
    let lab = harbour_lab(&home).size(120, 35).kept(kept).open();
    assert!(lab.row(0).contains("· here · oldest first"), "{}", lab.screen());
    assert!(lab.row(33).contains("5 shown · 1 empty hidden"), "{}", lab.screen());
}

#[test]
fn what_runs_is_on_top_and_moves_when_no_key_is_pressed() {
    let home = harbour();
    let board = board(&home);
    let mut lab = harbour_lab(&home).keys("↓↓↓↓").wait(3_000).keys("↑");
    let before = (chosen(&lab), lab.screen());
    lab.set_board(board);
    assert_eq!(lab.screen().lines().nth(2), before.1.lines().nth(2));
    lab.pass(1_000);
    assert!(lab.row(2).contains("Needs input") || lab.screen().contains("Working"));
    assert_eq!(chosen(&lab), before.0);
}

#[test]
fn nothing_is_asked_while_nothing_happens() {
    let home = harbour();
    let lab = harbour_lab(&home).open().wait(2_000).hold();
    let mut lab = lab.wait(3_600_000 * 3);
    assert!(lab.take_question(|_| true).is_none());
    let wake = lab.wakes_in();
    assert!(wake.is_none_or(|wake| wake >= 60_000), "{wake:?}");
}

#[test]
fn the_mouse_chooses_opens_and_scrolls() {
    let home = harbour();
    let lab = harbour_lab(&home).start(choose(false)).open();
    let lab = lab.mouse(MouseKind::Press, 10, 6);
    assert_eq!(chosen(&lab), "spike-filter");
    assert!(lab.outcome().is_none());
    let lab = lab.mouse(MouseKind::Press, 10, 6);
    assert!(matches!(lab.outcome(), Some(TuiOutcome::Chosen(_))));
    let lab = harbour_lab(&home).open().mouse(MouseKind::WheelDown, 10, 5);
    assert_eq!(chosen(&lab), "Summarise the notes of the last week");
}

#[test]
fn keys_of_other_finders_choose_too() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("^n^j");
    assert_eq!(chosen(&lab), "spike-filter");
    assert_eq!(chosen(&lab.keys("^p")), "Reading list sorted by topic");
}

#[test]
fn pasted_text_is_typed() {
    let home = harbour();
    let lab = harbour_lab(&home).open().paste("red\nsince");
    assert_eq!(lab.row(1), " › red since");
    assert_eq!(chosen(&lab), "CI on main is red since last night");
}

#[test]
fn hostile_titles_stay_on_their_line() {
    let home = TestHome::new();
    let log = "u1 user \"\\u001b[31mred\\u0007\\u202e tab\\there \\ufe0f\"";
    home.add_session("/srv/x", &uuid("one"), session(log));
    let lab = given(&home).open();
    lab.check_widths();
    let screen = lab.screen();
    assert!(!screen.chars().any(|it| it.is_control() && it != '\n'), "{screen:?}");
    assert!(!screen.contains('\u{202e}'), "{screen:?}");
}

#[test]
fn marks_of_changed_rows_flash_once_and_then_nothing_runs() {
    let home = harbour();
    let mut lab = harbour_lab(&home).open();
    let flashing = |lab: &TuiLab| -> Vec<String> {
        let cells = lab.cells();
        let rows = 0..cells.area.height;
        // The selected row is reversed in full.
        let is_reversed = |column: u16, row: u16| {
            let modifier = cells[(column, row)].modifier;
            modifier.contains(ratatui::style::Modifier::REVERSED)
        };
        let is_marked = |row: &u16| is_reversed(1, *row) && !is_reversed(2, *row);
        rows.filter(is_marked).map(|row| lab.row(row)).collect()
    };
    assert_eq!(flashing(&lab), [""; 0], "what was read first is not news");
    let log = home.project_dir("/srv/tidepool").join(format!("{}.jsonl", uuid("ci")));
    let grown = format!(
        "%cwd /srv/tidepool\nu1 user @{} \"CI on main is red since last night\"\na1 assistant \"Green.\"",
        DAYS - 600
    );
    std::fs::write(log, session(&grown)).expect("a log");
    lab.pass(2_000);
    lab = lab.news(changed());
    let rows = flashing(&lab);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0].contains("CI on main"), "{rows:?}");
    assert_eq!(lab.wakes_in(), Some(400));
    lab.pass(400);
    assert_eq!(flashing(&lab), [""; 0]);
    let next = lab.wakes_in();
    assert!(next > Some(400), "{next:?}");
}

#[test]
fn a_message_or_a_turn_that_is_read_goes_into_a_prompt() {
    let home = harbour();
    let setup = || harbour_lab(&home).start(StartScreen::Picker(PickerUse::Insert));
    let inserted = |keys: &str| inserted(&setup().keys(keys));
    let head = "From the session “spike-filter” (";
    let answer = inserted("spike⏎6 pp");
    assert!(answer.starts_with(head), "{answer}");
    assert!(answer.ends_with("> Done: the window has five readings.\n"), "{answer}");
    let prompt = inserted("spike⏎6 gg pp");
    assert!(prompt.ends_with("\n\n> tidepool should filter its readings\n"), "{prompt}");
    let turn = inserted("spike⏎6 gg pt");
    assert!(turn.contains("> **User:** tidepool should filter"), "{turn}");
    assert!(turn.contains("> **Assistant:** A median filter then."), "{turn}");
    assert!(!turn.contains("window"), "{turn}");
    let call = inserted("importer⏎6 } pp");
    assert!(call.contains("> "), "{call}");
    let lab = setup().keys("spike⏎6");
    assert!(lab.row(23).contains("pp message into the prompt"), "{}", lab.row(23));
    let lab = lab.keys("q");
    assert!(lab.outcome().is_none(), "q goes back to the picker");
}

#[test]
fn without_a_prompt_that_is_edited_nothing_is_put_into_one() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("spike⏎pp");
    assert!(lab.outcome().is_none());
    assert!(lab.row(23).contains("no prompt is edited"), "{}", lab.row(23));
}

#[test]
fn letters_of_the_copy_menu_copy() {
    let home = harbour();
    let by_letter = harbour_lab(&home).keys("^yi").screen();
    let by_enter = harbour_lab(&home).keys("^y⏎").screen();
    assert!(by_letter.contains("copied the id"), "{by_letter}");
    assert_eq!(by_letter, by_enter);
}

#[test]
fn actions_begin_with_what_is_done_with_the_session() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("^xexport⏎");
    assert!(lab.screen().contains("export"), "{}", lab.screen());
    assert!(!lab.screen().contains("Actions"), "{}", lab.screen());
}

#[test]
fn the_actions_say_how_many_sessions_are_exported_and_lead_to_files() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("⇥⇥^x");
    assert!(lab.screen().contains("2 marked sessions"), "{}", lab.screen());
    let lab = harbour_lab(&home).keys("^xfiles");
    let words = "the files that the session changed";
    assert!(lab.screen().contains(words), "{}", lab.screen());
    let lab = lab.keys("⏎");
    assert!(lab.screen().contains("Files"), "{}", lab.screen());
}

#[test]
fn a_menu_counts_what_is_out_of_sight_and_says_that_nothing_fits() {
    let home = harbour();
    let lab = harbour_lab(&home).size(80, 24).keys("^x");
    assert!(lab.screen().contains(" more below ·"), "{}", lab.screen());
    let lab = lab.keys("zzzz");
    let words = "nothing here has these words";
    assert!(lab.screen().contains(words), "{}", lab.screen());
    let lab = lab.keys("^u");
    assert!(!lab.screen().contains(words), "{}", lab.screen());
}

#[test]
fn the_full_text_of_a_scope_counts_what_is_found_everywhere() {
    let home = harbour();
    let lab = harbour_lab(&home).size(120, 35).keys("/readings");
    let everywhere = lab.screen();
    let lab = lab.keys("^t");
    assert_ne!(lab.screen(), everywhere);
    assert!(lab.screen().contains("in 2 of 3 sessions"), "{}", lab.screen());
}

#[test]
fn a_picker_that_only_chooses_never_becomes_the_client() {
    let home = harbour();
    let lab = harbour_lab(&home).start(choose(false)).keys("^xcopy");
    assert!(!lab.screen().contains("resume the session in a copy"));
    let lab = harbour_lab(&home).start(choose(false)).keys("^g");
    let lab = lab.keys("r");
    assert!(lab.outcome().is_none());
}

#[test]
fn control_keys_mean_the_same_over_a_menu() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("^x^c");
    assert!(matches!(lab.outcome(), Some(TuiOutcome::Interrupted)));
}

#[test]
fn nothing_is_done_with_what_a_small_screen_hides() {
    let home = harbour();
    let lab = harbour_lab(&home).open();
    let before = chosen(&lab);
    let lab = lab.resize(30, 8).mouse(MouseKind::Press, 5, 5);
    let lab = lab.mouse(MouseKind::Press, 5, 5).paste("importer").resize(80, 24);
    assert_eq!(chosen(&lab), before);
    assert!(!lab.screen().contains("importer "), "{}", lab.screen());
    assert!(lab.outcome().is_none());
}

#[test]
fn a_scope_that_was_widened_is_not_remembered() {
    let home = harbour();
    let lab = harbour_lab(&home).keys("^t");
    let kept = lab.kept().expect("something kept");
    let lab = harbour_lab(&home).here("/srv/elsewhere").kept(kept).keys("^s");
    assert!(lab.row(0).contains("everywhere"), "{}", lab.screen());
    let kept = lab.kept().expect("something kept");
    let lab = harbour_lab(&home).kept(kept).open();
    assert!(lab.row(0).contains("· here ·"), "{}", lab.screen());
}
