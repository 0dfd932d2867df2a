//! Snapshots: a log as bytes, to be stored and continued later.
//!
//! A caller that stores a snapshot of a file's log need not read the file again when it grows: the restored
//! log reads the new lines and is then the log of the whole file. A snapshot has the content of a [`Log`],
//! which is a few percent of the file's size, and of the file's texts only titles and first prompts.
//!
//! A snapshot consists of whole lines. It does not have the bytes after [`Log::resume_offset`],
//! a last line without newline; a caller that pushes them again gets the log that was written.
//!
//! The codec is this crate's own: its output is smaller and faster to read. On 1 GB of generated
//! logs with 408,033 entries, snapshots take 28 MB; the tables of entries, blocks, symbols and
//! usage alone take 38 MB with `postcard`, which is as fast to write and takes 1.3 times as long to
//! read (129 against 99 ms). On logs of the real client it is 31 against 14 MB, and twice as long.
//!
//! The bytes are a version, a hash of the rest, and the tables one after the other. They are
//! untrusted: any bytes give a log or an error, and a log refers only to symbols, entries and blocks
//! that it has. Versions are not converted; a snapshot of another version costs the time to read the
//! file again. Prompts in [`AgentLink`](super::AgentLink)s are hashed with the same function, so a
//! program with another function rejects the snapshot instead of comparing hashes of two functions.

mod codec;
mod entries;
mod facts;
mod names;
mod tables;

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::{Detail, Log};
use codec::{SnapshotReader, SnapshotWriter};

/// The version of the format. It changes with the layout and with the meaning of anything in a
/// log: another version may have parsed a line into another entry.
const VERSION: u8 = 6;

/// More bytes and lines than any file has, with room for those that may be pushed afterwards.
const MOST_BYTES: u64 = u64::MAX >> 1;
const MOST_LINES: u32 = u32::MAX >> 1;

/// Length of the head: the version and the hash.
const HEAD: usize = 9;
/// Usual number of bytes of an entry with its strings.
const USUAL: usize = 64;

/// Why bytes are not a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The snapshot was written by another version of this program.
    #[error("a snapshot of version {0}, where {VERSION} is wanted")]
    OtherVersion(u8),
    /// The bytes are damaged, or are not a snapshot.
    #[error("a damaged snapshot")]
    Damaged,
}

type Result<T> = std::result::Result<T, SnapshotError>;

impl Log {
    /// Returns the log of all whole lines as bytes, see [`Log::from_snapshot`].
    pub fn snapshot(&self) -> Vec<u8> {
        let mut writer = SnapshotWriter::default();
        writer.out.reserve(HEAD + self.entries.len() * USUAL);
        writer.bytes(&[0; HEAD]);
        self.write_body(&mut writer);
        seal(&mut writer.out);
        writer.out
    }

    /// Restores a log from the bytes that [`Log::snapshot`] returned.
    ///
    /// The result is the log of the whole lines that had been read, except for the numbers of symbols
    /// that only a last line without newline named. Reading continues at its [`Log::resume_offset`].
    pub fn from_snapshot(bytes: &[u8]) -> std::result::Result<Self, SnapshotError> {
        let mut reader = SnapshotReader::new(open(bytes)?);
        let log = Self::read_body(&mut reader)?;
        if reader.left() == 0 { Ok(log) } else { Err(SnapshotError::Damaged) }
    }

    fn write_body(&self, writer: &mut SnapshotWriter) {
        let whole = self.whole_lines();
        let facts = self.tail.as_ref().map_or(&self.facts, |tail| &tail.facts);
        let entries = &self.entries[..whole.entries];
        writer.number(whole.bytes);
        writer.number(u64::from(whole.lines));
        names::write(writer, &self.symbols, whole.symbols);
        tables::write_blank(writer, &self.blank[..whole.blank]);
        entries::write(writer, entries, &self.blocks);
        tables::write_diagnostics(writer, &self.diagnostics[..whole.diagnostics]);
        tables::write_usage(writer, &self.usage[..whole.usage], entries);
        tables::write_compactions(writer, &self.compactions[..whole.compactions]);
        tables::write_links(writer, &self.links[..whole.links]);
        let sources = self.sources[..whole.sources].iter().copied();
        tables::write_rows(writer, sources, SnapshotWriter::symbol);
        let durations = self.durations[..whole.durations].iter().copied();
        tables::write_rows(writer, durations, SnapshotWriter::number);
        let changes = self.changes[..whole.changes].iter();
        let changes = changes.map(|&(entry, added, removed)| (entry, (added, removed)));
        tables::write_rows(writer, changes, |writer, (added, removed)| {
            writer.number(u64::from(added));
            writer.number(u64::from(removed));
        });
        let branches = self.branches[..whole.branches].iter().copied();
        tables::write_rows(writer, branches, |writer, branch| {
            writer.maybe(branch, SnapshotWriter::symbol);
        });
        let origins = self.origins[..whole.origins].iter().copied();
        tables::write_rows(writer, origins, SnapshotWriter::symbol);
        facts::write(writer, facts);
    }

    fn read_body(reader: &mut SnapshotReader<'_>) -> Result<Self> {
        let (bytes, lines) = (reader.number()?, reader.small()?);
        if bytes > MOST_BYTES || lines > MOST_LINES {
            return Err(SnapshotError::Damaged);
        }
        let symbols = names::read(reader)?;
        let blank = tables::read_blank(reader)?;
        let (entries, blocks) = entries::read(reader, &blank, bytes)?;
        let diagnostics = tables::read_diagnostics(reader)?;
        let usage = tables::read_usage(reader, &entries)?;
        let count = entries.len();
        Ok(Self {
            blocks,
            symbols,
            diagnostics,
            usage,
            compactions: tables::read_compactions(reader, count)?,
            links: tables::read_links(reader, count)?,
            sources: tables::read_rows(reader, count, |r, entry| Ok((entry, r.symbol()?)))?,
            durations: tables::read_rows(reader, count, |r, entry| Ok((entry, r.number()?)))?,
            changes: tables::read_rows(reader, count, |r, entry| {
                Ok((entry, r.small()?, r.small()?))
            })?,
            branches: tables::read_rows(reader, count, |r, entry| {
                Ok((entry, r.maybe(SnapshotReader::symbol)?))
            })?,
            origins: tables::read_rows(reader, count, |r, entry| Ok((entry, r.symbol()?)))?,
            facts: facts::read(reader, count)?,
            entries,
            bytes,
            lines,
            blank,
            tail: None,
            detail: Detail::Full,
        })
    }
}

/// Fills in the head, which was reserved before the body.
fn seal(snapshot: &mut [u8]) {
    let hash = FixedState::default().hash_one(&snapshot[HEAD..]);
    snapshot[0] = VERSION;
    snapshot[1..HEAD].copy_from_slice(&hash.to_le_bytes());
}

/// Returns the body of a snapshot if its version and its hash are right.
fn open(snapshot: &[u8]) -> Result<&[u8]> {
    let (head, body) = snapshot.split_first_chunk::<HEAD>().ok_or(SnapshotError::Damaged)?;
    let [version, hash @ ..] = *head;
    if version != VERSION {
        return Err(SnapshotError::OtherVersion(version));
    }
    if FixedState::default().hash_one(body) == u64::from_le_bytes(hash) {
        Ok(body)
    } else {
        Err(SnapshotError::Damaged)
    }
}
