//! From a `toolUseResult` to an [`ToolOutcome`].

use crate::json::JsonShape;

use super::LogText;
use super::free;
use super::input::todo_list;
use super::outcome::{
    AgentRun, AgentStatus, FetchedPage, FileKind, FileRead, Launch, NotebookEdit, Patch, PatchHunk,
    Reply, RunningTask, SearchCounts, Shell, TaskChange, TaskItem, ToolOutcome, WebResult,
};
use super::value::{RawField, pick};

/// Reads an object; none if it is not of the shape looked for.
type ResultReader = for<'a> fn(&'a [u8]) -> Option<ToolOutcome<'a>>;

/// Shapes that are like no other, for results of renamed tools and of calls that are
/// not in the file.
const SHAPES: [ResultReader; 6] = [shell, patch, file, search, agent, todos];

/// Tells what the JSON text `raw`, the `toolUseResult` of a call of the tool `name`, says.
pub fn outcome<'a>(name: &str, raw: &'a [u8]) -> ToolOutcome<'a> {
    let value = RawField::new(raw);
    if let Some(text) = value.text() {
        return ToolOutcome::Text(text);
    }
    // The results of MCP servers may look like anything.
    if !value.is(JsonShape::Object) || name.starts_with("mcp__") {
        return ToolOutcome::Other;
    }
    reader(name)
        .and_then(|reader| reader(raw))
        .or_else(|| SHAPES.iter().find_map(|reader| reader(raw)))
        .or_else(|| detached(raw))
        .unwrap_or(ToolOutcome::Other)
}

fn reader(name: &str) -> Option<ResultReader> {
    Some(match name {
        "Bash" | "PowerShell" => shell,
        "Edit" | "MultiEdit" | "Write" => patch,
        "Read" | "NotebookRead" => file,
        "Glob" | "Grep" => search,
        "Agent" | "Task" => agent,
        "TodoWrite" => todos,
        "TaskCreate" | "TaskGet" => task,
        "TaskList" => tasks,
        "TaskUpdate" => task_change,
        "TaskOutput" | "AgentOutputTool" => task_output,
        "BashOutput" => shell_output,
        "Workflow" | "Monitor" => launch,
        "WebFetch" => page,
        "WebSearch" => web_search,
        "AskUserQuestion" => answers,
        "ExitPlanMode" | "exit_plan_mode" => plan,
        "NotebookEdit" => notebook,
        "Skill" | "SlashCommand" => skill,
        "ToolSearch" => tools,
        "EnterWorktree" | "ExitWorktree" => worktree,
        "SendMessage" | "EnterPlanMode" | "TaskStop" | "KillShell" | "KillBash" => reply,
        _ => return None,
    })
}

fn detached(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [detached] = pick(raw, ["detachedToolCall"]);
    detached.flag().then_some(ToolOutcome::Detached)
}

fn shell(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [stdout, stderr, interrupted, note, image] =
        pick(raw, ["stdout", "stderr", "interrupted", "returnCodeInterpretation", "isImage"]);
    let [task, path, size, edits] = pick(
        raw,
        ["backgroundTaskId", "persistedOutputPath", "persistedOutputSize", "bashEditDiff"],
    );
    let (stdout, stderr, background_task) = (stdout.text(), stderr.text(), task.text());
    if stdout.is_none() && stderr.is_none() && background_task.is_none() {
        return None;
    }
    Some(ToolOutcome::Shell(Shell {
        stdout: stdout.unwrap_or_default(),
        stderr: stderr.unwrap_or_default(),
        interrupted: interrupted.flag(),
        return_code_note: note.text(),
        background_task,
        image: image.flag(),
        persisted_path: path.text(),
        persisted_size: size.count(),
        patches: shell_edits(edits),
    }))
}

