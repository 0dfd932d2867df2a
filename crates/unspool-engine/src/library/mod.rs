//! The library: one object that every surface queries.
//!
//! It knows the order in which the crates below are used: walk the homes, update the index, query
//! it, open the sessions found. A [`Library`] is opened with [`LibrarySettings`] and can be kept:
//! it is `Send` and `Sync`, and a command, a server or the terminal program can share one. A
//! request goes in, data comes out. Messages for the user are data too: [`LibraryNote`]s, passed to
//! the [`Listener`] of the request.
//!
//! The library knows neither terminals nor pages, flags or exit codes: it paints nothing, and an
//! error only names its kind ([`ErrorClass`]). It reads neither environment variables nor the
//! system clock; the caller passes a [`LibraryClock`].
//!
//! The index is opened by the first request that needs it, so a session can be opened by its path
//! without an index. Each request that queries the index updates it first, unless the
//! [`RefreshPolicy`] leaves updates to [`Library::refresh`]. In that case requests read the
//! previous state of the index while another thread refreshes it.

mod archive;
mod check;
mod data;
mod error;
mod export;
mod feed;
mod feed_reader;
mod follower;
mod inbox;
mod index;
mod known;
mod list;
mod names;
mod note;
mod open;
mod open_sessions;
mod pages;
mod places;
mod projects;
mod recap;
mod resolve;
mod retention;
mod rows;
mod search;
mod secrets;
mod seen;
mod session;
mod settings;
mod stats;
#[cfg(test)]
mod tests;
mod walk;
mod watch;
mod watcher;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use unspool_search::text::TextIndex;
use unspool_store::home::Home;
use unspool_store::index::Index;
use unspool_store::seen::SeenMarks;

use self::inbox::OpenLive;

pub use self::archive::{ArchiveChoice, ArchiveSelection};
pub use self::check::CheckRequest;
pub use self::error::{
    DataFolderError, ErrorClass, LibraryError, MissingHomes, NotACursor, NotArchivable,
};
pub use self::export::{ExportSources, SessionChoice, SessionOpener, TitleNeed};
pub use self::feed::{
    FeedBacklog, FeedEvent, FeedHello, FeedItem, FeedPosition, FeedStart, FeedStatus, FeedStep,
    FeedTarget, NotAPosition,
};
pub use self::feed_reader::{FeedReader, UnseenMessages};
pub use self::follower::{
    FollowScope, FollowStart, FollowedAgent, FollowedCall, FollowedEvent, FollowedEventKind,
    FollowedMessage, FollowedSessionHead, LibraryFollower, SessionFollower,
};
pub use self::inbox::InboxRequest;
pub use self::index::RefreshReport;
pub use self::known::KnownRequest;
pub use self::list::{EmptyRows, HiddenRows, ListAnswer, ListRequest};
pub use self::note::{CollectedNotes, LibraryNote, Listener, NoteLevel};
pub use self::open::{OpenSession, OpenSessionView, OpenState, SessionChange};
pub use self::open_sessions::{OpenLimits, OpenSessions};
pub use self::pages::{FilteredCursor, FilteredPage, FilteredRequest};
pub use self::places::{AgentSource, SessionPlace};
pub use self::projects::{ProjectCursor, ProjectsPage, ProjectsRequest};
pub use self::recap::{RecapAnswer, RecapRequest};
pub use self::resolve::SessionRequest;
pub use self::rows::{RowCursor, RowsPage, RowsRequest};
pub use self::search::{
    COUNTED_HITS, HitsLeft, SearchAnswer, SearchMode, SearchPaths, SearchRequest,
};
pub use self::secrets::{SecretsAnswer, SecretsRequest};
pub use self::session::{LibrarySession, NameMatch, NameReach};
pub use self::settings::{IndexPlace, LibraryClock, LibrarySettings, RefreshPolicy};
pub use self::stats::{ExplainAnswer, StatsAnswer, StatsRequest};
pub use self::walk::{Completeness, HomesWalk};
pub use self::watch::{LibraryEvent, LibraryWatch, WatchedSession};
pub use self::watcher::{
    HintError, HintInbox, HintSource, HintSystem, HomeWatch, LibraryWatcher, PollingReason,
    SystemHints, ViewGuard, WatchMode, WatchNews, WatchPace, WatchReport, WatchSettings,
    WatchSubscription,
};

/// All sessions of some homes, open for requests.
pub struct Library {
    settings: LibrarySettings,
    /// The index, opened by the first request that needs it. Updates use this connection.
    index: Mutex<Option<Index>>,
    /// A second connection to the index, for requests that do not update it; see
    /// [`Library::with_index`].
    reader: Mutex<Option<Index>>,
    /// Set if the index is in memory, which rules out a second connection.
    only_connection: AtomicBool,
    /// The full text of the last query.
    text: Mutex<Option<Arc<TextIndex>>>,
    /// The homes as the last [`Library::refresh`] found them; only under [`RefreshPolicy::OnDemand`].
    walk: Mutex<Option<Arc<HomesWalk>>>,
    /// The seen marks, read by the first request that needs them.
    seen: Mutex<Option<Arc<SeenMarks>>>,
    /// The sessions that the inbox keeps open.
    live_open: OpenLive,
}

impl Library {
    /// Opens a library. Files are only read when a request needs them.
    pub fn open(settings: LibrarySettings) -> Result<Self, LibraryError> {
        if settings.homes.is_empty() {
            return Err(LibraryError::NoHomes);
        }
        Ok(Self {
            settings,
            index: Mutex::default(),
            reader: Mutex::default(),
            only_connection: AtomicBool::new(false),
            text: Mutex::default(),
            walk: Mutex::default(),
            seen: Mutex::default(),
            live_open: OpenLive::default(),
        })
    }

    /// Returns the settings that this library was opened with.
    pub fn settings(&self) -> &LibrarySettings {
        &self.settings
    }

    /// Returns the homes of this library.
    pub fn homes(&self) -> &[Home] {
        &self.settings.homes
    }

    /// Returns the homes as a request sees them: walked just now, or as the last refresh on demand
    /// found them.
    fn walk(&self) -> Arc<HomesWalk> {
        let fresh = || Arc::new(HomesWalk::new(&self.settings.homes));
        match self.refresh_policy() {
            RefreshPolicy::EachRequest => fresh(),
            RefreshPolicy::OnDemand => Arc::clone(locked(&self.walk).get_or_insert_with(fresh)),
        }
    }

    /// Closes the library at the end of a process, and leaves the mapped files of the full text to
    /// the system: unmapping them one by one takes longer than the rest of a short run.
    pub fn close_with_process(self) {
        std::mem::forget(locked(&self.text).take());
    }
}

/// Locks a part of the library. A lock that a panic poisoned is usable: each part is replaced as a
/// whole, never half changed.
fn locked<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}
