//! Parses a `toolUseResult` into a [`ToolOutcome`].

use crate::json::JsonShape;
use crate::named::Named as _;

use super::answers;
use super::input::todo_list;
use super::outcome::{
    AgentRun, AgentStatus, FetchedPage, FileKind, FileRead, NotebookEdit, Patch, PatchHunk,
    RunningTask, SearchCounts, Shell, TaskChange, ToolOutcome, WebResult,
};
use super::value::{RawField, RawObject};

/// Reads an object; returns `None` if it does not have the expected shape.
type ResultReader = for<'a> fn(&RawObject<'a>) -> Option<ToolOutcome<'a>>;

/// Readers of unmistakable shapes, for results of renamed tools and of calls that are not in the file.
const SHAPES: [ResultReader; 6] = [shell, patch, file, search, agent, todos];

/// Parses `raw`, the `toolUseResult` of a call of the tool `name`.
pub fn outcome<'a>(name: &str, raw: &'a [u8]) -> ToolOutcome<'a> {
    let value = RawField::new(raw);
    if let Some(text) = value.text() {
        return ToolOutcome::Text(text);
    }
    // Results of MCP servers may have any shape.
    if !value.is(JsonShape::Object) || name.starts_with("mcp__") {
        return ToolOutcome::Other;
    }
    let result = value.object();
    reader(name)
        .and_then(|reader| reader(&result))
        .or_else(|| SHAPES.iter().find_map(|reader| reader(&result)))
        .or_else(|| result.flag("detachedToolCall").then_some(ToolOutcome::Detached))
        .unwrap_or(ToolOutcome::Other)
}

/// Returns the numbers of lines that a call added and removed, from its `toolUseResult`, whatever the name of
/// the tool. A caller that knows the name excludes tools of MCP servers, whose results may have any shape.
pub(crate) fn line_changes(raw: &[u8]) -> Option<(u64, u64)> {
    const TELLING: [ResultReader; 3] = [shell, patch, notebook];
    let result = RawObject::read(raw);
    TELLING.iter().find_map(|reader| reader(&result))?.line_changes()
}

/// Tells whether a result with this field may state added and removed lines. Most results have
/// no such field and are not read for it.
pub(crate) fn may_tell_lines(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"bashEditDiff" | b"structuredPatch" | b"edit_mode" => true,
        // Results for written files have another type; most files were read.
        b"type" => value != br#""text""#,
        _ => false,
    }
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

fn shell<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let streams = ["stdout", "stderr"].map(|name| result.text(name));
    let background = result.has_text("backgroundTaskId");
    if streams.iter().all(Option::is_none) && !background {
        return None;
    }
    let lines = streams.iter().flatten().map(|text| text.lines().count() as u64);
    Some(ToolOutcome::Shell(Shell {
        lines: lines.sum(),
        interrupted: result.flag("interrupted"),
        return_code_note: result.text("returnCodeInterpretation"),
        background,
        image: result.flag("isImage"),
        persisted_size: result.count("persistedOutputSize"),
        patches: shell_edits(&result.get("bashEditDiff").object()),
    }))
}

/// Reads the files that a command changed.
fn shell_edits<'a>(edits: &RawObject<'a>) -> Vec<Patch<'a>> {
    // Another agent may have changed the files.
    if edits.flag("shared") {
        return Vec::new();
    }
    let files = edits.objects("files").into_iter().filter_map(|file| {
        Some(Patch {
            path: file.text("filePath")?,
            hunks: hunks(&file, "hunks"),
            created: file.flag("created"),
            deleted: file.flag("deleted"),
            user_modified: false,
            content: None,
        })
    });
    files.collect()
}

fn patch<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let kind = result.text("type");
    let is_write = matches!(kind.as_deref(), Some("create" | "update"));
    if !result.get("structuredPatch").is(JsonShape::Array) && !is_write {
        return None;
    }
    let created = kind.as_deref() == Some("create");
    Some(ToolOutcome::Patch(Patch {
        path: result.text("filePath")?,
        hunks: hunks(result, "structuredPatch"),
        created,
        deleted: false,
        user_modified: result.flag("userModified"),
        content: if created { result.text("content") } else { None },
    }))
}

/// Reads the changed places in a field, except those without lines.
fn hunks<'a>(of: &RawObject<'a>, name: &str) -> Vec<PatchHunk<'a>> {
    let hunks = of.objects(name).into_iter().map(|hunk| {
        let number = |name| hunk.count(name).unwrap_or_default();
        PatchHunk {
            old_start: number("oldStart"),
            old_lines: number("oldLines"),
            new_start: number("newStart"),
            new_lines: number("newLines"),
            lines: hunk.get("lines").texts(),
        }
    });
    hunks.filter(|hunk| !hunk.lines.is_empty()).collect()
}

fn file<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let file = result.get("file");
    if !file.is(JsonShape::Object) {
        return None;
    }
    let kind = FileKind::from_name(&result.text("type")?);
    let file = file.object();
    Some(ToolOutcome::File(FileRead {
        kind: kind.unwrap_or(FileKind::Other),
        lines: file.count("numLines"),
        total_lines: file.count("totalLines"),
        parts: file.length("cells").or_else(|| file.count("count")),
        bytes: file.count("originalSize"),
    }))
}

