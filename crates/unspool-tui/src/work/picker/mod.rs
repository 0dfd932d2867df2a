//! The requests of the picker, and the worker that answers them.
//!
//! `rows` are the sessions to choose from; `query` and `fuzzy` match them with the typed words, `text`
//! searches their content. `kept` is the state that is saved between runs, `preview` paints the preview of
//! a row, and `insert` quotes a session for a prompt.

pub(crate) mod fuzzy;
pub(crate) mod insert;
pub(crate) mod preview;
pub(crate) mod query;
pub(crate) mod rows;
pub(crate) mod saved;
pub(crate) mod text;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::RecvTimeoutError;
use unspool_engine::library::{
    CollectedNotes, Library, LibraryError, LibraryNote, ListRequest, Listener, RowsRequest,
    SessionPlace,
};
use unspool_model::query::Clock;
use unspool_store::filter::{self, FilterBasis, RowFilter, TypedFilter};
use unspool_store::index::IndexNote;
use unspool_store::progress::Progress;
use unspool_store::rows::{AgentRows, SessionRow};

use self::insert::InsertPart;
pub(crate) use self::insert::text_of_messages;
use self::preview::{PreviewRequest, PreviewText};
use self::query::TypedWords;
use self::rows::{PickerRows, RowKey, ScopeFolders};
use self::saved::{PickerScope, SavedPickerState};
use self::text::{TextCount, TextResults};
use super::{ReplySender, WorkCall, WorkContext, WorkLane, WorkReply};
use crate::settings::SessionSubject;

/// The number of rows in the first frame.
const NEWEST: usize = 200;
/// The interval of progress reports.
const PACE: Duration = Duration::from_millis(120);

/// A request of the picker.
#[derive(Clone, Debug)]
pub(crate) enum PickerRequest {
    /// Reads the saved state and the newest stored rows, then all stored rows.
    Begin,
    /// Reads all stored rows.
    Stored(AgentRows),
    /// Refreshes the catalogue, then reads all rows.
    Check(AgentRows),
    /// Refreshes the full text.
    CheckText,
    /// Finds the rows that match the typed words.
    Match { rows: Arc<PickerRows>, typed: TypedWords },
    /// Searches the full text.
    Search { text: String, scope: PickerScope },
    /// Counts the sessions that a search finds.
    CountText { text: String, scope: PickerScope },
    /// Builds a preview.
    Preview(Box<PreviewRequest>),
    /// Reads the full rows of the chosen sessions.
    Choose(Vec<SessionPlace>),
    /// Quotes a part of a session for a prompt.
    Insert { subject: SessionSubject, part: InsertPart },
    /// Saves the state for the next run.
    SaveState(SavedPickerState),
}

impl PickerRequest {
    /// Returns the lane of the request.
    pub(crate) fn lane(&self) -> WorkLane {
        match self {
            Self::Begin | Self::Stored(_) => WorkLane::Stored,
            Self::Check(_) | Self::CheckText => WorkLane::Rows,
            Self::Match { .. } => WorkLane::Fuzzy,
            Self::Search { .. } | Self::CountText { .. } => WorkLane::Text,
            Self::Preview(_) => WorkLane::Preview,
            Self::Choose(_) | Self::Insert { .. } | Self::SaveState(_) => WorkLane::Act,
        }
    }
}

