//! The manifest of an archived home, by which unchanged files are recognised without reading them.
//!
//! It has one line of JSON for each file, in one zstd frame with a checksum. It is only a cache: if
//! it is lost or damaged, files are compared with the archived bytes and the manifest is rebuilt.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::place;
use crate::files::{
    self, COARSEST_TICK, FileIdentity, FileStamp, from_nanos, is_settled, to_nanos,
};

const LEVEL: i32 = 3;
/// A longer line is an error: it is not ours, and could be as long as the disk is large. Chosen by
/// judgement: far above the longest path of any system plus the numbers of a row.
const LONGEST_LINE: u64 = 1 << 20;
/// A manifest with more rows is an error. Chosen by judgement: a bound on memory; the home of the
/// benchmark has 12,000 files.
const MOST_ROWS: usize = 4_000_000;

/// The first line of a manifest.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct ManifestHead {
    manifest: u32,
}

const HEAD: ManifestHead = ManifestHead { manifest: 1 };

/// The row of one file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(super) struct ManifestRow {
    /// The path of the file within its home.
    pub(super) path: String,
    /// How many bytes of the file are archived.
    pub(super) bytes: u64,
    /// When the file was last written, in nanoseconds since the epoch.
    pub(super) modified: i64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    device: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    inode: Option<u64>,
    /// The size of the packed file.
    pub(super) packed: u64,
    /// Set if the file may have changed since without a change of its stamp.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    fresh: bool,
    /// The slugs of the plans that a log names.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) plans: Vec<String>,
}

impl ManifestRow {
    /// Makes the row of a file; `read` is the time at which the run began.
    pub(super) fn new(path: String, stamp: &FileStamp, packed: u64, read: SystemTime) -> Self {
        Self {
            path,
            bytes: stamp.bytes,
            modified: to_nanos(stamp.modified),
            device: stamp.identity.map(|identity| identity.device),
            inode: stamp.identity.map(|identity| identity.inode),
            packed,
            fresh: !is_settled(stamp.modified, read),
            plans: Vec::new(),
        }
    }

    /// Returns whether a stamp is that of the archived state.
    pub(super) fn is_of(&self, stamp: &FileStamp) -> bool {
        let identity = stamp.identity;
        !self.fresh
            && self.bytes == stamp.bytes
            && self.modified == to_nanos(stamp.modified)
            && self.device == identity.map(|FileIdentity { device, .. }| device)
            && self.inode == identity.map(|FileIdentity { inode, .. }| inode)
    }

    /// Returns whether a packed file is as the last run left it, by its size and by the time of its
    /// source. Some disks store times less precisely.
    pub(super) fn is_of_packed(&self, packed: &Metadata) -> bool {
        let modified = packed.modified().map_or(i64::MAX, to_nanos);
        let apart = Duration::from_nanos(modified.abs_diff(self.modified));
        packed.len() == self.packed && apart <= COARSEST_TICK
    }

    /// Returns the modification time of the file.
    pub(super) fn time(&self) -> SystemTime {
        from_nanos(self.modified)
    }
}

/// The manifest of one home.
#[derive(Default, Debug)]
pub(super) struct ArchiveManifest {
    rows: HashMap<String, ManifestRow>,
    /// Set if the rows differ from those on disk.
    changed: bool,
}

impl ArchiveManifest {
    /// Reads a manifest; one that is missing or damaged becomes an empty one.
    pub(super) fn read(path: &Path) -> Self {
        Self::try_read(path).unwrap_or_default()
    }

    /// Reads a manifest that must exist and be whole.
    pub(super) fn try_read(path: &Path) -> io::Result<Self> {
        let (file, _) = files::open_regular(path)?;
        let mut lines = io::BufReader::new(zstd::Decoder::new(file)?);
        let mut line = String::new();
        next_line(&mut lines, &mut line)?;
        if serde_json::from_str::<ManifestHead>(&line)? != HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut rows = HashMap::new();
        loop {
            if next_line(&mut lines, &mut line)? == 0 {
                let changed = false;
                return Ok(Self { rows, changed });
            }
            if rows.len() == MOST_ROWS {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let row: ManifestRow = serde_json::from_str(&line)?;
            rows.insert(row.path.clone(), row);
        }
    }

    /// Returns the row of a file.
    pub(super) fn row(&self, below: &Path) -> Option<&ManifestRow> {
        self.rows.get(&key(below)?)
    }

    /// Returns all rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = &ManifestRow> {
        self.rows.values()
    }

    /// Adds or replaces the row of a file.
    pub(super) fn set(&mut self, row: ManifestRow) {
        if self.rows.get(&row.path) != Some(&row) {
            self.changed = true;
            self.rows.insert(row.path.clone(), row);
        }
    }

    /// Writes the manifest atomically, if its rows changed.
    pub(super) fn write(&mut self, temporary: &Path, path: &Path) -> io::Result<()> {
        if !self.changed {
            return Ok(());
        }
        let mut out = zstd::Encoder::new(Vec::new(), LEVEL)?;
        out.include_checksum(true)?;
        serde_json::to_writer(&mut out, &HEAD)?;
        let mut rows: Vec<&ManifestRow> = self.rows.values().collect();
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        for row in rows {
            out.write_all(b"\n")?;
            serde_json::to_writer(&mut out, row)?;
        }
        out.write_all(b"\n")?;
        place::write_whole(temporary, path, &out.finish()?)?;
        self.changed = false;
        Ok(())
    }
}

/// Reads the next line and returns its length; zero at the end.
fn next_line(lines: &mut impl io::BufRead, line: &mut String) -> io::Result<usize> {
    line.clear();
    let length = lines.take(LONGEST_LINE).read_line(line)?;
    if length as u64 == LONGEST_LINE {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(length)
}

/// Returns the key of a file in the manifest. A file whose name is not Unicode has none, and is
/// compared with the archived bytes in each run.
pub(super) fn key(below: &Path) -> Option<String> {
    let names = below.components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    Some(names.collect::<Option<Vec<_>>>()?.join("/"))
}
