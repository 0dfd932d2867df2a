//! The types of calls, with the parts of their inputs that are shown.

use super::LogText;
use crate::names;

/// A call, by the tool and its input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tool<'a> {
    /// Runs a command in a shell (`Bash`, `PowerShell`).
    Bash {
        /// The command, of any number of lines.
        command: LogText<'a>,
    },
    /// Reads a file (`Read`, `NotebookRead`).
    Read {
        /// The file.
        path: LogText<'a>,
        /// The first line, counted from one.
        offset: Option<u64>,
        /// The number of lines.
        limit: Option<u64>,
        /// Pages of a PDF, such as `3-5`.
        pages: Option<LogText<'a>>,
    },
    /// Replaces a text in a file.
    Edit {
        /// The file.
        path: LogText<'a>,
        /// The text to replace.
        old: LogText<'a>,
        /// The replacement.
        new: LogText<'a>,
    },
    /// Replaces several texts in a file, one after the other.
    MultiEdit {
        /// The file.
        path: LogText<'a>,
        /// The replacements, in order.
        edits: Vec<Replacement<'a>>,
    },
    /// Writes a whole file.
    Write {
        /// The file.
        path: LogText<'a>,
        /// The content of the file after the call.
        content: LogText<'a>,
    },
    /// Changes a cell of a notebook.
    NotebookEdit {
        /// The notebook.
        path: LogText<'a>,
        /// The cell, or the one to insert after.
        cell: Option<LogText<'a>>,
        /// The cell's new source.
        source: LogText<'a>,
        /// `replace`, `insert` or `delete`.
        mode: Option<LogText<'a>>,
    },
    /// Finds files by name.
    Glob {
        /// The pattern.
        pattern: LogText<'a>,
        /// The folder to search.
        path: Option<LogText<'a>>,
    },
    /// Finds lines by content.
    Grep {
        /// The regular expression.
        pattern: LogText<'a>,
        /// The file or folder to search.
        path: Option<LogText<'a>>,
        /// The names of the files to search, or else their type.
        glob: Option<LogText<'a>>,
    },
    /// Lists a folder (`LS`, before 2.0).
    Ls {
        /// The folder.
        path: LogText<'a>,
    },
    /// Starts a subagent (`Agent`, earlier `Task`).
    Agent {
        /// A short description for people.
        description: LogText<'a>,
        /// The prompt of the agent.
        prompt: LogText<'a>,
        /// The `subagent_type`.
        kind: Option<LogText<'a>>,
    },
    /// Replaces the to-do list.
    TodoWrite {
        /// The new list.
        todos: Vec<Todo<'a>>,
    },
    /// Adds a task to the task list.
    TaskCreate {
        /// The title.
        subject: LogText<'a>,
        /// The work to be done.
        description: Option<LogText<'a>>,
    },
    /// Changes a task of the task list.
    TaskUpdate {
        /// The task.
        id: LogText<'a>,
        /// The new status.
        status: Option<LogText<'a>>,
        /// The new title.
        subject: Option<LogText<'a>>,
    },
    /// Looks up a task of the task list.
    TaskGet {
        /// The task.
        id: LogText<'a>,
    },
    /// Lists all tasks of the task list.
    TaskList,
    /// Stops a background task (`TaskStop`, earlier `KillShell` and `KillBash`).
    TaskStop {
        /// The background task or shell.
        id: LogText<'a>,
    },
    /// Reads the output of a background task (`TaskOutput`, earlier `BashOutput` and `AgentOutputTool`).
    TaskOutput {
        /// The background task, shell or agent.
        id: LogText<'a>,
    },
    /// Fetches a page and asks a question about it.
    WebFetch {
        /// The page.
        url: LogText<'a>,
        /// The question.
        prompt: Option<LogText<'a>>,
    },
    /// Searches the web.
    WebSearch {
        /// The query.
        query: LogText<'a>,
    },
    /// Asks the user.
    AskUserQuestion {
        /// The questions.
        questions: Vec<UserQuestion<'a>>,
    },
    /// Presents a plan.
    ExitPlanMode {
        /// The plan; newer versions keep it in a file.
        plan: Option<LogText<'a>>,
    },
    /// Enters plan mode.
    EnterPlanMode,
    /// Runs a skill or a command (`Skill`, earlier `SlashCommand`).
    Skill {
        /// The name.
        name: LogText<'a>,
        /// The arguments.
        args: Option<LogText<'a>>,
    },
    /// Starts a workflow of agents.
    Workflow {
        /// The title, or else the name or the description.
        title: Option<LogText<'a>>,
        /// The orchestrating script.
        script: Option<LogText<'a>>,
        /// The file with the script.
        script_path: Option<LogText<'a>>,
        /// The run that it resumes.
        resumes: Option<LogText<'a>>,
    },
    /// Sends a message to an agent or a teammate.
    SendMessage {
        /// The recipient.
        to: LogText<'a>,
        /// A short summary for people.
        summary: Option<LogText<'a>>,
        /// The message.
        message: Option<LogText<'a>>,
    },
    /// Searches for tools that are not loaded.
    ToolSearch {
        /// The query.
        query: LogText<'a>,
    },
    /// Watches the output of a command.
    Monitor {
        /// A description for people.
        description: Option<LogText<'a>>,
        /// The command.
        command: Option<LogText<'a>>,
    },
    /// Enters a worktree.
    EnterWorktree {
        /// The name of a new worktree.
        name: Option<LogText<'a>>,
        /// The path of an existing worktree.
        path: Option<LogText<'a>>,
    },
    /// Leaves a worktree.
    ExitWorktree {
        /// `keep` or `remove`.
        action: Option<LogText<'a>>,
    },
    /// Calls a tool of an MCP server, named `mcp__server__tool`.
    Mcp {
        /// The server.
        server: &'a str,
        /// The server's own name of the tool.
        tool: &'a str,
        /// The input as it is in the log.
        input: &'a [u8],
    },
    /// A call of an unknown tool, or with an input that does not fit the tool; with the raw input.
    Other(&'a [u8]),
}

