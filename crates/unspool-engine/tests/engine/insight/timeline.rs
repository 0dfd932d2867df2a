//! Timelines of paths.

use unspool_engine::ops::timeline::{
    SessionTimeline, SpanKind, TimeScale, TimeSpan, TimeSums, time_sums, timeline,
};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::positions::TurnNumber;
use unspool_model::time::Time;
use unspool_testkit::home::AgentFilePlace;

use super::world::{World, prices, seconds};

/// Returns the timeline of a transcript, and checks its invariants.
pub(crate) fn lawful(shown: &Transcript<'_>) -> SessionTimeline {
    let found = timeline(shown, &prices()).expect("a timeline");
    let sums = time_sums(shown).expect("sums");
    assert_eq!(sums, found.sums, "labels change no time");
    let whole = found.started.zip(found.ended);
    let whole = whole.map_or(0, |(start, end)| end.since(start));
    assert_eq!(sums.total_ms(), whole, "every moment counts once");
    let turns: u64 = found.turns.iter().map(|turn| turn.sums.total_ms()).sum();
    assert!(turns <= whole, "turns are parts of the whole");
    for (row, span) in found.spans.iter().enumerate() {
        nests(&found, row, span);
    }
    for (row, span) in found.spans.iter().enumerate() {
        let others = found.spans[row + 1..].iter().take(50).filter(|other| {
            (other.parent, other.kind, other.lane) == (span.parent, span.kind, span.lane)
        });
        for other in others {
            let is_free = span.end.is_some_and(|end| end <= other.start);
            let is_free = is_free || other.end.is_some_and(|end| end <= span.start);
            assert!(is_free, "{span:?} and {other:?} share a lane");
        }
    }
    let took: Vec<_> = found.slowest.iter().map(|id| found.spans[id.row()].duration_ms()).collect();
    assert!(took.is_sorted_by(|a, b| a >= b), "{took:?}");
    for gap in &found.gaps {
        assert!(Some(gap.start) >= found.started && Some(gap.end) <= found.ended);
    }
    scales(&found);
    found
}

fn nests(found: &SessionTimeline, row: usize, span: &TimeSpan) {
    assert!(span.end.is_none_or(|end| end >= span.start), "{span:?}");
    let Some(parent) = span.parent else {
        assert_eq!(span.depth, 0, "{span:?}");
        return;
    };
    assert!(parent.row() < row, "a parent comes first");
    let outer = &found.spans[parent.row()];
    assert_eq!(outer.kind, SpanKind::Agent, "only agents have spans inside");
    assert_eq!(span.depth, outer.depth + 1);
    assert!(outer.start <= span.start, "{outer:?} {span:?}");
    if let (Some(outer), Some(inner)) = (outer.end, span.end) {
        assert!(inner <= outer, "{span:?}");
    }
}

/// Asserts that a drawing runs from left to right and uses the whole width.
fn scales(found: &SessionTimeline) {
    let Some(scale) = TimeScale::new(found) else {
        assert!(found.spans.is_empty());
        return;
    };
    let mut times: Vec<Time> = found.spans.iter().map(|span| span.start).collect();
    times.extend(found.spans.iter().filter_map(|span| span.end));
    times.sort_unstable();
    let places: Vec<f64> = times.iter().map(|time| scale.place(*time)).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(places.iter().all(|place| (0.0..=1.0).contains(place)));
    if let (Some(first), Some(last)) = (places.first(), places.last())
        && found.sums.total_ms() > 0
    {
        assert!(*first < 1e-9 && *last > 1.0 - 1e-6, "{first} to {last}");
    }
}

/// Formats the spans, one on each line: kind, seconds, name and label.
fn drawn(found: &SessionTimeline) -> Vec<String> {
    let Some(start) = found.started else {
        return Vec::new();
    };
    let line = |span: &TimeSpan| {
        let indent = "  ".repeat(span.depth as usize);
        let end = span.end.map_or("…".to_owned(), |end| seconds(start, end).to_string());
        let lane = match span.lane {
            0 => String::new(),
            lane => format!(" /{lane}"),
        };
        let name = span.name.as_deref().unwrap_or_default();
        let label = span.label.as_deref().unwrap_or_default();
        let text = format!(
            "{indent}{}{lane} {}-{end} {name} {label}",
            span.kind.name(),
            seconds(start, span.start),
        );
        text.trim_end().to_owned()
    };
    found.spans.iter().map(line).collect()
}

fn of(notation: &str) -> SessionTimeline {
    lawful(&World::new(notation).shown())
}