/// Reads which files a command changed.
fn shell_edits(value: RawField<'_>) -> Vec<Patch<'_>> {
    let [files, shared] = value.pick(["files", "shared"]);
    if shared.flag() {
        return Vec::new();
    }
    files.items().into_iter().filter_map(shell_edit).collect()
}

fn shell_edit(value: RawField<'_>) -> Option<Patch<'_>> {
    let [path, lines, created, deleted] = value.pick(["filePath", "hunks", "created", "deleted"]);
    Some(Patch {
        path: path.text()?,
        hunks: hunks(lines),
        created: created.flag(),
        deleted: deleted.flag(),
        user_modified: false,
        content: None,
    })
}

fn patch(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [path, lines, kind, content, modified] =
        pick(raw, ["filePath", "structuredPatch", "type", "content", "userModified"]);
    let kind = kind.text();
    let is_write = matches!(kind.as_deref(), Some("create" | "update"));
    if !lines.is(JsonShape::Array) && !is_write {
        return None;
    }
    let created = kind.as_deref() == Some("create");
    Some(ToolOutcome::Patch(Patch {
        path: path.text()?,
        hunks: hunks(lines),
        created,
        deleted: false,
        user_modified: modified.flag(),
        content: if created { content.text() } else { None },
    }))
}

fn hunks(value: RawField<'_>) -> Vec<PatchHunk<'_>> {
    value.items().into_iter().filter_map(hunk).collect()
}

fn hunk(value: RawField<'_>) -> Option<PatchHunk<'_>> {
    let [old_start, old_lines, new_start, new_lines, lines] =
        value.pick(["oldStart", "oldLines", "newStart", "newLines", "lines"]);
    let lines = lines.texts();
    let number = |value: RawField<'_>| value.count().unwrap_or_default();
    (!lines.is_empty()).then(|| PatchHunk {
        old_start: number(old_start),
        old_lines: number(old_lines),
        new_start: number(new_start),
        new_lines: number(new_lines),
        lines,
    })
}

fn file(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [kind, file] = pick(raw, ["type", "file"]);
    if !file.is(JsonShape::Object) {
        return None;
    }
    let kind = match kind.text()?.as_ref() {
        "text" => FileKind::Text,
        "image" => FileKind::Image,
        "notebook" => FileKind::Notebook,
        "pdf" => FileKind::Pdf,
        "parts" => FileKind::Parts,
        "file_unchanged" => FileKind::Unchanged,
        _ => FileKind::Other,
    };
    let [path, lines, start_line, total_lines, cells, count, bytes] = file.pick([
        "filePath",
        "numLines",
        "startLine",
        "totalLines",
        "cells",
        "count",
        "originalSize",
    ]);
    let cells = cells.array().map(|cells| cells.len() as u64);
    Some(ToolOutcome::File(FileRead {
        path: path.text(),
        kind,
        lines: lines.count(),
        start_line: start_line.count(),
        total_lines: total_lines.count(),
        parts: cells.or(count.count()),
        bytes: bytes.count(),
    }))
}

fn search(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [mode, names, files, lines, matches, truncated, limit] = pick(
        raw,
        ["mode", "filenames", "numFiles", "numLines", "numMatches", "truncated", "appliedLimit"],
    );
    let [total_matches, total_files, total_lines] =
        pick(raw, ["totalMatches", "totalFiles", "totalLines"]);
    let names = names.array().map(|names| names.len() as u64);
    let (files, lines) = (files.count().or(names), lines.count());
    if files.is_none() && lines.is_none() {
        return None;
    }
    // In content mode files are not counted, although there is a number.
    let shows_lines = mode.text().map_or(lines.is_some(), |mode| mode == "content");
    Some(ToolOutcome::Search(SearchCounts {
        files: files.filter(|_| !shows_lines),
        lines,
        matches: matches.count(),
        total: if shows_lines { total_lines } else { total_files }
            .count()
            .or_else(|| total_matches.count()),
        truncated: truncated.flag() || limit.count().is_some(),
    }))
}

fn agent(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [id, member, task, kind, member_kind, status] =
        pick(raw, ["agentId", "agent_id", "taskId", "agentType", "agent_type", "status"]);
    let [tool_uses, duration, tokens, output_file, url] = pick(
        raw,
        ["totalToolUseCount", "totalDurationMs", "totalTokens", "outputFile", "sessionUrl"],
    );
    let status = agent_status(status.text().as_deref());
    let remote = || task.text().filter(|_| status == AgentStatus::Remote);
    let id = id.text().or_else(|| member.text()).or_else(remote);
    let tool_uses = tool_uses.count();
    if id.is_none() && tool_uses.is_none() {
        return None;
    }
    Some(ToolOutcome::Agent(AgentRun {
        id,
        kind: kind.text().or_else(|| member_kind.text()),
        status,
        tool_uses,
        duration_ms: duration.count(),
        tokens: tokens.count(),
        output_file: output_file.text(),
        url: url.text(),
    }))
}

/// Versions before 2.0 have no status and return when the agent is done.
fn agent_status(name: Option<&str>) -> AgentStatus {
    match name {
        None | Some("completed") => AgentStatus::Completed,
        Some("async_launched" | "teammate_spawned") => AgentStatus::InBackground,
        Some("remote_launched") => AgentStatus::Remote,
        Some(_) => AgentStatus::Other,
    }
}

fn todos(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [old, new] = pick(raw, ["oldTodos", "newTodos"]);
    Some(ToolOutcome::Todos { old: todo_list(old).unwrap_or_default(), new: todo_list(new)? })
}

fn task(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [task] = pick(raw, ["task"]);
    if task.is(JsonShape::Null) {
        return Some(ToolOutcome::Tasks(Vec::new()));
    }
    Some(ToolOutcome::Tasks(vec![one_task(task)?]))
}

fn tasks(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [tasks] = pick(raw, ["tasks"]);
    Some(ToolOutcome::Tasks(tasks.array()?.into_iter().filter_map(one_task).collect()))
}

fn one_task(value: RawField<'_>) -> Option<TaskItem<'_>> {
    let [id, subject, status, owner] = value.pick(["id", "subject", "status", "owner"]);
    Some(TaskItem {
        id: id.text()?,
        subject: subject.text(),
        status: status.text(),
        owner: owner.text(),
    })
}

fn task_change(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [id, success, change] = pick(raw, ["taskId", "success", "statusChange"]);
    let [from, to] = change.pick(["from", "to"]);
    Some(ToolOutcome::TaskChange(TaskChange {
        id: id.text()?,
        success: success.bool(),
        from: from.text(),
        to: to.text(),
    }))
}

fn task_output(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [retrieval, task] = pick(raw, ["retrieval_status", "task"]);
    let [id, status, exit_code, output] = task.pick(["task_id", "status", "exitCode", "output"]);
    let status = status.text().or_else(|| retrieval.text());
    status.is_some().then(|| {
        ToolOutcome::Running(RunningTask {
            id: id.text(),
            status,
            exit_code: exit_code.whole(),
            stdout: output.text().unwrap_or_default(),
            stderr: LogText::default(),
        })
    })
}

fn shell_output(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [id, status, exit_code, stdout, stderr] =
        pick(raw, ["shellId", "status", "exitCode", "stdout", "stderr"]);
    Some(ToolOutcome::Running(RunningTask {
        id: Some(id.text()?),
        status: status.text(),
        exit_code: exit_code.whole(),
        stdout: stdout.text().unwrap_or_default(),
        stderr: stderr.text().unwrap_or_default(),
    }))
}

fn launch(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [task, run, name, script_path, url] =
        pick(raw, ["taskId", "runId", "workflowName", "scriptPath", "sessionUrl"]);
    Some(ToolOutcome::Launch(Launch {
        task: task.text()?,
        run: run.text(),
        name: name.text(),
        script_path: script_path.text(),
        url: url.text(),
    }))
}

fn page(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [url, code, bytes] = pick(raw, ["url", "code", "bytes"]);
    let (url, code, bytes) = (url.text(), code.count(), bytes.count());
    let known = url.is_some() || code.is_some() || bytes.is_some();
    known.then_some(ToolOutcome::Web(FetchedPage { url, code, bytes }))
}

fn web_search(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [query, results] = pick(raw, ["query", "results"]);
    let results = results.array()?;
    let hits = results.into_iter().flat_map(|result| result.pick(["content"])[0].items());
    Some(ToolOutcome::WebSearch { query: query.text(), hits: hits.filter_map(hit).collect() })
}

fn hit(value: RawField<'_>) -> Option<WebResult<'_>> {
    let [title, url] = value.pick(["title", "url"]);
    Some(WebResult { title: title.text().unwrap_or_default(), url: url.text()? })
}

fn answers(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let answers = free::answers(raw)?;
    Some(ToolOutcome::Question { answers })
}

fn plan(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [text, path, edited] = pick(raw, ["plan", "filePath", "planWasEdited"]);
    let (text, path) = (text.text(), path.text());
    let known = text.is_some() || path.is_some();
    known.then(|| ToolOutcome::Plan { text, path, edited: edited.flag() })
}

fn notebook(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [path, cell, mode, old, new, error] =
        pick(raw, ["notebook_path", "cell_id", "edit_mode", "old_source", "new_source", "error"]);
    Some(ToolOutcome::Notebook(NotebookEdit {
        path: path.text()?,
        cell: cell.text(),
        mode: mode.text(),
        old_source: old.text(),
        source: new.text().unwrap_or_default(),
        error: error.text().filter(|error| !error.is_empty()),
    }))
}

fn skill(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [name, success] = pick(raw, ["commandName", "success"]);
    Some(ToolOutcome::Skill { name: name.text()?, success: success.bool() })
}

fn tools(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [matches] = pick(raw, ["matches"]);
    matches.is(JsonShape::Array).then(|| ToolOutcome::Tools(matches.texts()))
}

fn worktree(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [path, branch, action] = pick(raw, ["worktreePath", "worktreeBranch", "action"]);
    Some(ToolOutcome::Worktree { path: path.text()?, branch: branch.text(), action: action.text() })
}

fn reply(raw: &[u8]) -> Option<ToolOutcome<'_>> {
    let [success, message] = pick(raw, ["success", "message"]);
    let (success, message) = (success.bool(), message.text());
    let known = success.is_some() || message.is_some();
    known.then_some(ToolOutcome::Reply(Reply { success, message }))
}
