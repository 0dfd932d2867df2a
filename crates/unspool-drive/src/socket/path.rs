//! The path of the socket of a run.
//!
//! The path of a socket is limited to about a hundred bytes. A longer one is accessed through the descriptor
//! of its open folder, under `/proc/self/fd`.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::ids::{RunId, digest};

/// The longest path that all systems accept.
const LONGEST: usize = 100;

/// The path of the socket of a run.
#[derive(Clone, Debug)]
pub(crate) struct SocketPath {
    folder: PathBuf,
    name: String,
}

/// A short path to a socket, valid while the folder is open.
struct ShortPath {
    path: PathBuf,
    /// The open folder that `path` refers to.
    #[expect(dead_code, reason = "it is there to be dropped last")]
    folder: Option<OwnedFd>,
}

impl SocketPath {
    /// Returns the path of the socket of a run in the folder for sockets.
    pub(crate) fn of(folder: &Path, run: &RunId) -> Self {
        let name = format!("{}.sock", &digest(&["socket", run.as_str()])[..16]);
        let folder = folder.to_owned();
        Self { folder, name }
    }

    /// Returns the full path.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    fn short(&self) -> io::Result<ShortPath> {
        let path = self.path();
        if path.as_os_str().len() <= LONGEST {
            return Ok(ShortPath { path, folder: None });
        }
        if !cfg!(target_os = "linux") {
            let reason = format!("{}: too long for a socket", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, &self.folder, flags, Mode::empty())?;
        let path = PathBuf::from(format!("/proc/self/fd/{}/{}", folder.as_raw_fd(), self.name));
        let folder = Some(folder);
        Ok(ShortPath { path, folder })
    }

    /// Listens on the socket. Replaces a socket that a dead host left; the caller must have the lock of the
    /// run.
    pub(crate) fn listen(&self) -> io::Result<UnixListener> {
        self.remove();
        UnixListener::bind(self.short()?.path)
    }

    /// Connects to the socket.
    pub(crate) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(self.short()?.path)
    }

    /// Removes the socket if it exists.
    #[expect(clippy::disallowed_methods, reason = "a socket of our own")]
    pub(crate) fn remove(&self) {
        // If this fails, listening fails too and reports the error.
        let _ = std::fs::remove_file(self.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_any_length_have_sockets() {
        let top = tempfile::tempdir().expect("a folder");
        let mut folder = top.path().to_owned();
        for _ in 0..2 {
            for part in ["a".repeat(60), "b".repeat(60)] {
                let socket = SocketPath::of(&folder, &RunId::random());
                let listener = socket.listen().expect("a socket");
                assert!(socket.path().exists());
                socket.connect().expect("a connection");
                drop(listener);
                assert!(socket.connect().is_err());
                socket.listen().expect("in place of the old one");
                folder = folder.join(part);
                std::fs::create_dir(&folder).expect("a folder");
            }
        }
    }
}
