//! Paths of the files of driven sessions, and the locks that show which hosts are alive.
//!
//! ```text
//! <state>/drive/             0700, refused if other users can read it
//!     drive.db               the store
//!     locks/run-<id>         locked from before a run is recorded until its host ends
//!     locks/session-<hash>   locked while a host drives that session
//!     runs/<id>/spool        every line of the client
//!     runs/<id>/host.err     standard error of a host
//! <sockets>/<hash>.sock      0600, one for each host
//! ```
//!
//! The system releases a lock when its process ends, so a run whose lock is free has no host. This module
//! does not read or write the content of the files.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::ids::{RunId, digest};
use crate::socket::SocketPath;
use crate::store::{DriveStoreError, private_folder};

/// The folders that have the files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DriveFolders {
    drive: PathBuf,
    sockets: PathBuf,
}

impl DriveFolders {
    /// Creates the folders for state and sockets if they are missing.
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

    /// Returns the file that receives the standard error of a host.
    pub(crate) fn complaints(&self, run: &RunId) -> PathBuf {
        self.run(run).join("host.err")
    }

    pub(crate) fn socket(&self, run: &RunId) -> SocketPath {
        SocketPath::of(&self.sockets, run)
    }

    /// Returns the file that is locked while a run has a host, or is about to have one.
    pub(crate) fn run_lock(&self, run: &RunId) -> PathBuf {
        self.drive.join("locks").join(format!("run-{run}"))
    }

    /// Locks a run; `None` if its host is alive.
    pub(crate) fn lock_run(&self, run: &RunId) -> io::Result<Option<File>> {
        lock(&self.run_lock(run))
    }

    /// Locks a session; `None` if another host drives it.
    pub(crate) fn lock_session(&self, session: &str) -> io::Result<Option<File>> {
        let name = format!("session-{}", &digest(&["session", session])[..24]);
        lock(&self.drive.join("locks").join(name))
    }

    /// Removes the spool, the socket and the other files of a run.
    #[expect(clippy::disallowed_methods, reason = "files of our own")]
    pub(crate) fn remove_run(&self, run: &RunId) -> io::Result<()> {
        self.socket(run).remove();
        // The lock file stays: after a removal, two processes could lock two files of the same name.
        match fs::remove_dir_all(self.run(run)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Opens a file that only its owner can read, and locks it; `None` if another process has the lock.
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
