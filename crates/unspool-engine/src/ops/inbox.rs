//! The inbox: sessions that need input, that work, that are idle, and that have ended.
//!
//! The state that a process reports and the logs of its session determine the group and the
//! question of a session. Processes of older releases report no state; then the logs decide.

use unspool_model::conversation::TurnOutcome;
use unspool_model::names;
use unspool_model::time::Time;

use super::now::{AgentState, CallAsk, CallNow, SessionNow};
use unspool_store::home::{LiveSession, ProcessState};
use unspool_store::rows::SessionRow;

/// The inbox.
#[derive(Clone, Default, Debug)]
pub struct Inbox {
    /// Sessions that wait for a person, the longest waiting first.
    pub needs_input: Vec<InboxItem>,
    /// Working sessions, the most recently begun turn first.
    pub working: Vec<InboxItem>,
    /// Sessions whose process is idle, the most recently idle first.
    pub idle: Vec<InboxItem>,
    /// Sessions that have ended and were not read since, the newest first.
    pub done: Vec<InboxItem>,
    /// How many ended sessions are left out.
    pub done_left: usize,
    /// The time since which ended sessions are listed.
    pub since: Option<Time>,
}

/// A session of the inbox.
#[derive(Clone, Debug)]
pub struct InboxItem {
    /// The row of the session.
    pub row: SessionRow,
    /// The process that owns the session; `None` if it has ended.
    pub process: Option<LiveSession>,
    /// The time since which the session waits, works, is idle or has ended.
    pub since: Option<Time>,
    /// The question to a person, if the session waits for one.
    pub asks: Option<InboxAsk>,
    /// The current activity. For an ended session, only the last answer is set.
    pub now: SessionNow,
}

/// The groups of live sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiveGroup {
    /// The session waits for a person.
    NeedsInput,
    /// The session works.
    Working,
    /// The session is idle.
    Idle,
}

/// A session's question to a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboxAsk {
    /// The kind of the question.
    pub kind: AskKind,
    /// The call in question, if one is known.
    pub call: Option<CallNow>,
    /// The agent that made the call; `None` for the session itself.
    pub agent: Option<String>,
}

names! {
    /// The kind of a question.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum AskKind {
        /// A question with a choice of answers.
        Question = "question",
        /// The approval of a plan.
        Plan = "plan",
        /// The permission for a call.
        Permission = "permission",
        /// Any other input: only the terminal shows what.
        Input = "input",
    }
}

impl InboxItem {
    /// Returns the item of an ended session with its last answer.
    pub fn done(row: SessionRow, last_said: Option<String>) -> Self {
        Self {
            since: Some(row.last_active()),
            process: None,
            asks: None,
            now: SessionNow { last_said, ..SessionNow::default() },
            row,
        }
    }

    /// Returns the item of a session that a process owns, and its group.
    pub fn live(row: SessionRow, process: LiveSession, now: SessionNow) -> (LiveGroup, Self) {
        let group = group(&process, &now);
        let asks = (group == LiveGroup::NeedsInput).then(|| asked(&now));
        let item = Self {
            since: since(group, &row, &process, &now, asks.as_ref()),
            process: Some(process),
            asks,
            now,
            row,
        };
        (group, item)
    }

    /// Returns the call in progress: the last one of the session itself.
    pub fn doing(&self) -> Option<&CallNow> {
        self.now.calls.last()
    }
}

impl Inbox {
    /// Returns the rows of all sessions.
    pub fn rows(&self) -> impl Iterator<Item = &SessionRow> {
        let groups = [&self.needs_input, &self.working, &self.idle, &self.done];
        groups.into_iter().flatten().map(|item| &item.row)
    }

    /// Adds a session that a process owns.
    pub fn add(&mut self, group: LiveGroup, item: InboxItem) {
        match group {
            LiveGroup::NeedsInput => self.needs_input.push(item),
            LiveGroup::Working => self.working.push(item),
            LiveGroup::Idle => self.idle.push(item),
        }
    }

    /// Sorts each group.
    pub fn sort(&mut self) {
        self.needs_input
            .sort_by(|one, other| (one.since, &one.row.id).cmp(&(other.since, &other.row.id)));
        for part in [&mut self.working, &mut self.idle] {
            part.sort_by(|one, other| {
                let time = other.since.cmp(&one.since);
                time.then_with(|| one.row.id.cmp(&other.row.id))
            });
        }
    }
}

fn group(process: &LiveSession, now: &SessionNow) -> LiveGroup {
    match process.state() {
        Some(ProcessState::Waiting) => LiveGroup::NeedsInput,
        Some(ProcessState::Busy) => LiveGroup::Working,
        None if now.calls.iter().any(|call| call.asks != CallAsk::Nothing) => LiveGroup::NeedsInput,
        None if now.outcome == Some(TurnOutcome::Open) => LiveGroup::Working,
        Some(ProcessState::Idle) | None => LiveGroup::Idle,
    }
}

/// Returns the question of a waiting session: a call that asks by itself, or else the first call without a
/// result, which may need permission. That call may belong to an agent if the session only waits for agents.
pub fn asked(now: &SessionNow) -> InboxAsk {
    let asking = |call: &&CallNow| call.asks != CallAsk::Nothing;
    let running = now.agents.iter().filter(|it| it.state == AgentState::Running);
    let of_agents = running.filter_map(|agent| Some((agent.call.as_ref()?, Some(&agent.id))));
    let own = now.calls.iter();
    let is_launch = |call: &CallNow| {
        // A call that started agents does not wait while one of them has a call.
        unspool_model::log::is_agent_tool(call.tool.as_bytes())
            && of_agents.clone().next().is_some()
    };
    let found = own
        .clone()
        .find(asking)
        .map(|call| (call, None))
        .or_else(|| own.clone().find(|call| !is_launch(call)).map(|call| (call, None)))
        .or_else(|| of_agents.clone().next());
    let Some((call, agent)) = found else {
        return InboxAsk { kind: AskKind::Input, call: None, agent: None };
    };
    InboxAsk {
        kind: match call.asks {
            CallAsk::Questions(_) => AskKind::Question,
            CallAsk::Plan(_) => AskKind::Plan,
            CallAsk::Nothing => AskKind::Permission,
        },
        call: Some(call.clone()),
        agent: agent.cloned(),
    }
}

fn since(
    group: LiveGroup,
    row: &SessionRow,
    process: &LiveSession,
    now: &SessionNow,
    asks: Option<&InboxAsk>,
) -> Option<Time> {
    let said = process.status_at.map(Time::from_millis);
    let started = process.started_at.map(Time::from_millis);
    match group {
        LiveGroup::NeedsInput => said.or_else(|| asks?.call.as_ref()?.since),
        LiveGroup::Working => now.turn_started.or(said),
        LiveGroup::Idle => said.or(row.ended).or(started),
    }
}
