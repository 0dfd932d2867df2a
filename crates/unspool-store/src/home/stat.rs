//! Stamps of many files below one folder.
//!
//! On Unix paths are resolved from an open folder, which spares the system the path to that folder
//! for each of thousands of files.

use std::path::Path;
use std::time::SystemTime;

use crate::files::FileStamp;

pub(crate) use system::OpenFolder;

#[cfg(unix)]
mod system {
    use std::time::Duration;

    use rustix::fd::OwnedFd;
    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, openat, statat};

    use super::{FileStamp, Path, SystemTime};
    use crate::files::FileIdentity;

    /// An open folder.
    pub(crate) struct OpenFolder(OwnedFd);

    impl OpenFolder {
        /// Opens a folder; `None` if that fails.
        pub(crate) fn open(path: &Path) -> Option<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            openat(CWD, path, flags, Mode::empty()).ok().map(Self)
        }

        /// Returns the time of a folder below this one, through links; of this one for an empty
        /// path.
        pub(crate) fn folder_time(&self, path: &str) -> Option<SystemTime> {
            let stat = self.stat(if path.is_empty() { "." } else { path })?;
            (FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
                .then(|| modified(&stat))
                .flatten()
        }

        /// Returns the stamp of a file below, through links; `None` if it is not a regular file or
        /// its permissions let no user read it.
        pub(crate) fn stamp(&self, path: &str) -> Option<FileStamp> {
            let stat = self.stat(path)?;
            let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
            let readable = stat.st_mode & 0o444 != 0;
            (regular && readable).then_some(())?;
            Some(FileStamp {
                bytes: u64::try_from(stat.st_size).ok()?,
                modified: modified(&stat)?,
                identity: identity(&stat),
            })
        }

        fn stat(&self, path: &str) -> Option<Stat> {
            statat(&self.0, path, AtFlags::empty()).ok()
        }
    }

    #[allow(
        clippy::useless_conversion,
        reason = "the types of these numbers differ from system to system"
    )]
    fn identity(stat: &Stat) -> Option<FileIdentity> {
        Some(FileIdentity {
            device: u64::try_from(stat.st_dev).ok()?,
            inode: u64::try_from(stat.st_ino).ok()?,
        })
    }

    fn modified(stat: &Stat) -> Option<SystemTime> {
        let seconds = u64::try_from(stat.st_mtime).ok()?;
        let nanos = u32::try_from(stat.st_mtime_nsec).ok()?;
        Some(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos))
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs;
    use std::path::PathBuf;

    use super::{FileStamp, Path, SystemTime};

    /// A folder whose files are examined.
    pub(crate) struct OpenFolder(PathBuf);

    impl OpenFolder {
        /// Takes the path of a folder; `None` if it is not one.
        pub(crate) fn open(path: &Path) -> Option<Self> {
            path.is_dir().then(|| Self(path.to_owned()))
        }

        /// Returns the time of a folder below this one; of this one for an empty path.
        pub(crate) fn folder_time(&self, path: &str) -> Option<SystemTime> {
            let metadata = fs::metadata(self.0.join(path)).ok()?;
            metadata.is_dir().then(|| metadata.modified().ok()).flatten()
        }

        /// Returns the stamp of a file below; `None` if it is not a regular file.
        pub(crate) fn stamp(&self, path: &str) -> Option<FileStamp> {
            let metadata = fs::metadata(self.0.join(path)).ok()?;
            metadata.is_file().then(|| FileStamp::of(&metadata))
        }
    }
}
