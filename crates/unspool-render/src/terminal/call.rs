//! Paints a tool call: one line, and its details.

use std::io;

use unspool_model::conversation::CallStatus;
use unspool_model::tool::TodoStatus;
use unspool_text::diff::{Diff, WideLines};
use unspool_text::highlight::code_lines;
use unspool_text::style::{Emphasis, Line, Role, Style};
use unspool_text::{human, sanitize, wrap};

use super::Tools;
use super::message::media_line;
use super::surface::{DiffSides, TerminalSurface};
use crate::document::{
    AskedQuestion, CallDetail, DetailBody, DisplayWeight, ShownCall, TodoItem, WebLink,
};

/// The lines shown of a folded output: from the start, from the end.
const OUTPUT: (usize, usize) = (5, 2);

/// The lines shown of a folded error; its reason is at the end.
const FAILURE: (usize, usize) = (3, 12);

/// The most lines of a folded diff.
const DIFF: usize = 40;

/// A width that fits the line of any call.
const WHOLE_LINE: usize = 1 << 20;

impl TerminalSurface<'_> {
    /// Paints the line of a call.
    pub(super) fn begin_call(&mut self, prefix: &Line, call: &ShownCall) -> io::Result<()> {
        self.emit(prefix, call_line(call, self.room(prefix)))
    }

    /// Paints the details of a call.
    pub(super) fn end_call(
        &mut self,
        prefix: &Line,
        call: &ShownCall,
        tools: Tools,
    ) -> io::Result<()> {
        if tools == Tools::Line {
            return Ok(());
        }
        let mut inner = prefix.clone();
        inner.add("  ", Role::Plain);
        let is_cut = call_line(call, WHOLE_LINE).width() > self.room(prefix);
        for detail in &call.details {
            let shown = tools == Tools::Full || detail.weight != DisplayWeight::Hidden;
            // A line that is cut does not contain all of the input.
            let is_said = call.says(&detail.body) && !(tools == Tools::Full && is_cut);
            if shown && !is_said {
                self.detail(&inner, detail, tools)?;
            }
        }
        self.blank(prefix)
    }

    fn detail(&mut self, prefix: &Line, detail: &CallDetail, tools: Tools) -> io::Result<()> {
        match &detail.body {
            DetailBody::Code { language, text } => {
                let room = self.room(prefix);
                let lines = code_lines(language, text, Role::Tool);
                let lines = lines.iter().flat_map(|line| wrap(line, room));
                self.emit_all(prefix, lines.collect())
            }
            DetailBody::Change { diff, .. } => self.change(prefix, diff, tools),
            DetailBody::Output { text, is_error } => self.output(prefix, text, *is_error, tools),
            DetailBody::Todos(todos) => {
                self.emit_all(prefix, todos.iter().map(todo_line).collect())
            }
            DetailBody::Prose(text) => {
                let lines = unspool_text::markdown(text, self.room(prefix));
                self.emit_all(prefix, lines)
            }
            DetailBody::Questions(questions) => {
                questions.iter().try_for_each(|asked| self.question(prefix, asked))
            }
            DetailBody::Links(links) => {
                links.iter().try_for_each(|link| self.emit(prefix, link_line(link)))
            }
            DetailBody::Media(media) => self.emit(prefix, media_line(media)),
        }
    }

    fn change(&mut self, prefix: &Line, diff: &Diff, tools: Tools) -> io::Result<()> {
        let room = self.room(prefix);
        let wide = match tools {
            Tools::Full => WideLines::Broken,
            _ => WideLines::Cut,
        };
        let mut lines = match self.sides {
            DiffSides::One => diff.lines(room, wide),
            DiffSides::Two => diff.side_lines(room, wide),
        };
        let hidden = match tools {
            Tools::Full => 0,
            _ => lines.len().saturating_sub(DIFF),
        };
        lines.truncate(lines.len() - hidden);
        self.emit_all(prefix, lines)?;
        if hidden > 0 {
            self.left_out(prefix, &human::plural(hidden, "more line"), "--tools full")?;
        }
        Ok(())
    }

    fn output(
        &mut self,
        prefix: &Line,
        text: &str,
        is_error: bool,
        tools: Tools,
    ) -> io::Result<()> {
        let role = if is_error { Role::Failure } else { Role::Tool };
        let (head, tail) = match (tools, is_error) {
            (Tools::Full, _) => (usize::MAX, 0),
            (_, true) => FAILURE,
            (_, false) => OUTPUT,
        };
        let text = sanitize::output(text.trim_end()).into_owned();
        self.shorten(prefix, &text, head, tail, role)
    }

    /// Paints a question with its answer, or with its choices if there is no answer.
    fn question(&mut self, prefix: &Line, asked: &AskedQuestion) -> io::Result<()> {
        let room = self.room(prefix);
        let text = sanitize::clean(&asked.question).into_owned();
        self.emit_all(prefix, wrap(&Line::of(text, Role::Tool), room))?;
        if let Some(answer) = &asked.answer {
            let line = Line::of(format!("→ {answer}"), Role::User);
            return self.emit_all(prefix, wrap(&line, room));
        }
        for (label, meaning) in &asked.choices {
            let mut line = Line::of(format!("· {label}"), Role::Tool);
            if let Some(meaning) = meaning {
                line.add(format!("  {meaning}"), Role::Muted);
            }
            self.emit(prefix, line.truncated(room))?;
        }
        Ok(())
    }
}

/// Returns the line of a call: tool, summary, status and note.
fn call_line(call: &ShownCall, width: usize) -> Line {
    let mark = call.mark();
    let role = match call.status {
        CallStatus::Done => Role::Success,
        CallStatus::Failed => Role::Failure,
        CallStatus::Denied | CallStatus::Interrupted | CallStatus::Pending => Role::Warning,
    };
    let mut tail = Line::new();
    if !matches!(call.status, CallStatus::Done) {
        tail.add(format!("  {}", call.status.name()), role);
    }
    if let Some(note) = &call.note {
        tail.add(format!("  {note}"), Role::Muted);
    }
    if let Some(ms) = call.duration_ms {
        tail.add(format!("  {}", human::duration(ms)), Role::Muted);
    }
    let mut line = Line::of(format!("{mark} "), role);
    line.add(call.name.clone(), Style::from(Role::ToolName).with(Emphasis::STRONG))
        .add("  ", Role::Plain);
    let room = width.saturating_sub(line.width() + tail.width());
    line.add(sanitize::one_line(&call.summary, room.max(10)), Role::Tool);
    line.append(tail);
    line
}

fn todo_line(todo: &TodoItem) -> Line {
    let (mark, role) = match todo.status {
        TodoStatus::Completed => ("☒ ", Role::Success),
        TodoStatus::InProgress => ("◐ ", Role::Warning),
        _ => ("☐ ", Role::Plain),
    };
    Line::of(mark, role).and(todo.text.clone(), Role::Plain)
}

fn link_line(page: &WebLink) -> Line {
    Line::of(page.title.clone(), Role::Tool).and(format!("  {}", page.url), Role::Path)
}
