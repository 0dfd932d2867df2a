//! Actions on a run, by menus and keys.

use unspool_drive::socket::{LimitChange, LimitsChange};
use unspool_drive::{PermissionMode, PromptState, RunState};

use super::stage::{DrivenStage, run_id, seen};
use crate::event::TuiEvent;
use crate::picker::tests::harbour;
use crate::press::{KeyName, KeyPress};
use crate::testing::lab::TuiLab;
use crate::work::live::{LiveRequest, RunChange};

fn queue() -> DrivenStage {
    DrivenStage::new()
        .with_prompt("Scale them", PromptState::TakenUp)
        .with_prompt("First", PromptState::Queued)
        .with_prompt("Second", PromptState::Queued)
        .with_prompt("Third", PromptState::Queued)
}

/// Returns the requested changes, which are all for the one run.
fn changes(lab: &TuiLab) -> Vec<RunChange> {
    let changes = lab.driven().iter().filter_map(|request| match request {
        LiveRequest::Run(run, change) => {
            assert_eq!(*run, run_id());
            Some(change.clone())
        }
        _ => None,
    });
    changes.collect()
}

#[test]
fn the_menu_lists_what_can_be_done_with_a_run() {
    let home = harbour();
    insta::assert_snapshot!(seen(|| queue().lab(&home), "jX"));
}

#[test]
fn prompts_are_ordered_and_cancelled() {
    let home = harbour();
    let stage = queue();
    let [_, first, second, third] = [0, 1, 2, 3].map(|number| stage.prompt(number));
    let changed = |keys: &str| changes(&stage.lab(&home).keys(keys));
    let order = |order: [&unspool_drive::PromptId; 3]| {
        vec![RunChange::Order(order.map(Clone::clone).to_vec())]
    };
    assert_eq!(changed("ju third⏎ next⏎"), order([&third, &first, &second]));
    assert_eq!(changed("ju third⏎ earlier⏎"), order([&first, &third, &second]));
    assert_eq!(changed("ju first⏎ later⏎"), order([&second, &first, &third]));
    assert_eq!(changed("ju first⏎ last⏎"), order([&second, &third, &first]));
    assert_eq!(changed("ju second⏎ cancel⏎"), vec![RunChange::Cancel(second)]);
    assert_eq!(changed("ju scale⏎⏎"), vec![RunChange::Interrupt]);
}

#[test]
fn a_menu_stays_about_what_it_showed() {
    let home = harbour();
    let mut stage = queue();
    let second = stage.prompt(2);
    let mut lab = stage.lab(&home).keys("ju second⏎ cancel");
    // The client takes up the first prompt, so the rows of the queue change.
    stage.view.prompts.remove(1);
    stage.view.run.state = RunState::Idle;
    lab.set_board(stage.board(&home));
    let lab = lab.keys("⏎");
    assert_eq!(changes(&lab), vec![RunChange::Cancel(second)]);
}

#[test]
fn permissions_and_model_are_switched() {
    let home = harbour();
    let stage = DrivenStage::new();
    let lab = stage.lab(&home).keys("jp2");
    assert_eq!(changes(&lab), vec![RunChange::Mode(PermissionMode::AcceptEdits)]);
    let lab = stage.lab(&home).open().models(&["opus", "haiku"]);
    let lab = lab.keys("jM haiku⏎");
    assert_eq!(changes(&lab), vec![RunChange::Model("haiku".to_owned())]);
    let lab = stage.lab(&home).keys("jM");
    assert!(lab.row(23).contains("has not said which models"), "{}", lab.row(23));
}

#[test]
fn deadlines_are_set_and_switched_off() {
    let home = harbour();
    let stage = DrivenStage::new();
    let changed = |keys: &str| changes(&stage.lab(&home).keys(keys));
    let idle = LimitsChange { idle: LimitChange::Off, ..LimitsChange::default() };
    assert_eq!(changed("jd idle⏎ off⏎"), vec![RunChange::Limits(idle)]);
    let waiting = LimitsChange { waiting: LimitChange::To(3_600), ..LimitsChange::default() };
    assert_eq!(changed("jd waiting⏎ ↓↓↓↓⏎"), vec![RunChange::Limits(waiting)]);
    let typed = LimitsChange { idle: LimitChange::To(90 * 60), ..LimitsChange::default() };
    assert_eq!(changed("jd idle⏎ 90␣min⏎"), vec![RunChange::Limits(typed)]);
    assert_eq!(changed("jd idle⏎ soon⏎"), Vec::new());
    insta::assert_snapshot!(stage.lab(&home).keys("jd").screen());
}

#[test]
fn a_session_of_another_terminal_is_not_changed() {
    let home = harbour();
    for key in ["u", "p", "M", "d", "I"] {
        let lab = DrivenStage::new().lab(&home).keys(key);
        assert_eq!(lab.row(23), " unspool does not drive this session", "{key}");
        assert_eq!(changes(&lab), Vec::new());
    }
}

#[test]
fn the_help_has_the_keys_of_this_screen() {
    let home = harbour();
    let screen = DrivenStage::new().lab(&home).keys("?").screen();
    assert!(screen.contains("Keys · running sessions"), "{screen}");
    assert!(screen.contains("next session"), "{screen}");
    assert!(!screen.contains("next turn"), "{screen}");
    let stage = DrivenStage::new().asks_command("touch mark");
    let screen = stage.lab(&home).keys("ja?").screen();
    assert!(screen.contains("Keys · answer") && screen.contains("read on"), "{screen}");
    let mut lab = DrivenStage::new().lab(&home).keys("ji");
    lab.send(TuiEvent::Key(KeyPress::plain(KeyName::Function(1))));
    let screen = lab.screen();
    assert!(screen.contains("Keys · prompt") && screen.contains("Alt-Enter"), "{screen}");
    // Keys of other screens are listed, but do nothing.
    let told = DrivenStage::new().lab(&home).keys("? previous␣turn⏎");
    assert!(told.screen().contains("(reader)"), "{}", told.screen());
    assert_eq!(told.row(23), " this key is for another screen");
}
