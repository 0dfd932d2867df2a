//! The costs of paths, and the comparison of two paths.

use unspool_engine::ops::path_cost::{branch_costs, path_cost};
use unspool_engine::ops::path_diff::{CompareError, PathDiff, path_diff};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::positions::{PathNumber, TurnNumber};
use unspool_testkit::uuid;

use super::world::{World, prices};

/// Checks the invariants of the costs of all paths of a transcript.
pub(crate) fn lawful_costs(shown: &Transcript<'_>) {
    let costs = branch_costs(shown, &prices());
    let count = shown.path_count();
    assert_eq!(costs.own.len(), count);
    let mut alone = 0;
    for number in PathNumber::all(count) {
        let whole = path_cost(shown, number, &prices()).expect("a path");
        let own = costs.alone(number).expect("a path");
        assert!(own.tokens.sum() <= whole.tokens.sum(), "path {number}");
        alone += own.tokens.sum();
    }
    let total = costs.total().tokens;
    assert_eq!(total.sum(), alone + costs.shared.tokens.sum() + costs.elsewhere.tokens.sum());
    if shown.agent.is_none() {
        assert_eq!(total, shown.tokens(), "the parts are the whole");
    }
    if count == 1 {
        assert_eq!(costs.shared.tokens.sum(), 0);
    }
}

/// Compares two paths, and checks the invariants of the comparison.
pub(crate) fn lawful(shown: &Transcript<'_>, a: usize, b: usize) -> PathDiff {
    let (a, b) = (PathNumber::at(a - 1), PathNumber::at(b - 1));
    let found = path_diff(shown, (a, b), &prices()).expect("a comparison");
    let back = path_diff(shown, (b, a), &prices()).expect("a comparison");
    assert_eq!(found.fork, back.fork);
    for (one, same) in [(&found.a, &back.b), (&found.b, &back.a)] {
        assert_eq!((one.messages, one.calls), (same.messages, same.calls));
        assert_eq!((one.spending, one.edits), (same.spending, same.edits));
        let calls: u32 = one.turns.iter().map(|turn| turn.calls).sum();
        assert!(calls <= one.calls && one.failed_calls <= one.calls);
        assert!(one.started <= one.ended);
    }
    for file in &found.files {
        assert!(file.a.is_some() || file.b.is_some());
    }
    let sum = |take: fn(&unspool_engine::ops::path_diff::ComparedFile) -> u64| -> u64 {
        found.files.iter().map(take).sum()
    };
    assert_eq!(sum(|file| file.a.map_or(0, |a| a.added)), found.a.edits.added);
    assert_eq!(sum(|file| file.b.map_or(0, |b| b.removed)), found.b.edits.removed);
    found
}

const FORKED: &str = r#"
u1 user "start" @0
a1 assistant "ok" @10 in=100 out=10
u2 user "this way" @20
a2 assistant call Edit:t1 {"file_path":"/p/both.rs","old_string":"a","new_string":"b\nc"} @30 in=200 out=20
r2 result t1 "ok" @31
a3 assistant call Bash:t2 {"command":"false"} @40 in=210 out=5
r3 result t2 "no" error @50
a4 assistant "left done" @60 in=220 out=5
u3 user < a1 "that way" @100
a5 assistant call Write:t3 {"file_path":"/p/both.rs","content":"x\n"} @110 in=300 out=30
r5 result t3 "ok" @111
a6 assistant call Agent:t4 {"description":"look","prompt":"look"} @120 in=310 out=5
r6 result t4 "ok" agent=aa11 @150
a7 assistant "right done" @160 in=320 out=5
u4 user "more" @170
a8 assistant call Write:t5 {"file_path":"/p/right.rs","content":"1\n2\n"} @180 in=330 out=5
r8 result t5 "ok" @181
a9 assistant "all done" @190 in=340 out=5
"#;

const AGENT: &str = r#"
%agent aa11
x1 user < - sidechain=aa11 "look" @121
x2 assistant sidechain=aa11 call Edit:y1 {"file_path":"/p/agent.rs","old_string":"a","new_string":""} @130 in=1000 out=1
x3 result y1 "ok" sidechain=aa11 @131
x4 assistant sidechain=aa11 "found" @140 in=1001 out=1
"#;

fn forked() -> World {
    World::with_agents(FORKED, &[("aa11", AGENT)])
}

#[test]
fn a_branch_costs_what_only_it_has() {
    let world = forked();
    let shown = world.shown();
    lawful_costs(&shown);
    let costs = branch_costs(&shown, &prices());
    let inputs: Vec<u64> = costs.own.iter().map(|own| own.tokens.input).collect();
    assert_eq!(inputs, [630, 300 + 310 + 320 + 330 + 340 + 2001]);
    assert_eq!(costs.shared.tokens.input, 100);
    assert_eq!(costs.elsewhere.tokens.sum(), 0);
    let whole = path_cost(&shown, PathNumber::at(0), &prices()).expect("path 1");
    assert_eq!(whole.tokens.input, 730);
    assert!(path_cost(&shown, PathNumber::at(2), &prices()).is_err());
    assert!(costs.total().cost_usd().is_some_and(|cost| cost > 0.0));
}

