//! The types of results: what each tool says in addition to its text, as far as it is shown or
//! counted.

use super::LogText;
use super::call::Todo;
use super::free::QuestionAnswer;
use crate::names;

/// What a result says in addition to its text (`toolUseResult`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolOutcome<'a> {
    /// A command has run, or was put into the background.
    Shell(Shell<'a>),
    /// A file was changed or made.
    Patch(Patch<'a>),
    /// A file was read.
    File(FileRead),
    /// Files or lines were searched for.
    Search(SearchCounts),
    /// A subagent has run, or was started.
    Agent(AgentRun),
    /// The list of things to do was replaced by this one.
    Todos(Vec<Todo<'a>>),
    /// Tasks of the task list, by number: the new one, the one looked up (none if it is unknown),
    /// or all.
    Tasks(Vec<LogText<'a>>),
    /// A task of the task list was changed.
    TaskChange(TaskChange<'a>),
    /// Something in the background was looked at.
    Running(RunningTask<'a>),
    /// Something was started in the background: a workflow, a monitor.
    Launched,
    /// A page was fetched.
    Web(FetchedPage),
    /// The web was searched, and this was found.
    WebSearch(Vec<WebResult<'a>>),
    /// The user has answered.
    Question(Vec<QuestionAnswer<'a>>),
    /// A plan was presented.
    Plan {
        /// Whether the user changed it before agreeing.
        edited: bool,
    },
    /// A cell of a notebook was changed.
    Notebook(NotebookEdit<'a>),
    /// So many tools were found.
    Tools(u64),
    /// A worktree was entered or left.
    Worktree {
        /// Its branch.
        branch: Option<LogText<'a>>,
    },
    /// A remark, or a skill that was loaded or has run.
    Reply {
        /// Whether that worked, if the result says so.
        success: Option<bool>,
    },
    /// The call stepped aside and its result comes later.
    Detached,
    /// A plain text, most of the time an error.
    Text(LogText<'a>),
    /// Anything else.
    Other,
}

/// What a command returned.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shell<'a> {
    /// How many lines it wrote, those to the error stream included.
    pub lines: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// What its exit code means, where that is not failure (`returnCodeInterpretation`).
    pub return_code_note: Option<LogText<'a>>,
    /// Whether it goes on in the background.
    pub background: bool,
    /// Whether the output is an image.
    pub image: bool,
    /// The size in bytes of the file that contains all of a long output.
    pub persisted_size: Option<u64>,
    /// The files that it changed, as far as recent versions notice (`bashEditDiff`); none where
    /// the change may be another agent's.
    pub patches: Vec<Patch<'a>>,
}

/// How a file was changed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Patch<'a> {
    /// The file.
    pub path: LogText<'a>,
    /// The changed places; none for a new file, or when the file is too large to compare.
    pub hunks: Vec<PatchHunk<'a>>,
    /// Whether the file is new.
    pub created: bool,
    /// Whether the file is gone.
    pub deleted: bool,
    /// Whether the user changed the edit before agreeing.
    pub user_modified: bool,
    /// All of the file, if it is new.
    pub content: Option<LogText<'a>>,
}

/// A changed place of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PatchHunk<'a> {
    /// The first line before the change.
    pub old_start: u64,
    /// How many lines it had.
    pub old_lines: u64,
    /// The first line after the change.
    pub new_start: u64,
    /// How many lines it has.
    pub new_lines: u64,
    /// The lines, each after a space, a plus or a minus; remarks after a backslash.
    pub lines: Vec<LogText<'a>>,
}

/// What was read of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileRead {
    /// What was made of it.
    pub kind: FileKind,
    /// How many lines were read.
    pub lines: Option<u64>,
    /// How many lines the file has.
    pub total_lines: Option<u64>,
    /// How many cells a notebook or pages a split PDF has.
    pub parts: Option<u64>,
    /// The size in bytes of an image or a PDF.
    pub bytes: Option<u64>,
}

names! {
    /// What a file was read as.
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
        /// Nothing, since it was read before and has not changed.
        Unchanged = "file_unchanged",
        /// Something that no known version writes.
        Other = "other",
    }
}

/// How much a search found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SearchCounts {
    /// Files that are named.
    pub files: Option<u64>,
    /// Lines that are shown.
    pub lines: Option<u64>,
    /// Matches that were counted.
    pub matches: Option<u64>,
    /// All that there is of what was asked for, where only a part is given.
    pub total: Option<u64>,
    /// Whether only a part is given.
    pub truncated: bool,
}

/// What a subagent did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentRun {
    /// How far it is.
    pub status: AgentStatus,
    /// How many calls it made.
    pub tool_uses: Option<u64>,
    /// How many tokens its context had in the end.
    pub tokens: Option<u64>,
}

/// How far a subagent is when the call returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AgentStatus {
    /// It is done.
    Completed,
    /// It runs in the background.
    InBackground,
    /// It runs on another machine.
    Remote,
    /// Something that is not known here.
    Other,
}

/// A change of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskChange<'a> {
    /// Whether it was changed, if the result says so.
    pub success: Option<bool>,
    /// Its new status, if that changed.
    pub status: Option<LogText<'a>>,
}

/// Something that runs or ran in the background.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RunningTask<'a> {
    /// How far it is: `running`, `completed`, `failed`, `killed` …
    pub status: Option<LogText<'a>>,
    /// How it ended.
    pub exit_code: Option<i64>,
}

/// A fetched page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FetchedPage {
    /// The status code.
    pub code: Option<u64>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
}

/// One result of a web search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebResult<'a> {
    /// The title.
    pub title: LogText<'a>,
    /// The page.
    pub url: LogText<'a>,
}

/// How a notebook was changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotebookEdit<'a> {
    /// The notebook.
    pub path: LogText<'a>,
    /// `replace`, `insert` or `delete`.
    pub mode: Option<LogText<'a>>,
    /// The cell's source before; older versions do not say.
    pub old_source: Option<LogText<'a>>,
    /// The cell's source after.
    pub source: LogText<'a>,
    /// Why it did not work.
    pub error: Option<LogText<'a>>,
}
