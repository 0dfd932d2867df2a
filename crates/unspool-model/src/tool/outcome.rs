//! The types of results: what each tool says in addition to its text.

use super::Text;
use super::call::Todo;
use super::free::Answer;

/// What a result says in addition to its text (`toolUseResult`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<'a> {
    /// A command has run, or was put into the background.
    Shell(Shell<'a>),
    /// A file was changed or made.
    Patch(Patch<'a>),
    /// A file was read.
    File(FileRead<'a>),
    /// Files or lines were searched for.
    Search(Found),
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
    Tasks(Vec<Task<'a>>),
    /// A task of the task list was changed.
    TaskChange(TaskChange<'a>),
    /// Something in the background was looked at.
    Running(RunningTask<'a>),
    /// Something was started in the background: a workflow, a monitor.
    Launch(Launch<'a>),
    /// A page was fetched.
    Web(Page<'a>),
    /// The web was searched.
    WebSearch {
        /// The query.
        query: Option<Text<'a>>,
        /// What was found.
        hits: Vec<Hit<'a>>,
    },
    /// The user has answered.
    Question {
        /// The answers, with their questions.
        answers: Vec<Answer<'a>>,
    },
    /// A plan was presented.
    Plan {
        /// The plan.
        text: Option<Text<'a>>,
        /// The file that holds it.
        path: Option<Text<'a>>,
        /// Whether the user changed it before agreeing.
        edited: bool,
    },
    /// A cell of a notebook was changed.
    Notebook(NotebookEdit<'a>),
    /// A skill was loaded or has run.
    Skill {
        /// Its name.
        name: Text<'a>,
        /// Whether that worked, if the result says so.
        success: Option<bool>,
    },
    /// Tools were found, by name.
    Tools(Vec<Text<'a>>),
    /// A worktree was entered or left.
    Worktree {
        /// Where it is.
        path: Text<'a>,
        /// Its branch.
        branch: Option<Text<'a>>,
        /// What was done with it on leaving: `keep` or `remove`.
        action: Option<Text<'a>>,
    },
    /// A remark, and perhaps whether the call worked.
    Reply(Reply<'a>),
    /// The call stepped aside and its result comes later.
    Detached,
    /// A plain text, most of the time an error.
    Text(Text<'a>),
    /// Anything else.
    Other,
}

/// What a command returned.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shell<'a> {
    /// What it wrote.
    pub stdout: Text<'a>,
    /// What it wrote to the error stream.
    pub stderr: Text<'a>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// What its exit code means, where that is not failure (`returnCodeInterpretation`).
    pub return_code_note: Option<Text<'a>>,
    /// The task that it goes on as.
    pub background_task: Option<Text<'a>>,
    /// Whether the output is an image.
    pub image: bool,
    /// The file that holds all of a long output, on the machine that wrote the log.
    pub persisted_path: Option<Text<'a>>,
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
    pub path: Text<'a>,
    /// The changed places; none for a new file, or when the file is too large to compare.
    pub hunks: Vec<Hunk<'a>>,
    /// Whether the file is new.
    pub created: bool,
    /// Whether the file is gone.
    pub deleted: bool,
    /// Whether the user changed the edit before agreeing.
    pub user_modified: bool,
    /// All of the file, if it is new.
    pub content: Option<Text<'a>>,
}

/// A changed place of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Hunk<'a> {
    /// The first line before the change.
    pub old_start: u64,
    /// How many lines it had.
    pub old_lines: u64,
    /// The first line after the change.
    pub new_start: u64,
    /// How many lines it has.
    pub new_lines: u64,
    /// The lines, each after a space, a plus or a minus; remarks after a backslash.
    pub lines: Vec<Text<'a>>,
}

/// What was read of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRead<'a> {
    /// The file; images do not say.
    pub path: Option<Text<'a>>,
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
pub struct Found {
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
    pub id: Option<Text<'a>>,
    /// The kind of agent.
    pub kind: Option<Text<'a>>,
    /// How far it is.
    pub status: AgentStatus,
    /// How many calls it made.
    pub tool_uses: Option<u64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// How many tokens its context had in the end.
    pub tokens: Option<u64>,
    /// The file that gets its output, while it runs.
    pub output_file: Option<Text<'a>>,
    /// The page of a remote session.
    pub url: Option<Text<'a>>,
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
pub struct Task<'a> {
    /// Its number.
    pub id: Text<'a>,
    /// Its title.
    pub subject: Option<Text<'a>>,
    /// How far it is.
    pub status: Option<Text<'a>>,
    /// Who does it.
    pub owner: Option<Text<'a>>,
}

/// A change of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskChange<'a> {
    /// The task.
    pub id: Text<'a>,
    /// Whether it was changed, if the result says so.
    pub success: Option<bool>,
    /// Its status before, if that changed.
    pub from: Option<Text<'a>>,
    /// Its status after.
    pub to: Option<Text<'a>>,
}

/// Something that runs or ran in the background.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RunningTask<'a> {
    /// The task or shell.
    pub id: Option<Text<'a>>,
    /// How far it is: `running`, `completed`, `failed`, `killed` …
    pub status: Option<Text<'a>>,
    /// How it ended.
    pub exit_code: Option<i64>,
    /// What it wrote.
    pub stdout: Text<'a>,
    /// What it wrote to the error stream, where that is kept apart.
    pub stderr: Text<'a>,
}

/// Something that was started in the background.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch<'a> {
    /// The background task.
    pub task: Text<'a>,
    /// The run of a workflow.
    pub run: Option<Text<'a>>,
    /// The name of a workflow.
    pub name: Option<Text<'a>>,
    /// The script of a workflow.
    pub script_path: Option<Text<'a>>,
    /// The page of a remote session.
    pub url: Option<Text<'a>>,
}

/// A fetched page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page<'a> {
    /// The page.
    pub url: Option<Text<'a>>,
    /// The status code.
    pub code: Option<u64>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
}

/// One result of a web search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit<'a> {
    /// The title.
    pub title: Text<'a>,
    /// The page.
    pub url: Text<'a>,
}

/// How a notebook was changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotebookEdit<'a> {
    /// The notebook.
    pub path: Text<'a>,
    /// The cell.
    pub cell: Option<Text<'a>>,
    /// `replace`, `insert` or `delete`.
    pub mode: Option<Text<'a>>,
    /// The cell's source before; older versions do not say.
    pub old_source: Option<Text<'a>>,
    /// The cell's source after.
    pub source: Text<'a>,
    /// Why it did not work.
    pub error: Option<Text<'a>>,
}

/// A remark of a tool about what it did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply<'a> {
    /// Whether it worked, if the result says so.
    pub success: Option<bool>,
    /// The remark.
    pub message: Option<Text<'a>>,
}
