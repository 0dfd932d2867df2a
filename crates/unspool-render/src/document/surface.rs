//! The interface between the content of a transcript and its painting.
//!
//! A [`Playback`](super::Playback) walks messages of a transcript and passes each part to a
//! [`Surface`] exactly once; it keeps only the current message. A surface that paints whole
//! documents is a [`DocumentSurface`]. A surface chooses what it writes to: a [`Paper`], or lines
//! of a terminal. The methods are called in this order:
//!
//! ```text
//! transcript = begin message* (unlinked agent+)? end
//! message    = open_message (part | call)* close_message branches?
//! call       = open_call agent? close_call
//! agent      = open_agent message* close_agent
//! ```
//!
//! A message comes with its [`MessagePlace`], which also says whether time passed before the
//! message and whether a resume would leave it out or start with it; these notes are painted above
//! the message, and above the turn if it begins one. The parts come in order, calls among them. An
//! agent is played between `open_call` and `close_call` if its location is
//! [`AgentLocation::Nested`](super::AgentLocation::Nested); otherwise only `open_call` names it.
//! Messages of agents have a depth above zero, no turns and no branches. A document has every part:
//! a surface may fold what is [`Hidden`](super::DisplayWeight::Hidden), but not omit it.
//!
//! All texts are as in the log, and their author may be malicious. A surface escapes every text for
//! the place where it puts it.

use std::io;
use unspool_model::positions::TurnNumber;

use super::head::{AgentHead, OtherPaths, TranscriptHead};
use super::interlude::Interlude;
use super::seam::Seam;
use super::{Passage, PassagePart, ShownCall};

/// Paints messages.
pub trait Surface {
    /// Begins a message. Its parts follow one by one.
    fn open_message(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()>;

    /// Paints a part that is not a call.
    fn part(&mut self, part: &PassagePart, passage: &Passage) -> io::Result<()>;

    /// Begins a call. A nested agent comes before the call is closed.
    fn open_call(&mut self, call: &ShownCall, agent: Option<&AgentHead>) -> io::Result<()>;

    /// Ends the current call.
    fn close_call(&mut self, call: &ShownCall) -> io::Result<()>;

    /// Ends a message.
    fn close_message(&mut self, passage: &Passage) -> io::Result<()>;

    /// Begins the conversation of an agent, inside a call or after [`DocumentSurface::unlinked`].
    fn open_agent(&mut self, agent: &AgentHead) -> io::Result<()>;

    /// Ends the conversation of the current agent.
    fn close_agent(&mut self, agent: &AgentHead) -> io::Result<()>;

    /// Announces other paths that leave this one after the last message.
    fn branches(&mut self, others: &OtherPaths) -> io::Result<()>;
}

/// Paints a whole transcript as a document of its own.
pub trait DocumentSurface: Surface {
    /// Begins the transcript: paints its header.
    fn begin(&mut self, head: &TranscriptHead) -> io::Result<()>;

    /// Announces agents that no call leads to. An agent that is not nested comes as an `open_agent`
    /// followed by its `close_agent`.
    fn unlinked(&mut self, count: usize) -> io::Result<()>;

    /// Ends the transcript.
    fn end(&mut self) -> io::Result<()>;
}

/// The position of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagePlace {
    /// The index in its conversation.
    pub message: u32,
    /// The number of its turn; `None` before the first one and in agents.
    pub turn: Option<TurnNumber>,
    /// Whether the message begins the turn.
    pub begins_turn: bool,
    /// The number of agents around it; zero for the session's own messages.
    pub depth: usize,
    /// The new day or the pause before it; `None` inside agents.
    pub interlude: Option<Interlude>,
    /// What a resume does differently from the message on; `None` inside agents.
    pub seam: Option<Seam>,
}

/// The output of a document: the text of the transcript, and its side files.
pub trait Paper: io::Write {
    /// Writes a side file of the transcript and returns its path, relative to the transcript and
    /// safe in a link; `None` if this paper has no files. Equal bytes are written once.
    ///
    /// The file name consists of `stem`, a number and `extension`; neither may come from a log.
    fn side_file(
        &mut self,
        stem: &str,
        extension: &str,
        bytes: &[u8],
    ) -> io::Result<Option<String>>;

    /// Returns whether the text may be split into several files.
    fn has_pages(&self) -> bool;

    /// Returns the file name of a page, counted from one, relative to other pages and safe in a
    /// link. The first page has the transcript's own name.
    fn page_name(&self, page: u32) -> String;

    /// Ends this page and begins the next one. Does nothing unless the paper has pages.
    fn turn_page(&mut self) -> io::Result<()>;
}

/// Paper for one writer, without pages and side files.
pub struct WriterPaper<W>(pub W);

impl<W: io::Write> io::Write for WriterPaper<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: io::Write> Paper for WriterPaper<W> {
    fn side_file(&mut self, _: &str, _: &str, _: &[u8]) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn has_pages(&self) -> bool {
        false
    }

    fn page_name(&self, _: u32) -> String {
        String::new()
    }

    fn turn_page(&mut self) -> io::Result<()> {
        Ok(())
    }
}
