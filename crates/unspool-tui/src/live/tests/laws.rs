//! Properties that hold for any keys, while sessions, requests and messages come and go.

use proptest::collection::vec;
use proptest::prelude::*;
use unspool_drive::{PromptState, Resolution};
use unspool_testkit::uuid;

use super::stage::{DrivenStage, live_lab};
use crate::picker::tests::harbour;
use crate::testing::lab::TuiLab;
use crate::work::live::LiveRequest;

/// One event.
#[derive(Clone, Debug)]
enum LiveStep {
    Keys(&'static str),
    Size(u16, u16),
    Pause(u16),
    /// Which sessions run, or which requests wait: one bit for each.
    There(u8),
    Held(bool),
}

fn step(keys: &'static [&'static str]) -> impl Strategy<Value = LiveStep> {
    prop_oneof![
        10 => proptest::sample::select(keys).prop_map(LiveStep::Keys),
        1 => (1_u16..220, 1_u16..60).prop_map(|(columns, rows)| LiveStep::Size(columns, rows)),
        2 => (0_u16..1_500).prop_map(LiveStep::Pause),
        2 => any::<u8>().prop_map(LiveStep::There),
        1 => any::<bool>().prop_map(LiveStep::Held),
    ]
}

const LIVE_KEYS: &[&str] = &[
    "j", "k", "]", "[", "gg", "G", "␣", "b", "!", "⏎", "q", "⎋", "a", "i", "u", "p", "M", "d", "I",
    "X", "?", "↓", "↑", "1", "2", "yi", "t", "x", "漢",
];

const ASK_KEYS: &[&str] =
    &["1", "2", "3", "4", "5", "⏎", "j", "k", "␣", "b", "⎋", "a", "?", "x", "no", "漢", "⌫"];

const PROMPT_KEYS: &[&str] = &[
    "a", "b␣c", "漢字", "é", "⌫", "←", "→", "↑", "↓", "^a", "^k", "^u", "^w", "↵", "⇞", "⇟", "⇥",
    "/", "/c", "@", "␣@s",
];

const START_KEYS: &[&str] = &[
    "a", "b␣c", "漢", "⌫", "⏎", "⎋", "^o", "1", "2", "3", "4", "5", "6", "␣", "b", "j", "k", "↓",
    "↑", "⇥", "/c", "@s", "off", "↵", "^u",
];

const OFFERED: [(&str, &str); 3] = [("/compact", "漢字"), ("/cost", ""), ("@s/漢.rs", "")];

fn chosen(lab: &TuiLab) -> Option<String> {
    let subject = lab.program().subject()?;
    Some(subject.place.session.to_string())
}