/// An answer to the picker.
#[derive(Debug)]
pub(crate) enum PickerReply {
    /// The saved state.
    SavedState(SavedPickerState),
    /// Rows of the catalogue.
    Rows { rows: Arc<PickerRows>, notes: Box<CatalogueNotes> },
    /// The progress of a refresh, in bytes.
    Checking { read: u64, total: u64 },
    /// Another process writes the index; the stored rows are shown.
    Waiting,
    /// The catalogue is up to date.
    Checked { rows: Arc<PickerRows>, notes: Box<CatalogueNotes> },
    /// The full text is up to date.
    TextChecked,
    /// The matching rows, best first.
    Matches {
        rows: Arc<PickerRows>,
        matches: Vec<u32>,
        /// The error of a filter, in words.
        failure: Option<String>,
    },
    /// The sessions that the search found.
    Found(Result<Box<TextResults>, String>),
    /// The number of sessions that the search found; `None` if not known yet.
    TextCount(Option<TextCount>),
    /// A preview.
    Preview(Box<PreviewText>),
    /// The full rows of the chosen sessions.
    Chosen(Vec<SessionRow>),
    /// A quoted part of a session.
    Inserted(Result<String, String>),
}

/// Notes about the catalogue.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct CatalogueNotes {
    /// The homes that do not exist, in words.
    pub(crate) missing: Option<String>,
    /// A note about the index: another process writes it, or it is in memory.
    pub(crate) index: Option<String>,
    /// Set if the index was damaged and is being rebuilt.
    pub(crate) is_rebuilt: bool,
    /// The number of unreadable files.
    pub(crate) unreadable: usize,
    /// Why the request failed, in words.
    pub(crate) error: Option<String>,
}

impl CatalogueNotes {
    fn of(notes: Vec<LibraryNote>) -> Self {
        let mut kept = Self::default();
        for note in notes {
            match note {
                LibraryNote::MissingHomes(missing) => kept.missing = Some(missing.to_string()),
                LibraryNote::Index(IndexNote::Busy) => {
                    kept.index = Some("another process updates the index".to_owned());
                }
                LibraryNote::Index(IndexNote::Rebuilt) => kept.is_rebuilt = true,
                LibraryNote::Index(IndexNote::InMemory { .. }) => {
                    kept.index = Some("the index is kept in memory".to_owned());
                }
                LibraryNote::Problem(_) | LibraryNote::Unreadable(_) => kept.unreadable += 1,
                _ => {}
            }
        }
        kept
    }
}

/// The worker of the picker.
pub(crate) struct PickerWork {
    context: WorkContext,
    /// The sessions that pass the filters of the last query, cached.
    restricted: Option<Restriction>,
}

struct Restriction {
    filter: TypedFilter,
    rows: Arc<PickerRows>,
    keys: Result<Vec<RowKey>, String>,
}

impl PickerWork {
    pub(crate) fn new(context: WorkContext) -> Self {
        Self { context, restricted: None }
    }

    pub(crate) fn answer(&mut self, request: PickerRequest, call: &mut WorkCall<'_>) {
        let reply = match request {
            PickerRequest::Begin => return self.begin(call),
            PickerRequest::Stored(agents) => self.stored(agents),
            PickerRequest::Check(agents) => self.check(agents, call.reply_sender()),
            PickerRequest::CheckText => {
                let notes = CollectedNotes::default();
                // If the refresh fails, searches report how much of the logs they cover.
                let _ = self.library().refresh_text(&notes);
                PickerReply::TextChecked
            }
            PickerRequest::Match { rows, typed } => match self.matching(&rows, &typed, call) {
                Some(reply) => reply,
                None => return,
            },
            PickerRequest::Search { text, scope } => {
                let found = text::search(&self.context.settings, &text, scope);
                PickerReply::Found(found.map(Box::new))
            }
            PickerRequest::CountText { text, scope } => {
                let found = text::search(&self.context.settings, &text, scope);
                // With a partial full text, an empty result does not mean that there are no matches.
                let is_known =
                    |found: &TextResults| found.coverage.is_none() || !found.rows.is_empty();
                let found = found.ok().filter(is_known);
                PickerReply::TextCount(found.as_ref().map(TextResults::count))
            }
            PickerRequest::Preview(request) => {
                PickerReply::Preview(Box::new(preview::preview(&self.context, *request)))
            }
            PickerRequest::Choose(places) => {
                let rows = places.iter().filter_map(|place| {
                    let row = self.library().stored_row(place);
                    row.ok().flatten()
                });
                PickerReply::Chosen(rows.collect())
            }
            PickerRequest::Insert { subject, part } => {
                PickerReply::Inserted(insert::text(&self.context, &subject, &part))
            }
            PickerRequest::SaveState(kept) => {
                let host = &self.context.settings.host;
                host.save(&kept.written_into(host.load().as_deref()));
                return;
            }
        };
        call.reply(WorkReply::Picker(reply));
    }

