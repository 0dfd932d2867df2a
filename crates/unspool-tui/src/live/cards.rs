//! The cards of sessions that run, as lines.

use unspool_drive::json::ApprovalJson;
use unspool_drive::{PromptState, Resolution, RunView};
use unspool_engine::ops::inbox::{AskKind, InboxItem, LiveGroup};
use unspool_engine::ops::now::{AgentNow, AgentState, CallAsk, CallNow};
use unspool_model::time::Time;
use unspool_store::rows::Status;
use unspool_text::human;
use unspool_text::sanitize;
use unspool_text::style::{Emphasis, Line, Role, Style};

use crate::work::live::LiveCard;

/// The columns of a title.
const TITLE: usize = 39;
/// The columns of a project and its branch.
const PROJECT: usize = 15;
/// The column at which times begin.
const TIMES: usize = TITLE + 5 + PROJECT + 1;
/// The most agents that a card lists.
const MOST_AGENTS: usize = 4;
/// The most of something that is asked, on a card.
const MOST_ASKED: usize = 200;

/// Returns the lines of a card: what it is, and what it does or waits for.
pub(super) fn card_lines(card: &LiveCard, now: Time) -> Vec<Line> {
    let mut lines = vec![head(card, now)];
    lines.extend(match card.group {
        LiveGroup::NeedsInput => asks(card),
        LiveGroup::Working => works(card, now),
        LiveGroup::Idle => rests(card, now),
    });
    lines
}

fn head(card: &LiveCard, now: Time) -> Line {
    let row = &card.item.row;
    let (mark, role, word) = match card.group {
        LiveGroup::NeedsInput => ("◆", Role::Warning, "waits"),
        LiveGroup::Working => ("●", Role::Success, "turn"),
        LiveGroup::Idle => ("○", Role::Muted, "idle"),
    };
    let mut line = Line::of(format!(" {mark} "), role);
    let title = row.title.clone().unwrap_or_else(|| row.short_id());
    let title = sanitize::one_line(&title, TITLE);
    line.add(title, Style::from(Role::Title).with(Emphasis::STRONG));
    pad_to(&mut line, TITLE + 5);
    let project = sanitize::one_line(row.project_name(), PROJECT);
    let left = PROJECT.saturating_sub(unspool_text::width::width(&project) + 1);
    line.add(project, Role::Path);
    if let Some(branch) = row.git_branch.as_deref().filter(|_| left > 2) {
        line.add(
            format!(" {}", sanitize::one_line(branch, left)),
            Role::Muted,
        );
    }
    pad_to(&mut line, TIMES);
    let since = card.since().map(|since| human::duration(now.since(since)));
    if let Some(since) = since {
        line.add(format!("{word} {since}"), Role::Time);
    }
    if card.run.is_some() {
        line.add("  driven", Role::Success);
    }
    line
}

/// Says what a session waits for.
fn asks(card: &LiveCard) -> Vec<Line> {
    if let Some(approval) = card.approvals().next() {
        let asked = ApprovalJson::from(approval);
        let mut lines = vec![told(&asked.title(), &asked.about_or_input())];
        let more = card.approvals().count() - 1;
        let more = if more > 0 {
            format!("   {more} more wait")
        } else {
            String::new()
        };
        lines.push(Line::of(format!("   a answers{more}"), Role::Muted));
        return lines;
    }
    if let Some(run) = card.run.as_deref().filter(|run| run.run.state.is_over()) {
        return interrupted(run);
    }
    if let Some(run) = card.run.as_deref() {
        let words = run.run.over_budget().or_else(|| run.run.queue_held());
        let words = words.unwrap_or_else(|| {
            "another process has the session: its queue stands still".to_owned()
        });
        return vec![told("held", &words)];
    }
    let Some(asks) = &card.item.asks else {
        return Vec::new();
    };
    let call = asks.call.as_ref();
    let mut lines = Vec::new();
    match (asks.kind, call.map(|call| (&call.asks, call))) {
        (AskKind::Question, Some((CallAsk::Questions(questions), _))) => {
            for question in questions.iter().take(2) {
                lines.push(told("asks", &question.question));
                if question.options.is_empty() {
                    continue;
                }
                let options = (1..).zip(&question.options);
                let options = options.map(|(number, answer)| format!("{number} {}", answer.label));
                let options = options.collect::<Vec<_>>().join("  ");
                lines.push(Line::of(
                    format!("   {}", sanitize::one_line(&options, MOST_ASKED)),
                    Role::Plain,
                ));
            }
        }
        (AskKind::Plan, _) => lines.push(told("plan", "asks whether its plan is good")),
        (_, Some((_, call))) => lines.push(told(&call.tool, &call.summary)),
        _ => lines.push(told("waits", "for input in its terminal")),
    }
    lines.push(Line::of("   answer it in its terminal", Role::Muted));
    lines
}

/// Says what was pending when the host of a run died.
fn interrupted(run: &RunView) -> Vec<Line> {
    let prompts = run.prompts.iter();
    let prompts = prompts.filter(|prompt| prompt.state == PromptState::Lost);
    let asked = run.approvals.iter();
    let asked = asked.filter(|it| it.resolution == Some(Resolution::Interrupted));
    let pending = format!(
        "{} and {} were pending",
        human::plural(prompts.count(), "prompt"),
        human::plural(asked.count(), "request")
    );
    vec![
        told("interrupted", &pending),
        Line::of("   X goes on, or runs its last prompt again", Role::Muted),
    ]
}

