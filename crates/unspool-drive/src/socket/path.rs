//! Where the socket of a run is.
//!
//! The path of a socket has about a hundred bytes at most. A longer one is reached through the
//! number of its open folder, which the system has under `/proc`.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::ids::{RunId, digest};

/// The longest path that every system takes.
const LONGEST: usize = 100;

/// The socket of a run.
#[derive(Clone, Debug)]
pub(crate) struct SocketPath {
    folder: PathBuf,
    name: String,
}

/// A path that is short enough, as long as the folder is kept open.
struct ShortPath {
    path: PathBuf,
    /// Kept open while the path is used.
    #[expect(dead_code, reason = "it is there to be dropped last")]
    folder: Option<OwnedFd>,
}

impl SocketPath {
    /// Returns where the socket of a run is, in the folder for sockets.
    pub(crate) fn of(folder: &Path, run: &RunId) -> Self {
        let name = format!("{}.sock", &digest(&["socket", run.as_str()])[..16]);
        let folder = folder.to_owned();
        Self { folder, name }
    }

    /// Returns the whole path.
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

    /// Listens there. A socket that is left from a host that died is replaced; the caller has the
    /// lock of the run.
    pub(crate) fn listen(&self) -> io::Result<UnixListener> {
        self.remove();
        UnixListener::bind(self.short()?.path)
    }

    /// Connects to it.
    pub(crate) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(self.short()?.path)
    }

    /// Removes it, if it is there.
    #[expect(clippy::disallowed_methods, reason = "a socket of our own")]
    pub(crate) fn remove(&self) {
        // One that cannot be removed makes listening fail, which is said.
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
