//! What a tool call looks like: one line, and what came back.

use std::io;

use unspool_model::conversation::CallStatus;
use unspool_model::tool::{self, Outcome, Patch, Todo, TodoStatus, Tool};

use super::message::media_line;
use super::{Painter, Tools};
use crate::ops::message::CallText;
use crate::render::diff::{Diff, Hunk};
use crate::render::style::{Line, Marks, Role, Style};
use crate::render::{human, sanitize};

/// How many lines of a call's output are shown when folded: from the start, from the end.
const OUTPUT: (usize, usize) = (5, 2);

/// How many lines of a diff are shown when folded.
const DIFF: usize = 40;

/// How long a call must take for that to be said.
const SLOW_MS: u64 = 1000;

impl Painter<'_, '_> {
    /// Shows one call.
    pub(super) fn call(
        &mut self,
        prefix: &Line,
        call: &CallText,
        tools: Tools,
        depth: usize,
    ) -> io::Result<()> {
        if tools == Tools::None {
            return Ok(());
        }
        let input = call.input.as_bytes();
        let tool = tool::parse(&call.name, input);
        let raw = call
            .result
            .as_ref()
            .and_then(|result| result.outcome.as_deref());
        let outcome = raw.map(|raw| tool::outcome(&call.name, raw));
        let width = self.options.width.saturating_sub(prefix.width()).max(20);
        self.emit(prefix, call_line(call, &tool, outcome.as_ref(), width))?;
        if let Some(agent) = &call.agent {
            self.agent(prefix, agent, depth)?;
        }
        if tools == Tools::Line {
            return Ok(());
        }
        let mut inner = prefix.clone();
        inner.add("  ", Role::Plain);
        if tools == Tools::Full {
            self.input(&inner, &tool)?;
        }
        if !self.changes(&inner, &tool, outcome.as_ref(), call, tools)? {
            self.output(&inner, &tool, call, tools)?;
        }
        self.blank(prefix)
    }

    /// Shows more of the input than fits on the call's line.
    fn input(&mut self, prefix: &Line, tool: &Tool<'_>) -> io::Result<()> {
        let text = match tool {
            Tool::Bash { command, .. } if command.contains('\n') => command,
            Tool::Agent { prompt, .. } => prompt,
            _ => return Ok(()),
        };
        let text = sanitize::clean(text).into_owned();
        self.folded(prefix, &text, usize::MAX, 0, Role::Tool)
    }

    /// Shows edits as a diff and lists as lists; tells whether there was such a thing.
    fn changes(
        &mut self,
        prefix: &Line,
        tool: &Tool<'_>,
        outcome: Option<&Outcome<'_>>,
        call: &CallText,
        tools: Tools,
    ) -> io::Result<bool> {
        if let Tool::TodoWrite { todos } = tool {
            let lines = todos.iter().map(todo_line).collect();
            self.emit_all(prefix, lines)?;
            return Ok(true);
        }
        if let Tool::ExitPlanMode { plan: Some(plan) } = tool {
            let width = self.options.width.saturating_sub(prefix.width()).max(20);
            let lines = crate::render::markdown(plan, width);
            self.emit_all(prefix, lines)?;
            return Ok(false);
        }
        if call.status != CallStatus::Done {
            return Ok(false);
        }
        let Some(diff) = diff_of(tool, outcome) else {
            return Ok(false);
        };
        let lines = diff.lines();
        let hidden = match tools {
            Tools::Full => 0,
            _ => lines.len().saturating_sub(DIFF),
        };
        let width = self.options.width.saturating_sub(prefix.width()).max(20);
        let shown = lines.len() - hidden;
        for line in lines.into_iter().take(shown) {
            self.emit(prefix, line.truncated(width))?;
        }
        if hidden > 0 {
            let lines = if hidden == 1 { "line" } else { "lines" };
            let note = format!("… {hidden} more {lines}, --tools full shows all");
            self.emit(prefix, Line::of(note, Role::Muted))?;
        }
        Ok(true)
    }

