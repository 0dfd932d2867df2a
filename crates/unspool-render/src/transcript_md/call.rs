//! A tool call as Markdown: a line that unfolds to the input and the result.

use std::fmt::Write as _;
use std::io;

use unspool_model::conversation::CallStatus;
use unspool_model::tool::TodoStatus;
use unspool_text::{human, sanitize};

use super::MarkdownSurface;
use super::escape::{address, html, inline};
use super::prose::{code, prose};
use crate::document::{
    AgentHead, AgentLocation, AskedQuestion, CallDetail, DetailBody, DisplayWeight, ShownCall,
    TodoItem, WebLink,
};

/// The most columns of the input on the line of a call; a longer input is shown whole below it.
const SUMMARY: usize = 160;

impl MarkdownSurface<'_> {
    pub(super) fn begin_call(
        &mut self,
        call: &ShownCall,
        agent: Option<&AgentHead>,
    ) -> io::Result<()> {
        // Open details must be visible without a click.
        let is_open = |detail: &CallDetail| detail.weight == DisplayWeight::Open;
        let open = if call.details.iter().any(is_open) { " open" } else { "" };
        let asked = sanitize::one_line(&call.summary, SUMMARY);
        let summary = summary(call, &asked);
        write!(self.paper, "<details{open}>\n<summary>{summary}</summary>\n\n")?;
        // The line may be cut, and runs of spaces are shortened.
        let is_whole = asked == call.summary;
        let details = call.details.iter();
        for detail in details.filter(|detail| !(is_whole && call.says(&detail.body))) {
            self.detail(detail, call)?;
        }
        match agent.filter(|agent| agent.location != AgentLocation::Nested) {
            Some(agent) => write!(self.paper, "{}\n\n", agent_line(agent)),
            None => Ok(()),
        }
    }

    fn detail(&mut self, detail: &CallDetail, call: &ShownCall) -> io::Result<()> {
        match &detail.body {
            DetailBody::Code { language, text } => {
                writeln!(self.paper, "{}", code(language, &sanitize::clean(text)))
            }
            DetailBody::Change { path, diff } => {
                if *path != call.summary {
                    write!(self.paper, "{}\n\n", inline(path))?;
                }
                writeln!(self.paper, "{}", code("diff", &diff.patch()))
            }
            DetailBody::Output { text, is_error } => {
                if *is_error {
                    self.paper.write_all(b"**Error**\n\n")?;
                }
                writeln!(self.paper, "{}", code("text", &sanitize::output(text.trim_end())))
            }
            DetailBody::Todos(todos) => writeln!(self.paper, "{}", todo_list(todos)),
            DetailBody::Prose(text) => writeln!(self.paper, "{}", prose(text)),
            DetailBody::Questions(questions) => {
                questions.iter().try_for_each(|asked| writeln!(self.paper, "{}", question(asked)))
            }
            DetailBody::Links(links) => writeln!(self.paper, "{}", link_list(links)),
            DetailBody::Media(media) => self.media(media),
        }
    }
}

/// Returns the line of a call as HTML: tool, what was asked, status and note.
fn summary(call: &ShownCall, asked: &str) -> String {
    let mark = call.mark();
    let mut line = format!("{mark} <b>{}</b>", html(&call.name));
    // Writing to a string does not fail.
    if !asked.is_empty() {
        let _ = write!(line, " <code>{}</code>", html(asked));
    }
    if call.status != CallStatus::Done {
        let _ = write!(line, " · {}", call.status.name());
    }
    if let Some(note) = &call.note {
        let _ = write!(line, " · {}", html(&sanitize::one_line(note, SUMMARY)));
    }
    if let Some(ms) = call.duration_ms {
        let _ = write!(line, " · {}", human::duration(ms));
    }
    line
}

/// Returns the line above an agent's conversation, as HTML.
pub(super) fn agent_summary(agent: &AgentHead) -> String {
    let mut words = vec![format!("agent {}", agent.id)];
    words.extend(agent.kind.clone());
    words.extend(agent.description.clone());
    if let Some(uuid) = &agent.forked_at {
        words.push(format!("goes on from {uuid}"));
    }
    words.extend(agent.messages.map(|count| human::plural(count, "message")));
    html(&words.join(" · "))
}

/// Names an agent whose conversation is elsewhere, with a link if it has a file.
pub(super) fn agent_line(agent: &AgentHead) -> String {
    let mut words = vec![inline(&format!("agent {}", agent.id))];
    let said = [&agent.kind, &agent.description];
    words.extend(said.into_iter().flatten().map(|said| inline(said)));
    words.extend(agent.messages.map(|count| human::plural(count, "message")));
    if agent.messages.is_none() {
        words.push("not recorded here".to_owned());
    }
    if let AgentLocation::Separate(file) = &agent.location {
        words[0] = format!("[{}]({file})", words[0]);
    }
    format!("*{}*", words.join(" · "))
}

fn todo_list(todos: &[TodoItem]) -> String {
    let mut out = String::new();
    for todo in todos {
        let (mark, note) = match todo.status {
            TodoStatus::Completed => ("x", ""),
            TodoStatus::InProgress => (" ", " *(in progress)*"),
            _ => (" ", ""),
        };
        // Writing to a string does not fail.
        let _ = writeln!(out, "- [{mark}] {}{note}", inline(&todo.text));
    }
    out
}

fn question(asked: &AskedQuestion) -> String {
    let mut out = format!("**{}**\n\n", inline(&asked.question));
    for (label, meaning) in &asked.choices {
        let meaning = meaning.as_deref().map(inline).unwrap_or_default();
        let dash = if meaning.is_empty() { "" } else { ": " };
        // Writing to a string does not fail.
        let _ = writeln!(out, "- {}{dash}{meaning}", inline(label));
    }
    if !asked.choices.is_empty() {
        out.push('\n');
    }
    match &asked.answer {
        Some(answer) => {
            let _ = writeln!(out, "→ {}", inline(answer));
        }
        None => out.push_str("*not answered*\n"),
    }
    out
}

fn link_list(links: &[WebLink]) -> String {
    let mut out = String::new();
    for link in links {
        let title = inline(&link.title);
        let title = if title.is_empty() { inline(&link.url) } else { title };
        // Writing to a string does not fail.
        let _ = match address(&link.url) {
            Some(address) => writeln!(out, "- [{title}]({address})"),
            None => writeln!(out, "- {title}: {}", inline(&link.url)),
        };
    }
    out
}