/// Takes a step; `there` sets the sessions or requests.
fn take(mut lab: TuiLab, step: &LiveStep, there: impl FnOnce(&mut TuiLab, u8)) -> TuiLab {
    match step {
        LiveStep::Keys(keys) => lab.press(keys),
        LiveStep::Size(columns, rows) => lab.set_size(*columns, *rows),
        LiveStep::Pause(millis) => lab.pass(i64::from(*millis)),
        LiveStep::There(bits) => there(&mut lab, *bits),
        LiveStep::Held(true) => return lab.hold(),
        LiveStep::Held(false) => return lab.release(),
    }
    lab
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_chosen_session_stays_chosen_and_frames_are_whole(
        steps in vec(step(LIVE_KEYS), 1..40),
        size in (40_u16..220, 10_u16..60),
    ) {
        let home = harbour();
        let stage = DrivenStage::new()
            .asks_command("touch mark")
            .with_prompt("Scale them", PromptState::TakenUp)
            .with_prompt("Then 漢字", PromptState::Queued);
        let whole = stage.board(&home);
        let mut lab = live_lab(&home).board(whole.clone()).size(size.0, size.1).open();
        for step in &steps {
            let before = chosen(&lab);
            let mut running = before.clone();
            lab = take(lab, step, |lab, bits| {
                let mut now = whole.clone();
                let mut place = 0..;
                now.cards.retain(|_| place.next().is_some_and(|place| bits & (1 << place) != 0));
                running = before.clone().filter(|id| {
                    now.cards.iter().any(|card| card.item.row.id.as_str() == id)
                });
                lab.set_board(now);
            });
            if lab.outcome().is_some() {
                break;
            }
            lab.check_widths();
            let may_move = matches!(step, LiveStep::Keys(_) | LiveStep::Held(_));
            if !may_move && running.is_some() {
                prop_assert_eq!(chosen(&lab), before, "{:?}", step);
            }
        }
    }

    #[test]
    fn an_answer_goes_to_the_request_that_is_shown(
        steps in vec(step(ASK_KEYS), 1..60),
        size in (40_u16..120, 12_u16..40),
    ) {
        let home = harbour();
        let mut stage = DrivenStage::new();
        for number in 0..6 {
            stage = stage.asks_command(&format!("touch mark-{number}"));
        }
        let mut lab = stage.lab(&home).size(size.0, size.1).keys("ja");
        for step in &steps {
            let shown = lab.screen();
            let before = lab.driven().len();
            lab = take(lab, step, |lab, bits| {
                let mut now = stage.clone();
                for (number, approval) in now.view.approvals.iter_mut().enumerate() {
                    let is_over = bits & (1 << number) != 0;
                    approval.resolution = is_over.then_some(Resolution::Cancelled);
                }
                lab.set_board(now.board(&home));
            });
            if lab.outcome().is_some() {
                break;
            }
            lab.check_widths();
            // A step has at most two keys, and one of them at most answers: a new request is locked for a
            // moment.
            let given = &lab.driven()[before..];
            prop_assert!(given.len() <= 1 || matches!(step, LiveStep::Held(_)), "{:?}", given);
            for request in given {
                let LiveRequest::Answer { approval, .. } = request else {
                    continue;
                };
                let number = approval.as_str().trim_start_matches("approval-");
                let is_held = matches!(step, LiveStep::Held(_));
                prop_assert!(
                    is_held || shown.contains(&format!("mark-{number}")),
                    "{approval} was not shown:\n{shown}"
                );
            }
        }
    }

    #[test]
    fn what_is_typed_comes_back_whole(
        steps in vec(step(PROMPT_KEYS), 1..40),
        size in (40_u16..220, 10_u16..60),
    ) {
        let home = harbour();
        let stage = DrivenStage::new();
        let lab = stage.lab(&home).size(size.0, size.1);
        let mut lab = lab.completing(&OFFERED).keys("ji");
        for step in &steps {
            lab = take(lab, step, |lab, _| lab.set_board(stage.board(&home)));
            lab.check_widths();
        }
        // The list of completions may be open.
        lab = lab.release().resize(80, 24).keys("x⌫⎋");
        if lab.screen().contains("Prompt") {
            lab.press("⎋");
        }
        let draft = lab.draft(&uuid("photos")).unwrap_or_default();
        // The restored text is the same: typing a letter and deleting it changes nothing.
        let lab = lab.keys("i x⌫⎋");
        prop_assert_eq!(lab.draft(&uuid("photos")).unwrap_or_default(), draft);
    }

    #[test]
    fn nothing_starts_that_was_not_read_to_its_end(
        steps in vec(step(START_KEYS), 1..60),
        size in (40_u16..120, 12_u16..40),
    ) {
        let home = harbour();
        let stage = DrivenStage::new();
        let lab = stage.lab(&home).drives().size(size.0, size.1);
        let mut lab = lab.untrusted().completing(&OFFERED).keys("n");
        let (mut was_read, mut may_start, mut is_held, mut is_hidden) = (false, false, false, false);
        for step in &steps {
            let shown = lab.screen();
            let is_plan = shown.contains("trust this folder");
            // A screen that is too small shows nothing, but text that was read before remains read.
            if !is_hidden {
                was_read = is_plan && (was_read || !shown.contains("more · Space"));
            }
            // Actions that were requested while workers were held are carried out on release.
            may_start = was_read || is_held && may_start;
            let before = lab.driven().len();
            lab = take(lab, step, |lab, _| lab.set_board(stage.board(&home)));
            let mut asked = lab.driven()[before..].iter();
            let starts = asked.any(|request| matches!(request, LiveRequest::Start(_)));
            prop_assert!(!starts || may_start, "{step:?} started what was not read:\n{shown}");
            match step {
                LiveStep::Held(now) => is_held = *now,
                LiveStep::Size(columns, rows) => is_hidden = *columns < 40 || *rows < 10,
                _ => {}
            }
            if lab.outcome().is_some() || lab.program().depth() == 1 {
                break;
            }
            lab.check_widths();
        }
    }
}