fn search<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let files = result.count("numFiles").or_else(|| result.length("filenames"));
    let lines = result.count("numLines");
    if files.is_none() && lines.is_none() {
        return None;
    }
    // In content mode, the number of files is not a count.
    let shows_lines = result.text("mode").map_or(lines.is_some(), |mode| mode == "content");
    let total = if shows_lines { "totalLines" } else { "totalFiles" };
    Some(ToolOutcome::Search(SearchCounts {
        files: files.filter(|_| !shows_lines),
        lines,
        matches: result.count("numMatches"),
        total: result.count(total).or_else(|| result.count("totalMatches")),
        truncated: result.flag("truncated") || result.count("appliedLimit").is_some(),
    }))
}

fn agent<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let status = agent_status(result.text("status").as_deref());
    let tool_uses = result.count("totalToolUseCount");
    let is_named = result.has_text("agentId")
        || result.has_text("agent_id")
        || (status == AgentStatus::Remote && result.has_text("taskId"));
    // Versions before 2.0 do not name the agent.
    (is_named || tool_uses.is_some()).then(|| {
        ToolOutcome::Agent(AgentRun { status, tool_uses, tokens: result.count("totalTokens") })
    })
}

/// Returns the status of an agent. Versions before 2.0 have none, and return when the agent is done.
fn agent_status(name: Option<&str>) -> AgentStatus {
    match name {
        None | Some("completed") => AgentStatus::Completed,
        Some("async_launched" | "teammate_spawned") => AgentStatus::InBackground,
        Some("remote_launched") => AgentStatus::Remote,
        Some(_) => AgentStatus::Other,
    }
}

fn todos<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    todo_list(result.get("newTodos")).map(ToolOutcome::Todos)
}

fn task<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let task = result.get("task");
    if task.is(JsonShape::Null) {
        return Some(ToolOutcome::Tasks(Vec::new()));
    }
    Some(ToolOutcome::Tasks(vec![task.object().text("id")?]))
}

fn tasks<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let tasks = result.get("tasks").array()?.into_iter();
    let ids = tasks.filter_map(|task| task.object().text("id"));
    Some(ToolOutcome::Tasks(ids.collect()))
}

fn task_change<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let status = || result.get("statusChange").object().text("to");
    result.has_text("taskId").then(|| {
        ToolOutcome::TaskChange(TaskChange { success: result.bool("success"), status: status() })
    })
}

fn task_output<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let task = result.get("task").object();
    Some(ToolOutcome::Running(RunningTask {
        status: Some(task.text("status").or_else(|| result.text("retrieval_status"))?),
        exit_code: task.get("exitCode").whole(),
    }))
}

fn shell_output<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    result.has_text("shellId").then(|| {
        ToolOutcome::Running(RunningTask {
            status: result.text("status"),
            exit_code: result.get("exitCode").whole(),
        })
    })
}

fn launch<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    result.has_text("taskId").then_some(ToolOutcome::Launched)
}

fn page<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let (code, bytes) = (result.count("code"), result.count("bytes"));
    let known = result.has_text("url") || code.is_some() || bytes.is_some();
    known.then_some(ToolOutcome::Web(FetchedPage { code, bytes }))
}

fn web_search<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let results = result.get("results").array()?.into_iter();
    let found = results.flat_map(|result| result.object().objects("content"));
    let hits = found.filter_map(|hit| {
        Some(WebResult { title: hit.text("title").unwrap_or_default(), url: hit.text("url")? })
    });
    Some(ToolOutcome::WebSearch(hits.collect()))
}

fn answers<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    answers::answers(result).map(ToolOutcome::Question)
}

fn plan<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let known = result.has_text("plan") || result.has_text("filePath");
    known.then(|| ToolOutcome::Plan { edited: result.flag("planWasEdited") })
}

fn notebook<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    Some(ToolOutcome::Notebook(NotebookEdit {
        path: result.text("notebook_path")?,
        mode: result.text("edit_mode"),
        old_source: result.text("old_source"),
        source: result.text("new_source").unwrap_or_default(),
        error: result.text("error").filter(|error| !error.is_empty()),
    }))
}

fn skill<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let reply = || ToolOutcome::Reply { success: result.bool("success") };
    result.has_text("commandName").then(reply)
}

fn tools<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let names = result.get("matches").array()?.into_iter();
    Some(ToolOutcome::Tools(names.filter_map(RawField::text).count() as u64))
}

fn worktree<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let entered = || ToolOutcome::Worktree { branch: result.text("worktreeBranch") };
    result.has_text("worktreePath").then(entered)
}

fn reply<'a>(result: &RawObject<'a>) -> Option<ToolOutcome<'a>> {
    let success = result.bool("success");
    let known = success.is_some() || result.has_text("message");
    known.then_some(ToolOutcome::Reply { success })
}
