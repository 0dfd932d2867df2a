//! The directory of the index that tantivy reads and writes.
//!
//! Files are written without `fsync`, so a commit takes milliseconds. A power cut may lose files
//! but no data: a missing or damaged file is noticed when the index is opened, and the index is
//! rebuilt from the logs. Readers need no lock in a folder that cannot be written, since
//! there is no writer.

#![expect(clippy::disallowed_methods, reason = "the index is files")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory,
    TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

/// A directory of tantivy in a folder on disk.
#[derive(Clone, Debug)]
pub(crate) struct IndexFolder {
    path: PathBuf,
    mapped: MmapDirectory,
}

impl IndexFolder {
    /// Opens an existing folder.
    pub(crate) fn open(path: &Path) -> tantivy::Result<Self> {
        Ok(Self { path: path.to_owned(), mapped: MmapDirectory::open(path)? })
    }
}

/// A file that is written without `fsync`.
struct Written(File);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Written {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for IndexFolder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let opened = OpenOptions::new().write(true).create_new(true).open(self.path.join(path));
        match opened {
            Ok(file) => Ok(BufWriter::new(Box::new(Written(file)))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let whole = self.path.join(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let fresh = self.path.join(format!(".{}.new", name.trim_start_matches('.')));
        fs::write(&fresh, data)?;
        // A rename is atomic, so readers never see half a file.
        fs::rename(&fresh, &whole)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.mapped.acquire_lock(lock) {
            Err(LockError::IoError(error))
                if lock.filepath == META_LOCK.filepath && is_denied(&error) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            result => result,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }
}

/// Tells whether an error says that the folder may not be written.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}
