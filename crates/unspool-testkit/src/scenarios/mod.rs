//! Conversations with a client, real or scripted, and what must come of them.
//!
//! Each scenario talks to a client as a host does, kills or damages what it is about, resumes, and
//! compares: the log before the resume, what was sent to the model after it, the states of the
//! calls, and how often each tool ran. The same functions run in the tests of this crate with the
//! [scripted client](crate::client), and with the real one in `cargo xtask real-client`: where they
//! agree, the scripted one may replace the real one.
//!
//! [`ClientDriver`] is the host; it is of use without scenarios too. Where the program `unspool` is at
//! hand, sessions are resumed through its own host instead, and [`SERVED`] has scenarios of its server.

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
pub use driver::{ClientDriver, ClientEnd, DriverOptions};
pub use report::{ScenarioCheck, ScenarioReport};
pub use served::SERVED;
pub use stage::{ClientStage, StageTools, StagedProgram};

/// A scenario.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name on a command line.
    pub name: &'static str,
    /// What it is about, in one line.
    pub about: &'static str,
    act: fn(&ClientStage, &mut ScenarioReport),
}

impl Scenario {
    /// Runs it in a home of its own.
    pub fn run(&self, tools: &StageTools) -> ScenarioReport {
        let stage = ClientStage::new(tools);
        let mut report = ScenarioReport::default();
        (self.act)(&stage, &mut report);
        report
    }
}

/// Every scenario.
pub const SCENARIOS: [Scenario; 20] = [
    resumes::AFTER_IDLE,
    kills::DURING_APPROVAL,
    files::ORPHANED_CALL,
    resumes::OLD_BRANCH,
    kills::RIGHT_AFTER_CALL,
    kills::WHILE_RUNNING,
    kills::RAPID_CALLS,
    files::DAMAGED,
    files::MANY_BRANCHES,
    live::APPROVALS,
    live::QUEUE,
    live::AGENTS,
    live::SAME_PROMPT,
    live::FRAMES,
    ends::ENDS,
    ends::FAILURES,
    ends::CUTS,
    ends::RERUN,
    ends::UNANSWERED,
    ends::NEW_SESSIONS,
];
