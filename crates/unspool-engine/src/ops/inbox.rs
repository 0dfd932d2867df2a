//! The inbox: what needs a person, what works, what rests, and what has ended.
//!
//! What a process says about its session goes in, with what its logs say; where it belongs and what
//! it asks comes out. A process of an older release says nothing of its state; then the logs decide.

use unspool_model::conversation::TurnOutcome;
use unspool_model::names;
use unspool_model::time::Time;

use super::now::{AgentState, CallAsk, CallNow, SessionNow};
use unspool_store::home::{LiveSession, ProcessState};
use unspool_store::rows::SessionRow;

/// The inbox.
#[derive(Clone, Default, Debug)]
pub struct Inbox {
    /// Sessions that wait for a person, those that have waited longest first.
    pub needs_input: Vec<InboxItem>,
    /// Sessions that work, those whose turn began last first.
    pub working: Vec<InboxItem>,
    /// Sessions whose process has nothing to do, those that rest for the shortest time first.
    pub idle: Vec<InboxItem>,
    /// Sessions that have ended and were not seen since, the newest first.
    pub done: Vec<InboxItem>,
    /// How many more of these there are.
    pub done_left: usize,
    /// Since when sessions that ended are listed.
    pub since: Option<Time>,
}

/// A session of the inbox.
#[derive(Clone, Debug)]
pub struct InboxItem {
    /// What is known of the session.
    pub row: SessionRow,
    /// The process that owns it; none for one that has ended.
    pub process: Option<LiveSession>,
    /// Since when it waits, works, rests or is done.
    pub since: Option<Time>,
    /// What it asks a person, if it waits for one.
    pub asks: Option<InboxAsk>,
    /// What it is doing. Of one that has ended only what was said last is told.
    pub now: SessionNow,
}

/// The parts of an inbox with live sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiveGroup {
    /// A person is needed.
    NeedsInput,
    /// It works.
    Working,
    /// It rests.
    Idle,
}

/// What a session asks a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboxAsk {
    /// What kind of question it is.
    pub kind: AskKind,
    /// The call that it is about, if one is known.
    pub call: Option<CallNow>,
    /// The agent that made the call; none for the session itself.
    pub agent: Option<String>,
}

names! {
    /// What kind of question a session asks.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum AskKind {
        /// A question with answers to choose from.
        Question = "question",
        /// Whether a plan is good.
        Plan = "plan",
        /// Whether a call is allowed.
        Permission = "permission",
        /// Something else: only its terminal tells what.
        Input = "input",
    }
}

impl InboxItem {
    /// Takes a session that has ended, and what was said last in it.
    pub fn done(row: SessionRow, last_said: Option<String>) -> Self {
        Self {
            since: Some(row.last_active()),
            process: None,
            asks: None,
            now: SessionNow { last_said, ..SessionNow::default() },
            row,
        }
    }

    /// Takes a session that a process owns, and says where it belongs.
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

    /// Returns the call that it works on: the last one that it made itself.
    pub fn doing(&self) -> Option<&CallNow> {
        self.now.calls.last()
    }
}

impl Inbox {
    /// Returns what is known of all sessions in it.
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

    /// Puts each part in its order.
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

/// Finds what is asked: a call that asks by itself, else the first that has no result and may need
/// to be allowed, one of an agent if the session only waits for agents.
pub fn asked(now: &SessionNow) -> InboxAsk {
    let asking = |call: &&CallNow| call.asks != CallAsk::Nothing;
    let running = now.agents.iter().filter(|it| it.state == AgentState::Running);
    let of_agents = running.filter_map(|agent| Some((agent.call.as_ref()?, Some(&agent.id))));
    let own = now.calls.iter();
    let is_launch = |call: &CallNow| {
        // A call that started agents is not what waits while one of these has a call.
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
