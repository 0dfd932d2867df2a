//! Parses the `input` of a call into a [`Tool`].

use crate::named::Named as _;

use super::call::{Choice, Replacement, Todo, TodoStatus, Tool, UserQuestion};
use super::value::{RawField, RawObject};

/// Parses a call of the tool `name` with the JSON text `input`.
pub fn parse<'a>(name: &'a str, input: &'a [u8]) -> Tool<'a> {
    if let Some((server, tool)) = split_mcp(name) {
        return Tool::Mcp { server, tool, input };
    }
    let fields = RawObject::read(input);
    let known = of_files(name, &fields).or_else(|| of_tasks(name, &fields));
    known.or_else(|| of_others(name, &fields)).unwrap_or(Tool::Other(input))
}

/// Tells whether a tool of this name changes the file that its call names.
pub fn changes_files(name: &str) -> bool {
    matches!(name, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
}

/// Tells whether a tool of this name only waits for the answer of a person.
pub fn asks_the_person(name: &str) -> bool {
    matches!(name, "AskUserQuestion" | "ExitPlanMode" | "exit_plan_mode")
}

/// Splits a name like `mcp__server__tool`; the tool's own name may contain more underscores.
fn split_mcp(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// Parses calls that run commands, and calls that read or change files.
fn of_files<'a>(name: &str, input: &RawObject<'a>) -> Option<Tool<'a>> {
    Some(match name {
        "Bash" | "PowerShell" => Tool::Bash { command: input.text("command")? },
        "Read" | "NotebookRead" => Tool::Read {
            path: input.text_of(["file_path", "notebook_path"])?,
            offset: input.count("offset"),
            limit: input.count("limit"),
            pages: input.text("pages"),
        },
        "Edit" => {
            let Replacement { old, new, .. } = change(input);
            Tool::Edit { path: input.text("file_path")?, old, new }
        }
        "MultiEdit" => Tool::MultiEdit {
            path: input.text("file_path")?,
            edits: input.objects("edits").iter().map(change).collect(),
        },
        "Write" => Tool::Write {
            path: input.text("file_path")?,
            content: input.text("content").unwrap_or_default(),
        },
        "NotebookEdit" => Tool::NotebookEdit {
            path: input.text("notebook_path")?,
            cell: input.text("cell_id"),
            source: input.text("new_source").unwrap_or_default(),
            mode: input.text("edit_mode"),
        },
        "Glob" => Tool::Glob { pattern: input.text("pattern")?, path: input.text("path") },
        "Grep" => Tool::Grep {
            pattern: input.text("pattern")?,
            path: input.text("path"),
            glob: input.text_of(["glob", "type"]),
        },
        "LS" => Tool::Ls { path: input.text("path")? },
        "EnterWorktree" => {
            Tool::EnterWorktree { name: input.text("name"), path: input.text("path") }
        }
        "ExitWorktree" => Tool::ExitWorktree { action: input.text("action") },
        _ => return None,
    })
}

/// Parses calls about tasks, agents and background work.
fn of_tasks<'a>(name: &str, input: &RawObject<'a>) -> Option<Tool<'a>> {
    Some(match name {
        "Agent" | "Task" => agent(input)?,
        "TodoWrite" => Tool::TodoWrite { todos: todo_list(input.get("todos"))? },
        "TaskCreate" => Tool::TaskCreate {
            subject: input.text("subject")?,
            description: input.text("description"),
        },
        "TaskUpdate" => Tool::TaskUpdate {
            id: input.text("taskId")?,
            status: input.text("status"),
            subject: input.text("subject"),
        },
        "TaskGet" => Tool::TaskGet { id: input.text("taskId")? },
        "TaskList" => Tool::TaskList,
        "TaskStop" | "KillShell" | "KillBash" => {
            Tool::TaskStop { id: input.text_of(["task_id", "shell_id"])? }
        }
        "TaskOutput" | "BashOutput" | "AgentOutputTool" => {
            Tool::TaskOutput { id: input.text_of(["task_id", "bash_id", "agentId"])? }
        }
        "Workflow" => workflow(input)?,
        "Monitor" => monitor(input)?,
        _ => return None,
    })
}

