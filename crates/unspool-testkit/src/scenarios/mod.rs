//! Conversations with a client, real or scripted, and their expected results.
//!
//! Each scenario acts as the host of a client, kills the client or damages its log, resumes, and compares:
//! the log before the resume, the requests to the model after it, the states of the calls, and how often each
//! tool ran. The same functions run in the tests of this crate with the [scripted client](crate::client), and
//! with the real one in `cargo xtask real-client`: if both agree, the scripted client can replace the real
//! one.
//!
//! [`ClientDriver`] is the host, and can be used without scenarios. If the program `unspool` is given,
//! sessions are resumed through its host instead, and [`SERVED`] has scenarios of its server.

mod command;
mod driver;
mod ends;
mod files;
mod hosted;
mod kills;
mod live;
mod report;
mod resumes;
mod served;
mod stage;

pub use command::main;
pub use driver::{ClientDriver, ClientEnd};
pub use report::{ScenarioCheck, ScenarioReport};
pub use served::SERVED;
pub use stage::{ClientStage, StageTools, StagedProgram};

/// A scenario.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The name on the command line.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    act: fn(&ClientStage, &mut ScenarioReport),
}

impl Scenario {
    const fn new(
        name: &'static str,
        about: &'static str,
        act: fn(&ClientStage, &mut ScenarioReport),
    ) -> Self {
        Self { name, about, act }
    }

    /// Runs the scenario in a new home.
    pub fn run(&self, tools: &StageTools) -> ScenarioReport {
        let stage = ClientStage::new(tools);
        let mut report = ScenarioReport::default();
        (self.act)(&stage, &mut report);
        report
    }
}

/// All scenarios that run without the program `unspool`.
pub const SCENARIOS: [Scenario; 20] = [
    Scenario::new(
        "resume-after-idle",
        "ended politely when idle, then resumed",
        resumes::after_idle,
    ),
    Scenario::new(
        "kill-during-approval",
        "killed while a call waits for its approval, then resumed twice",
        kills::during_approval,
    ),
    Scenario::new(
        "orphaned-call-in-history",
        "an open call on a dead branch of the history is not sent",
        files::orphaned_call,
    ),
    Scenario::new(
        "resume-from-old-branch",
        "resumed at an earlier answer, then without saying where",
        resumes::old_branch,
    ),
    Scenario::new(
        "kill-right-after-call",
        "killed in the moment in which the call is told",
        kills::right_after_call,
    ),
    Scenario::new(
        "kill-while-tool-runs",
        "killed while a tool runs: the tool ends by itself and does not run again",
        kills::while_running,
    ),
    Scenario::new(
        "rapid-calls-with-kills",
        "five rounds of two calls, killed at the second, resumed at once",
        kills::rapid_calls,
    ),
    Scenario::new(
        "damaged-file",
        "a torn last line, a line that is not JSON, a missing entry",
        files::damaged,
    ),
    Scenario::new(
        "many-branches",
        "forty turns with five dead branches each; the pinned one is sent",
        files::many_branches,
    ),
    Scenario::new(
        "approvals",
        "allowed, denied, answered, told again, withdrawn by an interrupt",
        live::approvals,
    ),
    Scenario::new(
        "queue",
        "prompts during a turn: folded in, kept for later, cancelled, joined after an interrupt",
        live::queue,
    ),
    Scenario::new(
        "parallel-agents",
        "two agents ask at the same time and are answered in the other order",
        live::agents,
    ),
    Scenario::new(
        "same-prompt",
        "a prompt whose answer reached a call is not run again by a new process",
        live::same_prompt,
    ),
    Scenario::new(
        "frames",
        "the frames of a turn in their order, with pieces of text and echoes",
        live::frames,
    ),
    Scenario::new(
        "ends",
        "exit codes: input that ends or is not JSON, a request, signals, unknown sessions",
        ends::ends,
    ),
    Scenario::new(
        "failures",
        "a limit, a missing login and another error of the model; the session goes on",
        ends::failures,
    ),
    Scenario::new(
        "cuts",
        "a silent model, cut by an interrupt and by a prompt that does not wait",
        ends::cuts,
    ),
    Scenario::new(
        "interrupted-turn-runs-again",
        "asked to, a new process runs the last prompt again: its call is a dead branch",
        ends::rerun,
    ),
    Scenario::new(
        "unanswered-prompt",
        "a prompt that is in the log without an answer runs when it is sent again",
        ends::unanswered,
    ),
    Scenario::new(
        "new-sessions",
        "/clear begins a session in the process, a fork begins one with another's entries",
        ends::new_sessions,
    ),
];