    fn library(&self) -> &Library {
        &self.context.settings.library
    }

    fn begin(&mut self, call: &mut WorkCall<'_>) {
        let kept = SavedPickerState::read(self.context.settings.host.load().as_deref());
        call.reply(WorkReply::Picker(PickerReply::SavedState(kept)));
        let agents = agent_rows(kept);
        let folders = self.folders();
        let newest =
            RowsRequest { limit: NEWEST, kinds: Vec::new(), ..RowsRequest::newest(NEWEST) };
        let notes = CollectedNotes::default();
        if let Ok(page) = self.library().stored_rows(&newest, &notes) {
            let is_part = page.next.is_some();
            let rows = self.selected(page.rows, &folders);
            let reply = PickerReply::Rows {
                rows: Arc::new(if is_part { rows.into_part() } else { rows }),
                notes: Box::new(CatalogueNotes::of(notes.take())),
            };
            call.reply(WorkReply::Picker(reply));
            if !is_part && agents == AgentRows::Folded {
                return;
            }
        }
        let reply = self.stored(agents);
        call.reply(WorkReply::Picker(reply));
    }

    fn folders(&self) -> ScopeFolders {
        ScopeFolders::of(&self.context.settings.here)
    }

    fn selected(&self, rows: Vec<SessionRow>, folders: &ScopeFolders) -> PickerRows {
        let filter = &self.context.settings.filter;
        let rows = filter::select(rows, filter).rows;
        PickerRows::of(&rows, folders)
    }

    fn stored(&self, agents: AgentRows) -> PickerReply {
        let (rows, notes) = self.all(agents);
        PickerReply::Rows { rows, notes }
    }

    /// Reads all stored rows.
    fn all(&self, agents: AgentRows) -> (Arc<PickerRows>, Box<CatalogueNotes>) {
        let listener = CollectedNotes::default();
        let rows = match agents {
            AgentRows::Folded => {
                let all =
                    RowsRequest { limit: usize::MAX, kinds: Vec::new(), ..RowsRequest::newest(0) };
                let page = self.library().stored_rows(&all, &listener);
                page.map(|page| page.rows)
            }
            AgentRows::Listed => {
                let request = ListRequest { agents, ..ListRequest::default() };
                let answer = self.library().list(&request, &listener);
                answer.map(|answer| answer.rows)
            }
        };
        let mut notes = CatalogueNotes::of(listener.take());
        let rows = rows.unwrap_or_else(|error| {
            notes.error = Some(error.to_string());
            Vec::new()
        });
        let rows = self.selected(rows, &self.folders());
        (Arc::new(rows), Box::new(notes))
    }

    fn check(&self, agents: AgentRows, send: ReplySender<'_>) -> PickerReply {
        let listener = CheckListener { send, notes: Mutex::default() };
        let checked = self.library().refresh(&listener);
        let said = listener.notes.into_inner();
        let said = CatalogueNotes::of(said.unwrap_or_else(PoisonError::into_inner));
        let (rows, mut notes) = self.all(agents);
        notes.missing = said.missing.or(notes.missing);
        notes.index = said.index.or(notes.index);
        notes.is_rebuilt |= said.is_rebuilt;
        notes.unreadable += said.unreadable;
        if let Err(error) = checked {
            notes.error = Some(error.to_string());
        }
        PickerReply::Checked { rows, notes }
    }