    fn output(
        &mut self,
        prefix: &Line,
        tool: &Tool<'_>,
        call: &CallText,
        tools: Tools,
    ) -> io::Result<()> {
        let Some(result) = &call.result else {
            return Ok(());
        };
        for media in &result.media {
            self.emit(prefix, media_line(media))?;
        }
        // What was read is in the file, and an agent's answer stands in its conversation.
        let known = matches!(tool, Tool::Read { .. }) || call.agent.is_some();
        let quiet = known && call.status == CallStatus::Done;
        let text = result.text.trim_end();
        if text.is_empty() || (quiet && tools == Tools::Summary) {
            return Ok(());
        }
        let role = if result.is_error {
            Role::Failure
        } else {
            Role::Tool
        };
        let (head, tail) = if tools == Tools::Full {
            (usize::MAX, 0)
        } else {
            OUTPUT
        };
        let text = sanitize::output(text).into_owned();
        self.folded(prefix, &text, head, tail, role)
    }
}

/// The line of a call: what it is, how it ended, what it brought.
fn call_line(
    call: &CallText,
    tool: &Tool<'_>,
    outcome: Option<&Outcome<'_>>,
    width: usize,
) -> Line {
    let (mark, role) = match call.status {
        CallStatus::Done => ("✔", Role::Success),
        CallStatus::Failed => ("✘", Role::Failure),
        CallStatus::Denied => ("⊘", Role::Warning),
        CallStatus::Interrupted => ("■", Role::Warning),
        CallStatus::Pending => ("…", Role::Warning),
    };
    let mut tail = Line::new();
    if !matches!(call.status, CallStatus::Done) {
        tail.add(format!("  {}", call.status.name()), role);
    }
    if let Some(note) = outcome.and_then(Outcome::note) {
        tail.add(format!("  {note}"), Role::Muted);
    }
    if let Some(ms) = call.duration_ms.filter(|&ms| ms >= SLOW_MS) {
        tail.add(format!("  {}", human::duration(ms)), Role::Muted);
    }
    let mut line = Line::of(format!("{mark} "), role);
    let name = match tool {
        Tool::Mcp { server, tool, .. } => format!("{server}:{tool}"),
        _ if call.name.is_empty() => "unnamed tool".to_owned(),
        _ => call.name.clone(),
    };
    line.add(name, Style::from(Role::ToolName).with(Marks::STRONG))
        .add("  ", Role::Plain);
    let room = width.saturating_sub(line.width() + tail.width());
    line.add(
        sanitize::one_line(&tool.summary(), room.max(10)),
        Role::Tool,
    );
    line.append(tail);
    line
}

/// Makes the diff of an edit: from what the client recorded, else from what was asked for.
fn diff_of(tool: &Tool<'_>, outcome: Option<&Outcome<'_>>) -> Option<Diff> {
    match outcome {
        Some(Outcome::Patch(patch)) if !patch.hunks.is_empty() => return Some(recorded(patch)),
        Some(Outcome::Patch(Patch {
            content: Some(content),
            ..
        })) => {
            return Some(Diff::between("", content));
        }
        _ => {}
    }
    match tool {
        Tool::Edit { old, new, .. } => Some(Diff::between(old, new)),
        Tool::Write { content, .. } => Some(Diff::between("", content)),
        Tool::MultiEdit { edits, .. } => {
            let hunks = edits
                .iter()
                .flat_map(|edit| Diff::between(&edit.old, &edit.new).hunks().to_vec())
                .collect();
            Some(Diff::from_hunks(hunks))
        }
        _ => None,
    }
}

fn recorded(patch: &Patch<'_>) -> Diff {
    let hunks = patch
        .hunks
        .iter()
        .map(|hunk| Hunk {
            old_start: hunk.old_start as usize,
            old_lines: hunk.old_lines as usize,
            new_start: hunk.new_start as usize,
            new_lines: hunk.new_lines as usize,
            lines: hunk.lines.iter().map(ToString::to_string).collect(),
        })
        .collect();
    Diff::from_hunks(hunks)
}

fn todo_line(todo: &Todo<'_>) -> Line {
    let (mark, role) = match todo.status {
        TodoStatus::Completed => ("☒ ", Role::Success),
        TodoStatus::InProgress => ("◐ ", Role::Warning),
        _ => ("☐ ", Role::Plain),
    };
    let mut line = Line::of(mark, role);
    line.add(todo.content.to_string(), Role::Plain);
    line
}
