//! The library: one object that every surface asks.
//!
//! It knows the order in which the parts below are used: walk the homes, bring the index up to
//! date, ask it, open what was found. It is opened with [`LibrarySettings`] and can be kept: it is
//! `Send` and `Sync`, and a command, a server and a terminal program ask the same one. A request
//! goes in, data comes out. What the user should know besides the answer is data too: a
//! [`LibraryNote`], given to the [`Listener`] of the request.
//!
//! It knows nothing of terminals, pages, flags and exit codes: it paints nothing, and an error only
//! says of what kind it is ([`ErrorClass`]). It reads neither environment variables nor the
//! system's clock; [`LibraryClock`] is given to it.
//!
//! The index is opened when a request first needs it, so that a session can be opened by its path
//! without one. Each request that asks the index brings it up to date first, unless the
//! [`RefreshPolicy`] leaves that to [`Library::refresh`]. Then requests are answered from what was
//! there before while a refresh goes on in another thread.

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
    FollowScope, FollowStart, FollowedAgent, FollowedCall, FollowedEvent, FollowedMessage,
    FollowedSessionHead, FollowedThing, LibraryFollower, SessionFollower,
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
pub use self::session::{LibrarySession, NameReach, NamedThing};
pub use self::settings::{IndexPlace, LibraryClock, LibrarySettings, RefreshPolicy};
pub use self::stats::{ExplainAnswer, StatsAnswer, StatsRequest};
pub use self::walk::{Completeness, HomesWalk};
pub use self::watch::{LibraryEvent, LibraryWatch, WatchedSession};
pub use self::watcher::{
    HintError, HintInbox, HintSource, HintSystem, HomeWatch, LibraryWatcher, LookGuard,
    PollingReason, SystemHints, WatchMode, WatchNews, WatchPace, WatchReport, WatchSettings,
    WatchSubscription,
};

/// All sessions of some homes, open for requests.
pub struct Library {
    settings: LibrarySettings,
    /// The index, once a request has needed it. It is brought up to date through this connection.
    index: Mutex<Option<Index>>,
    /// A second connection to it, for requests that do not bring it up to date; see
    /// [`Library::with_index`].
    reader: Mutex<Option<Index>>,
    /// Whether the index turned out to be in memory, where it cannot have a second connection.
    only_connection: AtomicBool,
    /// The full text that was asked last.
    text: Mutex<Option<Arc<TextIndex>>>,
    /// The homes as [`Library::refresh`] saw them last; only under [`RefreshPolicy::OnDemand`].
    walk: Mutex<Option<Arc<HomesWalk>>>,
    /// What a person has seen, once a request has needed it.
    seen: Mutex<Option<Arc<SeenMarks>>>,
    /// The sessions that the inbox keeps open.
    live_open: OpenLive,
}

impl Library {
    /// Opens a library. Nothing is read before a request needs it.
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

    /// Returns what it was opened with.
    pub fn settings(&self) -> &LibrarySettings {
        &self.settings
    }

    /// Returns the homes that are read.
    pub fn homes(&self) -> &[Home] {
        &self.settings.homes
    }

    /// Returns the homes as a request sees them: as they are now, or as they were when the library
    /// was last refreshed on demand.
    fn walk(&self) -> Arc<HomesWalk> {
        let fresh = || Arc::new(HomesWalk::new(&self.settings.homes));
        match self.refresh_policy() {
            RefreshPolicy::EachRequest => fresh(),
            RefreshPolicy::OnDemand => Arc::clone(locked(&self.walk).get_or_insert_with(fresh)),
        }
    }

    /// Closes the library at the end of a process, and leaves the files of the full text to the
    /// system: giving mapped files back one by one takes longer than the rest of a short run.
    pub fn close_with_process(self) {
        std::mem::forget(locked(&self.text).take());
    }
}

/// Locks a part of the library. A request that panicked has left nothing half done in it: each
/// part is replaced as a whole.
fn locked<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}
