//! Hints of the operating system.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use notify::event::{AccessKind, AccessMode};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::hints::{HintError, HintInbox, HintSource, HintSystem, PollingReason};
use crate::library::locked;

/// The errors `EMFILE` and `ENFILE`: the process or the system has no file descriptor left. No
/// `ErrorKind` represents them.
const NO_DESCRIPTOR: [i32; 2] = [24, 23];

/// Opens sources of the operating system.
#[derive(Clone, Copy, Default, Debug)]
pub struct SystemHints;

/// The requested folders by their real paths: some systems report the real path, whatever path was
/// requested.
type RealFolders = Arc<Mutex<HashMap<PathBuf, Vec<PathBuf>>>>;

struct SystemSource {
    watcher: RecommendedWatcher,
    folders: RealFolders,
}

impl HintSystem for SystemHints {
    fn open(&self, inbox: HintInbox) -> Result<Box<dyn HintSource>, HintError> {
        let folders = RealFolders::default();
        let known = Arc::clone(&folders);
        let take = move |event: notify::Result<Event>| pass_on(event, &known, &inbox);
        let watcher = RecommendedWatcher::new(take, Config::default()).map_err(refusal)?;
        Ok(Box::new(SystemSource { watcher, folders }))
    }
}

impl HintSource for SystemSource {
    fn watch(&mut self, folder: &Path) -> Result<(), HintError> {
        let real = fs::canonicalize(folder).map_err(|error| refused_by(&error))?;
        let mut folders = locked(&self.folders);
        folders.entry(real.clone()).or_default().push(folder.to_owned());
        // The thread of the watcher takes the same lock for each event.
        drop(folders);
        let watched = self.watcher.watch(&real, RecursiveMode::NonRecursive);
        watched.map_err(|error| {
            self.forget(folder);
            refusal(error)
        })
    }

    fn unwatch(&mut self, folder: &Path) {
        if let Some(real) = self.forget(folder) {
            // A removed folder has no watch left.
            let _ = self.watcher.unwatch(&real);
        }
    }
}

impl SystemSource {
    /// Forgets a requested folder. Returns its real path, unless that was requested under another
    /// name too.
    fn forget(&self, folder: &Path) -> Option<PathBuf> {
        let mut folders = locked(&self.folders);
        let mut all = folders.iter_mut();
        let (real, asked) = all.find(|(_, asked)| asked.iter().any(|one| one == folder))?;
        asked.retain(|one| one != folder);
        let unused = asked.is_empty().then(|| real.clone());
        if let Some(real) = &unused {
            folders.remove(real);
        }
        unused
    }
}

/// Sends hints for the paths of an event, in the form in which they were requested.
fn pass_on(event: notify::Result<Event>, folders: &RealFolders, inbox: &HintInbox) {
    let Ok(event) = event else {
        return inbox.lost();
    };
    if event.need_rescan() {
        return inbox.lost();
    }
    // Opening or reading a file changes nothing, and this program reads files itself.
    let written = AccessKind::Close(AccessMode::Write);
    if matches!(event.kind, EventKind::Access(kind) if kind != written) {
        return;
    }
    let folders = locked(folders);
    for path in event.paths {
        let mut hints: Vec<PathBuf> = folders.get(&path).cloned().unwrap_or_default();
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            let asked = folders.get(folder).into_iter().flatten();
            hints.extend(asked.map(|folder| folder.join(name)));
        }
        for hint in hints {
            inbox.changed(hint);
        }
    }
}

fn refusal(error: notify::Error) -> HintError {
    match error.kind {
        ErrorKind::PathNotFound => HintError::Missing,
        ErrorKind::MaxFilesWatch => PollingReason::TooManyWatches.into(),
        ErrorKind::Io(error) => refused_by(&error),
        ErrorKind::Generic(text) => PollingReason::Other(text).into(),
        kind => PollingReason::Other(format!("{kind:?}")).into(),
    }
}

fn refused_by(error: &io::Error) -> HintError {
    match error.raw_os_error() {
        _ if error.kind() == io::ErrorKind::NotFound => HintError::Missing,
        _ if error.kind() == io::ErrorKind::Unsupported => PollingReason::Unsupported.into(),
        _ if error.kind() == io::ErrorKind::StorageFull => PollingReason::TooManyWatches.into(),
        Some(number) if NO_DESCRIPTOR.contains(&number) => PollingReason::TooManyFiles.into(),
        _ => PollingReason::Other(error.to_string()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn errors_of_the_system_have_their_reasons() {
        for (number, expected) in [
            (2, HintError::Missing),
            (28, PollingReason::TooManyWatches.into()),
            (24, PollingReason::TooManyFiles.into()),
            (23, PollingReason::TooManyFiles.into()),
            (38, PollingReason::Unsupported.into()),
        ] {
            let error = notify::Error::io(io::Error::from_raw_os_error(number));
            assert_eq!(refusal(error), expected, "{number}");
        }
        let full = notify::Error::new(ErrorKind::MaxFilesWatch);
        assert_eq!(refusal(full), PollingReason::TooManyWatches.into());
        let other = refusal(notify::Error::generic("odd"));
        assert_eq!(other, PollingReason::Other("odd".to_owned()).into());
    }

    #[test]
    fn a_folder_that_does_not_exist_is_missing() {
        let (inbox, _waiting) = super::super::hints::WaitingHints::new();
        let mut source = SystemHints.open(inbox).expect("a source");
        let error = source.watch(Path::new("/nowhere/at/all"));
        assert_eq!(error, Err(HintError::Missing));
    }
}
