//! What tool calls ask for and what their results say.
//!
//! A call is a name and an `input`; its result is a text and, most of the time, a
//! `toolUseResult` next to it whose shape depends on the tool. [`parse`] makes a
//! [`Tool`] of the one, [`outcome()`] an [`ToolOutcome`] of the other, both from raw JSON.
//!
//! Nothing here fails. A field of the wrong type is a missing field; an input without
//! the field that matters is [`Tool::Other`], a result of unknown shape
//! [`ToolOutcome::Other`]; of a torn object, what comes before the tear is read. Tools are
//! renamed now and then, so old and new names lead to the same variant.
//!
//! Three out of four results of subagents have no `toolUseResult`. Their text is all
//! there is, and for an edit the old and new text of its input.

mod asked;
mod call;
mod file_text;
mod free;
mod input;
mod note;
mod outcome;
mod result;
mod summary;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;

pub(crate) use free::free_answers;

pub use asked::{AskedField, AskedInput, AskedMatter, AskedValue};
pub use call::{Choice, Replacement, Todo, TodoStatus, Tool, UserQuestion};
pub use file_text::{FileForm, is_file_input};
pub use free::{QuestionAnswer, Wording};
pub use input::{asks_the_person, changes_files, parse};
pub use outcome::{
    AgentRun, AgentStatus, FetchedPage, FileKind, FileRead, NotebookEdit, Patch, PatchHunk,
    RunningTask, SearchCounts, Shell, TaskChange, ToolOutcome, WebResult,
};
pub use result::outcome;
pub(crate) use result::{line_changes, may_tell_lines};

/// A text of a log: borrowed where nothing had to be unescaped.
pub type LogText<'a> = Cow<'a, str>;
