//! The settings of a library.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use unspool_model::time::Time;

use unspool_store::home::Home;
use unspool_store::index::LockTimeouts;
use unspool_store::prices::PriceTable;

/// The settings that a library is opened with. Every value is resolved: the library reads neither
/// environment variables nor the system clock.
#[derive(Clone, Debug)]
pub struct LibrarySettings {
    /// The homes to read.
    pub homes: Vec<Home>,
    /// Where the index is stored.
    pub index: IndexPlace,
    /// The folder for state that cannot be rebuilt from logs, if there is one.
    pub data: Option<PathBuf>,
    /// When the index is updated.
    pub refresh: RefreshPolicy,
    /// How long to wait for another process that writes the index.
    pub lock_timeouts: LockTimeouts,
    /// The prices of tokens.
    pub prices: PriceTable,
    /// The current folder: `@` and relative paths start there.
    pub here: PathBuf,
    /// The folder that `~` means.
    pub user_home: Option<PathBuf>,
    /// The source of the current time.
    pub clock: LibraryClock,
}

impl LibrarySettings {
    /// Returns settings for one home: an index in memory, the built-in prices, no data folder.
    pub fn of_home(home: impl Into<PathBuf>, clock: LibraryClock) -> Self {
        Self {
            homes: vec![Home::new(home)],
            index: IndexPlace::Memory,
            data: None,
            refresh: RefreshPolicy::EachRequest,
            lock_timeouts: LockTimeouts::default(),
            prices: PriceTable::built_in(),
            here: PathBuf::new(),
            user_home: None,
            clock,
        }
    }
}

/// Where an index is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IndexPlace {
    /// In this folder.
    Folder(PathBuf),
    /// In memory, until the library is closed.
    Memory,
}

/// When an index is updated.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RefreshPolicy {
    /// Before each request that queries the index.
    #[default]
    EachRequest,
    /// When [`Library::refresh`](super::Library::refresh) is called. An index in memory is updated
    /// before each request all the same: it begins empty.
    OnDemand,
}

/// The clock of a library, which its owner provides.
#[derive(Clone)]
pub struct LibraryClock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl LibraryClock {
    /// Returns a clock that calls a function.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Returns a clock that never advances.
    pub fn fixed(time: SystemTime) -> Self {
        Self::new(move || time)
    }

    /// Returns the time.
    pub fn now(&self) -> SystemTime {
        (self.0)()
    }

    /// Returns the time in the type of log entries.
    pub fn time(&self) -> Time {
        let since_epoch = self.now().duration_since(SystemTime::UNIX_EPOCH);
        Time::from_millis(since_epoch.map_or(0, |time| time.as_millis() as i64))
    }
}

impl fmt::Debug for LibraryClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LibraryClock")
    }
}