#[test]
fn each_side_has_its_time() {
    let found = of(r#"
u1 user "run the tests\nplease" @0
a1 assistant "Sure." call Bash:t1 {"command":"cargo test"} @10
r1 result t1 "ok" @40
a2 assistant "All pass." @50
u2 user "good" @110
a3 assistant "Yes." @115
"#);
    let expected = [
        "model 0-10 claude-opus-4-8",
        "tool 10-40 Bash cargo test",
        "model 40-50 claude-opus-4-8",
        "you 50-110  good",
        "model 110-115 claude-opus-4-8",
    ];
    let model = found.spans[0].name.clone().expect("a model");
    let expected = expected.map(|line| line.replace("claude-opus-4-8", &model));
    assert_eq!(drawn(&found), expected);
    let expected =
        TimeSums { model_ms: 25_000, tools_ms: 30_000, you_ms: 60_000, ..TimeSums::default() };
    assert_eq!(found.sums, expected);
    let shares = found.sums.shares();
    assert_eq!((shares.model, shares.tools, shares.you), (22, 26, 52));
    let turns: Vec<_> = found.turns.iter().map(|turn| turn.sums.total_ms()).collect();
    assert_eq!(turns, [50_000, 65_000], "a wait belongs to its prompt");
    assert_eq!(found.turns[0].prompt.as_deref(), Some("run the tests please"));
    let turns: Vec<_> = found.spans.iter().map(|span| span.turn.map(TurnNumber::get)).collect();
    assert_eq!(turns, [Some(1), Some(1), Some(1), Some(2), Some(2)]);
    let entry = found.spans[3].entry.as_ref().map(|entry| entry.as_str().to_owned());
    assert_eq!(entry, Some(unspool_testkit::uuid("u2")));
}

#[test]
fn calls_that_run_side_by_side_have_lanes() {
    let found = of(r#"
u1 user "go" @0
a1 assistant call Bash:t1 {"command":"one"} msg=m @1
a2 assistant call Bash:t2 {"command":"two"} msg=m @1
a3 assistant call Bash:t3 {"command":"three"} msg=m @1
r1 result < a1 t1 "ok" @5
r2 result < a2 t2 "no" error @3
r3 result < a3 t3 "ok" @9
a4 assistant call Bash:t4 {"command":"four"} @10
"#);
    let calls: Vec<String> = drawn(&found).into_iter().filter(|l| l.starts_with("tool")).collect();
    let expected = [
        "tool 1-5 Bash one",
        "tool /1 1-3 Bash two",
        "tool /2 1-9 Bash three",
        "tool 10-10 Bash four",
    ];
    assert_eq!(calls, expected);
    assert_eq!(found.sums.tools_ms, 8_000, "a moment counts once");
    let statuses: Vec<_> = found.spans.iter().map(|span| span.status.name()).collect();
    assert_eq!(statuses, ["done", "done", "failed", "done", "done", "interrupted"]);
    let slowest: Vec<_> =
        found.slowest.iter().map(|id| found.spans[id.row()].label.clone()).collect();
    assert_eq!(slowest, [Some("three".to_owned()), Some("one".to_owned()), Some("two".to_owned())]);
}

#[test]
fn questions_and_plans_wait_for_the_person() {
    let found = of(r#"
u1 user "go" @0
a1 assistant call AskUserQuestion:t1 {"questions":[{"question":"Which?","options":[]}]} @5
r1 result t1 "That one" @65
a2 assistant "ok" @70
"#);
    assert_eq!((found.sums.you_ms, found.sums.tools_ms), (60_000, 0));
    assert_eq!(drawn(&found)[1], "you 5-65 AskUserQuestion Which?");
}

#[test]
fn an_interruption_ends_what_is_open() {
    let found = of(r#"
u1 user "go" @0
a1 assistant call Bash:t1 {"command":"sleep"} @5
i1 user "[Request interrupted by user for tool use]" @25
u2 user "stop" @30
a2 assistant "ok" @31
"#);
    assert_eq!(drawn(&found)[1], "tool 5-25 Bash sleep");
    assert_eq!(found.spans[1].status.name(), "interrupted");
}

const LAUNCH: &str = r#"
u1 user "go" @0
a1 assistant call Agent:t1 {"description":"look around","prompt":"look"} @10
r1 result t1 "found" agent=aa11 @60
a2 assistant "done" @70
u2 user "fine" @80
a3 assistant "bye" @82
"#;

#[test]
fn an_agent_has_its_spans_inside_to_any_depth() {
    let outer = r#"
%agent aa11
x1 user < - sidechain=aa11 "look" @11
x2 assistant sidechain=aa11 call Read:y1 {"file_path":"/p/a.rs"} @15 in=1000 out=50
x3 result y1 "text" sidechain=aa11 @20
x4 assistant sidechain=aa11 call Agent:y2 {"description":"deeper","prompt":"deep"} @25
x5 result y2 "ok" agent=bb22 sidechain=aa11 @50
x6 assistant sidechain=aa11 "found" @58
"#;
    let inner = r#"
%agent bb22
z1 user < - sidechain=bb22 "deep" @26
z2 assistant sidechain=bb22 call Bash:w1 {"command":"ls"} @30
z3 result w1 "a" sidechain=bb22 @40
z4 assistant sidechain=bb22 "ok" @48
"#;
    let world = World::with_agents(LAUNCH, &[("aa11", outer), ("bb22", inner)]);
    let shown = world.shown();
    let found = lawful(&shown);
    let lines: Vec<String> = drawn(&found)
        .into_iter()
        .map(|line| line.split(" claude").next().unwrap_or_default().to_owned())
        .collect();
    let expected = [
        "model 0-10",
        "agent 10-60 Agent look around",
        "  model 11-15",
        "  tool 15-20 Read /p/a.rs",
        "  model 20-25",
        "  agent 25-50 Agent deeper",
        "    model 26-30",
        "    tool 30-40 Bash ls",
        "    model 40-48",
        "  model 50-58",
        "model 60-70",
        "you 70-80  fine",
        "model 80-82",
    ];
    assert_eq!(lines, expected);
    assert_eq!(found.sums.agents_ms, 50_000);
    assert!(found.spans[1..10].iter().all(|span| span.turn == TurnNumber::new(1)));
    assert_eq!(found.spans[1].agent.as_deref(), Some("aa11"));
    assert_eq!(found.spending.tokens, shown.tokens());
    let inside = found.spans[1].spending.expect("the agent used something");
    assert!(inside.tokens.input >= 1000 && inside.answers() == 5, "{inside:?}");
}

#[test]
fn an_agent_in_the_background_goes_on_after_its_call() {
    let agent = r#"
%agent aa11
x1 user < - sidechain=aa11 "look" @11
x2 assistant sidechain=aa11 "found it" @75
"#;
    let launch = LAUNCH.replace("agent=aa11 @60", "agent=aa11 launched @12");
    let world = World::with_agents(&launch, &[("aa11", agent)]);
    let found = lawful(&world.shown());
    assert_eq!(drawn(&found)[1], "agent 10-75 Agent look around");
    // The model answered until 70, the agent worked until 75, then the session waited for the person.
    assert_eq!((found.sums.agents_ms, found.sums.you_ms), (7_000, 5_000));
}

#[test]
fn a_workflow_has_a_span_for_each_of_its_agents() {
    let session = r#"
u1 user "go" @0
a1 assistant call Workflow:t1 {"title":"all"} @10
r1 result t1 "started" +toolUseResult={"status":"async_launched","taskId":"w1","runId":"wf_1"} @60
a2 assistant "done" @70
"#;
    let agent = |id: &str, at: u32| {
        format!(
            "%agent {id}\nx1 user < - sidechain={id} \"do {id}\" @{at}\nx2 assistant sidechain={id} \"ok\" @{}",
            at + 5
        )
    };
    let (one, two) = (agent("aa11", 11), agent("bb22", 12));
    let place = || AgentFilePlace::Workflow { run: "wf_1".to_owned() };
    let world = World::with_places(
        session,
        [(place(), "aa11", one.as_str()), (place(), "bb22", two.as_str())],
    );
    let shown = world.shown();
    let linked = shown.agents.iter().filter(|agent| agent.call.is_some()).count();
    let found = lawful(&shown);
    assert_eq!(linked, 2, "both belong to the call");
    let agents: Vec<String> = drawn(&found).into_iter().filter(|l| l.contains("agent")).collect();
    assert_eq!(agents.len(), 3, "{agents:?}");
    assert!(agents[0].starts_with("agent 10-60 Workflow all"), "{agents:?}");
    assert!(agents[1].starts_with("  agent") && agents[2].starts_with("  agent /1"), "{agents:?}");
}

#[test]
fn agents_without_a_call_and_inside_the_file_are_there() {
    let agent = "x1 user < - sidechain=cc33 \"alone\" @20\nx2 assistant sidechain=cc33 \"ok\" @30";
    let session =
        "u1 user \"go\" @0\na1 assistant \"ok\" @5\nu2 user \"more\" @50\na2 assistant \"ok\" @55";
    let world = World::with_agents(session, &[("cc33", &format!("%agent cc33\n{agent}"))]);
    let found = lawful(&world.shown());
    assert!(
        drawn(&found).iter().any(|line| line.starts_with("agent 20-30")),
        "{:?}",
        drawn(&found)
    );
    assert_eq!((found.sums.agents_ms, found.sums.you_ms), (10_000, 35_000));

    let inline = r#"
u1 user "go" @0
a1 assistant call Task:t1 {"description":"look","prompt":"look around"} @10
x1 user < - sidechain "look around" @11
x2 assistant sidechain "found" @20
r1 result < a1 t1 "found" @21
a2 assistant "done" @25
"#;
    let found = of(inline);
    assert!(drawn(&found)[2].starts_with("  model 11-20"), "{:?}", drawn(&found));
}

#[test]
fn long_waits_are_gaps_in_which_the_person_was_away() {
    let found = of(r#"
u1 user "go" @0
a1 assistant "ok" @10
u2 user "after lunch" @2470
a2 assistant call Bash:t1 {"command":"make"} @2480
r1 result t1 "ok" @3080
a3 assistant "built" @3090
"#);
    let gaps: Vec<_> = found.gaps.iter().map(|gap| (gap.kind, gap.duration_ms() / 1000)).collect();
    assert_eq!(gaps, [(Some(SpanKind::You), 2460), (Some(SpanKind::Tool), 600)]);
    assert_eq!((found.sums.away_ms, found.sums.you_ms), (2_460_000, 0));
    assert_eq!(found.sums.shares().tools, 95);
    let scale = TimeScale::new(&found).expect("a scale");
    let widths: Vec<f64> = scale.gaps().map(|(_, from, to)| to - from).collect();
    assert!(widths.iter().all(|width| (width - 0.025).abs() < 1e-9), "{widths:?}");
}

#[test]
fn a_report_wakes_the_model_without_the_person() {
    let found = of(r#"
u1 user "go" @0
a1 assistant "started" @10
n1 user "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>" origin=task-notification @100
a2 assistant "it is done" @105
"#);
    assert_eq!((found.sums.model_ms, found.sums.you_ms, found.sums.other_ms), (15_000, 0, 90_000));
}

#[test]
fn a_compaction_takes_the_time_that_its_boundary_says() {
    for (says, expected) in [
        (r#"{"trigger":"auto"}"#, &["compaction 10-100  auto"] as &[&str]),
        (r#"{"trigger":"auto","durationMs":30000}"#, &["compaction 70-100  auto"]),
        (r#"{"trigger":"auto","durationMs":900000}"#, &["compaction 10-100  auto"]),
        // The session waited for the person until the compaction was requested.
        (r#"{"trigger":"manual"}"#, &["you 10-100", "compaction 100-100  manual"]),
        (r#"{"trigger":"manual","durationMs":30000}"#, &["you 10-70", "compaction 70-100  manual"]),
    ] {
        let found = of(&format!(
            "u1 user \"go\" @0
            a1 assistant \"ok\" @10
            b1 system compact_boundary +compactMetadata={says} @100
            s1 user < b1 summary \"In short\" @100
            a2 assistant \"on\" @105"
        ));
        let lines = drawn(&found).into_iter();
        let lines: Vec<String> = lines.filter(|line| !line.starts_with("model")).collect();
        assert_eq!(lines, expected, "{says}");
    }
}

#[test]
fn only_the_asked_path_counts() {
    let world = World::new(
        r#"
u1 user "go" @0
a1 assistant "ok" @10
u2 user "this way" @20
a2 assistant call Bash:t1 {"command":"left"} @30
r2 result t1 "ok" @40
u3 user < a1 "that way" @50
a3 assistant call Bash:t2 {"command":"right"} @60
r3 result t2 "ok" @70
"#,
    );
    let labels = |number| {
        let found = lawful(&world.path(number));
        let labels = found.spans.iter().filter(|span| span.kind == SpanKind::Tool);
        labels.filter_map(|span| span.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(labels(1), ["left"]);
    assert_eq!(labels(2), ["right"]);
}

#[test]
fn without_times_and_without_messages_nothing_is_made_up() {
    assert!(of("-- ai-title \"nothing\"").spans.is_empty());
    let found = of("u1 user \"go\" !timestamp\na1 assistant \"ok\" !timestamp");
    assert_eq!((found.spans.len(), found.untimed), (0, 1));
    // Times that go backwards result in spans without a duration.
    lawful(&World::new("u1 user \"go\" @100\na1 assistant call Bash:t1 {\"command\":\"a\"} @50\nr1 result t1 \"x\" @20\na2 assistant \"ok\" @10").shown());
}

/// Returns the steps for the timeline of a number of calls, all of which end long after they began.
fn steps(calls: usize) -> u64 {
    let mut lines = vec!["u0 user \"go\" @0".to_owned()];
    for number in 1..=calls {
        lines.push(format!(
            "a{number} assistant call Bash:t{number} {{\"command\":\"x\"}} @{number}"
        ));
        lines.push(format!("r{number} result t{number} \"ok\" @{}", 10 * calls + number));
    }
    let world = World::new(&lines.join("\n"));
    let shown = world.shown();
    unspool_work::count(|| {
        let found = timeline(&shown, &prices()).expect("a timeline");
        assert_eq!(found.spans.len(), 2 * calls);
    })
}

#[test]
fn the_work_grows_with_the_messages() {
    let (few, many) = (steps(100), steps(1_000));
    assert!(many <= 12 * few, "{few} steps for 100 calls, {many} for 1000");
}
