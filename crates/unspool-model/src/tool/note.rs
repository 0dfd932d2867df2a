//! Short notes on results.

use super::LogText;
use super::answers::AnswerAuthor;
use super::outcome::{
    AgentRun, AgentStatus, FetchedPage, FileKind, FileRead, NotebookEdit, Patch, RunningTask,
    SearchCounts, Shell, ToolOutcome,
};
use super::summary::{first_line, progress};

/// The note on a call that returned before its work was done.
const IN_BACKGROUND: &str = "in background";

/// The note on a call that failed and was still answered with an object.
const FAILED: &str = "failed";

impl ToolOutcome<'_> {
    /// Returns a short note for the end of the call's line, such as `12 lines` or `+4 −2`, or
    /// `None` if there is nothing to say.
    ///
    /// Parts of the note come from the log and may contain any characters except newlines.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Shell(shell) => shell_note(shell),
            Self::Patch(patch) => patch_note(patch),
            Self::File(file) => file_note(file),
            Self::Search(found) => found_note(found),
            Self::Agent(run) => agent_note(run),
            Self::Todos(todos) => Some(progress(todos)),
            Self::Tasks(tasks) => match tasks.as_slice() {
                [task] => Some(first_line(&format!("task {task}"))),
                _ => Some(plural(tasks.len() as u64, "task", "tasks")),
            },
            Self::TaskChange(change) if change.success == Some(false) => Some(FAILED.to_owned()),
            Self::TaskChange(change) => {
                let status = change.status.as_deref().and_then(words);
                status.map(|status| status.replace('_', " "))
            }
            Self::Running(task) => running_note(task),
            Self::Launched => Some(IN_BACKGROUND.to_owned()),
            Self::Web(page) => page_note(page),
            Self::WebSearch(hits) => Some(plural(hits.len() as u64, "result", "results")),
            Self::Question(answers) => match answers.as_slice() {
                [] => None,
                [one] if one.wording == AnswerAuthor::Free => Some("own words".to_owned()),
                [one] => words(&one.answer),
                several => Some(plural(several.len() as u64, "answer", "answers")),
            },
            Self::Plan { edited } => edited.then(|| "edited by the user".to_owned()),
            Self::Notebook(edit) => notebook_note(edit),
            Self::Tools(count) => Some(plural(*count, "tool", "tools")),
            Self::Worktree { branch } => branch.as_deref().and_then(words),
            Self::Reply { success: Some(false) } => Some(FAILED.to_owned()),
            Self::Detached => Some("detached".to_owned()),
            Self::Text(text) => exit_code(text).map(|code| format!("exit {code}")),
            Self::Reply { .. } | Self::Other => None,
        }
    }

    /// Returns the numbers of added and removed lines, if the result states them.
    ///
    /// The result of a replaced notebook cell does not: its old and new source have to be compared.
    pub fn line_changes(&self) -> Option<(u64, u64)> {
        match self {
            Self::Patch(patch) => patch.line_changes(),
            Self::Shell(shell) => shell
                .patches
                .iter()
                .filter_map(Patch::line_changes)
                .reduce(|sum, one| (sum.0.saturating_add(one.0), sum.1.saturating_add(one.1))),
            Self::Notebook(edit) if edit.error.is_none() => match edit.mode.as_deref() {
                Some("insert") => Some((lines(&edit.source), 0)),
                Some("delete") => Some((0, lines(edit.old_source.as_deref()?))),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Patch<'_> {
    /// Returns the numbers of added and removed lines, if the patch states them.
    pub fn line_changes(&self) -> Option<(u64, u64)> {
        if self.hunks.is_empty() {
            return Some((lines(self.content.as_deref()?), 0));
        }
        let all = || self.hunks.iter().flat_map(|hunk| &hunk.lines);
        let count =
            |mark| all().filter(|line: &&LogText<'_>| line.starts_with(mark)).count() as u64;
        Some((count('+'), count('-')))
    }
}

fn lines(text: &str) -> u64 {
    text.lines().count() as u64
}

fn shell_note(shell: &Shell<'_>) -> Option<String> {
    if shell.background {
        return Some(IN_BACKGROUND.to_owned());
    }
    if shell.interrupted {
        return Some("interrupted".to_owned());
    }
    if let Some(note) = shell.return_code_note.as_deref().and_then(words) {
        return Some(note);
    }
    if shell.image {
        return Some("image".to_owned());
    }
    if let Some(bytes) = shell.persisted_size {
        return Some(size(bytes));
    }
    (shell.lines > 0).then(|| plural(shell.lines, "line", "lines"))
}

fn patch_note(patch: &Patch<'_>) -> Option<String> {
    let changed = patch.line_changes();
    let mut note = match changed {
        Some((added, _)) if patch.created => format!("new, {}", plural(added, "line", "lines")),
        None if patch.created => "new".to_owned(),
        Some((added, removed)) => format!("+{added} −{removed}"),
        None => String::new(),
    };
    if patch.user_modified {
        note.push_str(if note.is_empty() { "edited by the user" } else { ", edited by the user" });
    }
    (!note.is_empty()).then_some(note)
}

fn file_note(file: &FileRead) -> Option<String> {
    let with_size = |what: &str| match file.bytes {
        Some(bytes) => format!("{what}, {}", size(bytes)),
        None => what.to_owned(),
    };
    match file.kind {
        FileKind::Text => match (file.lines?, file.total_lines) {
            (lines, Some(total)) if total > lines => Some(format!("{lines} of {total} lines")),
            (lines, _) => Some(plural(lines, "line", "lines")),
        },
        FileKind::Image => Some(with_size("image")),
        FileKind::Pdf => Some(with_size("PDF")),
        FileKind::Notebook => Some(plural(file.parts?, "cell", "cells")),
        FileKind::Parts => Some(plural(file.parts?, "page", "pages")),
        FileKind::Unchanged => Some("unchanged".to_owned()),
        FileKind::Other => None,
    }
}

fn found_note(found: &SearchCounts) -> Option<String> {
    let (count, one, many) = match (found.lines, found.files) {
        (Some(lines), None) => (lines, "line", "lines"),
        (_, files) => (files?, "file", "files"),
    };
    let counted = match found.total {
        Some(total) if total > count => format!("{count} of {}", plural(total, one, many)),
        _ if found.truncated => format!("{count}+ {many}"),
        _ => plural(count, one, many),
    };
    Some(match found.matches {
        Some(matches) => format!("{} in {counted}", plural(matches, "match", "matches")),
        None => counted,
    })
}

fn agent_note(run: &AgentRun) -> Option<String> {
    match run.status {
        AgentStatus::InBackground => return Some(IN_BACKGROUND.to_owned()),
        AgentStatus::Remote => return Some("remote".to_owned()),
        AgentStatus::Completed | AgentStatus::Other => {}
    }
    let calls = run.tool_uses.map(|count| plural(count, "call", "calls"));
    let tokens = run.tokens.map(|count| {
        let (number, unit) = short(count);
        format!("{number}{unit} tokens")
    });
    let parts: Vec<_> = calls.into_iter().chain(tokens).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn running_note(task: &RunningTask<'_>) -> Option<String> {
    match task.exit_code {
        Some(code) if code != 0 => Some(format!("exit {code}")),
        _ => task.status.as_deref().and_then(words),
    }
}

fn page_note(page: &FetchedPage) -> Option<String> {
    let code = page.code.map(|code| code.to_string());
    let parts: Vec<_> = code.into_iter().chain(page.bytes.map(size)).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn notebook_note(edit: &NotebookEdit<'_>) -> Option<String> {
    if edit.error.is_some() {
        return Some(FAILED.to_owned());
    }
    match edit.mode.as_deref() {
        Some("insert") => Some(format!("+{}", lines(&edit.source))),
        Some("delete") => Some("deleted".to_owned()),
        _ => None,
    }
}

/// Returns the exit code that the text of a failed command begins with.
fn exit_code(text: &str) -> Option<u32> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn words(text: &str) -> Option<String> {
    Some(first_line(text)).filter(|line| !line.is_empty())
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn size(bytes: u64) -> String {
    let (number, unit) = short(bytes);
    format!("{number} {unit}B")
}

/// Scales a number by thousands: `999`, `12.4` and `k`, `1.3` and `M`.
fn short(value: u64) -> (String, &'static str) {
    let mut scaled = value as f64;
    let mut units = ["", "k", "M", "G", "T", "P", "E"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    while scaled >= 999.5
        && let Some(next) = units.next()
    {
        scaled /= 1000.0;
        unit = next;
    }
    let digits = usize::from(!unit.is_empty() && scaled < 99.95);
    let number = format!("{scaled:.digits$}");
    (number.strip_suffix(".0").map(str::to_owned).unwrap_or(number), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1 kB"),
            (12_440, "12.4 kB"),
            (99_960, "100 kB"),
            (999_499, "999 kB"),
            (999_500, "1 MB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn a_failed_command_tells_its_exit_code() {
        for (text, expected) in [
            ("Error: Exit code 1", Some(1)),
            ("Error: Exit code 137\n[Request interrupted by user for tool use]", Some(137)),
            ("Exit code 2: no", Some(2)),
            ("Error: Exit code ", None),
            ("Error: Exit code 99999999999999999999", None),
            ("Error: File does not exist.", None),
            ("", None),
        ] {
            assert_eq!(exit_code(text), expected, "{text}");
        }
    }
}
