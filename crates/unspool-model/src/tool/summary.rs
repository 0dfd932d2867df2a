//! One-line summaries of calls.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::json::{Cursor, JsonShape, Malformed};

use super::LogText;
use super::call::{Todo, TodoStatus, Tool, UserQuestion};
use super::value::RawField;

/// Number of fields of an unknown input that are shown.
const FIELDS: usize = 4;

/// Number of characters of each field that are shown.
const VALUE: usize = 60;

impl Tool<'_> {
    /// Returns one line that says what the call does: the command, the path, the query.
    ///
    /// The tool's name is not repeated, so a call that has only a name has an empty line. The text
    /// is as the model wrote it: of any length, and with any control characters except newlines.
    pub fn summary(&self) -> String {
        match self {
            Self::Bash { command } => first_line(command),
            Self::Read { path, offset, limit, pages } => {
                read(path, *offset, *limit, pages.as_deref())
            }
            Self::Edit { path, .. } | Self::Write { path, .. } | Self::Ls { path } => {
                first_line(path)
            }
            Self::MultiEdit { path, edits } => counted(first_line(path), edits.len(), "edits"),
            Self::NotebookEdit { path, cell, mode, .. } => {
                notebook(path, cell.as_deref(), mode.as_deref())
            }
            Self::Glob { pattern, path } => search(pattern, path.as_deref(), None),
            Self::Grep { pattern, path, glob } => search(pattern, path.as_deref(), glob.as_deref()),
            Self::Agent { description, prompt, .. } => first_of(&[description, prompt]),
            Self::TodoWrite { todos } => todo_list(todos),
            Self::TaskCreate { subject, .. } => first_line(subject),
            Self::TaskUpdate { id, status, subject } => {
                // Statuses are identifiers, such as `in_progress`.
                let status = status.as_ref().map(|status| status.replace('_', " ").into());
                let task = format!("task {}", first_line(id));
                after(&task, ": ", &[&status, subject])
            }
            Self::TaskGet { id } => format!("task {}", first_line(id)),
            Self::TaskStop { id } | Self::TaskOutput { id } => first_line(id),
            Self::WebFetch { url, .. } => first_line(url),
            Self::WebSearch { query } | Self::ToolSearch { query } => first_line(query),
            Self::AskUserQuestion { questions } => ask(questions),
            Self::ExitPlanMode { plan } => heading(plan.as_deref().unwrap_or_default()),
            Self::Skill { name, args } => after(&first_line(name), " ", &[args]),
            Self::Workflow { title, script, script_path, resumes } => {
                either(&[title, script_path, resumes, script])
            }
            Self::SendMessage { to, summary, message } => {
                after(&first_line(to), ": ", &[summary, message])
            }
            Self::Monitor { description, command } => either(&[description, command]),
            Self::EnterWorktree { name, path } => either(&[name, path]),
            Self::ExitWorktree { action } => either(&[action]),
            Self::TaskList | Self::EnterPlanMode => String::new(),
            Self::Mcp { input, .. } | Self::Other(input) => fields(input),
        }
    }
}

/// Returns the first line that is not blank, with an ellipsis if others follow.
pub(super) fn first_line(text: &str) -> String {
    let mut lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
}

/// Returns the first line of the first text that has one.
fn first_of(texts: &[&str]) -> String {
    texts.iter().map(|text| first_line(text)).find(|line| !line.is_empty()).unwrap_or_default()
}

