//! How one state of a file is told from another.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// Names a file whatever its path is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileIdentity {
    /// The device that contains the file.
    pub device: u64,
    /// The file's number on that device.
    pub inode: u64,
}

/// How much two times of one file may differ, and how long a file may be written again without
/// its time changing: the coarsest clock that disks have, that of FAT.
pub const COARSEST_TICK: Duration = Duration::from_secs(2);

/// Returns the time before which a file must have been written for its time to be believed.
pub fn settled_before(now: SystemTime) -> Option<SystemTime> {
    now.checked_sub(COARSEST_TICK)
}

/// Tells whether a file was written so long ago that its time is believed.
pub fn is_settled(modified: SystemTime, now: SystemTime) -> bool {
    settled_before(now).is_some_and(|limit| modified < limit)
}

/// Returns a time as nanoseconds since 1970, as what is kept of files has it.
pub fn to_nanos(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

/// Returns the time that is so many nanoseconds after 1970, or before it.
pub(crate) fn from_nanos(nanos: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanos.unsigned_abs());
    if nanos < 0 { SystemTime::UNIX_EPOCH - distance } else { SystemTime::UNIX_EPOCH + distance }
}

/// The least difference between two times.
const TICK: Duration = Duration::from_nanos(1);

/// Tells one state of a file from another without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStamp {
    /// The size of the file.
    pub bytes: u64,
    /// When the file was last written; the epoch where the system does not say.
    pub modified: SystemTime,
    /// Which file has the name, on systems that number files.
    pub identity: Option<FileIdentity>,
}

impl FileStamp {
    /// Takes the stamp from what the file system says about a file.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            identity: identity(metadata),
        }
    }

    /// Returns the stamp for a file that was just written and may be written again within the
    /// same tick of the clock: its time differs from the one that the system says.
    pub(crate) fn unsettled(self) -> Self {
        Self { modified: self.modified.checked_sub(TICK).unwrap_or(self.modified), ..self }
    }

    /// Tells whether a stamp that was kept is this one, [unsettled](Self::unsettled).
    pub(crate) fn is_unsettled(&self, kept: &Self) -> bool {
        self.unsettled() == *kept
    }

    /// Represents a file that could not be looked at.
    pub(crate) fn unknown() -> Self {
        Self { bytes: 0, modified: SystemTime::UNIX_EPOCH, identity: None }
    }

    /// Returns the time of the last change in milliseconds since the epoch.
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
