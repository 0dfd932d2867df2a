//! Where the files of driven sessions are, and the locks that say who lives.
//!
//! ```text
//! <state>/drive/             0700, refused if others may look into it
//!     drive.db               the store
//!     locks/run-<id>         locked from before a run is written down until its host ends
//!     locks/session-<print>  locked while a host drives that session
//!     runs/<id>/spool        what the client said
//!     runs/<id>/host.err     what a host said when it failed
//! <sockets>/<print>.sock     0600, one for each host
//! ```
//!
//! A lock ends with the process that has it, so a run whose lock is free has no host. Knows paths and
//! locks; reads and writes nothing in the files.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::ids::{RunId, digest};
use crate::socket::SocketPath;
use crate::store::{DriveStoreError, private_folder};

/// Where the files are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DriveFolders {
    drive: PathBuf,
    sockets: PathBuf,
}

impl DriveFolders {
    /// Takes the folder for state and the folder for sockets, and makes what is missing.
    pub fn open(state: &Path, sockets: &Path) -> Result<Self, DriveStoreError> {
        private_folder(state)?;
        let drive = state.join("drive");
        for folder in [&drive, &drive.join("locks"), &drive.join("runs"), sockets] {
            private_folder(folder)?;
        }
        let sockets = sockets.to_owned();
        Ok(Self { drive, sockets })
    }

    /// Returns the folder of the store.
    pub fn store(&self) -> &Path {
        &self.drive
    }

    /// Returns the folder of the sockets.
    pub fn sockets(&self) -> &Path {
        &self.sockets
    }

    /// Returns the folder of a run.
    pub fn run(&self, run: &RunId) -> PathBuf {
        self.drive.join("runs").join(run.as_str())
    }

    /// Returns the spool of a run.
    pub fn spool(&self, run: &RunId) -> PathBuf {
        self.run(run).join("spool")
    }

    /// Returns the file for what a host says when it fails.
    pub(crate) fn complaints(&self, run: &RunId) -> PathBuf {
        self.run(run).join("host.err")
    }

    pub(crate) fn socket(&self, run: &RunId) -> SocketPath {
        SocketPath::of(&self.sockets, run)
    }

    /// Returns the file that is locked while a run has a host, or is about to.
    pub(crate) fn run_lock(&self, run: &RunId) -> PathBuf {
        self.drive.join("locks").join(format!("run-{run}"))
    }

    /// Takes the lock of a run; none if its host lives.
    pub(crate) fn lock_run(&self, run: &RunId) -> io::Result<Option<File>> {
        lock(&self.run_lock(run))
    }

    /// Takes the lock of a session; none if another host drives it.
    pub(crate) fn lock_session(&self, session: &str) -> io::Result<Option<File>> {
        let name = format!("session-{}", &digest(&["session", session])[..24]);
        lock(&self.drive.join("locks").join(name))
    }

    /// Removes the spool of a run, and what else was kept while it ran.
    #[expect(clippy::disallowed_methods, reason = "files of our own")]
    pub(crate) fn remove_run(&self, run: &RunId) -> io::Result<()> {
        self.socket(run).remove();
        // The lock stays: a lock file that is removed could be locked twice.
        match fs::remove_dir_all(self.run(run)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Opens a file for its owner alone, to be locked.
#[expect(clippy::disallowed_methods, reason = "a lock is a file of our own")]
fn lock(path: &Path) -> io::Result<Option<File>> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_that_is_open_to_others_is_refused() {
        let top = tempfile::tempdir().expect("a folder");
        let state = top.path().join("state");
        DriveFolders::open(&state, &state.join("sockets")).expect("folders");
        let mode = fs::metadata(state.join("drive")).expect("a folder");
        assert_eq!(mode.permissions().mode() & 0o777, 0o700);
        for (folder, mode) in [("drive", 0o750), ("sockets", 0o701), ("", 0o755)] {
            let folder = state.join(folder);
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("a mode");
            let opened = DriveFolders::open(&state, &state.join("sockets"));
            let refused = matches!(opened, Err(DriveStoreError::OpenToOthers(ref found)) if found.ends_with(&folder));
            assert!(refused, "{opened:?}");
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("a mode");
        }
    }

    #[test]
    fn a_lock_is_taken_once_and_ends_with_its_holder() {
        let top = tempfile::tempdir().expect("a folder");
        let folders = DriveFolders::open(&top.path().join("s"), &top.path().join("k"));
        let folders = folders.expect("folders");
        let run = RunId::random();
        let first = folders.lock_run(&run).expect("a lock");
        assert!(first.is_some());
        assert!(folders.lock_run(&run).expect("an answer").is_none());
        let copy = first.as_ref().map(|file| file.try_clone().expect("a copy"));
        drop(first);
        assert!(folders.lock_run(&run).expect("an answer").is_none());
        drop(copy);
        assert!(folders.lock_run(&run).expect("an answer").is_some());
        let session = folders.lock_session("../../x").expect("a lock");
        assert!(session.is_some());
        assert!(folders.lock_session("other").expect("a lock").is_some());
    }
}
