//! The types of calls: what each tool is asked for.

use super::Text;

/// What a call asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tool<'a> {
    /// Runs a command in a shell (`Bash`, `PowerShell`).
    Bash {
        /// The command, any number of lines.
        command: Text<'a>,
        /// What the model says the command does.
        description: Option<Text<'a>>,
        /// Whether the call returns before the command ends.
        background: bool,
    },
    /// Reads a file (`Read`, `NotebookRead`).
    Read {
        /// The file.
        path: Text<'a>,
        /// The first line, counted from one.
        offset: Option<u64>,
        /// How many lines.
        limit: Option<u64>,
        /// Pages of a PDF, such as `3-5`.
        pages: Option<Text<'a>>,
    },
    /// Replaces a text in a file.
    Edit {
        /// The file.
        path: Text<'a>,
        /// The text to replace.
        old: Text<'a>,
        /// The text to put there.
        new: Text<'a>,
        /// Whether every occurrence is replaced.
        replace_all: bool,
    },
    /// Replaces several texts in a file, one after the other.
    MultiEdit {
        /// The file.
        path: Text<'a>,
        /// The replacements in their order.
        edits: Vec<Change<'a>>,
    },
    /// Writes a whole file.
    Write {
        /// The file.
        path: Text<'a>,
        /// All that stands in it afterwards.
        content: Text<'a>,
    },
    /// Changes a cell of a notebook.
    NotebookEdit {
        /// The notebook.
        path: Text<'a>,
        /// The cell, or the one to insert after.
        cell: Option<Text<'a>>,
        /// The cell's new source.
        source: Text<'a>,
        /// `replace`, `insert` or `delete`.
        mode: Option<Text<'a>>,
    },
    /// Finds files by name.
    Glob {
        /// The pattern.
        pattern: Text<'a>,
        /// Where to look.
        path: Option<Text<'a>>,
    },
    /// Finds lines by content.
    Grep {
        /// The regular expression.
        pattern: Text<'a>,
        /// Where to look.
        path: Option<Text<'a>>,
        /// Which files, by name, or else by type.
        glob: Option<Text<'a>>,
        /// `content`, `files_with_matches` or `count`.
        mode: Option<Text<'a>>,
    },
    /// Lists a folder (`LS`, before 2.0).
    Ls {
        /// The folder.
        path: Text<'a>,
    },
    /// Starts a subagent (`Agent`, earlier `Task`).
    Agent {
        /// A few words for people.
        description: Text<'a>,
        /// What the agent is told.
        prompt: Text<'a>,
        /// The `subagent_type`.
        kind: Option<Text<'a>>,
        /// Whether the call returns before the agent ends.
        background: bool,
    },
    /// Replaces the list of things to do.
    TodoWrite {
        /// The new list.
        todos: Vec<Todo<'a>>,
    },
    /// Adds a task to the task list.
    TaskCreate {
        /// Its title.
        subject: Text<'a>,
        /// What is to be done.
        description: Option<Text<'a>>,
        /// Its title while it is being done.
        active_form: Option<Text<'a>>,
    },
    /// Changes a task of the task list.
    TaskUpdate {
        /// The task.
        id: Text<'a>,
        /// Its new status.
        status: Option<Text<'a>>,
        /// Its new title.
        subject: Option<Text<'a>>,
    },
    /// Looks up a task of the task list.
    TaskGet {
        /// The task.
        id: Text<'a>,
    },
    /// Lists the task list.
    TaskList,
    /// Ends something in the background (`TaskStop`, earlier `KillShell` and `KillBash`).
    TaskStop {
        /// The background task or shell.
        id: Text<'a>,
    },
    /// Reads what something in the background has written (`TaskOutput`, earlier
    /// `BashOutput` and `AgentOutputTool`).
    TaskOutput {
        /// The background task, shell or agent.
        id: Text<'a>,
        /// Whether the call waits for the end.
        wait: bool,
    },
    /// Fetches a page and asks something about it.
    WebFetch {
        /// The page.
        url: Text<'a>,
        /// What is asked.
        prompt: Option<Text<'a>>,
    },
    /// Searches the web.
    WebSearch {
        /// The query.
        query: Text<'a>,
    },
    /// Asks the user.
    AskUserQuestion {
        /// The questions.
        questions: Vec<Question<'a>>,
    },
    /// Presents a plan.
    ExitPlanMode {
        /// The plan; newer versions keep it in a file instead.
        plan: Option<Text<'a>>,
    },
    /// Begins to plan.
    EnterPlanMode,
    /// Runs a skill or a command (`Skill`, earlier `SlashCommand`).
    Skill {
        /// Its name.
        name: Text<'a>,
        /// What it is given.
        args: Option<Text<'a>>,
    },
    /// Starts a workflow of agents.
    Workflow {
        /// Its title, name or description, whichever there is first.
        title: Option<Text<'a>>,
        /// The orchestrating script.
        script: Option<Text<'a>>,
        /// The file with the script.
        script_path: Option<Text<'a>>,
        /// The run that goes on.
        resumes: Option<Text<'a>>,
    },
    /// Sends a message to an agent or a teammate.
    SendMessage {
        /// Who gets it.
        to: Text<'a>,
        /// A few words for people.
        summary: Option<Text<'a>>,
        /// The message.
        message: Option<Text<'a>>,
    },
    /// Looks for tools that are not loaded.
    ToolSearch {
        /// The query.
        query: Text<'a>,
    },
    /// Watches the output of a command.
    Monitor {
        /// What is watched, for people.
        description: Option<Text<'a>>,
        /// The command.
        command: Option<Text<'a>>,
    },
    /// Goes into a worktree.
    EnterWorktree {
        /// The name of a new one.
        name: Option<Text<'a>>,
        /// The path of an existing one.
        path: Option<Text<'a>>,
    },
    /// Leaves a worktree.
    ExitWorktree {
        /// `keep` or `remove`.
        action: Option<Text<'a>>,
    },
    /// Calls a tool of an MCP server, named `mcp__server__tool`.
    Mcp {
        /// The server.
        server: &'a str,
        /// The server's own name of the tool.
        tool: &'a str,
        /// The input as it stands in the log.
        input: &'a [u8],
    },
    /// Is a call of an unknown tool, or not what the tool takes; with the input as it
    /// stands in the log.
    Other(&'a [u8]),
}

