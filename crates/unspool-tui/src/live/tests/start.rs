//! Runs that a prompt starts: the form, the plan, and the trust in a folder.

use unspool_drive::{PermissionMode, RunRequest, RunState};
use unspool_testkit::{TestHome, uuid};

use super::stage::{DrivenStage, run_id, seen};
use crate::picker::tests::{board, harbour, harbour_lab};
use crate::testing::lab::{LabSetup, PRINT, TuiLab};
use crate::work::live::{LiveRequest, NextRunKind, PromptWay, StartOptions, StartRequest};

/// Starts in the picker, which refreshes the catalogue. One session has ended, and is the last row of the
/// screen of running sessions.
fn open(home: &TestHome) -> LabSetup<'_> {
    let mut board = board(home);
    let ended = board.cards.remove(1);
    board.done = vec![ended.item];
    harbour_lab(home).board(board).drives()
}

fn started(lab: &TuiLab) -> Vec<&StartRequest> {
    let started = lab.driven().iter().filter_map(|request| match request {
        LiveRequest::Start(request) => Some(&**request),
        _ => None,
    });
    started.collect()
}

/// Returns the options of the last plan.
fn planned(lab: &TuiLab) -> StartOptions {
    let mut asked = lab.driven().iter().rev();
    let options = asked.find_map(|request| match request {
        LiveRequest::Prompt(request) => match &request.way {
            PromptWay::Begin { options, .. } => Some(options.clone()),
            PromptWay::Queue { .. } => None,
        },
        _ => None,
    });
    options.expect("a plan was asked for")
}

fn text(run: &RunRequest) -> &str {
    run.prompt.as_ref().map_or("", |prompt| &prompt.text)
}

#[test]
fn a_new_session_has_a_form() {
    let home = harbour();
    insta::assert_snapshot!(seen(|| open(&home), "^g n Explain␣this␣folder."));
}

#[test]
fn the_fields_of_the_form_are_set_in_menus() {
    let home = harbour();
    let lab = open(&home).keys("^g n hello ^o");
    insta::assert_snapshot!(lab.screen());
    let lab = lab.keys("1 /srv/other⏎ 2 opus⏎ 3 3 4 2.50⏎ 5 90⏎ 6 off⏎ ⎋ ⏎");
    let options = planned(&lab);
    assert_eq!(options.folder.as_deref(), Some("/srv/other"));
    assert_eq!(options.model.as_deref(), Some("opus"));
    assert_eq!(options.mode, PermissionMode::Plan);
    assert_eq!(options.budget.map(|it| it.to_string()).as_deref(), Some("$2.50"));
    assert_eq!((options.limits.idle, options.limits.waiting), (Some(90), None));
}

#[test]
fn a_folder_of_a_project_is_chosen() {
    let home = harbour();
    let lab = open(&home).keys("^g n hello ^o1 lanterna⏎ ⎋ ⏎");
    assert_eq!(planned(&lab).folder.as_deref(), Some("/srv/lanterna"));
}

#[test]
fn a_value_that_cannot_be_is_said() {
    let home = harbour();
    for (keys, words) in [
        ("^o2 --yes⏎", "not the name of a model"),
        ("^o4 much⏎", "a budget is typed as"),
        ("^o5 soon⏎", "a deadline is typed as"),
    ] {
        let lab = open(&home).keys("^g n hello").keys(keys);
        assert!(lab.row(23).contains(words), "{}", lab.screen());
        let options = planned(&lab.keys("⏎"));
        assert_eq!((options.model, options.budget), (None, None));
    }
}

#[test]
fn permissions_are_not_bypassed_from_here() {
    let home = harbour();
    let screen = open(&home).keys("^g n ^o3").screen();
    assert!(screen.contains("plan first"), "{screen}");
    assert!(!screen.contains("everything without asking"), "{screen}");
}

#[test]
fn the_plan_is_shown_before_a_start() {
    let home = harbour();
    let keys = "^g n Explain␣this␣folder.⏎";
    insta::assert_snapshot!("untrusted", seen(|| open(&home).untrusted(), keys));
    insta::assert_snapshot!("trusted", seen(|| open(&home), keys));
}

