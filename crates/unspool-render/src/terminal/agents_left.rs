//! A session without a conversation, but with agents: a list of them, with a command for each.

use jiff::tz::TimeZone;
use unspool_model::ids::short;
use unspool_model::time::Time;
use unspool_text::human;
use unspool_text::style::{Line, Role};

use super::{ClockStyle, clock};
use unspool_engine::ops::agents::{AgentInfo, AgentPlace};
use unspool_engine::ops::transcript::Transcript;

/// Returns whether agents are all that a transcript can show.
pub fn only_agents_left(shown: &Transcript<'_>) -> bool {
    shown.path.is_none() && shown.agent.is_none() && !shown.agents.is_empty()
}

/// Lists the agents of a session by start time, each with the command that shows it.
pub(super) fn lines(shown: &Transcript<'_>, zone: &TimeZone) -> Vec<Line> {
    let mut agents: Vec<(Option<Time>, &AgentInfo)> =
        shown.agents.iter().map(|agent| (started(shown, agent), agent)).collect();
    agents.sort_by_key(|(started, _)| (started.is_none(), *started));
    let what = match shown.session.log().bytes() {
        0 => "the log of this session is gone",
        _ => "there is no conversation in this session's log",
    };
    let left = match agents.len() {
        1 => "1 agent is left".to_owned(),
        more => format!("{more} agents are left"),
    };
    let mut lines = vec![Line::of(format!("{what}; {left}:"), Role::Muted)];
    for (started, agent) in agents {
        lines.push(Line::new());
        lines.push(described(shown, agent, started, zone));
        let named = format!("{} --agent {}", short(shown.session.id.as_str()), agent.id);
        lines.push(Line::of("  unspool show ", Role::Muted).and(named, Role::Id));
    }
    lines.push(Line::new());
    lines
}

/// Returns a line with the start, the task, the type and the number of messages of an agent.
fn described(
    shown: &Transcript<'_>,
    agent: &AgentInfo,
    started: Option<Time>,
    zone: &TimeZone,
) -> Line {
    let mut line = Line::new();
    if let Some(started) = started {
        let when = clock(started, zone, ClockStyle::DateAndTime);
        line.add(format!("{when}  "), Role::Time);
    }
    let task = agent.description.clone().or_else(|| prompt(shown, agent));
    line.add(task.unwrap_or_else(|| "(no task)".to_owned()), Role::Plain);
    let kind = agent.kind.iter().cloned();
    let said = kind.chain([human::plural(agent.message_count, "message")]);
    for said in said {
        line.add(format!(" · {said}"), Role::Muted);
    }
    line
}

fn started(shown: &Transcript<'_>, agent: &AgentInfo) -> Option<Time> {
    match agent.place {
        AgentPlace::File(index) => shown.session.agents.get(index)?.file.log().facts.started,
        AgentPlace::Inline(_) => None,
    }
}

/// Returns the first prompt of an agent.
fn prompt(shown: &Transcript<'_>, agent: &AgentInfo) -> Option<String> {
    match agent.place {
        AgentPlace::File(index) => {
            let log = shown.session.agents.get(index)?.file.log();
            log.openings().first_prompt().map(str::to_owned)
        }
        AgentPlace::Inline(_) => None,
    }
}
