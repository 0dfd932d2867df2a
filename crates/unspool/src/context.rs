//! The context of a command: the library, the settings, and the terminal.

#![expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use tempfile::TempDir;
use unspool_engine::library::{
    IndexPlace, Library, LibraryClock, LibraryError, LibraryNote, LibrarySettings, Listener,
    NoteLevel, RefreshPolicy,
};
use unspool_store::home::Home;
use unspool_store::prices::PriceTable;
use unspool_store::progress::Progress;

use crate::demo;
use crate::errors::UsageError;
use crate::settings::{HomeChoice, Settings};
use crate::ui::Ui;

/// Returns the system's clock, also for commands without a library.
pub(crate) fn system_clock() -> LibraryClock {
    LibraryClock::new(SystemTime::now)
}

/// The context of a command. Prints the notes of the library.
pub(crate) struct CommandContext<'a> {
    pub(crate) library: Library,
    pub(crate) settings: &'a Settings,
    pub(crate) ui: &'a Ui,
    /// The unpacked demo, deleted when the context is dropped.
    demo: Option<TempDir>,
}

impl<'a> CommandContext<'a> {
    /// Opens the library of the configured homes.
    pub(crate) fn open(settings: &'a Settings, ui: &'a Ui) -> Result<Self> {
        let (homes, demo) = match &settings.homes.value {
            HomeChoice::Folders(homes) => (homes.clone(), None),
            HomeChoice::Demo => {
                let demo = demo::unpack().context("cannot unpack the demo")?;
                (vec![Home::new(demo::home(demo.path()))], Some(demo))
            }
        };
        let index = match &settings.index.value {
            Some(folder) if demo.is_none() => IndexPlace::Folder(folder.clone()),
            _ => IndexPlace::Memory,
        };
        // The demo must not leave marks in the data folder.
        let data = settings.data.clone().filter(|_| demo.is_none());
        Ok(Self { demo, ..Self::of(homes, index, data, settings, ui)? })
    }

    /// Opens the library for a server, which decides itself when the index is refreshed.
    pub(crate) fn for_server(settings: &'a Settings, ui: &'a Ui) -> Result<Self> {
        let opened = Self::open(settings, ui)?;
        let settings = LibrarySettings {
            refresh: RefreshPolicy::OnDemand,
            ..opened.library.settings().clone()
        };
        Ok(Self { library: Library::open(settings)?, ..opened })
    }

    /// Returns the library, and the unpacked demo, which is deleted when dropped.
    pub(crate) fn into_library(self) -> (Library, Option<TempDir>) {
        (self.library, self.demo)
    }

    /// Opens a library of other homes than the configured ones, such as those of an archive.
    pub(crate) fn of_homes(homes: Vec<Home>, settings: &'a Settings, ui: &'a Ui) -> Result<Self> {
        let folder = settings.index.value.clone();
        let index = folder.map_or(IndexPlace::Memory, IndexPlace::Folder);
        Self::of(homes, index, settings.data.clone(), settings, ui)
    }

    fn of(
        homes: Vec<Home>,
        index: IndexPlace,
        data: Option<PathBuf>,
        settings: &'a Settings,
        ui: &'a Ui,
    ) -> Result<Self> {
        let library = Library::open(LibrarySettings {
            homes,
            index,
            data,
            refresh: settings.refresh.value,
            lock_timeouts: settings.lock_timeouts,
            prices: prices(settings),
            here: settings.here.clone(),
            user_home: settings.user_home.clone(),
            clock: system_clock(),
        });
        let library = library.map_err(|error| match error {
            LibraryError::NoHomes => {
                UsageError("no home folder is known; name one with --home".to_owned()).into()
            }
            error => anyhow::Error::from(error),
        })?;
        Ok(Self { library, settings, ui, demo: None })
    }

    /// Tells whether the home is the built-in demo.
    pub(crate) fn is_demo(&self) -> bool {
        self.demo.is_some()
    }

    /// Returns the homes in words.
    pub(crate) fn home_labels(&self) -> String {
        if self.is_demo() {
            return "the demo".to_owned();
        }
        let homes = self.library.homes().iter();
        let paths: Vec<String> = homes.map(|home| home.root.display().to_string()).collect();
        paths.join(", ")
    }

    /// Returns the user's home folder, which pages abbreviate to `~`.
    pub(crate) fn user_home(&self) -> Option<String> {
        let home = self.settings.user_home.as_ref();
        home.map(|home| home.display().to_string())
    }

    /// Returns the folder that `~` means in the paths of logs. For the demo, that is the folder that it is
    /// unpacked in, so its paths look like those of a user.
    pub(crate) fn logs_home(&self) -> Option<String> {
        match &self.demo {
            Some(unpacked) => Some(unpacked.path().display().to_string()),
            None => self.user_home(),
        }
    }

    /// Closes the library at the end of the process.
    pub(crate) fn close(self) {
        self.library.close_with_process();
    }
}

impl Progress for CommandContext<'_> {
    fn watch(&self, total: u64, work: &mut dyn FnMut(&AtomicU64)) {
        self.ui.watch(total, work);
    }

    fn wait(&self, waiting: &mut dyn FnMut()) {
        self.ui.wait(waiting);
    }
}

impl Listener for CommandContext<'_> {
    fn note(&self, note: LibraryNote) {
        // No working directory is a project of the demo.
        if self.is_demo() && matches!(note, LibraryNote::CountingAllProjects) {
            return;
        }
        let words = note.to_string();
        match note.level() {
            NoteLevel::Note => self.ui.note(&words),
            NoteLevel::Warning => self.ui.warning(&words),
            NoteLevel::Error => self.ui.error(&words),
        }
    }
}

/// Returns the current time.
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// Returns the built-in prices with the overrides of the settings.
fn prices(settings: &Settings) -> PriceTable {
    let own = settings.prices.iter().map(|price| price.value.clone());
    PriceTable::built_in().with_overrides(own)
}