/// Says what a session is doing.
fn works(card: &LiveCard, now: Time) -> Vec<Line> {
    let doing = &card.item.now;
    let mut lines = Vec::new();
    let launches = !doing.agents.is_empty();
    let calls = doing
        .calls
        .iter()
        .filter(|call| !(launches && unspool_model::log::is_agent_tool(call.tool.as_bytes())));
    lines.extend(calls.take(2).map(|call| running(call, now)));
    let shown = doing.agents.len().min(MOST_AGENTS);
    for (index, agent) in doing.agents.iter().take(shown).enumerate() {
        let is_last = index + 1 == doing.agents.len();
        lines.push(agent_line(agent, is_last, now));
    }
    if doing.agents.len() > shown {
        let more = doing.agents.len() - shown;
        lines.push(Line::of(format!("   └ {more} more agents"), Role::Muted));
    }
    if lines.is_empty()
        && let Some(said) = &doing.last_said
    {
        lines.push(said_line(said));
    }
    lines.push(figures(&card.item));
    lines
}

fn rests(card: &LiveCard, now: Time) -> Vec<Line> {
    let run = card.run.as_deref().map(|run| &run.run);
    let failure = run.and_then(|run| run.last_failure.as_ref());
    let failed = failure.map(|words| told("failed", words));
    let said = card.item.now.last_said.as_deref().map(said_line);
    let ends = run.and_then(|run| run.idle_deadline).map(|at| {
        let left = human::duration(at.since(now));
        Line::of(format!("   ends in {left}"), Role::Time)
    });
    failed.into_iter().chain(said).chain(ends).collect()
}

fn running(call: &CallNow, now: Time) -> Line {
    let mut line = told(&call.tool, &call.summary);
    if let Some(since) = call.since {
        let took = human::duration(now.since(since));
        line = line.truncated(TIMES - 2);
        pad_to(&mut line, TIMES);
        line.add(format!("running {took}"), Role::Time);
    }
    line
}

fn agent_line(agent: &AgentNow, is_last: bool, now: Time) -> Line {
    let branch = if is_last { "└" } else { "├" };
    let (mark, role) = match agent.state {
        AgentState::Running => ("●", Role::Success),
        AgentState::Done => ("✓", Role::Muted),
    };
    let mut line = Line::of(format!("   {branch} "), Role::Muted);
    let words = agent.description.as_deref().or(agent.kind.as_deref());
    line.add(format!("{mark} "), role).add(
        sanitize::one_line(words.unwrap_or("agent"), 38),
        Role::Plain,
    );
    pad_to(&mut line, TITLE + 5);
    match (&agent.call, agent.state) {
        (Some(call), AgentState::Running) => {
            let words = format!("{} {}", call.tool, call.summary);
            line.add(sanitize::one_line(&words, PROJECT), Role::Tool);
            pad_to(&mut line, TIMES);
        }
        (_, AgentState::Running) => {}
        (_, AgentState::Done) => {
            let messages = human::plural(agent.messages, "message");
            line.add(format!("done, {messages}"), Role::Muted);
        }
    }
    if let (Some(since), AgentState::Running) = (agent.since, agent.state) {
        line.add(human::duration(now.since(since)), Role::Time);
    }
    line
}

fn figures(item: &InboxItem) -> Line {
    let mut parts = Vec::new();
    if let Some(context) = item.now.context_tokens {
        parts.push(format!("context {}", human::count(context)));
    }
    if let Some(cost) = item.row.cost_usd {
        parts.push(human::dollars(cost));
    }
    parts.push(human::plural(item.row.calls, "call"));
    Line::of(format!("   {}", parts.join("   ")), Role::Muted)
}

fn said_line(said: &str) -> Line {
    Line::of(
        format!(
            "   \u{201c}{}\u{201d}",
            sanitize::one_line(said, MOST_ASKED)
        ),
        Role::Plain,
    )
}

fn told(what: &str, words: &str) -> Line {
    let mut line = Line::of(format!("   {what}  "), Role::ToolName);
    line.add(sanitize::one_line(words, MOST_ASKED), Role::Plain);
    line
}

/// Returns the line of a session that has ended.
pub(super) fn done_line(item: &InboxItem, now: Time) -> Line {
    let row = &item.row;
    let (mark, role) = match row.status {
        Status::Error => ("✗", Role::Failure),
        Status::Interrupted => ("⊘", Role::Warning),
        _ => ("✓", Role::Success),
    };
    let mut line = Line::of(format!(" {mark} "), role);
    let title = row.title.clone().unwrap_or_else(|| row.short_id());
    line.add(sanitize::one_line(&title, TITLE), Role::Plain);
    pad_to(&mut line, TITLE + 5);
    line.add(sanitize::one_line(row.project_name(), PROJECT), Role::Path);
    pad_to(&mut line, TIMES);
    let ago = now.as_millis() - row.last_active().as_millis();
    line.add(human::ago(ago), Role::Time);
    if let Some(cost) = row.cost_usd {
        line.add(format!("  {}", human::dollars(cost)), Role::Muted);
    }
    line
}

fn pad_to(line: &mut Line, column: usize) {
    let width = line.width();
    line.pad(column.saturating_sub(width).max(1));
}
