//! What was archived, by what it is known again without reading it.
//!
//! One line of JSON for each file, packed into one zstd frame whose checksum seals it. It is
//! no more than a memory: if it is lost or damaged, files are compared with what is archived,
//! byte by byte, and it is rewritten.

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
/// No line is longer. What is longer is not ours, and may be as long as a disk. Chosen by
/// judgement: far above the longest path of any system with its numbers.
const LONGEST_LINE: u64 = 1 << 20;
/// No home has more files. Chosen by judgement: a bound on memory; the home of the benchmark has
/// 12,000 files.
const MOST_ROWS: usize = 4_000_000;

/// The first line.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct ManifestHead {
    manifest: u32,
}

const HEAD: ManifestHead = ManifestHead { manifest: 1 };

/// One file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(super) struct ManifestRow {
    /// Where it is in its home.
    pub(super) path: String,
    /// How many bytes of it are archived.
    pub(super) bytes: u64,
    /// When it was last written, in nanoseconds since the epoch.
    pub(super) modified: i64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    device: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    inode: Option<u64>,
    /// How long the packed file is.
    pub(super) packed: u64,
    /// Whether it may have changed since without a sign.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    fresh: bool,
    /// The plans that a log names.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) plans: Vec<String>,
}

impl ManifestRow {
    /// Takes note of a file that was read by a run that began at a time.
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

    /// Tells whether a file is the one that was read, by its stamp.
    pub(super) fn is_of(&self, stamp: &FileStamp) -> bool {
        let identity = stamp.identity;
        !self.fresh
            && self.bytes == stamp.bytes
            && self.modified == to_nanos(stamp.modified)
            && self.device == identity.map(|FileIdentity { device, .. }| device)
            && self.inode == identity.map(|FileIdentity { inode, .. }| inode)
    }

    /// Tells whether a packed file is as it was left: as long, and of the time of its source. Some
    /// disks keep times less exactly.
    pub(super) fn is_of_packed(&self, packed: &Metadata) -> bool {
        let modified = packed.modified().map_or(i64::MAX, to_nanos);
        let apart = Duration::from_nanos(modified.abs_diff(self.modified));
        packed.len() == self.packed && apart <= COARSEST_TICK
    }

    /// Returns when the file was last written.
    pub(super) fn time(&self) -> SystemTime {
        from_nanos(self.modified)
    }
}

/// Everything that is remembered of one home.
#[derive(Default, Debug)]
pub(super) struct ArchiveManifest {
    rows: HashMap<String, ManifestRow>,
    /// Whether it remembers something else than the file says.
    changed: bool,
}

impl ArchiveManifest {
    /// Reads a manifest; one that is missing or damaged remembers nothing.
    pub(super) fn read(path: &Path) -> Self {
        Self::try_read(path).unwrap_or_default()
    }

    /// Reads a manifest.
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

    /// Returns what is remembered of a file.
    pub(super) fn row(&self, below: &Path) -> Option<&ManifestRow> {
        self.rows.get(&key(below)?)
    }

    /// Returns everything that is remembered.
    pub(super) fn rows(&self) -> impl Iterator<Item = &ManifestRow> {
        self.rows.values()
    }

    /// Remembers a file.
    pub(super) fn set(&mut self, row: ManifestRow) {
        if self.rows.get(&row.path) != Some(&row) {
            self.changed = true;
            self.rows.insert(row.path.clone(), row);
        }
    }

    /// Writes the manifest, whole or not at all, if there is something new in it.
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

/// Reads the next line and returns how long it is; zero at the end.
fn next_line(lines: &mut impl io::BufRead, line: &mut String) -> io::Result<usize> {
    line.clear();
    let length = lines.take(LONGEST_LINE).read_line(line)?;
    if length as u64 == LONGEST_LINE {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(length)
}

/// Returns the name of a file in the manifest. A file whose name is not Unicode has none, and
/// is compared with what is archived each time.
pub(super) fn key(below: &Path) -> Option<String> {
    let names = below.components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    Some(names.collect::<Option<Vec<_>>>()?.join("/"))
}