/// Parses all other calls.
fn of_others<'a>(name: &str, input: &RawObject<'a>) -> Option<Tool<'a>> {
    Some(match name {
        "WebFetch" => Tool::WebFetch { url: input.text("url")?, prompt: input.text("prompt") },
        "WebSearch" => Tool::WebSearch { query: input.text("query")? },
        "AskUserQuestion" => {
            let questions = input.get("questions").array()?.into_iter();
            Tool::AskUserQuestion { questions: questions.filter_map(question).collect() }
        }
        "ExitPlanMode" | "exit_plan_mode" => Tool::ExitPlanMode { plan: input.text("plan") },
        "EnterPlanMode" => Tool::EnterPlanMode,
        "Skill" | "SlashCommand" => {
            Tool::Skill { name: input.text_of(["skill", "command"])?, args: input.text("args") }
        }
        // Early versions of teams wrote `recipient` and `content`.
        "SendMessage" => Tool::SendMessage {
            to: input.text_of(["to", "recipient"])?,
            summary: input.text("summary"),
            message: input.text_of(["message", "content"]),
        },
        "ToolSearch" => Tool::ToolSearch { query: input.text("query")? },
        _ => return None,
    })
}

pub(super) fn change<'a>(edit: &RawObject<'a>) -> Replacement<'a> {
    Replacement {
        old: edit.text("old_string").unwrap_or_default(),
        new: edit.text("new_string").unwrap_or_default(),
        replace_all: edit.flag("replace_all"),
    }
}

fn agent<'a>(input: &RawObject<'a>) -> Option<Tool<'a>> {
    let (description, prompt) = (input.text("description"), input.text("prompt"));
    if description.is_none() && prompt.is_none() {
        return None;
    }
    Some(Tool::Agent {
        description: description.unwrap_or_default(),
        prompt: prompt.unwrap_or_default(),
        kind: input.text("subagent_type"),
    })
}

/// Reads a to-do list; items without content are left out.
pub(super) fn todo_list(value: RawField<'_>) -> Option<Vec<Todo<'_>>> {
    let items = value.array()?.into_iter().map(RawField::object);
    let todos = items.filter_map(|item| {
        Some(Todo {
            content: item.text("content")?,
            status: item
                .text("status")
                .and_then(|name| TodoStatus::from_name(&name))
                .unwrap_or(TodoStatus::Other),
            active_form: item.text("activeForm"),
        })
    });
    Some(todos.collect())
}

pub(super) fn question(value: RawField<'_>) -> Option<UserQuestion<'_>> {
    let asked = value.object();
    let options = asked.objects("options").into_iter().filter_map(|option| {
        Some(Choice {
            label: option.text("label")?,
            description: option.text("description"),
            preview: option.text("preview"),
        })
    });
    Some(UserQuestion {
        question: asked.text("question")?,
        header: asked.text("header"),
        options: options.collect(),
        multiple: asked.flag("multiSelect"),
    })
}

fn workflow<'a>(input: &RawObject<'a>) -> Option<Tool<'a>> {
    let title = input.text_of(["title", "name", "description"]);
    let [script, script_path, resumes] =
        ["script", "scriptPath", "resumeFromRunId"].map(|name| input.text(name));
    let known = [&title, &script, &script_path, &resumes].into_iter().any(Option::is_some);
    known.then_some(Tool::Workflow { title, script, script_path, resumes })
}

fn monitor<'a>(input: &RawObject<'a>) -> Option<Tool<'a>> {
    let (description, command) = (input.text("description"), input.text("command"));
    let known = description.is_some() || command.is_some();
    known.then_some(Tool::Monitor { description, command })
}
