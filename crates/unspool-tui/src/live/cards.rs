//! Paints the cards of running sessions.
//!
//! On a wide screen titles, projects and times have columns. On a narrow one the time is right-aligned and
//! never cut, and the title gets the remaining width.

use unspool_drive::json::ApprovalJson;
use unspool_drive::suggestion::mode_words;
use unspool_drive::{PermissionMode, PromptState, Resolution, RunView};
use unspool_engine::ops::inbox::{AskKind, InboxItem, LiveGroup};
use unspool_engine::ops::now::{AgentNow, AgentState, CallAsk, CallNow};
use unspool_model::time::Time;
use unspool_render::terminal::context_meter;
use unspool_store::prices::context_window;
use unspool_store::rows::{SessionRow, Status};
use unspool_text::human;
use unspool_text::sanitize;
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::width::width;

use crate::work::live::LiveCard;

/// The width of a title.
const TITLE: usize = 39;
/// The width of a project with its branch, and of the project on a narrow screen.
const PROJECT: usize = 15;
const NARROW_PROJECT: usize = 10;
/// The column of the times.
const TIMES: usize = TITLE + 5 + PROJECT + 1;
/// The least width for the columns.
const WIDE: usize = 76;
/// The least width for the word that marks a driven session.
const ROOMY: usize = 60;
/// The least width for a title and a project next to each other.
const TITLE_AND_PROJECT: usize = 36;
/// The largest number of agents on a card.
const MOST_AGENTS: usize = 4;
/// The largest number of queued prompts on a card.
const MOST_QUEUED: usize = 3;
/// The largest width of a request's text on a card.
const MOST_ASKED: usize = 200;

/// Paints cards in a width, at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct CardPainter {
    pub(super) now: Time,
    pub(super) width: usize,
}

impl CardPainter {
    /// Returns the lines of a card: its heading, and the session's activity or what it waits for.
    pub(super) fn card(self, card: &LiveCard) -> Vec<Line> {
        let mut lines = vec![self.head(card)];
        lines.extend(match card.group {
            LiveGroup::NeedsInput => waiting_lines(card),
            LiveGroup::Working => self.working_lines(card),
            LiveGroup::Idle => self.idle_lines(card),
        });
        lines.extend(card.run.as_deref().and_then(queue_line));
        lines.into_iter().map(|line| line.truncated(self.width)).collect()
    }

    /// Returns the line of an ended session.
    pub(super) fn ended_line(self, item: &InboxItem) -> Line {
        let row = &item.row;
        let (mark, role) = match row.status {
            Status::Error => ("✗", Role::Failure),
            Status::Interrupted => ("⊘", Role::Warning),
            _ => ("✓", Role::Success),
        };
        let ago = self.now.as_millis() - row.last_active().as_millis();
        let mut time = Line::of(human::ago(ago), Role::Time);
        if let Some(cost) = row.cost_usd.filter(|_| self.width >= ROOMY) {
            time.add(format!("  {}", human::dollars(cost)), Role::Muted);
        }
        let title = (title_of(row), Style::from(Role::Plain));
        self.titled(Line::of(format!(" {mark} "), role), title, row, time)
    }

    fn head(self, card: &LiveCard) -> Line {
        let row = &card.item.row;
        let (mark, role, word) = match card.group {
            LiveGroup::NeedsInput => ("◆", Role::Warning, "waits".to_owned()),
            LiveGroup::Working if row.turns > 0 => {
                ("●", Role::Success, format!("turn {} ·", row.turns))
            }
            LiveGroup::Working => ("●", Role::Success, "works".to_owned()),
            LiveGroup::Idle => ("○", Role::Muted, "idle".to_owned()),
        };
        let since = card.since().map(|since| human::duration(self.now.since(since)));
        let mut time = Line::new();
        if let Some(since) = since {
            time.add(format!("{word} {since}"), Role::Time);
        }
        if card.run.is_some() && self.width >= ROOMY {
            time.add("  driven", Role::Success);
        }
        let style = Style::from(Role::Title).with(Emphasis::STRONG);
        let title = (title_of(row), style);
        self.titled(Line::of(format!(" {mark} "), role), title, row, time)
    }

