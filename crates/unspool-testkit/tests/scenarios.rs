//! Runs the scenarios of `cargo xtask real-client` with the scripted client.

use unspool_testkit::client::scripted_client;
use unspool_testkit::scenarios::{SCENARIOS, StageTools, StagedProgram};

fn run(name: &str) {
    let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name);
    let scenario = scenario.unwrap_or_else(|| panic!("no scenario {name}"));
    let report = scenario
        .run(&StageTools { program: StagedProgram::Scripted(scripted_client()), reader: None });
    assert!(report.is_right(), "{name}\n{report}");
}

macro_rules! scenarios {
    ($($test:ident = $name:literal,)*) => {
        $(
            #[test]
            fn $test() {
                run($name);
            }
        )*

        #[test]
        fn every_scenario_is_a_test() {
            let names: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

scenarios! {
    resume_after_idle = "resume-after-idle",
    kill_during_approval = "kill-during-approval",
    orphaned_call_in_history = "orphaned-call-in-history",
    resume_from_old_branch = "resume-from-old-branch",
    kill_right_after_call = "kill-right-after-call",
    kill_while_tool_runs = "kill-while-tool-runs",
    rapid_calls_with_kills = "rapid-calls-with-kills",
    damaged_file = "damaged-file",
    many_branches = "many-branches",
    approvals = "approvals",
    queue = "queue",
    parallel_agents = "parallel-agents",
    same_prompt = "same-prompt",
    frames = "frames",
    ends = "ends",
    failures = "failures",
    cuts = "cuts",
    interrupted_turn_runs_again = "interrupted-turn-runs-again",
    unanswered_prompt = "unanswered-prompt",
    new_sessions = "new-sessions",
}
