//! The types of calls: what each tool is asked for, as far as it is shown.

use super::LogText;
use crate::names;

/// What a call asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tool<'a> {
    /// Runs a command in a shell (`Bash`, `PowerShell`).
    Bash {
        /// The command, any number of lines.
        command: LogText<'a>,
    },
    /// Reads a file (`Read`, `NotebookRead`).
    Read {
        /// The file.
        path: LogText<'a>,
        /// The first line, counted from one.
        offset: Option<u64>,
        /// How many lines.
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
        /// The text to put there.
        new: LogText<'a>,
    },
    /// Replaces several texts in a file, one after the other.
    MultiEdit {
        /// The file.
        path: LogText<'a>,
        /// The replacements in their order.
        edits: Vec<Replacement<'a>>,
    },
    /// Writes a whole file.
    Write {
        /// The file.
        path: LogText<'a>,
        /// All that is in it afterwards.
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
        /// Where to look.
        path: Option<LogText<'a>>,
    },
    /// Finds lines by content.
    Grep {
        /// The regular expression.
        pattern: LogText<'a>,
        /// Where to look.
        path: Option<LogText<'a>>,
        /// Which files, by name, or else by type.
        glob: Option<LogText<'a>>,
    },
    /// Lists a folder (`LS`, before 2.0).
    Ls {
        /// The folder.
        path: LogText<'a>,
    },
    /// Starts a subagent (`Agent`, earlier `Task`).
    Agent {
        /// A few words for people.
        description: LogText<'a>,
        /// What the agent is told.
        prompt: LogText<'a>,
        /// The `subagent_type`.
        kind: Option<LogText<'a>>,
    },
    /// Replaces the list of things to do.
    TodoWrite {
        /// The new list.
        todos: Vec<Todo<'a>>,
    },
    /// Adds a task to the task list.
    TaskCreate {
        /// Its title.
        subject: LogText<'a>,
        /// What is to be done.
        description: Option<LogText<'a>>,
    },
    /// Changes a task of the task list.
    TaskUpdate {
        /// The task.
        id: LogText<'a>,
        /// Its new status.
        status: Option<LogText<'a>>,
        /// Its new title.
        subject: Option<LogText<'a>>,
    },
    /// Looks up a task of the task list.
    TaskGet {
        /// The task.
        id: LogText<'a>,
    },
    /// Lists the task list.
    TaskList,
    /// Ends something in the background (`TaskStop`, earlier `KillShell` and `KillBash`).
    TaskStop {
        /// The background task or shell.
        id: LogText<'a>,
    },
    /// Reads what something in the background has written (`TaskOutput`, earlier
    /// `BashOutput` and `AgentOutputTool`).
    TaskOutput {
        /// The background task, shell or agent.
        id: LogText<'a>,
    },
    /// Fetches a page and asks something about it.
    WebFetch {
        /// The page.
        url: LogText<'a>,
        /// What is asked.
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
        /// The plan; newer versions keep it in a file instead.
        plan: Option<LogText<'a>>,
    },
    /// Begins to plan.
    EnterPlanMode,
    /// Runs a skill or a command (`Skill`, earlier `SlashCommand`).
    Skill {
        /// Its name.
        name: LogText<'a>,
        /// What it is given.
        args: Option<LogText<'a>>,
    },
    /// Starts a workflow of agents.
    Workflow {
        /// Its title, name or description, whichever there is first.
        title: Option<LogText<'a>>,
        /// The orchestrating script.
        script: Option<LogText<'a>>,
        /// The file with the script.
        script_path: Option<LogText<'a>>,
        /// The run that goes on.
        resumes: Option<LogText<'a>>,
    },
    /// Sends a message to an agent or a teammate.
    SendMessage {
        /// Who gets it.
        to: LogText<'a>,
        /// A few words for people.
        summary: Option<LogText<'a>>,
        /// The message.
        message: Option<LogText<'a>>,
    },
    /// Looks for tools that are not loaded.
    ToolSearch {
        /// The query.
        query: LogText<'a>,
    },
    /// Watches the output of a command.
    Monitor {
        /// What is watched, for people.
        description: Option<LogText<'a>>,
        /// The command.
        command: Option<LogText<'a>>,
    },
    /// Goes into a worktree.
    EnterWorktree {
        /// The name of a new one.
        name: Option<LogText<'a>>,
        /// The path of an existing one.
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
    /// Is a call of an unknown tool, or not what the tool takes; with the input as it
    /// is in the log.
    Other(&'a [u8]),
}

impl<'a> Tool<'a> {
    /// Returns the file or folder that the call is about, to be written in another way.
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

/// One replacement of several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement<'a> {
    /// The text to replace.
    pub old: LogText<'a>,
    /// The text to put there.
    pub new: LogText<'a>,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
}

/// One thing to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Todo<'a> {
    /// What is to be done.
    pub content: LogText<'a>,
    /// How far it is.
    pub status: TodoStatus,
    /// What it is called while it is being done.
    pub active_form: Option<LogText<'a>>,
}

names! {
    /// How far a thing to do is.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TodoStatus {
        /// Not begun.
        Pending = "pending",
        /// Being done.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// Something that no known version writes.
        Other = "other",
    }
}

/// One question to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserQuestion<'a> {
    /// The question.
    pub question: LogText<'a>,
    /// A word or two that represent it.
    pub header: Option<LogText<'a>>,
    /// The answers to choose from.
    pub options: Vec<Choice<'a>>,
    /// Whether several may be chosen.
    pub multiple: bool,
}

/// One answer to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice<'a> {
    /// The answer.
    pub label: LogText<'a>,
    /// What it means.
    pub description: Option<LogText<'a>>,
    /// What it would look like.
    pub preview: Option<LogText<'a>>,
}

/// Makes a text that borrows nothing.
fn owned(text: LogText<'_>) -> LogText<'static> {
    LogText::Owned(text.into_owned())
}

impl Replacement<'_> {
    /// Returns the same, borrowing nothing.
    pub fn into_owned(self) -> Replacement<'static> {
        Replacement { old: owned(self.old), new: owned(self.new), replace_all: self.replace_all }
    }
}

impl UserQuestion<'_> {
    /// Returns the same, borrowing nothing.
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
