//! From the `input` of a call to a [`Tool`].

use super::call::{Choice, Replacement, Todo, TodoStatus, Tool, UserQuestion};
use super::value::{RawField, pick};

/// Tells what the call of the tool `name` with the JSON text `input` asks for.
pub fn parse<'a>(name: &'a str, input: &'a [u8]) -> Tool<'a> {
    if let Some((server, tool)) = split_mcp(name) {
        return Tool::Mcp { server, tool, input };
    }
    known(name, input).unwrap_or(Tool::Other(input))
}

/// Tells whether a tool of this name changes the file that its call names.
pub fn changes_files(name: &str) -> bool {
    matches!(name, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
}

/// Tells whether all that a tool of this name does is to wait for what a person says.
pub fn asks_the_person(name: &str) -> bool {
    matches!(name, "AskUserQuestion" | "ExitPlanMode" | "exit_plan_mode")
}

/// Takes a name like `mcp__server__tool` apart; the tool's own name may contain more underscores.
fn split_mcp(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

fn known<'a>(name: &str, input: &'a [u8]) -> Option<Tool<'a>> {
    match name {
        "Bash" | "PowerShell" => bash(input),
        "Read" | "NotebookRead" => read(input),
        "Edit" => edit(input),
        "MultiEdit" => multi_edit(input),
        "Write" => write(input),
        "NotebookEdit" => notebook_edit(input),
        "Glob" => glob(input),
        "Grep" => grep(input),
        "LS" => ls(input),
        "Agent" | "Task" => agent(input),
        "TodoWrite" => todo_write(input),
        "TaskCreate" => task_create(input),
        "TaskUpdate" => task_update(input),
        "TaskGet" => task_get(input),
        "TaskList" => Some(Tool::TaskList),
        "TaskStop" | "KillShell" | "KillBash" => task_stop(input),
        "TaskOutput" | "BashOutput" | "AgentOutputTool" => task_output(input),
        "WebFetch" => web_fetch(input),
        "WebSearch" => web_search(input),
        "AskUserQuestion" => ask(input),
        "ExitPlanMode" | "exit_plan_mode" => Some(exit_plan_mode(input)),
        "EnterPlanMode" => Some(Tool::EnterPlanMode),
        "Skill" | "SlashCommand" => skill(input),
        "Workflow" => workflow(input),
        "SendMessage" => send_message(input),
        "ToolSearch" => tool_search(input),
        "Monitor" => monitor(input),
        "EnterWorktree" => Some(enter_worktree(input)),
        "ExitWorktree" => Some(exit_worktree(input)),
        _ => None,
    }
}

fn bash(input: &[u8]) -> Option<Tool<'_>> {
    let [command, description, background] =
        pick(input, ["command", "description", "run_in_background"]);
    Some(Tool::Bash {
        command: command.text()?,
        description: description.text(),
        background: background.flag(),
    })
}

fn read(input: &[u8]) -> Option<Tool<'_>> {
    let [path, notebook, offset, limit, pages] =
        pick(input, ["file_path", "notebook_path", "offset", "limit", "pages"]);
    Some(Tool::Read {
        path: path.text().or_else(|| notebook.text())?,
        offset: offset.count(),
        limit: limit.count(),
        pages: pages.text(),
    })
}

fn edit(input: &[u8]) -> Option<Tool<'_>> {
    let [path] = pick(input, ["file_path"]);
    let Replacement { old, new, replace_all } = change(RawField::new(input));
    Some(Tool::Edit { path: path.text()?, old, new, replace_all })
}

fn multi_edit(input: &[u8]) -> Option<Tool<'_>> {
    let [path, edits] = pick(input, ["file_path", "edits"]);
    let edits = edits.items().into_iter().map(change).collect();
    Some(Tool::MultiEdit { path: path.text()?, edits })
}

