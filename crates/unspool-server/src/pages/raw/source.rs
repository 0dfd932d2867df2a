//! The log that a page shows, and lines of it.

use std::io;

use unspool_engine::library::OpenState;
use unspool_engine::ops::locate::{self, EntryFile};
use unspool_model::conversation::{Bucket, Conversation};
use unspool_model::entry::Entry;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::LONGEST_LINE;
use unspool_model::positions::EntryIndex;
use unspool_store::home::layout::agent_in;
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

use crate::frame::segment;
use crate::pages::parts::SessionPageContext;
use crate::route::Call;
use crate::web::RequestProblem;

/// A log of a session: its main log, or that of an agent.
pub(super) struct RawSource<'s> {
    pub(super) session: &'s Session,
    pub(super) about: &'s SessionPageContext,
    /// The index of the agent whose log it is; none for the main log.
    pub(super) agent: Option<usize>,
    pub(super) file: &'s LogFile,
    /// The bucket of each entry.
    pub(super) buckets: Vec<Bucket>,
}

/// A line of a log, with the entries on it.
pub(super) struct RawLine<'s> {
    pub(super) source: RawSource<'s>,
    /// The line number, counted from one.
    pub(super) number: u32,
    /// The requested entry, or the first one on the line.
    pub(super) at: EntryIndex,
    /// The entries on the line: one, unless the line is damaged.
    entries: Vec<EntryIndex>,
}

impl<'s> RawSource<'s> {
    /// Finds the log that a request names: the main log, or that of `?agent=`.
    pub(super) fn of(
        view: &'s OpenState,
        about: &'s SessionPageContext,
        call: &Call,
    ) -> Result<Self, RequestProblem> {
        let session = view.session();
        let Some(asked) = call.query.get("agent") else {
            let buckets = view.conversation().buckets();
            return Ok(Self { session, about, agent: None, file: &session.main, buckets });
        };
        let mut agents = session.agents.iter();
        let at = agents.position(|agent| agent_in(agent.id.as_str()) == agent_in(asked));
        let at =
            at.ok_or_else(|| RequestProblem::not_found("this session has no file of that agent"))?;
        Ok(Self::of_agent(session, at, about))
    }

    fn of_agent(session: &'s Session, at: usize, about: &'s SessionPageContext) -> Self {
        let file = &session.agents[at].file;
        let conversation = Conversation::new(file.log(), Rule::Current, Scope::Agent);
        Self { session, about, agent: Some(at), file, buckets: conversation.buckets() }
    }

    /// Returns the id of the agent whose log it is.
    pub(super) fn agent_id(&self) -> Option<&'s str> {
        Some(self.session.agents[self.agent?].id.as_str())
    }

    pub(super) fn entries(&self) -> &'s [Entry] {
        &self.file.log().entries
    }

    /// Finds a line by its number (`line:4`), or by an entry on it, as [`locate::find`] names entries.
    pub(super) fn line(self, asked: &str) -> Result<RawLine<'s>, RequestProblem> {
        if let Some(number) = asked.strip_prefix("line:") {
            let none = || RequestProblem::not_found("this log has no such line");
            let number: u32 = number.parse().map_err(|_| none())?;
            return RawLine::new(self, number, None).ok_or_else(none);
        }
        let place = locate::find(self.session, asked);
        let place = place.map_err(|error| RequestProblem::not_found(error.to_string()))?;
        let source = match place.file {
            EntryFile::Main if self.agent.is_none() => self,
            EntryFile::Main => {
                let session = self.session;
                let scope = session.scope;
                Self {
                    session,
                    about: self.about,
                    agent: None,
                    file: &session.main,
                    buckets: Conversation::new(session.log(), Rule::Current, scope).buckets(),
                }
            }
            EntryFile::Agent(at) => Self::of_agent(self.session, at, self.about),
        };
        let number = source.entries()[place.entry].line;
        let line = RawLine::new(source, number, Some(place.entry));
        line.ok_or_else(|| RequestProblem::not_found("this log has no such line"))
    }

    /// Returns the address of a line.
    pub(super) fn line_way(&self, number: u32) -> String {
        let agent = self.agent_id().map(|agent| ("agent", agent));
        self.about.way(&format!("/raw/line:{number}"), agent.as_slice())
    }

    /// Returns the address of an entry.
    pub(super) fn entry_url(&self, uuid: &str) -> String {
        self.about.way(&format!("/raw/{}", segment(uuid)), &[])
    }
}

impl<'s> RawLine<'s> {
    fn new(source: RawSource<'s>, number: u32, at: Option<EntryIndex>) -> Option<Self> {
        let all = EntryIndex::enumerate(source.entries());
        let on_it: Vec<EntryIndex> =
            all.filter(|(_, entry)| entry.line == number).map(|(at, _)| at).collect();
        let at = at.or_else(|| on_it.first().copied())?;
        Some(Self { source, number, at, entries: on_it })
    }

    /// Returns the entry that the page shows.
    pub(super) fn entry(&self) -> &'s Entry {
        &self.source.entries()[self.at]
    }

    /// Returns the bucket of the entry.
    pub(super) fn bucket(&self) -> Bucket {
        self.source.buckets[self.at.index()]
    }

    /// Returns the length of the line, in bytes.
    pub(super) fn len(&self) -> u64 {
        let entries = self.source.entries();
        self.entries.iter().map(|at| entries[*at].span.len).sum()
    }

    /// Reads the original bytes of the line.
    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut reader = self.source.file.reader();
        for at in &self.entries {
            let span = self.source.entries()[*at].span;
            if span.len > LONGEST_LINE {
                return Err(io::Error::other("the line is too long to be read"));
            }
            bytes.extend_from_slice(reader.bytes(span)?);
        }
        Ok(bytes)
    }

    /// Returns the numbers of the previous and the next line.
    pub(super) fn neighbours(&self) -> (Option<u32>, Option<u32>) {
        let entries = self.source.entries();
        let first = self.entries.first().map_or(0, |at| at.index());
        let last = self.entries.last().map_or(0, |at| at.index());
        let before = first.checked_sub(1).and_then(|at| entries.get(at));
        let after = entries.get(last + 1);
        (before.map(|entry| entry.line), after.map(|entry| entry.line))
    }
}