impl<'a> Tool<'a> {
    /// Returns the file or folder that the call is about, to be written in another way.
    pub fn path_mut(&mut self) -> Option<&mut Text<'a>> {
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
            | Self::Workflow {
                script_path: path, ..
            } => path.as_mut(),
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
pub struct Change<'a> {
    /// The text to replace.
    pub old: Text<'a>,
    /// The text to put there.
    pub new: Text<'a>,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
}

/// One thing to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Todo<'a> {
    /// What is to be done.
    pub content: Text<'a>,
    /// How far it is.
    pub status: TodoStatus,
    /// What it is called while it is being done.
    pub active_form: Option<Text<'a>>,
}

/// How far a thing to do is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
    /// Something that no known version writes.
    Other,
}

impl TodoStatus {
    /// Reads a status as logs spell it.
    pub fn from_name(name: &str) -> Self {
        match name {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            _ => Self::Other,
        }
    }
}

/// One question to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question<'a> {
    /// The question.
    pub question: Text<'a>,
    /// A word or two that stand for it.
    pub header: Option<Text<'a>>,
    /// The answers to choose from.
    pub options: Vec<Choice<'a>>,
    /// Whether several may be chosen.
    pub multiple: bool,
}

/// One answer to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice<'a> {
    /// The answer.
    pub label: Text<'a>,
    /// What it means.
    pub description: Option<Text<'a>>,
}