pub(super) fn change(value: RawField<'_>) -> Replacement<'_> {
    let [old, new, replace_all] = value.pick(["old_string", "new_string", "replace_all"]);
    Replacement {
        old: old.text().unwrap_or_default(),
        new: new.text().unwrap_or_default(),
        replace_all: replace_all.flag(),
    }
}

fn write(input: &[u8]) -> Option<Tool<'_>> {
    let [path, content] = pick(input, ["file_path", "content"]);
    Some(Tool::Write { path: path.text()?, content: content.text().unwrap_or_default() })
}

fn notebook_edit(input: &[u8]) -> Option<Tool<'_>> {
    let [path, cell, source, mode] =
        pick(input, ["notebook_path", "cell_id", "new_source", "edit_mode"]);
    Some(Tool::NotebookEdit {
        path: path.text()?,
        cell: cell.text(),
        source: source.text().unwrap_or_default(),
        mode: mode.text(),
    })
}

fn glob(input: &[u8]) -> Option<Tool<'_>> {
    let [pattern, path] = pick(input, ["pattern", "path"]);
    Some(Tool::Glob { pattern: pattern.text()?, path: path.text() })
}

fn grep(input: &[u8]) -> Option<Tool<'_>> {
    let [pattern, path, glob, kind, mode] =
        pick(input, ["pattern", "path", "glob", "type", "output_mode"]);
    Some(Tool::Grep {
        pattern: pattern.text()?,
        path: path.text(),
        glob: glob.text().or_else(|| kind.text()),
        mode: mode.text(),
    })
}

fn ls(input: &[u8]) -> Option<Tool<'_>> {
    let [path] = pick(input, ["path"]);
    Some(Tool::Ls { path: path.text()? })
}

fn agent(input: &[u8]) -> Option<Tool<'_>> {
    let [description, prompt, kind, background] =
        pick(input, ["description", "prompt", "subagent_type", "run_in_background"]);
    let (description, prompt) = (description.text(), prompt.text());
    if description.is_none() && prompt.is_none() {
        return None;
    }
    Some(Tool::Agent {
        description: description.unwrap_or_default(),
        prompt: prompt.unwrap_or_default(),
        kind: kind.text(),
        background: background.flag(),
    })
}

fn todo_write(input: &[u8]) -> Option<Tool<'_>> {
    let [todos] = pick(input, ["todos"]);
    Some(Tool::TodoWrite { todos: todo_list(todos)? })
}

/// Reads a list of things to do; items without content are left out.
pub(super) fn todo_list(value: RawField<'_>) -> Option<Vec<Todo<'_>>> {
    Some(value.array()?.into_iter().filter_map(todo).collect())
}

fn todo(value: RawField<'_>) -> Option<Todo<'_>> {
    let [content, status, active_form] = value.pick(["content", "status", "activeForm"]);
    Some(Todo {
        content: content.text()?,
        status: TodoStatus::from_name(&status.text().unwrap_or_default()),
        active_form: active_form.text(),
    })
}

fn task_create(input: &[u8]) -> Option<Tool<'_>> {
    let [subject, description, active_form] = pick(input, ["subject", "description", "activeForm"]);
    Some(Tool::TaskCreate {
        subject: subject.text()?,
        description: description.text(),
        active_form: active_form.text(),
    })
}

fn task_update(input: &[u8]) -> Option<Tool<'_>> {
    let [id, status, subject] = pick(input, ["taskId", "status", "subject"]);
    Some(Tool::TaskUpdate { id: id.text()?, status: status.text(), subject: subject.text() })
}

fn task_get(input: &[u8]) -> Option<Tool<'_>> {
    let [id] = pick(input, ["taskId"]);
    Some(Tool::TaskGet { id: id.text()? })
}

fn task_stop(input: &[u8]) -> Option<Tool<'_>> {
    let [task, shell] = pick(input, ["task_id", "shell_id"]);
    Some(Tool::TaskStop { id: task.text().or_else(|| shell.text())? })
}