    /// Formats a title, its project and a time on a line.
    fn titled(
        self,
        mut line: Line,
        (title, style): (String, Style),
        row: &SessionRow,
        time: Line,
    ) -> Line {
        let (title_room, project_room) = if self.is_wide() {
            (TITLE, PROJECT)
        } else {
            let room = self.width.saturating_sub(line.width() + time.width() + 2);
            match room.checked_sub(NARROW_PROJECT + 1) {
                Some(title) if room >= TITLE_AND_PROJECT => (title, NARROW_PROJECT),
                _ => (room, 0),
            }
        };
        let start = line.width();
        line.add(sanitize::one_line(&title, title_room), style);
        if project_room > 0 {
            pad_to(&mut line, start + title_room + 1 + usize::from(self.is_wide()));
            let project = sanitize::one_line(row.project_name(), project_room);
            let left = project_room.saturating_sub(width(&project) + 1);
            line.add(project, Role::Path);
            if let Some(branch) = row.git_branch.as_deref().filter(|_| left > 2) {
                let branch = sanitize::one_line(branch, left);
                line.add(format!(" {branch}"), Role::Muted);
            }
        }
        self.with_time(line, time)
    }

    fn is_wide(self) -> bool {
        self.width >= WIDE
    }

    /// Appends the time in its column; text before it is cut to keep the time visible.
    fn with_time(self, line: Line, time: Line) -> Line {
        let rightmost = self.width.saturating_sub(time.width() + 1);
        let column = if self.is_wide() { TIMES.min(rightmost) } else { rightmost };
        let mut line = line.truncated(column.saturating_sub(1));
        pad_to(&mut line, column);
        line.append(time);
        line
    }

    /// Describes the activity of a session.
    fn working_lines(self, card: &LiveCard) -> Vec<Line> {
        let doing = &card.item.now;
        let mut lines = Vec::new();
        let launches = !doing.agents.is_empty();
        let calls = doing
            .calls
            .iter()
            .filter(|call| !(launches && unspool_model::log::is_agent_tool(call.tool.as_bytes())));
        lines.extend(calls.take(2).map(|call| self.running(call)));
        let shown = doing.agents.len().min(MOST_AGENTS);
        for (index, agent) in doing.agents.iter().take(shown).enumerate() {
            let is_last = index + 1 == doing.agents.len();
            lines.push(self.agent(agent, is_last));
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
        lines.push(self.figures(card));
        lines
    }

    fn idle_lines(self, card: &LiveCard) -> Vec<Line> {
        let run = card.run.as_deref().map(|run| &run.run);
        let failure = run.and_then(|run| run.last_failure.as_ref());
        let failed = failure.map(|words| labelled_line("failed", words));
        let said = card.item.now.last_said.as_deref().map(said_line);
        let ends = run.and_then(|run| run.idle_deadline).map(|at| {
            let left = human::duration(at.since(self.now));
            Line::of(format!("   ends in {left}"), Role::Time)
        });
        failed.into_iter().chain(said).chain(ends).collect()
    }

    fn running(self, call: &CallNow) -> Line {
        let line = labelled_line(&call.tool, &call.summary);
        let Some(since) = call.since else {
            return line;
        };
        let took = human::duration(self.now.since(since));
        self.with_time(line, Line::of(format!("running {took}"), Role::Time))
    }

    fn agent(self, agent: &AgentNow, is_last: bool) -> Line {
        let branch = if is_last { "└" } else { "├" };
        let (mark, role) = match agent.state {
            AgentState::Running => ("●", Role::Success),
            AgentState::Done => ("✓", Role::Muted),
        };
        let mut line = Line::of(format!("   {branch} "), Role::Muted);
        let words = agent.description.as_deref().or(agent.kind.as_deref());
        line.add(format!("{mark} "), role)
            .add(sanitize::one_line(words.unwrap_or("agent"), TITLE - 1), Role::Plain);
        if agent.state == AgentState::Done {
            let messages = human::plural(agent.messages, "message");
            return self.with_time(line, Line::of(format!("done, {messages}"), Role::Muted));
        }
        if let Some(call) = agent.call.as_ref().filter(|_| self.is_wide()) {
            pad_to(&mut line, TITLE + 5);
            let words = format!("{} {}", call.tool, call.summary);
            line.add(sanitize::one_line(&words, PROJECT), Role::Tool);
        }
        let took = agent.since.map(|since| human::duration(self.now.since(since)));
        self.with_time(line, Line::of(took.unwrap_or_default(), Role::Time))
    }

    /// Shows the context, the cost, the calls and the permission mode, as far as they fit.
    fn figures(self, card: &LiveCard) -> Line {
        let row = &card.item.row;
        let mut parts = Vec::new();
        if let Some(tokens) = card.item.now.context_tokens {
            let model = row.models.last().map_or("", String::as_str);
            let limit = context_window(model).map(|window| window.limit_for(tokens));
            parts.push(context_meter(tokens, limit));
        }
        let muted = |words: String| Line::of(words, Role::Muted);
        parts.extend(row.cost_usd.map(|cost| muted(human::dollars(cost))));
        parts.push(muted(human::plural(row.calls, "call")));
        let run = card.run.as_deref().map(|run| &run.run);
        let mode = run.and_then(|run| run.mode.as_deref());
        let mode = mode.filter(|mode| *mode != PermissionMode::Default.name());
        parts.extend(mode.map(|mode| muted(sanitize::one_line(&mode_words(mode), TITLE))));
        let mut line = Line::new();
        for part in parts {
            if line.width() + 3 + part.width() <= self.width {
                line.pad(3);
                line.append(part);
            }
        }
        line
    }
}

fn title_of(row: &SessionRow) -> String {
    row.title.clone().unwrap_or_else(|| row.short_id())
}

/// Describes what a session waits for.
fn waiting_lines(card: &LiveCard) -> Vec<Line> {
    if let Some(approval) = card.approvals().next() {
        let asked = ApprovalJson::from(approval);
        let mut lines = vec![labelled_line(&asked.title(), &asked.about_or_input())];
        let more = card.approvals().count() - 1;
        let more = if more > 0 { format!("   {more} more wait") } else { String::new() };
        lines.push(Line::of(format!("   a answers{more}"), Role::Muted));
        return lines;
    }
    if let Some(run) = card.run.as_deref().filter(|run| run.run.state.is_over()) {
        return interrupted(run);
    }
    if let Some(run) = card.run.as_deref() {
        let words = run.run.over_budget().or_else(|| run.run.queue_held());
        let words =
            words.unwrap_or_else(|| "another process has the session: its queue waits".to_owned());
        return vec![labelled_line("held", &words)];
    }
    let Some(asks) = &card.item.asks else {
        return Vec::new();
    };
    let call = asks.call.as_ref();
    let mut lines = Vec::new();
    match (asks.kind, call.map(|call| (&call.asks, call))) {
        (AskKind::Question, Some((CallAsk::Questions(questions), _))) => {
            for question in questions.iter().take(2) {
                lines.push(labelled_line("asks", &question.question));
                if question.options.is_empty() {
                    continue;
                }
                let options = (1..).zip(&question.options);
                let options = options.map(|(number, answer)| format!("{number} {}", answer.label));
                let options = options.collect::<Vec<_>>().join("  ");
                let options = sanitize::one_line(&options, MOST_ASKED);
                lines.push(Line::of(format!("   {options}"), Role::Plain));
            }
        }
        (AskKind::Plan, _) => lines.push(labelled_line("plan", "asks whether its plan is good")),
        (_, Some((_, call))) => lines.push(labelled_line(&call.tool, &call.summary)),
        _ => lines.push(labelled_line("waits", "for input in its terminal")),
    }
    lines.push(Line::of("   answer it in its terminal", Role::Muted));
    lines
}

/// Describes what was pending when the host of a run died.
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
        labelled_line("interrupted", &pending),
        Line::of("   X goes on, or runs its last prompt again", Role::Muted),
    ]
}

