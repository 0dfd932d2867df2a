//! What paints a transcript: the one seam between what is shown and how.
//!
//! A [`Playback`](super::Playback) walks messages of a transcript and tells a [`Surface`] what
//! comes next; nothing is told twice, and nothing is kept but the message at hand. A surface that
//! paints whole documents is a [`DocumentSurface`]. What a surface writes to is its own: a
//! [`Paper`], lines of a terminal. The order of what it is told:
//!
//! ```text
//! transcript = begin message* (unlinked agent+)? end
//! message    = open_message (part | call)* close_message branches?
//! call       = open_call agent? close_call
//! agent      = open_agent message* close_agent
//! ```
//!
//! A message comes with its [`MessagePlace`], which also says whether time passed before it and whether
//! a resume would leave it out or start with it; that is above the message, and above the turn
//! if it begins one. Its parts are told in their order, calls among them. An agent is between a
//! call's `open_call` and `close_call` when its whereabouts are
//! [`AgentLocation::Nested`](super::AgentLocation::Nested); otherwise `open_call` names it and
//! nothing follows. Messages of agents have a [`MessagePlace`] with a depth above zero, and they have
//! no turns and no branches. A document has every part: what is
//! [`Hidden`](super::DisplayWeight::Hidden) may be folded away and never left out.
//!
//! All texts are as the log has them, and their author may mean harm. Escaping is the
//! surface's work, for every text and every place that it puts one.

use std::io;
use unspool_model::positions::TurnNumber;

use super::head::{AgentHead, OtherPaths, TranscriptHead};
use super::interlude::Interlude;
use super::seam::Seam;
use super::{Passage, PassagePart, ShownCall};

/// Paints messages.
pub trait Surface {
    /// Begins a message. Its parts are told one by one afterwards.
    fn open_message(&mut self, passage: &Passage, place: &MessagePlace) -> io::Result<()>;

    /// Paints a part that is not a call.
    fn part(&mut self, part: &PassagePart, passage: &Passage) -> io::Result<()>;

    /// Begins a call. What the agent said, if it is nested, comes before the call is closed.
    fn open_call(&mut self, call: &ShownCall, agent: Option<&AgentHead>) -> io::Result<()>;

    /// Ends the call that was begun last.
    fn close_call(&mut self, call: &ShownCall) -> io::Result<()>;

    /// Ends a message.
    fn close_message(&mut self, passage: &Passage) -> io::Result<()>;

    /// Begins the conversation of an agent, inside a call or after [`DocumentSurface::unlinked`].
    fn open_agent(&mut self, agent: &AgentHead) -> io::Result<()>;

    /// Ends the conversation of the agent that was begun last.
    fn close_agent(&mut self, agent: &AgentHead) -> io::Result<()>;

    /// Says that other paths leave this one after the message that was ended last.
    fn branches(&mut self, others: &OtherPaths) -> io::Result<()>;
}

/// Paints a whole transcript as a document of its own.
pub trait DocumentSurface: Surface {
    /// Begins the transcript: paints what is above the first message.
    fn begin(&mut self, head: &TranscriptHead) -> io::Result<()>;

    /// Says that the agents that follow are tied to no call. An agent that is not
    /// nested comes as an `open_agent` with `close_agent` after it.
    fn unlinked(&mut self, count: usize) -> io::Result<()>;

    /// Ends the transcript.
    fn end(&mut self) -> io::Result<()>;
}

/// Where a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagePlace {
    /// Its position in its conversation, counted from zero.
    pub message: u32,
    /// The number of its turn; none before the first one and in agents.
    pub turn: Option<TurnNumber>,
    /// Whether it is the one that begins the turn.
    pub begins_turn: bool,
    /// How many agents it is inside; none for the session's own messages.
    pub depth: usize,
    /// What comes before it because time passed; never inside agents.
    pub interlude: Option<Interlude>,
    /// What a resume does differently from it on; never inside agents.
    pub seam: Option<Seam>,
}

/// What a document is written on: the text of the transcript, and its side files.
pub trait Paper: io::Write {
    /// Writes a side file of the transcript and returns the way to it, relative to the transcript
    /// and safe in a link; none if this paper has no files. Equal bytes are kept once.
    ///
    /// The name is made of `stem`, a number and `extension`, which are the caller's own words
    /// and never taken from a log.
    fn side_file(
        &mut self,
        stem: &str,
        extension: &str,
        bytes: &[u8],
    ) -> io::Result<Option<String>>;

    /// Tells whether the text may be spread over several files.
    fn has_pages(&self) -> bool;

    /// Returns the name of a page, counted from one, relative to the others and safe in a link.
    /// The first page has the transcript's own name.
    fn page_name(&self, page: u32) -> String;

    /// Ends this page and begins the next; what is written now is there. Does nothing
    /// unless the paper has pages.
    fn turn_page(&mut self) -> io::Result<()>;
}

/// Paper that goes to one writer: no pages, and no side files.
pub struct Roll<W>(pub W);

impl<W: io::Write> io::Write for Roll<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: io::Write> Paper for Roll<W> {
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