    fn matching(
        &mut self,
        rows: &Arc<PickerRows>,
        typed: &TypedWords,
        call: &WorkCall<'_>,
    ) -> Option<PickerReply> {
        let mut matches = fuzzy::matching(rows, &typed.words, &|| call.is_stale())?;
        let mut failure = None;
        if typed.has_filters() {
            match self.restricted(rows, &typed.filter) {
                Ok(keys) => matches.retain(|&number| {
                    let row = rows.row(number);
                    row.is_some_and(|row| keys.binary_search(&row.key).is_ok())
                }),
                Err(error) => failure = Some(error),
            }
        }
        Some(PickerReply::Matches { rows: Arc::clone(rows), matches, failure })
    }

    /// Returns the sessions that pass the filters. The catalogue applies the filters, so they mean the same
    /// as in every command; the result is cached while only other words change.
    fn restricted(
        &mut self,
        rows: &Arc<PickerRows>,
        filter: &TypedFilter,
    ) -> Result<&[RowKey], String> {
        let is_known =
            |known: &Restriction| known.filter == *filter && Arc::ptr_eq(&known.rows, rows);
        if !self.restricted.as_ref().is_some_and(is_known) {
            let keys = self.ask_restricted(filter).map_err(|error| error.to_string());
            self.restricted =
                Some(Restriction { filter: filter.clone(), rows: Arc::clone(rows), keys });
        }
        match self.restricted.as_ref().map(|known| &known.keys) {
            Some(Ok(keys)) => Ok(keys),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(&[]),
        }
    }

    fn ask_restricted(&self, filter: &TypedFilter) -> Result<Vec<RowKey>, RestrictionError> {
        let settings = &self.context.settings;
        let library = settings.library.settings();
        let clock = Clock { now: library.clock.time(), zone: settings.zone.clone() };
        let filter: RowFilter = filter.resolve(FilterBasis {
            clock: &clock,
            here: &settings.here,
            user_home: library.user_home.as_deref(),
        })?;
        let request = ListRequest { filter, agents: AgentRows::Listed, ..ListRequest::default() };
        let answer = settings.library.list(&request, &CollectedNotes::default())?;
        let rows = answer.rows.iter();
        let mut keys: Vec<RowKey> =
            rows.map(|row| RowKey::of(&crate::settings::place_of(row))).collect();
        keys.sort_unstable();
        Ok(keys)
    }
}

#[derive(Debug, thiserror::Error)]
enum RestrictionError {
    #[error(transparent)]
    Filter(#[from] filter::TypedFilterError),
    #[error(transparent)]
    Library(#[from] LibraryError),
}

/// Returns whether agents get rows of their own.
pub(crate) fn agent_rows(kept: SavedPickerState) -> AgentRows {
    if kept.filters.agents { AgentRows::Listed } else { AgentRows::Folded }
}

/// Reports the progress of a refresh to the screen.
struct CheckListener<'a> {
    send: ReplySender<'a>,
    notes: Mutex<Vec<LibraryNote>>,
}

impl Progress for CheckListener<'_> {
    fn watch(&self, total: u64, work: &mut dyn FnMut(&AtomicU64)) {
        let read = AtomicU64::new(0);
        let say = || {
            let read = read.load(Ordering::Relaxed);
            (self.send)(WorkReply::Picker(PickerReply::Checking { read, total }));
        };
        let (done, is_done) = crossbeam_channel::bounded::<()>(0);
        thread::scope(|threads| {
            let say = &say;
            threads.spawn(move || {
                while is_done.recv_timeout(PACE) == Err(RecvTimeoutError::Timeout) {
                    say();
                }
            });
            work(&read);
            drop(done);
        });
    }

    fn wait(&self, waiting: &mut dyn FnMut()) {
        (self.send)(WorkReply::Picker(PickerReply::Waiting));
        waiting();
    }
}

impl Listener for CheckListener<'_> {
    fn note(&self, note: LibraryNote) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(note);
    }
}