/// Lists the queued prompts.
fn queue_line(run: &RunView) -> Option<Line> {
    let waiting = || {
        let prompts = run.prompts.iter();
        prompts.filter(|prompt| prompt.state == PromptState::Queued)
    };
    let left = waiting().count().checked_sub(1)?.saturating_sub(MOST_QUEUED - 1);
    let texts = (1..).zip(waiting().take(MOST_QUEUED));
    let mut texts: Vec<String> = texts
        .map(|(number, prompt)| {
            let text = sanitize::one_line(&prompt.content.text, TITLE);
            format!("{number} {text}")
        })
        .collect();
    texts.extend((left > 0).then(|| format!("{left} more")));
    Some(labelled_line("queue", &texts.join(" · ")))
}

fn said_line(said: &str) -> Line {
    let said = sanitize::one_line(said, MOST_ASKED);
    Line::of(format!("   \u{201c}{said}\u{201d}"), Role::Plain)
}

fn labelled_line(what: &str, words: &str) -> Line {
    let what = sanitize::one_line(what, TITLE);
    let mut line = Line::of(format!("   {what}  "), Role::ToolName);
    line.add(sanitize::one_line(words, MOST_ASKED), Role::Plain);
    line
}

fn pad_to(line: &mut Line, column: usize) {
    let width = line.width();
    line.pad(column.saturating_sub(width).max(1));
}