fn either(texts: &[&Option<LogText<'_>>]) -> String {
    let texts: Vec<_> = texts.iter().filter_map(|text| text.as_deref()).collect();
    first_of(&texts)
}

/// Appends the first of `texts` to `start`, if there is one.
fn after(start: &str, between: &str, texts: &[&Option<LogText<'_>>]) -> String {
    let end = either(texts);
    if end.is_empty() { start.to_owned() } else { format!("{start}{between}{end}") }
}

fn counted(mut line: String, count: usize, what: &str) -> String {
    if count > 1 {
        let _ = write!(line, " ({count} {what})");
    }
    line
}

fn read(path: &str, offset: Option<u64>, limit: Option<u64>, pages: Option<&str>) -> String {
    let path = first_line(path);
    // Some calls count from zero, which the client treats as one.
    let first = offset.unwrap_or(1).max(1);
    match (offset, limit, pages) {
        (_, _, Some(pages)) => format!("{path} pages {}", first_line(pages)),
        (None, None, None) => path,
        (Some(_), None, None) => format!("{path}:{first}-"),
        (_, Some(limit), None) => {
            format!("{path}:{first}-{}", first.saturating_add(limit.saturating_sub(1)))
        }
    }
}

fn notebook(path: &str, cell: Option<&str>, mode: Option<&str>) -> String {
    let mut line = first_line(path);
    let mode = mode.filter(|mode| *mode != "replace");
    for (what, value) in [("", mode), ("cell ", cell)] {
        if let Some(value) = value {
            let _ = write!(line, " {what}{}", first_line(value));
        }
    }
    line
}

fn search(pattern: &str, path: Option<&str>, files: Option<&str>) -> String {
    let mut line = first_line(pattern);
    if let Some(path) = path {
        let _ = write!(line, " in {}", first_line(path));
    }
    if let Some(files) = files {
        let _ = write!(line, " ({})", first_line(files));
    }
    line
}

fn todo_list(todos: &[Todo<'_>]) -> String {
    let mut line = progress(todos);
    if let Some(now) = todos.iter().find(|todo| todo.status == TodoStatus::InProgress) {
        let name = now.active_form.as_deref().unwrap_or_default();
        let _ = write!(line, ": {}", first_of(&[name, &now.content]));
    }
    line
}

/// Returns how many items of a to-do list are done.
pub(super) fn progress(todos: &[Todo<'_>]) -> String {
    let done = todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count();
    format!("{done} of {} done", todos.len())
}

fn ask(questions: &[UserQuestion<'_>]) -> String {
    let first = questions.first().map(|first| first_line(&first.question)).unwrap_or_default();
    counted(first, questions.len(), "questions")
}

/// Returns the first line of a Markdown text without the marks of a heading.
fn heading(text: &str) -> String {
    first_line(text.trim_start().trim_start_matches('#'))
}

/// Returns the first scalar fields of an unknown input.
fn fields(input: &[u8]) -> String {
    if let Some(text) = RawField::new(input).text() {
        return first_line(&text);
    }
    let mut line = String::new();
    let mut count = 0;
    // The error ends the walk when there are enough fields; a torn input ends it too.
    let _ = Cursor::new(input).object_or_skip(|cursor, key| {
        if let Some(value) = scalar(cursor)? {
            let comma = if count > 0 { ", " } else { "" };
            let _ = write!(line, "{comma}{}={value}", first_line(&String::from_utf8_lossy(key)));
            count += 1;
        }
        if count < FIELDS { Ok(()) } else { Err(Malformed) }
    });
    line
}

/// Reads a value and returns its text, if it is worth showing.
fn scalar<'a>(cursor: &mut Cursor<'a>) -> crate::json::JsonResult<Option<LogText<'a>>> {
    let shape = cursor.shape()?;
    if shape == JsonShape::String {
        let text = cursor.string()?.map(|text| shorten(first_line(&text.decode())));
        return Ok(text.filter(|text| !text.is_empty()).map(Cow::Owned));
    }
    let raw = cursor.skip()?;
    let shown = matches!(shape, JsonShape::Number | JsonShape::Bool);
    Ok(shown.then(|| String::from_utf8_lossy(raw)))
}

fn shorten(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(VALUE) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::tool::parse;

    #[test]
    fn an_unknown_call_shows_its_first_scalar_fields() {
        let long = format!(r#"{{"x":"{}"}}"#, "é".repeat(61));
        let short = format!("x={}…", "é".repeat(60));
        for (input, expected) in [
            (r#"{"x":1}"#, "x=1"),
            (
                r#"{"a":"b\nc","d":null,"e":[1],"f":{"g":1},"h":true,"i":-1.5,"j":" "}"#,
                "a=b …, h=true, i=-1.5",
            ),
            (r#"{"a":1,"b":2,"c":3,"d":4,"e":5"#, "a=1, b=2, c=3, d=4"),
            (r#"{"a":1,"b":"to"#, "a=1"),
            (&long, &short),
            (r#""just a text""#, "just a text"),
            ("[1,2]", ""),
            ("7", ""),
            ("{}", ""),
            ("", ""),
        ] {
            for name in ["Nope", "mcp__server__tool", "Bash", ""] {
                assert_eq!(parse(name, input.as_bytes()).summary(), expected, "{name} {input}");
            }
        }
    }
}
