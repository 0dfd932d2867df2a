//! A conversation as things to show, before a surface paints them.
//!
//! What a message or a call looks like is decided here, once for every surface: which
//! parts it has, in which order, what each is (a diff, a list of things to do, the output
//! of a command), and what may be folded away. How a part is painted is the surface's
//! own: lines in a terminal, Markdown, HTML.
//!
//! What goes in is a message with its texts ([`MessageText`]); what comes out is a
//! [`Passage`], made by [`Passage::of`]. Elements of the client become words, paths are seen from
//! the session's [`StartFolder`]. All other text is as the log has it, control characters and tags
//! included: it is hostile, and each surface escapes it in its own way. Nothing here
//! knows files, widths or colours; where days begin is passed in ([`DayTracker`]).
//!
//! [`MessageText`]: unspool_engine::ops::message::MessageText

mod call;
mod cast;
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
pub use self::play::{AgentLayout, Playback, Stage};
pub use self::seam::Seam;
pub use self::surface::{DocumentSurface, MessagePlace, Paper, Roll, Surface};
pub use self::words::spoken;
use unspool_engine::ops::message::MediaText;

/// What is shown of one message.
#[derive(Clone, Debug)]
pub struct Passage {
    /// What kind of message it is.
    pub kind: MessageKind,
    /// The uuids of its entries; the first is what links lead to.
    pub entries: Vec<EntryId>,
    /// When it was said.
    pub time: Option<Time>,
    /// The model that said it.
    pub model: Option<String>,
    /// What is over an aside, in words: "summary", "injected", "agent report", what a
    /// notice is, what a compaction did. None for prompts and answers.
    pub label: Option<String>,
    /// Whether a resume would leave it out though there was no rewind.
    pub left_out: bool,
    /// Whether it is worth reading only when one looks for it.
    pub weight: DisplayWeight,
    /// Whether it is marked as deleted, which every surface says.
    pub deleted: bool,
    /// What it consists of.
    pub parts: Vec<PassagePart>,
}

/// How much of a thing is shown before the reader asks for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DisplayWeight {
    /// All of it.
    Open,
    /// Its head; the rest unfolds.
    Folded,
    /// Nothing, unless everything is asked for.
    Hidden,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub enum PassagePart {
    /// Markdown, as a model writes it.
    Prose(String),
    /// Text as a person typed it, line by line.
    Typed(String),
    /// The middle of a long text that a person typed or pasted, which folds.
    Pasted(String),
    /// A remark of the client inside what a person said.
    Note(ClientNote),
    /// What the model thought; empty when the text was withheld.
    Thinking(String),
    /// A command of the user's, such as `/compact` or `! ls`.
    Command {
        /// What was typed; none if only the output is here.
        line: Option<String>,
        /// What came back, with whatever escape codes it had.
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
    /// What it is: `open in the editor: src/a.rs`.
    pub words: String,
    /// What it says beyond that; may be empty.
    pub text: String,
}

/// What is shown of a tool call.
#[derive(Clone, Debug)]
pub struct ShownCall {
    /// The call's id.
    pub id: Option<String>,
    /// The tool's name as people know it; `server:tool` for one of an MCP server.
    pub name: String,
    /// How it ended.
    pub status: CallStatus,
    /// One line about what was asked for: a command, a path, a query. May be empty.
    pub summary: String,
    /// A few words about what came of it, such as `+3 -1` or `120 lines`.
    pub note: Option<String>,
    /// How long it took, if that was long enough to be said.
    pub duration_ms: Option<u64>,
    /// What it was given and what came back, in the order to show them.
    pub details: Vec<CallDetail>,
    /// The agent that it started.
    pub agent: Option<String>,
}

impl ShownCall {
    /// Returns the sign of how it ended.
    pub fn mark(&self) -> &'static str {
        match self.status {
            CallStatus::Done => "✔",
            CallStatus::Failed => "✘",
            CallStatus::Denied => "⊘",
            CallStatus::Interrupted => "■",
            CallStatus::Pending => "…",
        }
    }

    /// Tells whether the line about the call says all of something that it was given, so that a
    /// surface that shows the whole line need not show it again.
    pub fn says(&self, body: &DetailBody) -> bool {
        match body {
            DetailBody::Code { text, .. } => !text.contains('\n') && text.trim() == self.summary,
            _ => false,
        }
    }
}

/// One thing that a call was given or brought back.
#[derive(Clone, Debug)]
pub struct CallDetail {
    /// Which of the two.
    pub side: CallSide,
    /// How much of it is shown at first.
    pub weight: DisplayWeight,
    /// The thing.
    pub body: DetailBody,
}

impl CallDetail {
    /// Tells whether it is what an agent was told: prose, unlike the script of a workflow.
    fn is_prompt(&self) -> bool {
        let is_prose =
            matches!(&self.body, DetailBody::Code { language, .. } if language == "markdown");
        self.side == CallSide::Asked && is_prose
    }
}

/// Whether something went into a call or came out of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallSide {
    /// It was asked for.
    Asked,
    /// It came back.
    Answered,
}

/// What a detail is.
#[derive(Clone, Debug)]
pub enum DetailBody {
    /// Text in a language: a command, a file that was written, an input as JSON.
    Code {
        /// The language, by the name that Markdown fences use; empty if unknown.
        language: String,
        /// The text.
        text: String,
    },
    /// A change of a file.
    Change {
        /// The file.
        path: String,
        /// The change.
        diff: Diff,
    },
    /// What a program wrote, with whatever escape codes it had.
    Output {
        /// The text.
        text: String,
        /// Whether it says what went wrong.
        is_error: bool,
    },
    /// Things to do.
    Todos(Vec<TodoItem>),
    /// A plan or another text in Markdown.
    Prose(String),
    /// Questions to the user, with the answers.
    Questions(Vec<AskedQuestion>),
    /// Pages that were found.
    Links(Vec<WebLink>),
    /// An image or a document.
    Media(MediaText),
}

/// One thing to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TodoItem {
    /// How far it is.
    pub status: TodoStatus,
    /// What is to be done.
    pub text: String,
}

/// A question to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedQuestion {
    /// The question.
    pub question: String,
    /// What there was to choose from: a label and what it means.
    pub choices: Vec<(String, Option<String>)>,
    /// What was answered.
    pub answer: Option<String>,
}

/// A page on the web. Only the reader ever opens it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebLink {
    /// Its title.
    pub title: String,
    /// Its address, which may be anything.
    pub url: String,
}