#[test]
fn an_answer_on_two_paths_is_shared_and_what_is_loose_is_elsewhere() {
    // The second branch repeats the answer of the first under another uuid.
    let world = World::with_agents(
        "u1 user \"go\"\na1 assistant \"x\" msg=m in=9\nu2 user \"one\"\na2 assistant \"y\" msg=n in=5\nu3 user < a1 \"two\"\na3 assistant \"y\" msg=n in=5",
        &[(
            "cc33",
            "%agent cc33\nz1 user < - sidechain=cc33 \"alone\"\nz2 assistant sidechain=cc33 \"ok\" in=70",
        )],
    );
    let shown = world.shown();
    lawful_costs(&shown);
    let costs = branch_costs(&shown, &prices());
    assert_eq!(costs.elsewhere.tokens.input, 70);
    let own: u64 = costs.own.iter().map(|own| own.tokens.input).sum();
    assert_eq!((costs.shared.tokens.input, own), (9, 5), "counted once");
}

#[test]
fn two_paths_are_told_from_where_they_part() {
    let world = forked();
    let shown = world.shown();
    let found = lawful(&shown, 1, 2);
    let fork = found.fork.clone().expect("a fork");
    assert_eq!(fork.entry.map(|entry| entry.as_str().to_owned()), Some(uuid("a1")));
    assert_eq!((fork.turn, found.shared_messages), (TurnNumber::new(1), 2));
    let prompts = |side: &unspool_engine::ops::path_diff::PathSide| -> Vec<String> {
        side.turns.iter().filter_map(|turn| turn.prompt.clone()).collect()
    };
    assert_eq!(prompts(&found.a), ["this way"]);
    assert_eq!(prompts(&found.b), ["that way", "more"]);
    let numbers: Vec<u32> = found.b.turns.iter().map(|turn| turn.index.get()).collect();
    assert_eq!(numbers, [2, 3]);
    assert_eq!((found.a.calls, found.a.failed_calls, found.a.agents), (2, 1, 0));
    assert_eq!((found.b.calls, found.b.failed_calls, found.b.agents), (3, 0, 1));
    assert_eq!((found.a.kind.name(), found.b.kind.name()), ("rewind", "active"));
    assert_eq!((found.a.worked_ms, found.b.worked_ms), (40_000, 80_000));
    let said = |side: &unspool_engine::ops::path_diff::PathSide| {
        side.last_answer.clone().map(|last| last.text)
    };
    assert_eq!(said(&found.a).as_deref(), Some("left done"));
    assert_eq!(said(&found.b).as_deref(), Some("all done"));
    assert_eq!(found.a.outcome.map(unspool_model::conversation::TurnOutcome::name), Some("done"));
    let files: Vec<_> = found
        .files
        .iter()
        .map(|file| {
            (
                file.path.as_str(),
                file.a.map(|a| (a.added, a.removed)),
                file.b.map(|b| (b.added, b.removed)),
            )
        })
        .collect();
    let expected = [
        ("/p/both.rs", Some((2, 1)), Some((1, 0))),
        ("/p/agent.rs", None, Some((0, 1))),
        ("/p/right.rs", None, Some((2, 0))),
    ];
    assert_eq!(files, expected);
    assert_eq!(found.b.spending.tokens.input, 300 + 310 + 320 + 330 + 340 + 2001);
    assert!(matches!(
        path_diff(&shown, (PathNumber::at(0), PathNumber::at(8)), &prices()),
        Err(CompareError::Path(_))
    ));
}

#[test]
fn an_answer_given_again_goes_on_inside_a_turn() {
    let world = World::new(
        "u1 user \"go\" @0\na1 assistant \"first\" msg=m1 @10\na2 assistant \"second\" < u1 msg=m2 @25",
    );
    let shown = world.shown();
    let found = lawful(&shown, 1, 2);
    let fork = found.fork.clone().expect("a fork");
    assert_eq!(fork.entry.map(|entry| entry.as_str().to_owned()), Some(uuid("u1")));
    let [turn] = &found.b.turns[..] else { panic!("one turn") };
    assert_eq!(
        (turn.index.get(), turn.prompt.as_deref(), turn.duration_ms),
        (1, None, Some(25_000))
    );
    assert_eq!(found.a.kind.name(), "retry");
}

#[test]
fn a_path_differs_from_itself_in_nothing() {
    let world = forked();
    let found = lawful(&world.shown(), 2, 2);
    assert_eq!((found.a.messages, found.b.messages), (0, 0));
    assert!(found.files.is_empty() && found.a.turns.is_empty() && found.a.outcome.is_none());
}

/// Returns the steps for the costs of a number of rewinds to one place.
fn steps(rewinds: usize) -> u64 {
    let mut lines = vec!["u0 user \"go\"".to_owned(), "a0 assistant \"ok\" in=1".to_owned()];
    for number in 1..=rewinds {
        lines.push(format!("u{number} user < a0 \"again\""));
        lines.push(format!("a{number} assistant \"so\" in=1"));
    }
    let world = World::new(&lines.join("\n"));
    let shown = world.shown();
    unspool_work::count(|| {
        let costs = branch_costs(&shown, &prices());
        assert_eq!(costs.own.len(), rewinds);
        assert!(costs.own.iter().all(|own| own.tokens.input == 1));
    })
}

#[test]
fn very_many_branches_take_work_in_proportion() {
    let (few, many) = (steps(100), steps(1_000));
    assert!(many <= 12 * few, "{few} steps for 100 rewinds, {many} for 1000");
}
