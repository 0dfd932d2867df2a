//! The size of the model's context.

use unspool_engine::ops::context_series::{ContextSeries, context_series};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::positions::TurnNumber;
use unspool_testkit::uuid;

use super::world::World;

/// Returns the series of a transcript, and checks its invariants.
pub(crate) fn lawful(shown: &Transcript<'_>) -> ContextSeries {
    let found = context_series(shown);
    let messages: Vec<u32> = found.points.iter().map(|point| point.message).collect();
    assert!(messages.is_sorted_by(|a, b| a < b), "{messages:?}");
    let places: Vec<usize> = found.cliffs.iter().map(|cliff| cliff.before_point).collect();
    assert!(places.is_sorted() && places.iter().all(|&at| at <= found.points.len()));
    for point in &found.points {
        let sum = point.context() + point.tokens.output;
        assert_eq!(sum, point.tokens.sum(), "context and output are everything");
        let limit = found.models[point.model].limit;
        assert!(limit.is_none_or(|limit| point.context() <= limit.tokens));
    }
    let fullest =
        found.points.iter().map(unspool_engine::ops::context_series::ContextPoint::context).max();
    assert_eq!(found.peak.map(|at| found.points[at].context()), fullest);
    found
}

#[test]
fn each_answer_has_the_context_that_it_read() {
    let world = World::new(
        r#"
u1 user "go"
a1 assistant "one" msg=m1 in=3 cr=100 cw5=20 cw1=7 out=1
a2 assistant call Bash:t1 {"command":"x"} msg=m1 in=3 cr=100 cw5=20 cw1=7 out=40
r1 result t1 "ok"
a3 assistant "two" in=3 cr=170 cw5=30 out=5
a4 assistant "nothing said" no-usage
b1 system compact_boundary before=203 after=50
s1 user < b1 summary "In short"
u2 user "on"
a5 assistant "three" in=1 cr=0 cw5=60 out=5 model=claude-haiku-4-5-20251001
"#,
    );
    let found = lawful(&world.shown());
    let points: Vec<_> = found
        .points
        .iter()
        .map(|point| {
            let turn = point.turn.map(TurnNumber::get);
            (point.context(), point.tokens.output, turn)
        })
        .collect();
    let expected = [(130, 40, Some(1)), (203, 5, Some(1)), (61, 5, Some(2))];
    assert_eq!(points, expected);
    assert_eq!(found.peak, Some(1));
    let entry = found.points[0].entry.as_ref().map(unspool_model::ids::EntryId::as_str);
    assert_eq!(entry, Some(uuid("a1").as_str()));
    let [cliff] = &found.cliffs[..] else { panic!("one compaction") };
    assert_eq!(cliff.before_point, 2);
    assert_eq!((cliff.tokens_before, cliff.tokens_after), (Some(203), Some(50)));
    assert_eq!((cliff.trigger.as_deref(), cliff.turn), (Some("auto"), TurnNumber::new(1)));
    assert_eq!(found.models.len(), 2);
    assert_eq!(found.limit().map(|limit| limit.tokens), Some(200_000));
}

#[test]
fn a_limit_is_known_or_left_out() {
    for (model, context, expected) in [
        ("claude-opus-5-5", 10, Some((1_000_000, "table"))),
        ("claude-haiku-4-5", 10, Some((200_000, "table"))),
        ("claude-sonnet-4-5", 10, None),
        ("claude-sonnet-4-5", 200_001, Some((1_000_000, "seen"))),
        ("claude-sonnet-4-5[1m]", 10, Some((1_000_000, "name"))),
        // The log is right, so the table is wrong.
        ("claude-haiku-4-5", 300_000, None),
        ("something-else", 10, None),
    ] {
        let world = World::new(&format!(
            "u1 user \"go\"\na1 assistant \"ok\" in={context} out=1 model={model}"
        ));
        let found = lawful(&world.shown());
        let limit = found.limit().map(|limit| (limit.tokens, limit.source.name()));
        assert_eq!(limit, expected, "{model} {context}");
    }
}

#[test]
fn without_answers_there_are_no_points() {
    let found = lawful(&World::new("u1 user \"go\"\na1 assistant \"x\" synthetic").shown());
    assert!(found.points.is_empty() && found.peak.is_none() && found.limit().is_none());
}

#[test]
fn an_agent_has_a_context_of_its_own() {
    let session = "u1 user \"go\"\na1 assistant call Agent:t1 {\"prompt\":\"look\"} in=5\nr1 result t1 \"ok\" agent=aa11";
    let agent = "%agent aa11\nx1 user < - sidechain=aa11 \"look\"\nx2 assistant sidechain=aa11 \"ok\" in=77 out=1";
    let world = World::with_agents(session, &[("aa11", agent)]);
    let mut shown = world.shown();
    assert_eq!(lawful(&shown).points.len(), 1);
    shown.turn_to_agent("aa11").expect("the agent");
    assert_eq!(lawful(&shown).points[0].context(), 77);
}

/// Returns the steps for the series of a number of answers.
fn steps(answers: usize) -> u64 {
    let lines = (0..answers).map(|at| format!("u{at} user \"x\"\na{at} assistant \"y\" in=1"));
    let world = World::new(&lines.collect::<Vec<_>>().join("\n"));
    let shown = world.shown();
    unspool_work::count(|| assert_eq!(context_series(&shown).points.len(), answers))
}

#[test]
fn the_work_grows_with_the_messages() {
    let (few, many) = (steps(100), steps(1_000));
    assert!(many <= 11 * few, "{few} steps for 100 answers, {many} for 1000");
}
