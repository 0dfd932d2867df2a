//! Notes of running servers in the state folder, so that other processes find them.
//!
//! A server writes its address into a file named by its port, readable by its owner only, and removes the
//! file when it ends. The note of a killed server remains, so a reader has to try the address.

#![expect(
    clippy::disallowed_methods,
    reason = "the notes are files of the server's own, in the folder for state"
)]

use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The folder of the notes, in the state folder.
const NOTES: &str = "servers";

/// The note of a running server; dropping this value removes it.
#[derive(Debug)]
pub struct ServerNotice(PathBuf);

impl ServerNotice {
    /// Writes a note that a server listens on an address.
    pub fn post(state: &Path, address: SocketAddr) -> io::Result<Self> {
        let folder = state.join(NOTES);
        unspool_store::files::private::make_private(&folder)?;
        let path = folder.join(address.port().to_string());
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?.write_all(address.to_string().as_bytes())?;
        Ok(Self(path))
    }

    /// Returns the addresses of all notes, by port.
    pub fn all(state: &Path) -> Vec<SocketAddr> {
        let notes = fs::read_dir(state.join(NOTES)).into_iter().flatten();
        let address = |note: fs::DirEntry| fs::read_to_string(note.path()).ok()?.parse().ok();
        let mut all: Vec<SocketAddr> = notes.flatten().filter_map(address).collect();
        all.sort_by_key(SocketAddr::port);
        all
    }
}

impl Drop for ServerNotice {
    fn drop(&mut self) {
        // A note that remains does no harm: readers try the address.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_found_until_the_server_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(ServerNotice::all(folder.path()), []);
        let address: SocketAddr = "127.0.0.1:7717".parse().expect("an address");
        let note = ServerNotice::post(folder.path(), address).expect("a note");
        assert_eq!(ServerNotice::all(folder.path()), [address]);
        drop(note);
        assert_eq!(ServerNotice::all(folder.path()), []);
    }
}
