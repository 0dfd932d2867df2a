//! Stamps that distinguish the states of a file.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// Identifies a file independently of its path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileIdentity {
    /// The device that contains the file.
    pub device: u64,
    /// The inode number on that device.
    pub inode: u64,
}

/// The coarsest clock of any file system, that of FAT: two times of one file may differ this much,
/// and a file may be written again within it without a change of its time.
pub const COARSEST_TICK: Duration = Duration::from_secs(2);

/// Returns the time before which a file must have been written for its time to be reliable.
pub fn settled_before(now: SystemTime) -> Option<SystemTime> {
    now.checked_sub(COARSEST_TICK)
}

/// Returns whether a file was written long enough ago for its time to be reliable.
pub fn is_settled(modified: SystemTime, now: SystemTime) -> bool {
    settled_before(now).is_some_and(|limit| modified < limit)
}

/// Returns a time as nanoseconds since 1970, the form in which stamps are stored.
pub fn to_nanos(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

/// Returns the time that is a number of nanoseconds after 1970, or before it if negative.
pub(crate) fn from_nanos(nanos: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanos.unsigned_abs());
    if nanos < 0 { SystemTime::UNIX_EPOCH - distance } else { SystemTime::UNIX_EPOCH + distance }
}

/// The smallest difference between two times.
const TICK: Duration = Duration::from_nanos(1);

/// Distinguishes one state of a file from another without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStamp {
    /// The size of the file.
    pub bytes: u64,
    /// When the file was last written; the epoch if the system does not report it.
    pub modified: SystemTime,
    /// The identity of the file, on systems with inode numbers.
    pub identity: Option<FileIdentity>,
}

impl FileStamp {
    /// Makes the stamp from a file's metadata.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            identity: identity(metadata),
        }
    }

    /// Returns a stamp whose time differs from the file's. It is stored for a file that was just
    /// written, so that a second write within the same clock tick is noticed.
    pub(crate) fn unsettled(self) -> Self {
        Self { modified: self.modified.checked_sub(TICK).unwrap_or(self.modified), ..self }
    }

    /// Returns whether a stored stamp is this one, [unsettled](Self::unsettled).
    pub(crate) fn is_unsettled(&self, kept: &Self) -> bool {
        self.unsettled() == *kept
    }

    /// Returns the stamp of a file whose metadata cannot be read.
    pub(crate) fn unknown() -> Self {
        Self { bytes: 0, modified: SystemTime::UNIX_EPOCH, identity: None }
    }

    /// Returns the modification time in milliseconds since the epoch.
    pub fn modified_ms(&self) -> i64 {
        match self.modified.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after.as_millis() as i64,
            Err(before) => -(before.duration().as_millis() as i64),
        }
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such number")]
fn identity(metadata: &Metadata) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    Some(FileIdentity { device: metadata.dev(), inode: metadata.ino() })
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<FileIdentity> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_count_before_the_epoch_too() {
        let at = |modified| FileStamp { modified, ..FileStamp::unknown() }.modified_ms();
        assert_eq!(at(SystemTime::UNIX_EPOCH + Duration::from_millis(1500)), 1500);
        assert_eq!(at(SystemTime::UNIX_EPOCH - Duration::from_millis(1500)), -1500);
    }
}
