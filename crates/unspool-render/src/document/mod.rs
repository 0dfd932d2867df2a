//! A conversation as parts to show, before a surface paints them.
//!
//! This module decides once for every surface how a message or a call is presented: which parts it has, in
//! which order, what each part is (a diff, a to-do list, the output of a command), and which parts may be
//! folded. How a part is painted is up to the surface: lines in a terminal, Markdown, HTML.
//!
//! [`Passage::of`] turns a message with its texts ([`MessageText`]) into a [`Passage`]. Elements of the
//! client become words, and paths become relative to the session's [`StartFolder`]. All other text is as in
//! the log, control characters and tags included: it is hostile, and each surface escapes it in its own way.
//! The module knows no files, widths or colours; the time zone of days is passed in ([`DayTracker`]).
//!
//! [`MessageText`]: unspool_engine::ops::message::MessageText

mod agents;
mod call;
mod elements;
mod folder;
mod head;
mod interlude;
mod message;
mod paste;
mod play;
pub(crate) mod recap;
mod seam;
mod surface;
#[cfg(test)]
mod tests;
mod words;

use unspool_model::conversation::CallStatus;
use unspool_model::entry::MessageKind;
use unspool_model::ids::EntryId;
use unspool_model::time::Time;
use unspool_model::tool::TodoStatus;
use unspool_text::diff::Diff;

pub use self::folder::StartFolder;
pub use self::head::{
    AgentHead, AgentLocation, HeldPath, Interjection, OtherPath, OtherPaths, PathHead, PathStatus,
    TranscriptHead, TurnHead, utc,
};
pub use self::interlude::{DayTracker, Interlude};
pub use self::paste::pasted_length;
pub use self::play::{AgentLayout, Playback, PlaybackRequest};
pub use self::seam::Seam;
pub use self::surface::{DocumentSurface, MessagePlace, Paper, Surface, WriterPaper};
pub use self::words::spoken;
use unspool_engine::ops::message::MediaText;

/// A message as it is shown.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The kind of the message.
    pub kind: MessageKind,
    /// The uuids of its entries; links lead to the first one.
    pub entries: Vec<EntryId>,
    /// The time of the message.
    pub time: Option<Time>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The label of an aside: "summary", "injected", "agent report", the kind of a notice, the
    /// effect of a compaction. `None` for prompts and answers.
    pub label: Option<String>,
    /// Whether a resume would leave the message out although there was no rewind.
    pub left_out: bool,
    /// How much of the message is shown at first.
    pub weight: DisplayWeight,
    /// Whether the message is marked as deleted, which every surface shows.
    pub deleted: bool,
    /// The parts of the message.
    pub parts: Vec<PassagePart>,
}

/// How much of an item is shown before the reader asks for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DisplayWeight {
    /// All of it.
    Open,
    /// Its beginning; the rest unfolds.
    Folded,
    /// Nothing, unless the reader asks for everything.
    Hidden,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub enum PassagePart {
    /// Markdown that a model wrote.
    Prose(String),
    /// Text as a person typed it, line by line.
    Typed(String),
    /// The middle of a long text that a person typed or pasted; surfaces fold it.
    Pasted(String),
    /// A remark of the client inside a text of a person.
    Note(ClientNote),
    /// Thinking of the model; empty if the text was withheld.
    Thinking(String),
    /// A command of the user, such as `/compact` or `! ls`.
    Command {
        /// The typed command; `None` if only the output is known.
        line: Option<String>,
        /// The output, including its escape codes.
        output: String,
    },
    /// A tool call.
    Call(Box<ShownCall>),
    /// An image or a document.
    Media(MediaText),
    /// A block of an unknown type.
    Unknown {
        /// The type.
        name: String,
    },
}

/// A remark of the client, in words for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientNote {
    /// A short description: `open in the editor: src/a.rs`.
    pub words: String,
    /// Further text; may be empty.
    pub text: String,
}

/// A tool call as it is shown.
#[derive(Clone, Debug)]
pub struct ShownCall {
    /// The call's id.
    pub id: Option<String>,
    /// The display name of the tool; `server:tool` for a tool of an MCP server.
    pub name: String,
    /// How the call ended.
    pub status: CallStatus,
    /// One line about the input: a command, a path, a query. May be empty.
    pub summary: String,
    /// A few words about the result, such as `+3 -1` or `120 lines`.
    pub note: Option<String>,
    /// How long the call took, if it was slow.
    pub duration_ms: Option<u64>,
    /// Details of the input and the result, in display order.
    pub details: Vec<CallDetail>,
    /// The id of the agent that the call started.
    pub agent: Option<String>,
}

impl ShownCall {
    /// Returns the symbol for the status.
    pub fn mark(&self) -> &'static str {
        match self.status {
            CallStatus::Done => "✔",
            CallStatus::Failed => "✘",
            CallStatus::Denied => "⊘",
            CallStatus::Interrupted => "■",
            CallStatus::Pending => "…",
        }
    }

    /// Returns whether the summary contains all of an input, so that a surface that shows the whole
    /// summary need not repeat the input.
    pub fn says(&self, body: &DetailBody) -> bool {
        match body {
            DetailBody::Code { text, .. } => !text.contains('\n') && text.trim() == self.summary,
            _ => false,
        }
    }
}

/// A part of the input or the result of a call.
#[derive(Clone, Debug)]
pub struct CallDetail {
    /// Whether it belongs to the input or the result.
    pub side: CallSide,
    /// How much of it is shown at first.
    pub weight: DisplayWeight,
    /// The content.
    pub body: DetailBody,
}

impl CallDetail {
    /// Returns whether this is the prompt of an agent: prose, unlike the script of a workflow.
    fn is_prompt(&self) -> bool {
        let is_prose =
            matches!(&self.body, DetailBody::Code { language, .. } if language == "markdown");
        self.side == CallSide::Asked && is_prose
    }
}

/// Whether a detail belongs to the input or the result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallSide {
    /// The input.
    Asked,
    /// The result.
    Answered,
}

/// The content of a detail.
#[derive(Clone, Debug)]
pub enum DetailBody {
    /// Text in a language: a command, a file that was written, an input as JSON.
    Code {
        /// The language, as Markdown fences name it; empty if unknown.
        language: String,
        /// The text.
        text: String,
    },
    /// A change of a file.
    Change {
        /// The path of the file.
        path: String,
        /// The change.
        diff: Diff,
    },
    /// The output of a program, including its escape codes.
    Output {
        /// The text.
        text: String,
        /// Whether the text is an error.
        is_error: bool,
    },
    /// A to-do list.
    Todos(Vec<TodoItem>),
    /// A plan or another text in Markdown.
    Prose(String),
    /// Questions to the user, with the answers.
    Questions(Vec<AskedQuestion>),
    /// Links to web pages.
    Links(Vec<WebLink>),
    /// An image or a document.
    Media(MediaText),
}

/// An item of a to-do list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TodoItem {
    /// The status.
    pub status: TodoStatus,
    /// The task.
    pub text: String,
}

/// A question to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedQuestion {
    /// The question.
    pub question: String,
    /// The choices: a label and its meaning.
    pub choices: Vec<(String, Option<String>)>,
    /// The answer, if there is one.
    pub answer: Option<String>,
}

/// A link to a web page. Only the reader ever opens it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebLink {
    /// The title.
    pub title: String,
    /// The address, which may be anything.
    pub url: String,
}
