//! What a library is opened with.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use unspool_model::time::Time;

use unspool_store::home::Home;
use unspool_store::index::Patience;
use unspool_store::prices::PriceTable;

/// What a library is opened with. Every value is resolved: the library reads neither environment
/// variables nor the system's clock.
#[derive(Clone, Debug)]
pub struct LibrarySettings {
    /// The homes that are read.
    pub homes: Vec<Home>,
    /// Where the index is kept.
    pub index: IndexPlace,
    /// The folder for state that cannot be rebuilt from logs, if there is a place for one.
    pub data: Option<PathBuf>,
    /// When the index is brought up to date.
    pub refresh: RefreshPolicy,
    /// How long to wait for another process that writes the index.
    pub patience: Patience,
    /// What tokens cost.
    pub prices: PriceTable,
    /// The folder that the user is in: `@` and relative paths start there.
    pub here: PathBuf,
    /// The folder that `~` means.
    pub user_home: Option<PathBuf>,
    /// What time it is.
    pub clock: LibraryClock,
}

impl LibrarySettings {
    /// Makes settings for one home: the index in memory, the built-in prices, no state.
    pub fn of_home(home: impl Into<PathBuf>, clock: LibraryClock) -> Self {
        Self {
            homes: vec![Home::new(home)],
            index: IndexPlace::Memory,
            data: None,
            refresh: RefreshPolicy::EachRequest,
            patience: Patience::default(),
            prices: PriceTable::built_in(),
            here: PathBuf::new(),
            user_home: None,
            clock,
        }
    }
}

/// Where an index is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IndexPlace {
    /// In this folder.
    Folder(PathBuf),
    /// In memory, as long as the library is open.
    Memory,
}

/// When an index is brought up to date.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RefreshPolicy {
    /// Before each request that asks the index.
    #[default]
    EachRequest,
    /// When [`Library::refresh`](super::Library::refresh) is called. An index in memory is brought
    /// up to date before each request all the same: it begins empty.
    OnDemand,
}

/// A clock that the owner of a library gives to it.
#[derive(Clone)]
pub struct LibraryClock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl LibraryClock {
    /// Takes the time from a function.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Makes a clock that always says the same.
    pub fn fixed(time: SystemTime) -> Self {
        Self::new(move || time)
    }

    /// Returns the time.
    pub fn now(&self) -> SystemTime {
        (self.0)()
    }

    /// Returns the time as entries of logs have it.
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