#[test]
fn a_folder_is_trusted_with_what_was_seen_of_it() {
    let home = harbour();
    let lab = open(&home).untrusted().keys("^g n hello⏎");
    let lab = lab.keys("␣␣␣1");
    let [start] = started(&lab)[..] else {
        panic!("{:?}", lab.driven());
    };
    assert_eq!(start.trust.as_deref(), Some(PRINT));
    assert_eq!(text(&start.run), "hello");
    assert_eq!(lab.row(23), " the session begins");
    assert!(lab.screen().contains("Live"), "{}", lab.screen());
    // A trusted folder is not trusted again.
    let lab = open(&home).keys("^g n hello⏎ ␣␣␣⏎");
    assert_eq!(started(&lab)[0].trust, None);
}

#[test]
fn nothing_starts_before_the_end_of_the_plan_was_in_sight() {
    let home = harbour();
    let lab = open(&home).size(60, 20).untrusted();
    let lab = lab.keys("^g n hello⏎ 1");
    assert!(lab.row(19).contains("read it to its end"), "{}", lab.screen());
    assert_eq!(started(&lab).len(), 0);
    let lab = lab.keys("␣␣1");
    assert_eq!(started(&lab).len(), 1, "{}", lab.screen());
}

#[test]
fn a_plan_that_a_screen_was_too_narrow_for_is_not_read() {
    let home = harbour();
    let lab = open(&home).size(60, 20).untrusted().keys("^g n hello⏎");
    // The whole text would fit, but a screen that is too small is not painted.
    let lab = lab.resize(39, 60).resize(60, 20).keys("1");
    assert_eq!(started(&lab).len(), 0, "{}", lab.screen());
    // On a large screen the whole text is visible.
    let lab = lab.resize(120, 35).resize(60, 20).keys("1");
    assert_eq!(started(&lab).len(), 1, "{}", lab.screen());
}

#[test]
fn a_start_that_is_left_keeps_the_prompt() {
    let home = harbour();
    for keys in ["2", "⎋", "q"] {
        let lab = open(&home).keys("^g n hello⏎").keys(keys);
        assert!(lab.screen().contains("› hello"), "{keys}: {}", lab.screen());
        assert_eq!(started(&lab).len(), 0, "{keys}");
        let lab = lab.keys("⎋");
        assert_eq!(lab.draft("/new").as_deref(), Some("hello"), "{keys}");
    }
}

#[test]
fn a_session_that_goes_on_has_its_plan_too() {
    let home = harbour();
    let lab = open(&home).keys("^g G i go␣on");
    insta::assert_snapshot!(lab.screen());
    let lab = lab.keys("⏎ ␣␣␣1");
    let [start] = started(&lab)[..] else {
        panic!("{}", lab.screen());
    };
    assert_eq!(start.run.session, Some(uuid("photos")));
    assert_eq!(start.run.cwd, std::path::Path::new("/srv/lanterna"));
    assert!(!start.run.fork);
    // The folder is fixed to that of the session.
    let menu = open(&home).keys("^g G i ^o").screen();
    assert!(!menu.contains("1 folder"), "{menu}");
}

#[test]
fn a_key_that_comes_before_the_folder_is_known_waits() {
    let home = harbour();
    let lab = open(&home).keys("^g").hold().keys("n hello⏎");
    let lab = lab.release();
    assert!(lab.screen().contains("This starts Claude Code"), "{}", lab.screen());
}

#[test]
fn a_program_that_cannot_drive_starts_nothing() {
    let home = harbour();
    let lab = DrivenStage::new().lab(&home).keys("n");
    assert!(lab.row(23).contains("cannot drive"), "{}", lab.row(23));
}

#[test]
fn a_run_that_was_lost_goes_on_after_its_plan() {
    let home = harbour();
    let mut stage = DrivenStage::new();
    stage.view.run.state = RunState::Lost;
    for (item, kind) in [("go␣on", NextRunKind::GoOn), ("again", NextRunKind::Again)] {
        let lab = stage.lab(&home).keys("jX").keys(item).keys("⏎");
        let asked = lab.driven().iter().any(|request| match request {
            LiveRequest::PlanNext(run, asked) => *run == run_id() && *asked == kind,
            _ => false,
        });
        assert!(asked, "{}", lab.screen());
        assert!(lab.screen().contains("1 start it"), "{}", lab.screen());
        let lab = lab.keys("␣␣␣1");
        let [start] = started(&lab)[..] else {
            panic!("{}", lab.screen());
        };
        assert_eq!(start.draft, None, "what was typed for the session stays");
        assert!(lab.screen().contains("Live"), "{}", lab.screen());
    }
    let lab = stage.lab(&home).keys("jX go␣on⏎ ⎋");
    assert!(lab.screen().contains("Live"), "{}", lab.screen());
    assert_eq!(started(&lab).len(), 0);
}
