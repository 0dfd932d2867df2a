//! Numbers for names, sessions and files, so that a row contains no string.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::Path;

use foldhash::fast::FixedState;
use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::time::Time;

use super::{SessionMeta, StatsSource};
use unspool_store::index::ledger::LedgerPlace;

/// The number of a model, a tool or a branch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct NameNumber(NonZeroU32);

/// Names by number; models, tools and branches share the numbers.
#[derive(Default)]
pub(super) struct NameTable {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, NameNumber, FixedState>,
}

impl NameTable {
    /// Returns the number of a name, adding the name if it is new.
    fn add(&mut self, text: &str) -> NameNumber {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        self.texts.push(text.into());
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let name = NameNumber(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN));
        self.numbers.insert(text.into(), name);
        name
    }

    /// Returns the numbers of a ledger's names.
    pub(super) fn add_all(&mut self, texts: &[&str]) -> Vec<NameNumber> {
        texts.iter().map(|text| self.add(text)).collect()
    }

    pub(super) fn text(&self, name: NameNumber) -> &str {
        &self.texts[name.0.get() as usize - 1]
    }

    /// Compares two names by their texts; `None` comes first.
    pub(super) fn compare(&self, a: Option<NameNumber>, b: Option<NameNumber>) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let text = |name: Option<NameNumber>| name.map(|name| self.text(name));
        text(a).cmp(&text(b))
    }

    /// Returns the greater of two names, so that a name has precedence over `None`.
    pub(super) fn last(&self, a: Option<NameNumber>, b: Option<NameNumber>) -> Option<NameNumber> {
        if self.compare(a, b).is_lt() { b } else { a }
    }
}

/// The names, sessions and files that rows refer to by number.
#[derive(Default)]
pub(super) struct StatsNames<'a> {
    pub(super) names: NameTable,
    pub(super) sessions: Vec<&'a SessionMeta>,
    pub(super) files: Vec<StatsFile<'a>>,
    session_numbers: HashMap<StatsSessionKey<'a>, u32, FixedState>,
}

/// The identity of a session.
pub(super) type StatsSessionKey<'a> = (Option<&'a Path>, Option<&'a ProjectId>, &'a SessionId);

/// A log file.
pub(super) struct StatsFile<'a> {
    /// The session of the file.
    pub(super) session: u32,
    pub(super) path: &'a Path,
}

impl<'a> StatsNames<'a> {
    /// Adds the file of a source, and returns its number.
    pub(super) fn add(&mut self, source: &StatsSource<'a>) -> u32 {
        let session = self.add_session(source.session);
        let number = self.files.len() as u32;
        self.files.push(StatsFile { session, path: source.file });
        number
    }

    fn add_session(&mut self, session: &'a SessionMeta) -> u32 {
        let number = self.sessions.len() as u32;
        let known = self.session_numbers.entry(session_key(session));
        *known.or_insert_with(|| {
            self.sessions.push(session);
            number
        })
    }

    /// Returns the number of a session, if a file of it was added.
    pub(super) fn session(&self, session: &SessionMeta) -> Option<u32> {
        self.session_numbers.get(&session_key(session)).copied()
    }

    /// Returns the session of a place.
    pub(super) fn session_of(&self, spot: RowSpot) -> u32 {
        self.files[spot.file as usize].session
    }

    /// Compares two places of the same thing: the lesser place is credited with it.
    pub(super) fn compare(&self, a: RowSpot, b: RowSpot) -> Ordering {
        let copied = a.copied.cmp(&b.copied);
        copied
            .then_with(|| self.compare_files(a.file, b.file))
            .then_with(|| a.line.cmp(&b.line))
            .then_with(|| a.time.cmp(&b.time))
            .then_with(|| self.names.compare(a.branch, b.branch))
    }

    fn compare_files(&self, a: u32, b: u32) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (a, b) = (&self.files[a as usize], &self.files[b as usize]);
        let sessions = if a.session == b.session {
            Ordering::Equal
        } else {
            let session = |file: &StatsFile<'_>| self.sessions[file.session as usize];
            compare_sessions(session(a), session(b))
        };
        sessions.then_with(|| a.path.cmp(b.path))
    }
}

/// Compares two sessions: the lesser one is credited with what both contain.
pub(super) fn compare_sessions(a: &SessionMeta, b: &SessionMeta) -> Ordering {
    let first = |session: &SessionMeta| {
        // A session without a time comes last.
        let started = session.started.map_or(i64::MAX, Time::as_millis);
        (started, Reverse(session.bytes), Reverse(session.agents))
    };
    first(a)
        .cmp(&first(b))
        .then_with(|| a.id.cmp(&b.id))
        .then_with(|| a.home.cmp(&b.home))
        .then_with(|| a.project.cmp(&b.project))
}

pub(super) fn session_key(session: &SessionMeta) -> StatsSessionKey<'_> {
    let home = session.home.as_deref();
    (home, session.project.as_ref(), &session.id)
}

/// The place of a row in compact form.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSpot {
    time: i64,
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) branch: Option<NameNumber>,
    copied: bool,
}

impl RowSpot {
    /// An unknown time, outside the range of the calendar.
    const NEVER: i64 = i64::MIN;

    /// Converts a place of a ledger; `branches` are the names of that ledger.
    pub(super) fn new(place: &LedgerPlace, file: u32, branches: &[NameNumber]) -> Self {
        Self {
            time: place.time.map_or(Self::NEVER, Time::as_millis),
            file,
            line: place.line,
            branch: name_of(place.branch.get(), branches),
            copied: place.copied,
        }
    }

    pub(super) fn time(self) -> Option<Time> {
        (self.time != Self::NEVER).then(|| Time::from_millis(self.time))
    }
}

/// Returns the name with a ledger's number.
pub(super) fn name_of(number: Option<u32>, names: &[NameNumber]) -> Option<NameNumber> {
    number.and_then(|number| names.get(number as usize)).copied()
}