impl<'a> Tool<'a> {
    /// Returns the file or folder that the call is about, so that a caller can change its spelling.
    pub fn path_mut(&mut self) -> Option<&mut LogText<'a>> {
        match self {
            Self::Read { path, .. }
            | Self::Edit { path, .. }
            | Self::MultiEdit { path, .. }
            | Self::Write { path, .. }
            | Self::NotebookEdit { path, .. }
            | Self::Ls { path } => Some(path),
            Self::Glob { path, .. }
            | Self::Grep { path, .. }
            | Self::EnterWorktree { path, .. }
            | Self::Workflow { script_path: path, .. } => path.as_mut(),
            _ => None,
        }
    }

    /// Returns the file that the call changes, if it changes one.
    pub fn changes(&self) -> Option<&str> {
        match self {
            Self::Edit { path, .. }
            | Self::MultiEdit { path, .. }
            | Self::Write { path, .. }
            | Self::NotebookEdit { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// One of several replacements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement<'a> {
    /// The text to replace.
    pub old: LogText<'a>,
    /// The replacement.
    pub new: LogText<'a>,
    /// Set if every occurrence is replaced.
    pub replace_all: bool,
}

/// An item of a to-do list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Todo<'a> {
    /// What is to be done.
    pub content: LogText<'a>,
    /// The status.
    pub status: TodoStatus,
    /// The wording while the item is in progress.
    pub active_form: Option<LogText<'a>>,
}

names! {
    /// The status of a to-do item.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TodoStatus {
        /// Not begun.
        Pending = "pending",
        /// In progress.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// A status that no known version writes.
        Other = "other",
    }
}

/// A question to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserQuestion<'a> {
    /// The question.
    pub question: LogText<'a>,
    /// A label of one or two words.
    pub header: Option<LogText<'a>>,
    /// The offered answers.
    pub options: Vec<Choice<'a>>,
    /// Set if several answers may be chosen.
    pub multiple: bool,
}

/// An offered answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice<'a> {
    /// The answer.
    pub label: LogText<'a>,
    /// The meaning of the answer.
    pub description: Option<LogText<'a>>,
    /// A preview of the answer's effect.
    pub preview: Option<LogText<'a>>,
}

/// Converts a text to one that borrows nothing.
fn owned(text: LogText<'_>) -> LogText<'static> {
    LogText::Owned(text.into_owned())
}

impl Replacement<'_> {
    /// Converts the replacement to one that borrows nothing.
    pub fn into_owned(self) -> Replacement<'static> {
        Replacement { old: owned(self.old), new: owned(self.new), replace_all: self.replace_all }
    }
}

impl UserQuestion<'_> {
    /// Converts the question to one that borrows nothing.
    pub fn into_owned(self) -> UserQuestion<'static> {
        let choice = |choice: Choice<'_>| Choice {
            label: owned(choice.label),
            description: choice.description.map(owned),
            preview: choice.preview.map(owned),
        };
        UserQuestion {
            question: owned(self.question),
            header: self.header.map(owned),
            options: self.options.into_iter().map(choice).collect(),
            multiple: self.multiple,
        }
    }
}