fn task_output(input: &[u8]) -> Option<Tool<'_>> {
    let [task, shell, agent, wait] = pick(input, ["task_id", "bash_id", "agentId", "block"]);
    let id = task.text().or_else(|| shell.text()).or_else(|| agent.text())?;
    Some(Tool::TaskOutput { id, wait: wait.flag() })
}

fn web_fetch(input: &[u8]) -> Option<Tool<'_>> {
    let [url, prompt] = pick(input, ["url", "prompt"]);
    Some(Tool::WebFetch { url: url.text()?, prompt: prompt.text() })
}

fn web_search(input: &[u8]) -> Option<Tool<'_>> {
    let [query] = pick(input, ["query"]);
    Some(Tool::WebSearch { query: query.text()? })
}

fn ask(input: &[u8]) -> Option<Tool<'_>> {
    let [questions] = pick(input, ["questions"]);
    let questions = questions.array()?.into_iter().filter_map(question).collect();
    Some(Tool::AskUserQuestion { questions })
}

pub(super) fn question(value: RawField<'_>) -> Option<UserQuestion<'_>> {
    let [question, header, options, multiple] =
        value.pick(["question", "header", "options", "multiSelect"]);
    Some(UserQuestion {
        question: question.text()?,
        header: header.text(),
        options: options.items().into_iter().filter_map(choice).collect(),
        multiple: multiple.flag(),
    })
}

fn choice(value: RawField<'_>) -> Option<Choice<'_>> {
    let [label, description, preview] = value.pick(["label", "description", "preview"]);
    Some(Choice { label: label.text()?, description: description.text(), preview: preview.text() })
}

fn exit_plan_mode(input: &[u8]) -> Tool<'_> {
    let [plan] = pick(input, ["plan"]);
    Tool::ExitPlanMode { plan: plan.text() }
}

fn skill(input: &[u8]) -> Option<Tool<'_>> {
    let [skill, command, args] = pick(input, ["skill", "command", "args"]);
    Some(Tool::Skill { name: skill.text().or_else(|| command.text())?, args: args.text() })
}

fn workflow(input: &[u8]) -> Option<Tool<'_>> {
    let [title, name, description, script, script_path, resumes] =
        pick(input, ["title", "name", "description", "script", "scriptPath", "resumeFromRunId"]);
    let title = title.text().or_else(|| name.text()).or_else(|| description.text());
    let (script, script_path, resumes) = (script.text(), script_path.text(), resumes.text());
    let known = [&title, &script, &script_path, &resumes].into_iter().any(Option::is_some);
    known.then_some(Tool::Workflow { title, script, script_path, resumes })
}

/// Reads both spellings: teams first said `recipient` and `content`.
fn send_message(input: &[u8]) -> Option<Tool<'_>> {
    let [to, recipient, summary, message, content] =
        pick(input, ["to", "recipient", "summary", "message", "content"]);
    Some(Tool::SendMessage {
        to: to.text().or_else(|| recipient.text())?,
        summary: summary.text(),
        message: message.text().or_else(|| content.text()),
    })
}

fn tool_search(input: &[u8]) -> Option<Tool<'_>> {
    let [query] = pick(input, ["query"]);
    Some(Tool::ToolSearch { query: query.text()? })
}

fn monitor(input: &[u8]) -> Option<Tool<'_>> {
    let [description, command] = pick(input, ["description", "command"]);
    let (description, command) = (description.text(), command.text());
    let known = description.is_some() || command.is_some();
    known.then_some(Tool::Monitor { description, command })
}

fn enter_worktree(input: &[u8]) -> Tool<'_> {
    let [name, path] = pick(input, ["name", "path"]);
    Tool::EnterWorktree { name: name.text(), path: path.text() }
}

fn exit_worktree(input: &[u8]) -> Tool<'_> {
    let [action] = pick(input, ["action"]);
    Tool::ExitWorktree { action: action.text() }
}
