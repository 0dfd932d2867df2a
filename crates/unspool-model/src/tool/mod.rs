//! Tool calls and their results.
//!
//! A call is a name and an `input`; its result is a text and usually a `toolUseResult` next to
//! it, whose shape depends on the tool. [`parse`] turns the input into a [`Tool`],
//! [`outcome()`] the result into a [`ToolOutcome`], both from raw JSON.
//!
//! Nothing here fails. A field of the wrong type counts as missing; an input without its main field
//! is [`Tool::Other`], a result of unknown shape is [`ToolOutcome::Other`], and a torn object is read
//! up to the damage. Tools are renamed occasionally, so old and new names give the same variant.
//!
//! Three out of four results of subagents have no `toolUseResult`. Then only the text of the
//! result is known, and for an edit the old and new text of its input.

mod answers;
mod asked;
mod call;
mod file_text;
mod input;
mod note;
mod outcome;
mod result;
mod summary;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;

pub(crate) use answers::free_answers;

pub use answers::{AnswerAuthor, QuestionAnswer};
pub use asked::{AskedField, AskedForm, AskedInput, AskedValue};
pub use call::{Choice, Replacement, Todo, TodoStatus, Tool, UserQuestion};
pub use file_text::{FileForm, is_file_input};
pub use input::{asks_the_person, changes_files, parse};
pub use outcome::{
    AgentRun, AgentStatus, FetchedPage, FileKind, FileRead, NotebookEdit, Patch, PatchHunk,
    RunningTask, SearchCounts, Shell, TaskChange, ToolOutcome, WebResult,
};
pub use result::outcome;
pub(crate) use result::{line_changes, may_tell_lines};

/// A text of a log, borrowed if nothing had to be unescaped.
pub type LogText<'a> = Cow<'a, str>;
