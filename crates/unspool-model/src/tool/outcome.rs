//! The types of results: the data of each tool in addition to its text, as far as it is shown or counted.

use super::LogText;
use super::answers::QuestionAnswer;
use super::call::Todo;
use crate::names;

/// The data of a result in addition to its text (`toolUseResult`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolOutcome<'a> {
    /// A command ran, or was put into the background.
    Shell(Shell<'a>),
    /// A file was changed or created.
    Patch(Patch<'a>),
    /// A file was read.
    File(FileRead),
    /// Files or lines were searched for.
    Search(SearchCounts),
    /// A subagent ran, or was started.
    Agent(AgentRun),
    /// The to-do list was replaced with this one.
    Todos(Vec<Todo<'a>>),
    /// Tasks of the task list, by number: the new one, the requested one (none if it is unknown), or all.
    Tasks(Vec<LogText<'a>>),
    /// A task of the task list was changed.
    TaskChange(TaskChange<'a>),
    /// A background task was queried.
    Running(RunningTask<'a>),
    /// A workflow or a monitor was started in the background.
    Launched,
    /// A page was fetched.
    Web(FetchedPage),
    /// The web was searched, with these results.
    WebSearch(Vec<WebResult<'a>>),
    /// The user answered questions.
    Question(Vec<QuestionAnswer<'a>>),
    /// A plan was presented.
    Plan {
        /// Set if the user changed the plan before agreeing.
        edited: bool,
    },
    /// A cell of a notebook was changed.
    Notebook(NotebookEdit<'a>),
    /// This many tools were found.
    Tools(u64),
    /// A worktree was entered or left.
    Worktree {
        /// The branch of the worktree.
        branch: Option<LogText<'a>>,
    },
    /// A short reply, or a skill that was loaded or ran.
    Reply {
        /// Whether the call succeeded, if the result states it.
        success: Option<bool>,
    },
    /// The call was detached; its result comes later.
    Detached,
    /// A plain text, usually an error.
    Text(LogText<'a>),
    /// Anything else.
    Other,
}

/// The result of a command.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shell<'a> {
    /// Number of lines of output, including the error stream.
    pub lines: u64,
    /// Set if the command was interrupted.
    pub interrupted: bool,
    /// The meaning of an exit code that is not a failure (`returnCodeInterpretation`).
    pub return_code_note: Option<LogText<'a>>,
    /// Set if the command continues in the background.
    pub background: bool,
    /// Set if the output is an image.
    pub image: bool,
    /// The size in bytes of the file with all of a long output.
    pub persisted_size: Option<u64>,
    /// Files that the command changed, as far as recent versions detect them (`bashEditDiff`);
    /// empty if the change may be another agent's.
    pub patches: Vec<Patch<'a>>,
}

/// A change of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Patch<'a> {
    /// The file.
    pub path: LogText<'a>,
    /// The changed places; empty for a new file, or if the file is too large to compare.
    pub hunks: Vec<PatchHunk<'a>>,
    /// Set if the file is new.
    pub created: bool,
    /// Set if the file was deleted.
    pub deleted: bool,
    /// Set if the user changed the edit before agreeing.
    pub user_modified: bool,
    /// The content of the file, if it is new.
    pub content: Option<LogText<'a>>,
}

/// A changed place of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PatchHunk<'a> {
    /// The number of the first line, before the change.
    pub old_start: u64,
    /// Number of lines before the change.
    pub old_lines: u64,
    /// The number of the first line, after the change.
    pub new_start: u64,
    /// Number of lines after the change.
    pub new_lines: u64,
    /// The lines, each after a space, a plus or a minus; remarks after a backslash.
    pub lines: Vec<LogText<'a>>,
}

/// The result of reading a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileRead {
    /// The form in which the file was read.
    pub kind: FileKind,
    /// Number of lines that were read.
    pub lines: Option<u64>,
    /// Number of lines of the file.
    pub total_lines: Option<u64>,
    /// Number of cells of a notebook, or of pages of a split PDF.
    pub parts: Option<u64>,
    /// The size in bytes of an image or a PDF.
    pub bytes: Option<u64>,
}

names! {
    /// The form in which a file was read.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum FileKind {
        /// Lines of text.
        Text = "text",
        /// An image.
        Image = "image",
        /// A notebook.
        Notebook = "notebook",
        /// A PDF as a whole.
        Pdf = "pdf",
        /// A PDF as one image for each page.
        Parts = "parts",
        /// Nothing, because the file was read before and has not changed.
        Unchanged = "file_unchanged",
        /// A form that no known version writes.
        Other = "other",
    }
}

/// The counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SearchCounts {
    /// Number of named files.
    pub files: Option<u64>,
    /// Number of shown lines.
    pub lines: Option<u64>,
    /// Number of matches.
    pub matches: Option<u64>,
    /// The total of what was searched for, if only a part is returned.
    pub total: Option<u64>,
    /// Set if only a part is returned.
    pub truncated: bool,
}

/// A run of a subagent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentRun {
    /// The status.
    pub status: AgentStatus,
    /// Number of calls.
    pub tool_uses: Option<u64>,
    /// Number of tokens of the context at the end.
    pub tokens: Option<u64>,
}

/// The status of a subagent when its call returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AgentStatus {
    /// The agent is done.
    Completed,
    /// The agent runs in the background.
    InBackground,
    /// The agent runs on another machine.
    Remote,
    /// An unknown status.
    Other,
}

/// A change of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskChange<'a> {
    /// Whether the task was changed, if the result states it.
    pub success: Option<bool>,
    /// The new status, if it changed.
    pub status: Option<LogText<'a>>,
}

/// A background task.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RunningTask<'a> {
    /// The status: `running`, `completed`, `failed`, `killed` …
    pub status: Option<LogText<'a>>,
    /// The exit code.
    pub exit_code: Option<i64>,
}

/// A fetched page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FetchedPage {
    /// The status code.
    pub code: Option<u64>,
    /// The size in bytes.
    pub bytes: Option<u64>,
}

/// One result of a web search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebResult<'a> {
    /// The title.
    pub title: LogText<'a>,
    /// The address.
    pub url: LogText<'a>,
}

/// A change of a notebook.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotebookEdit<'a> {
    /// The notebook.
    pub path: LogText<'a>,
    /// `replace`, `insert` or `delete`.
    pub mode: Option<LogText<'a>>,
    /// The source of the cell before the change; older versions do not state it.
    pub old_source: Option<LogText<'a>>,
    /// The source of the cell after the change.
    pub source: LogText<'a>,
    /// Why the change failed.
    pub error: Option<LogText<'a>>,
}
