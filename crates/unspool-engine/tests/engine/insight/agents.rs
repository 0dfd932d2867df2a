//! The work of agents, and their outcomes.

use unspool_engine::ops::agent_work::{AgentOutcome, AgentWork, agent_work};
use unspool_engine::ops::agents::{AgentInfo, AgentPlace};
use unspool_model::conversation::Liveness;
use unspool_model::time::Time;
use unspool_testkit::time::START;

use super::world::World;

/// A session that started five agents, one after the other.
const SESSION: &str = r#"
u1 user @0 "check everything"
a1 assistant call Agent:t1 {"description":"done","prompt":"p"}
r1 result t1 agent=a1 "it is done" @30
a2 assistant call Agent:t2 {"description":"failed","prompt":"p"} @40
r2 result t2 agent=a2 error "API error" @60
a3 assistant call Agent:t3 {"description":"interrupted","prompt":"p"} @70
r3 result t3 agent=a3 denied=interrupt "[Request interrupted by user for tool use]" @90
a4 assistant call Agent:t4 {"description":"ends with a call","prompt":"p"} @100
r4 result t4 agent=a4 "found" @120
a5 assistant call Agent:t5 {"description":"cut off","prompt":"p"} @130
"#;

const AGENTS: [(&str, &str); 5] = [
    (
        "a1",
        r#"
%agent a1
x1 user @1 "p"
x2 assistant call Bash:c1 {"command":"x"} @4
x3 result c1 error "no" @8
x4 assistant call Bash:c2 {"command":"y"} @9
x5 result c2 "yes" @20
x6 assistant "it is done" @29
"#,
    ),
    ("a2", "%agent a2\nx1 user @41 \"p\"\nx2 assistant @50 api-error=rate_limit \"API error\"\n"),
    ("a3", "%agent a3\nx1 user @71 \"p\"\nx2 assistant @75 call Bash:c1 {\"command\":\"x\"}\n"),
    (
        "a4",
        "%agent a4\nx1 user @101 \"p\"\nx2 assistant @110 call Report:c1 {\"found\":1}\n\
         x3 result c1 \"kept\" @111\n",
    ),
    ("a5", "%agent a5\nx1 user @131 \"p\"\nx2 assistant @140 call Bash:c1 {\"command\":\"x\"}\n"),
];

fn outcomes(work: &[Option<AgentWork>]) -> Vec<&'static str> {
    let work = work.iter().flatten();
    work.map(|work| work.outcome.name()).collect()
}

#[test]
fn an_agent_inside_the_session_is_shown_after_one_with_a_file() {
    let session = r#"
u1 user "look"
a1 assistant call Task:t1 {"description":"inside","prompt":"in here"}
x1 user < - sidechain "in here"
x2 assistant sidechain "found"
r1 result < a1 t1 "found"
"#;
    let own = "%agent aa11\ny1 user \"out there\"\ny2 assistant \"lost\"";
    let world = World::with_agents(session, &[("aa11", own)]);
    let mut shown = world.shown();
    let is_inline = |agent: &&AgentInfo| matches!(agent.place, AgentPlace::Inline(_));
    let inline = shown.agents.iter().find(is_inline).expect("an agent").id.clone();
    for (agent, expected) in [("aa11", "lost"), (&*inline, "found"), ("aa11", "lost")] {
        shown.turn_to_agent(agent).expect("an agent");
        let last = shown.messages().last().expect("a message").expect("reads");
        assert!(format!("{:?}", last.blocks).contains(expected), "{agent}: {last:?}");
        assert_eq!((shown.agent.as_deref(), shown.path_count()), (Some(agent), 1));
    }
}

#[test]
fn logs_and_calls_say_what_became_of_agents() {
    let world = World::with_agents(SESSION, &AGENTS);
    let work = agent_work(&world.shown(), None);
    let expected = ["done", "failed", "interrupted", "done", "interrupted"];
    assert_eq!(outcomes(&work), expected);
    let first = work[0].expect("an agent with a file");
    assert_eq!((first.calls, first.failed_calls), (2, 1));
    assert_eq!(first.duration_ms(), Some(28_000));
}

#[test]
fn an_agent_works_while_a_process_may_run_it() {
    let mut world = World::with_agents(SESSION, &AGENTS);
    world.session.live = Liveness::Live;
    let of_last = |began: Option<i64>| {
        let began = began.map(|after| Time::from_millis(START + after * 1000));
        let work = agent_work(&world.shown(), began);
        assert_eq!(outcomes(&work)[..4], ["done", "failed", "interrupted", "done"]);
        work[4].map(|work| work.outcome)
    };
    assert_eq!(of_last(None), Some(AgentOutcome::Working));
    assert_eq!(of_last(Some(0)), Some(AgentOutcome::Working));
    // The process that ran the agent has ended, and another one owns the session.
    assert_eq!(of_last(Some(200)), Some(AgentOutcome::Interrupted));
}
