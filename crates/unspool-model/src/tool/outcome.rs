//! The types of results: what each tool says in addition to its text.

use super::LogText;
use super::call::Todo;
use super::free::QuestionAnswer;

/// What a result says in addition to its text (`toolUseResult`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolOutcome<'a> {
    /// A command has run, or was put into the background.
    Shell(Shell<'a>),
    /// A file was changed or made.
    Patch(Patch<'a>),
    /// A file was read.
    File(FileRead<'a>),
    /// Files or lines were searched for.
    Search(SearchCounts),
    /// A subagent has run, or was started.
    Agent(AgentRun<'a>),
    /// The list of things to do was replaced.
    Todos {
        /// The list before.
        old: Vec<Todo<'a>>,
        /// The list after.
        new: Vec<Todo<'a>>,
    },
    /// Tasks of the task list: the new one, the one looked up (none if it is unknown), or all.
    Tasks(Vec<TaskItem<'a>>),
    /// A task of the task list was changed.
    TaskChange(TaskChange<'a>),
    /// Something in the background was looked at.
    Running(RunningTask<'a>),
    /// Something was started in the background: a workflow, a monitor.
    Launch(Launch<'a>),
    /// A page was fetched.
    Web(FetchedPage<'a>),
    /// The web was searched.
    WebSearch {
        /// The query.
        query: Option<LogText<'a>>,
        /// What was found.
        hits: Vec<WebResult<'a>>,
    },
    /// The user has answered.
    Question {
        /// The answers, with their questions.
        answers: Vec<QuestionAnswer<'a>>,
    },
    /// A plan was presented.
    Plan {
        /// The plan.
        text: Option<LogText<'a>>,
        /// The file that contains it.
        path: Option<LogText<'a>>,
        /// Whether the user changed it before agreeing.
        edited: bool,
    },
    /// A cell of a notebook was changed.
    Notebook(NotebookEdit<'a>),
    /// A skill was loaded or has run.
    Skill {
        /// Its name.
        name: LogText<'a>,
        /// Whether that worked, if the result says so.
        success: Option<bool>,
    },
    /// Tools were found, by name.
    Tools(Vec<LogText<'a>>),
    /// A worktree was entered or left.
    Worktree {
        /// Where it is.
        path: LogText<'a>,
        /// Its branch.
        branch: Option<LogText<'a>>,
        /// What was done with it on leaving: `keep` or `remove`.
        action: Option<LogText<'a>>,
    },
    /// A remark, and perhaps whether the call worked.
    Reply(Reply<'a>),
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
    /// What it wrote.
    pub stdout: LogText<'a>,
    /// What it wrote to the error stream.
    pub stderr: LogText<'a>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// What its exit code means, where that is not failure (`returnCodeInterpretation`).
    pub return_code_note: Option<LogText<'a>>,
    /// The task that it goes on as.
    pub background_task: Option<LogText<'a>>,
    /// Whether the output is an image.
    pub image: bool,
    /// The file that contains all of a long output, on the machine that wrote the log.
    pub persisted_path: Option<LogText<'a>>,
    /// That file's size in bytes.
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRead<'a> {
    /// The file; images do not say.
    pub path: Option<LogText<'a>>,
    /// What was made of it.
    pub kind: FileKind,
    /// How many lines were read.
    pub lines: Option<u64>,
    /// The first of them.
    pub start_line: Option<u64>,
    /// How many lines the file has.
    pub total_lines: Option<u64>,
    /// How many cells a notebook or pages a split PDF has.
    pub parts: Option<u64>,
    /// The size in bytes of an image or a PDF.
    pub bytes: Option<u64>,
}

/// What a file was read as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FileKind {
    /// Lines of text.
    Text,
    /// An image.
    Image,
    /// A notebook.
    Notebook,
    /// A PDF as a whole.
    Pdf,
    /// A PDF as one image for each page.
    Parts,
    /// Nothing, since it was read before and has not changed.
    Unchanged,
    /// Something that no known version writes.
    Other,
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentRun<'a> {
    /// The agent, or the remote task; versions before 2.0 do not say.
    pub id: Option<LogText<'a>>,
    /// The kind of agent.
    pub kind: Option<LogText<'a>>,
    /// How far it is.
    pub status: AgentStatus,
    /// How many calls it made.
    pub tool_uses: Option<u64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// How many tokens its context had in the end.
    pub tokens: Option<u64>,
    /// The file that gets its output, while it runs.
    pub output_file: Option<LogText<'a>>,
    /// The page of a remote session.
    pub url: Option<LogText<'a>>,
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

/// A task of the task list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskItem<'a> {
    /// Its number.
    pub id: LogText<'a>,
    /// Its title.
    pub subject: Option<LogText<'a>>,
    /// How far it is.
    pub status: Option<LogText<'a>>,
    /// Who does it.
    pub owner: Option<LogText<'a>>,
}

/// A change of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskChange<'a> {
    /// The task.
    pub id: LogText<'a>,
    /// Whether it was changed, if the result says so.
    pub success: Option<bool>,
    /// Its status before, if that changed.
    pub from: Option<LogText<'a>>,
    /// Its status after.
    pub to: Option<LogText<'a>>,
}

/// Something that runs or ran in the background.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RunningTask<'a> {
    /// The task or shell.
    pub id: Option<LogText<'a>>,
    /// How far it is: `running`, `completed`, `failed`, `killed` …
    pub status: Option<LogText<'a>>,
    /// How it ended.
    pub exit_code: Option<i64>,
    /// What it wrote.
    pub stdout: LogText<'a>,
    /// What it wrote to the error stream, where that is kept apart.
    pub stderr: LogText<'a>,
}

/// Something that was started in the background.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch<'a> {
    /// The background task.
    pub task: LogText<'a>,
    /// The run of a workflow.
    pub run: Option<LogText<'a>>,
    /// The name of a workflow.
    pub name: Option<LogText<'a>>,
    /// The script of a workflow.
    pub script_path: Option<LogText<'a>>,
    /// The page of a remote session.
    pub url: Option<LogText<'a>>,
}

/// A fetched page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchedPage<'a> {
    /// The page.
    pub url: Option<LogText<'a>>,
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
    /// The cell.
    pub cell: Option<LogText<'a>>,
    /// `replace`, `insert` or `delete`.
    pub mode: Option<LogText<'a>>,
    /// The cell's source before; older versions do not say.
    pub old_source: Option<LogText<'a>>,
    /// The cell's source after.
    pub source: LogText<'a>,
    /// Why it did not work.
    pub error: Option<LogText<'a>>,
}

/// A remark of a tool about what it did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply<'a> {
    /// Whether it worked, if the result says so.
    pub success: Option<bool>,
    /// The remark.
    pub message: Option<LogText<'a>>,
}
