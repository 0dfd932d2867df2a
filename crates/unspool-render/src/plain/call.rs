//! A tool call as plain text: one line, with the input and the result below it.

use std::fmt::Write as _;
use std::io;

use unspool_model::conversation::CallStatus;
use unspool_model::tool::TodoStatus;
use unspool_text::{human, sanitize};

use super::{PlainSurface, agent_line, one_line};
use crate::document::{AgentHead, AgentLocation, AskedQuestion, CallDetail, DetailBody, ShownCall};

/// The indentation of everything below the line of a call.
const INDENT: &str = "    ";

impl PlainSurface<'_> {
    pub(super) fn begin_call(
        &mut self,
        call: &ShownCall,
        agent: Option<&AgentHead>,
    ) -> io::Result<()> {
        self.block("", &call_line(call))?;
        // The line of the call shortens runs of spaces.
        let is_whole = one_line(&call.summary) == call.summary;
        let details = call.details.iter();
        for detail in details.filter(|detail| !(is_whole && call.says(&detail.body))) {
            self.block(INDENT, &detail_text(detail, call))?;
        }
        match agent.filter(|agent| agent.location != AgentLocation::Nested) {
            Some(agent) => self.block(INDENT, &agent_line(agent)),
            None => Ok(()),
        }
    }
}

/// Returns the line of a call: tool, summary, status and note.
fn call_line(call: &ShownCall) -> String {
    let mark = call.mark();
    let mut line = format!("{mark} {} {}", call.name, call.summary);
    // Writing to a string does not fail.
    if call.status != CallStatus::Done {
        let _ = write!(line, " · {}", call.status.name());
    }
    if let Some(note) = &call.note {
        let _ = write!(line, " · {note}");
    }
    if let Some(ms) = call.duration_ms {
        let _ = write!(line, " · {}", human::duration(ms));
    }
    one_line(&line)
}

fn detail_text(detail: &CallDetail, call: &ShownCall) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    match &detail.body {
        DetailBody::Code { text, .. } | DetailBody::Prose(text) => {
            out.push_str(&sanitize::clean(text));
        }
        DetailBody::Change { path, diff } => {
            if *path != call.summary {
                let _ = writeln!(out, "{}", one_line(path));
            }
            out.push_str(&diff.patch());
        }
        DetailBody::Output { text, .. } => out.push_str(&sanitize::output(text)),
        DetailBody::Todos(todos) => {
            for todo in todos {
                let mark = match todo.status {
                    TodoStatus::Completed => "[x]",
                    TodoStatus::InProgress => "[~]",
                    _ => "[ ]",
                };
                let _ = writeln!(out, "{mark} {}", one_line(&todo.text));
            }
        }
        DetailBody::Questions(questions) => {
            for asked in questions {
                question(asked, &mut out);
            }
        }
        DetailBody::Links(links) => {
            for link in links {
                let _ = writeln!(out, "{}: {}", one_line(&link.title), one_line(&link.url));
            }
        }
        DetailBody::Media(media) => out.push_str(&one_line(&media.words())),
    }
    out
}

fn question(asked: &AskedQuestion, out: &mut String) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}", one_line(&asked.question));
    for (label, meaning) in &asked.choices {
        let _ = write!(out, "- {}", one_line(label));
        if let Some(meaning) = meaning {
            let _ = write!(out, ": {}", one_line(meaning));
        }
        out.push('\n');
    }
    let _ = match &asked.answer {
        Some(answer) => writeln!(out, "→ {}", one_line(answer)),
        None => writeln!(out, "(not answered)"),
    };
}
